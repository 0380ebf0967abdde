// Package podtopologylabels copies the zone and region labels of a node to the
// pods that are bound to it (plugin/pkg/admission/podtopologylabels).
package podtopologylabels

import (
	"maps"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule PodTopologyLabels.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

var labels = [...]string{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}

// Name returns PodTopologyLabels.
func (Plugin) Name() string { return "PodTopologyLabels" }

// Handles bindings, and creations of pods that name their node.
func (Plugin) Handles(a *admission.Attributes) bool {
	if a.Operation != admission.Create {
		return false
	}
	return a.Binding != nil || a.Pod() != nil && a.Pod().Spec.NodeName != ""
}

// Admit copies the labels; it overwrites those of the pod.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	if a.Binding != nil {
		found := of(a, a.Binding.Node)
		if len(found) > 0 {
			a.Binding.Labels = merge(a.Binding.Labels, found)
		}
		return len(found) > 0, nil
	}
	pod := a.Pod()
	found := of(a, pod.Spec.NodeName)
	if len(found) == 0 {
		return false, nil
	}
	pod.Labels = merge(pod.Labels, found)
	return true, nil
}

func of(a *admission.Attributes, node string) map[string]string {
	n, ok := a.Read.Get("Node", "", node).(*api.Node)
	if !ok {
		return nil
	}
	found := map[string]string{}
	for _, l := range labels {
		if v, ok := n.Labels[l]; ok {
			found[l] = v
		}
	}
	return found
}

func merge(into, from map[string]string) map[string]string {
	m := make(map[string]string, len(into)+len(from))
	maps.Copy(m, into)
	maps.Copy(m, from)
	return m
}
