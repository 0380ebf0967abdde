package kubelet

import (
	"slices"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// generateStatus makes the status that the API server shall see from what the
// PLEG saw (pkg/kubelet/kubelet_pods.go, generateAPIPodStatus).
func (s *step) generateStatus(seen *podStatus, isTerminal bool) api.PodStatus {
	w, pod := s.w, s.w.pod
	old := &w.status
	if w.version == 0 {
		old = &pod.Status
	}
	st := s.convertStatus(seen, old)
	s.setPhase(&st, old, seen, isTerminal)
	s.updateProbeStatus(&st)
	for _, c := range pod.Status.Conditions {
		if !ownCondition(c.Type) {
			st.Conditions = append(st.Conditions, c)
		}
	}
	for _, c := range []*api.PodCondition{w.resize.pending, w.resize.progress} {
		if c != nil {
			st.Conditions = append(st.Conditions, *c)
		}
	}
	if c := findCondition(old.Conditions, "DisruptionTarget"); c != nil {
		st.Conditions = replaceCondition(st.Conditions, *c)
	}
	st.Conditions = append(slices.Grow(st.Conditions, 5), s.readyToStart(seen), s.initialized(&st), s.ready(&st), s.containersReady(&st),
		api.PodCondition{Type: "PodScheduled", Status: "True", ObservedGeneration: pod.Generation})
	if e := w.evict; e != nil && e.disruption {
		st.Conditions = replaceCondition(st.Conditions, api.PodCondition{Type: "DisruptionTarget", Status: "True",
			Reason: "TerminationByKubelet", Message: e.message, ObservedGeneration: pod.Generation})
	}
	s.setAddresses(&st)
	return st
}

// setPhase computes the phase and keeps reason and message with it.
func (s *step) setPhase(st *api.PodStatus, old *api.PodStatus, seen *podStatus, isTerminal bool) {
	w, pod := s.w, s.w.pod
	st.Phase = phaseOf(pod, st, isTerminal, anyMainStarted(&pod.Spec, seen))
	if !terminal(st.Phase) {
		switch {
		case terminal(old.Phase):
			st.Phase = old.Phase
		case terminal(pod.Status.Phase):
			st.Phase = pod.Status.Phase
		}
	}
	if st.Phase == old.Phase {
		st.Reason, st.Message = old.Reason, old.Message
		if st.Reason == "" {
			st.Reason = pod.Status.Reason
		}
		if st.Message == "" {
			st.Message = pod.Status.Message
		}
	}
	if w.evict != nil {
		if w.evict.reason == deadlineExceeded {
			s.event("", "Normal", w.evict.reason, w.evict.message)
		}
		st.Phase, st.Reason, st.Message = "Failed", w.evict.reason, w.evict.message
	}
	if terminal(pod.Status.Phase) {
		st.Phase = pod.Status.Phase
	}
}

func terminal(phase string) bool { return phase == "Succeeded" || phase == "Failed" }

// ownCondition reports whether the kubelet alone sets a condition
// (pkg/kubelet/types/pod_status.go).
func ownCondition(t string) bool {
	switch t {
	case "PodScheduled", "Ready", "Initialized", "ContainersReady", "PodReadyToStartContainers", "PodResizePending", "PodResizeInProgress", "AllContainersRestarting":
		return true
	}
	return false
}

// setAddresses fills in the node's addresses. A kubelet whose Node has been deleted
// knows its own (pkg/kubelet/kubelet_getters.go, getHostIPsAnyWay).
func (s *step) setAddresses(st *api.PodStatus) {
	ip := s.nodeIP()
	if ip == "" {
		ip = s.w.status.HostIP
	}
	if ip == "" {
		return
	}
	st.HostIP = ip
	st.HostIPs = []api.HostIP{{IP: ip}}
	if s.w.pod.Spec.HostNetwork && st.PodIP == "" {
		st.PodIP = ip
		st.PodIPs = []api.PodIP{{IP: ip}}
	}
}

// convertStatus converts what the runtime reports
// (pkg/kubelet/kubelet_pods.go, convertStatusToAPIStatus).
func (s *step) convertStatus(seen *podStatus, old *api.PodStatus) api.PodStatus {
	pod := s.w.pod
	var st api.PodStatus
	for _, ip := range seen.ips {
		st.PodIPs = append(st.PodIPs, api.PodIP{IP: ip})
	}
	if len(seen.ips) > 0 {
		st.PodIP = seen.ips[0]
	}
	st.QOSClass = qosClass(pod)
	hasInit := len(pod.Spec.InitContainers) > 0
	st.ContainerStatuses = s.convertContainers(seen, old.ContainerStatuses, pod.Spec.Containers, hasInit, false)
	slices.SortStableFunc(st.ContainerStatuses, func(a, b api.ContainerStatus) int { return strings.Compare(a.Name, b.Name) })
	if hasInit {
		st.InitContainerStatuses = s.convertContainers(seen, old.InitContainerStatuses, pod.Spec.InitContainers, hasInit, true)
	}
	if n := len(pod.Spec.EphemeralContainers); n > 0 {
		list := make([]api.Container, n)
		for i := range list {
			list[i] = ephemeralAsContainer(&pod.Spec.EphemeralContainers[i])
		}
		st.EphemeralContainerStatuses = s.convertContainers(seen, old.EphemeralContainerStatuses, list, hasInit, false)
		slices.SortStableFunc(st.EphemeralContainerStatuses, func(a, b api.ContainerStatus) int { return strings.Compare(a.Name, b.Name) })
	}
	requests, limits := s.w.totals()
	st.AllocatedResources = requests
	st.Resources = &api.ResourceRequirements{Requests: requests, Limits: limits}
	return st
}

// convertContainers makes the status of each container
// (pkg/kubelet/kubelet_pods.go, convertToAPIContainerStatuses).
func (s *step) convertContainers(seen *podStatus, old []api.ContainerStatus, specs []api.Container, hasInit, isInit bool) []api.ContainerStatus {
	list := make([]api.ContainerStatus, len(specs))
	for i := range specs {
		c := &specs[i]
		list[i] = s.defaultStatus(c, statusNamed(old, c.Name), hasInit)
		s.lostContainer(&list[i], seen, statusNamed(old, c.Name), hasInit)
		n := 0
		for j := range seen.containers {
			x := &seen.containers[j]
			if x.name != c.Name || n == 2 {
				continue
			}
			if n == 0 {
				list[i] = s.convertContainer(c, x, &list[i], statusNamed(old, c.Name))
			} else {
				list[i].LastTerminationState = stateOf(x, s)
			}
			n++
		}
		s.waitingReason(&list[i], c, seen, isInit)
	}
	return list
}

func statusNamed(list []api.ContainerStatus, name string) *api.ContainerStatus {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// defaultStatus is the status of a container of which nothing is known.
func (s *step) defaultStatus(c *api.Container, old *api.ContainerStatus, hasInit bool) api.ContainerStatus {
	if old != nil && old.State.Terminated != nil {
		return *old
	}
	st := api.ContainerStatus{Name: c.Name, Image: c.Image, State: api.ContainerState{Waiting: defaultWaiting(hasInit)}}
	if old != nil {
		st.RestartCount, st.LastTerminationState, st.VolumeMounts = old.RestartCount, old.LastTerminationState, old.VolumeMounts
	}
	if st.VolumeMounts == nil {
		st.VolumeMounts = mountStatuses(c)
	}
	return st
}

var (
	containerCreating = &api.ContainerStateWaiting{Reason: "ContainerCreating"}
	podInitializing   = &api.ContainerStateWaiting{Reason: "PodInitializing"}
	disabled          = ptr("Disabled")
)

func defaultWaiting(hasInit bool) *api.ContainerStateWaiting {
	if hasInit {
		return podInitializing
	}
	return containerCreating
}

func mountStatuses(c *api.Container) []api.VolumeMountStatus {
	var l []api.VolumeMountStatus
	for i := range c.VolumeMounts {
		m := &c.VolumeMounts[i]
		v := api.VolumeMountStatus{Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly}
		if m.ReadOnly {
			v.RecursiveReadOnly = disabled
			if r := deref(m.RecursiveReadOnly); r == "IfPossible" || r == "Enabled" {
				v.RecursiveReadOnly = ptr("Enabled")
			}
		}
		l = append(l, v)
	}
	return l
}

// lostContainer handles a container that ran and is not there any more.
func (s *step) lostContainer(st *api.ContainerStatus, seen *podStatus, old *api.ContainerStatus, hasInit bool) {
	if old == nil || old.State.Running == nil || seen.named(st.Name) != nil {
		return
	}
	if st.State.Waiting == nil || st.State.Waiting.Reason != defaultWaiting(hasInit).Reason || st.LastTerminationState.Terminated != nil {
		return
	}
	st.LastTerminationState.Terminated = &api.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: 137,
		Message: "The container could not be located when the pod was deleted.  The container used to be Running"}
	if s.w.pod.DeletionTimestamp == nil {
		st.RestartCount++
	}
}

const containerIDPrefix = "containerd://"

// convertContainer converts the newest instance of a container.
func (s *step) convertContainer(c *api.Container, x *containerStatus, def, old *api.ContainerStatus) api.ContainerStatus {
	st := api.ContainerStatus{Name: x.name, RestartCount: int32(x.restarts), Image: x.image, ImageID: x.imageRef,
		ContainerID: containerIDPrefix + x.id, VolumeMounts: def.VolumeMounts, State: stateOf(x, s),
		Resources: &c.Resources, AllocatedResources: c.Resources.Requests}
	if old == nil {
		return st
	}
	if x.running() && old.ContainerID == st.ContainerID && old.Resources != nil && s.w.resize.progress != nil && s.actuated(x.id) != amountsOf(c) {
		st.Resources = old.Resources
	}
	st.VolumeMounts = old.VolumeMounts
	st.RestartCount = max(st.RestartCount, old.RestartCount)
	switch {
	case old.ContainerID != st.ContainerID && old.State.Terminated != nil:
		st.LastTerminationState.Terminated = old.State.Terminated
	case old.LastTerminationState.Terminated != nil:
		st.LastTerminationState.Terminated = old.LastTerminationState.Terminated
	}
	if x.running() && old.State.Terminated != nil && old.RestartCount >= int32(x.restarts) {
		st.RestartCount = old.RestartCount + 1
	}
	return st
}

func stateOf(x *containerStatus, s *step) api.ContainerState {
	switch x.state {
	case runtime.Running:
		return api.ContainerState{Running: &api.ContainerStateRunning{StartedAt: s.apiTime(x.started)}}
	case runtime.Exited:
		started := api.Epoch // containerd's zero: it never ran
		if x.started != never {
			started = s.apiTime(x.started)
		}
		return api.ContainerState{Terminated: &api.ContainerStateTerminated{ExitCode: int32(x.exitCode), Reason: x.reason, Message: x.message,
			StartedAt: started, FinishedAt: s.apiTime(x.finishedAt), ContainerID: containerIDPrefix + x.id}}
	}
	return api.ContainerState{Waiting: &api.ContainerStateWaiting{}}
}

// waitingReason shows why a container that has to be started does not run.
func (s *step) waitingReason(st *api.ContainerStatus, c *api.Container, seen *podStatus, isInit bool) {
	x := seen.named(c.Name)
	if isInit && x != nil && x.exited() && x.exitCode == 0 {
		return
	}
	if isInit && x == nil && !isSidecar(c) && st.State.Waiting != nil && anyMainCreated(&s.w.pod.Spec, seen) {
		st.State = api.ContainerState{Terminated: &api.ContainerStateTerminated{Reason: "Completed",
			Message: "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally"}}
		return
	}
	if !s.shouldRestart(c, seen) {
		return
	}
	why := s.w.reasonOf(c.Name)
	if why == nil {
		return
	}
	if st.State.Terminated != nil {
		st.LastTerminationState = st.State
	}
	st.State = api.ContainerState{Waiting: &api.ContainerStateWaiting{Reason: why.reason, Message: why.message}}
}

func (s *step) apiTime(t sim.Time) api.Time {
	if t == never {
		return 0
	}
	return actor.TimeAt(s.c.Host.Start(), t)
}

func (s *step) simTime(t api.Time) sim.Time { return actor.SimTime(s.c.Host.Start(), t) }
