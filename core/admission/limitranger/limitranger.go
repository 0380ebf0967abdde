// Package limitranger holds pods and claims to the LimitRanges of their
// namespace, and completes what containers leave open
// (plugin/pkg/admission/limitranger).
package limitranger

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/admission/podsum"
	"podwalk/core/api"
)

// Plugin is the rule LimitRanger.
type Plugin struct{}

var (
	_ admission.Mutator   = Plugin{}
	_ admission.Validator = Plugin{}
)

// annotation tells what was completed.
const annotation = "kubernetes.io/limit-ranger"

// Name returns LimitRanger.
func (Plugin) Name() string { return "LimitRanger" }

// Handles new pods and claims, changed claims, and resized pods, in namespaces
// with a LimitRange.
func (Plugin) Handles(a *admission.Attributes) bool {
	if a.Object == nil || a.Old != nil && a.Old.Meta().DeletionTimestamp != nil {
		return false
	}
	switch a.Object.(type) {
	case *api.Pod:
		if a.Operation == admission.Create && a.Subresource != "" || a.Operation == admission.Update && a.Subresource != "resize" {
			return false
		}
	case *api.PersistentVolumeClaim:
		if a.Subresource != "" {
			return false
		}
	default:
		return false
	}
	return len(ranges(a)) > 0
}

// ranges returns the LimitRanges of the namespace by name.
func ranges(a *admission.Attributes) (list []*api.LimitRange) {
	a.Read.Each("LimitRange", a.Namespace, func(o api.Object) bool {
		list = append(list, o.(*api.LimitRange))
		return true
	})
	return list
}

// Admit gives containers the default requests and limits.
func (Plugin) Admit(a *admission.Attributes) (changed bool, refusal *api.Status) {
	pod, ok := a.Object.(*api.Pod)
	if !ok {
		return false, nil
	}
	for _, r := range ranges(a) {
		changed = complete(pod, r) || changed
	}
	return changed, nil
}

func complete(pod *api.Pod, r *api.LimitRange) bool {
	requests, limits := podsum.List{}, podsum.List{}
	for _, item := range r.Spec.Limits {
		if item.Type == "Container" {
			maps.Copy(requests, item.DefaultRequest)
			maps.Copy(limits, item.Default)
		}
	}
	var said []string
	for i := range pod.Spec.Containers {
		said = append(said, fill(&pod.Spec.Containers[i], requests, limits, "container ")...)
	}
	for i := range pod.Spec.InitContainers {
		said = append(said, fill(&pod.Spec.InitContainers[i], requests, limits, "init container ")...)
	}
	if len(said) == 0 {
		return false
	}
	all := map[string]string{}
	maps.Copy(all, pod.Annotations)
	all[annotation] = "LimitRanger plugin set: " + strings.Join(said, "; ")
	pod.Annotations = all
	return true
}

// fill adds what a container lacks and tells what.
func fill(c *api.Container, requests, limits podsum.List, what string) (said []string) {
	for _, side := range []struct {
		have     *map[string]api.Quantity
		defaults podsum.List
		name     string
	}{{&c.Resources.Requests, requests, " request for "}, {&c.Resources.Limits, limits, " limit for "}} {
		if names := missing(*side.have, side.defaults); len(names) > 0 {
			all := podsum.List{}
			maps.Copy(all, *side.have)
			for _, n := range names {
				all[n] = side.defaults[n]
			}
			*side.have = all
			said = append(said, strings.Join(names, ", ")+side.name+what+c.Name)
		}
	}
	return said
}

func missing(have, defaults podsum.List) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(defaults)) {
		if _, ok := have[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}
