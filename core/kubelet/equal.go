package kubelet

import (
	"slices"

	"podwalk/core/api"
)

// equalStatus reports whether two statuses say the same, apart from the times of
// conditions and what the kubelet does not set
// (pkg/kubelet/status/status_manager.go, isPodStatusByKubeletEqual).
func equalStatus(a, b *api.PodStatus) bool {
	n := 0
	for i := range b.Conditions {
		c := &b.Conditions[i]
		if !ownCondition(c.Type) && c.Type != "DisruptionTarget" {
			continue
		}
		n++
		o := findCondition(a.Conditions, c.Type)
		if o == nil || o.Status != c.Status || o.Message != c.Message || o.Reason != c.Reason {
			return false
		}
	}
	for i := range a.Conditions {
		if t := a.Conditions[i].Type; ownCondition(t) || t == "DisruptionTarget" {
			n--
		}
	}
	return n == 0 && equalBody(a, b)
}

// equalWhole compares two statuses with their conditions.
func equalWhole(a, b *api.PodStatus) bool {
	return slices.Equal(a.Conditions, b.Conditions) && equalBody(a, b)
}

func equalBody(a, b *api.PodStatus) bool {
	return a.Phase == b.Phase && a.Reason == b.Reason && a.Message == b.Message && a.PodIP == b.PodIP && a.HostIP == b.HostIP &&
		a.QOSClass == b.QOSClass && a.ObservedGeneration == b.ObservedGeneration && deref(a.StartTime) == deref(b.StartTime) &&
		slices.Equal(a.PodIPs, b.PodIPs) && slices.Equal(a.HostIPs, b.HostIPs) &&
		equalQuantities(a.AllocatedResources, b.AllocatedResources) && equalResources(a.Resources, b.Resources) &&
		slices.EqualFunc(a.InitContainerStatuses, b.InitContainerStatuses, equalContainer) &&
		slices.EqualFunc(a.ContainerStatuses, b.ContainerStatuses, equalContainer) &&
		slices.EqualFunc(a.EphemeralContainerStatuses, b.EphemeralContainerStatuses, equalContainer)
}

func equalContainer(a, b api.ContainerStatus) bool {
	return a.Name == b.Name && a.ContainerID == b.ContainerID && a.Image == b.Image && a.ImageID == b.ImageID && a.Ready == b.Ready &&
		a.RestartCount == b.RestartCount && (a.Started == nil) == (b.Started == nil) && deref(a.Started) == deref(b.Started) &&
		equalState(a.State, b.State) && equalState(a.LastTerminationState, b.LastTerminationState) &&
		equalQuantities(a.AllocatedResources, b.AllocatedResources) && equalResources(a.Resources, b.Resources) &&
		len(a.VolumeMounts) == len(b.VolumeMounts)
}

func equalState(a, b api.ContainerState) bool {
	if (a.Running == nil) != (b.Running == nil) || (a.Waiting == nil) != (b.Waiting == nil) || (a.Terminated == nil) != (b.Terminated == nil) {
		return false
	}
	return deref(a.Running) == deref(b.Running) && deref(a.Waiting) == deref(b.Waiting) && deref(a.Terminated) == deref(b.Terminated)
}

func equalResources(a, b *api.ResourceRequirements) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return equalQuantities(a.Limits, b.Limits) && equalQuantities(a.Requests, b.Requests)
}

func equalQuantities(a, b map[string]api.Quantity) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || !v.Equal(w) {
			return false
		}
	}
	return true
}
