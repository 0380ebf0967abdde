// Package runtimeclass gives pods the overhead and the placement of their
// RuntimeClass (plugin/pkg/admission/runtimeclass).
package runtimeclass

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule RuntimeClass.
type Plugin struct{}

var (
	_ admission.Mutator   = Plugin{}
	_ admission.Validator = Plugin{}
)

// Name returns RuntimeClass.
func (Plugin) Name() string { return "RuntimeClass" }

// Handles new pods.
func (Plugin) Handles(a *admission.Attributes) bool {
	return a.Operation == admission.Create && a.Pod() != nil
}

// find returns the pod's class, nil for the default one.
func find(a *admission.Attributes) (*api.RuntimeClass, *api.Status) {
	name := a.Pod().Spec.RuntimeClassName
	if name == nil {
		return nil, nil
	}
	class, ok := a.Read.Get("RuntimeClass", "", *name).(*api.RuntimeClass)
	if !ok {
		return nil, a.Forbidden("pod rejected: RuntimeClass " + strconv.Quote(*name) + " not found")
	}
	return class, nil
}

// Admit adds overhead, node selector and tolerations.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	class, refusal := find(a)
	if class == nil {
		return false, refusal
	}
	pod := a.Pod()
	if refusal := setOverhead(a, pod, class); refusal != nil {
		return false, refusal
	}
	return true, place(a, pod, class)
}

func setOverhead(a *admission.Attributes, pod *api.Pod, class *api.RuntimeClass) *api.Status {
	if class.Overhead == nil {
		return nil
	}
	if pod.Spec.Overhead != nil && !api.Equal(pod.Spec.Overhead, class.Overhead.PodFixed) {
		return a.Forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	}
	pod.Spec.Overhead = class.Overhead.PodFixed
	return nil
}

func place(a *admission.Attributes, pod *api.Pod, class *api.RuntimeClass) *api.Status {
	if class.Scheduling == nil {
		return nil
	}
	if want := class.Scheduling.NodeSelector; len(want) > 0 {
		all := map[string]string{}
		maps.Copy(all, pod.Spec.NodeSelector)
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if have, ok := all[k]; ok && have != want[k] {
				return a.Forbidden("conflict: runtimeClass.scheduling.nodeSelector[" + k + "] = " + want[k] + "; pod.spec.nodeSelector[" + k + "] = " + have)
			}
			all[k] = want[k]
		}
		pod.Spec.NodeSelector = all
	}
	for _, t := range class.Scheduling.Tolerations {
		if !tolerates(pod.Spec.Tolerations, t) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations[:len(pod.Spec.Tolerations):len(pod.Spec.Tolerations)], t)
		}
	}
	return nil
}

func tolerates(list []api.Toleration, t api.Toleration) bool {
	return slices.ContainsFunc(list, func(have api.Toleration) bool { return api.Equal(have, t) })
}

// Validate refuses an overhead that is not of the class.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	class, refusal := find(a)
	if refusal != nil {
		return refusal
	}
	overhead := a.Pod().Spec.Overhead
	switch {
	case class != nil && class.Overhead != nil && !api.Equal(overhead, class.Overhead.PodFixed):
		return a.Forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	case (class == nil || class.Overhead == nil) && len(overhead) > 0:
		return a.Forbidden("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	}
	return nil
}
