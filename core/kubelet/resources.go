package kubelet

import (
	"maps"

	"podwalk/core/api"
)

// podRequests is what the scheduler and the kubelet count for a pod: the sum of
// its containers, or its largest init container, with sidecars and overhead
// (component-helpers/resource/helpers.go, PodRequests).
func podRequests(pod *api.Pod) map[string]api.Quantity {
	return aggregate(pod, func(r *api.ResourceRequirements) map[string]api.Quantity { return r.Requests }, true)
}

// podLimits is the same for limits; once the pod runs, a resource that a container
// does not limit is not limited for the pod (component-helpers/resource/helpers.go, PodLimits).
func podLimits(pod *api.Pod) map[string]api.Quantity {
	l := aggregate(pod, func(r *api.ResourceRequirements) map[string]api.Quantity { return r.Limits }, false)
	if pod.Status.Phase != "Running" {
		return l
	}
	for name := range l {
		for i := range pod.Spec.Containers {
			if _, ok := pod.Spec.Containers[i].Resources.Limits[name]; !ok && (pod.Spec.Resources == nil) {
				l = maps.Clone(l)
				delete(l, name)
				break
			}
		}
	}
	return l
}

func aggregate(pod *api.Pod, of func(*api.ResourceRequirements) map[string]api.Quantity, overhead bool) map[string]api.Quantity {
	spec := &pod.Spec
	var sum, sidecars, peak map[string]api.Quantity
	for i := range spec.Containers {
		sum = plus(sum, of(&spec.Containers[i].Resources))
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		r := of(&c.Resources)
		if isSidecar(c) {
			sidecars = plus(sidecars, r)
			peak = most(peak, sidecars)
		} else {
			peak = most(peak, plus(plus(nil, sidecars), r))
		}
	}
	sum = most(plus(sum, sidecars), peak)
	if spec.Resources != nil && len(of(spec.Resources)) > 0 {
		if sum == nil {
			sum = map[string]api.Quantity{}
		}
		maps.Copy(sum, of(spec.Resources))
	}
	if overhead || len(sum) > 0 {
		sum = plus(sum, spec.Overhead)
	}
	return sum
}

// plus adds b to a and returns a, which it may make.
func plus(a, b map[string]api.Quantity) map[string]api.Quantity {
	if len(b) == 0 {
		return a
	}
	if a == nil {
		return maps.Clone(b)
	}
	for k, v := range b {
		if x, ok := a[k]; ok {
			a[k] = x.Add(v)
		} else {
			a[k] = v
		}
	}
	return a
}

// most takes the larger of each resource into a and returns a.
func most(a, b map[string]api.Quantity) map[string]api.Quantity {
	if len(b) == 0 {
		return a
	}
	if a == nil {
		return maps.Clone(b)
	}
	for k, v := range b {
		if x, ok := a[k]; !ok || v.Cmp(x) > 0 {
			a[k] = v
		}
	}
	return a
}

// qosClass is the quality of service class of a pod
// (pkg/apis/core/v1/helper/qos/qos.go, ComputePodQOS).
func qosClass(pod *api.Pod) string {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	guaranteed, any := true, false
	look := func(r *api.ResourceRequirements) {
		for _, name := range []string{"cpu", "memory"} {
			req, hasReq := r.Requests[name]
			lim, hasLim := r.Limits[name]
			hasReq, hasLim = hasReq && req.Sign() > 0, hasLim && lim.Sign() > 0
			any = any || hasReq || hasLim
			guaranteed = guaranteed && hasLim && (!hasReq || req.Equal(lim))
		}
	}
	if r := pod.Spec.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		look(r)
	} else {
		for i := range pod.Spec.InitContainers {
			look(&pod.Spec.InitContainers[i].Resources)
		}
		for i := range pod.Spec.Containers {
			look(&pod.Spec.Containers[i].Resources)
		}
	}
	switch {
	case !any:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}
