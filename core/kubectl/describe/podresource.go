package describe

import "podwalk/core/api"

// amounts of resources by name
type resourceList = map[string]api.Quantity

// podRequests sums what the containers of a pod ask for: init containers one after
// the other, the others together; of a running pod also what it has been given
// (component-helpers/resource PodRequests).
func podRequests(pod *api.Pod, status bool) resourceList {
	r := aggregate(pod, nil, specRequests)
	if status {
		infeasible := resizeInfeasible(pod)
		given := aggregate(pod, pod, allocatedRequests(infeasible))
		larger(given, aggregate(pod, pod, actuatedRequests(infeasible)))
		if infeasible {
			r = given
		} else {
			larger(r, given)
		}
	}
	if pod.Spec.Resources != nil && anyPodLevel(pod.Spec.Resources.Requests) {
		override(r, pod.Spec.Resources.Requests)
	}
	addAll(r, pod.Spec.Overhead)
	return r
}

// podLimits sums the limits in the same way; overhead counts where there is a limit.
func podLimits(pod *api.Pod, status bool) resourceList {
	l := aggregate(pod, nil, specLimits)
	if status {
		infeasible := resizeInfeasible(pod)
		actuated := aggregate(pod, pod, actuatedLimits(infeasible))
		if infeasible {
			l = actuated
		} else {
			larger(l, actuated)
		}
	}
	if podLevel(pod.Spec.Resources) {
		override(l, pod.Spec.Resources.Limits)
	}
	for name, q := range pod.Spec.Overhead {
		if value, ok := l[name]; ok && !value.IsZero() {
			l[name] = value.Add(q)
		}
	}
	return l
}

type amountsOf func(*api.Container, *api.ContainerStatus) resourceList

func specRequests(c *api.Container, _ *api.ContainerStatus) resourceList { return c.Resources.Requests }
func specLimits(c *api.Container, _ *api.ContainerStatus) resourceList   { return c.Resources.Limits }

func allocatedRequests(infeasible bool) amountsOf {
	return func(c *api.Container, s *api.ContainerStatus) resourceList {
		switch {
		case s != nil && s.AllocatedResources != nil:
			return s.AllocatedResources
		case infeasible:
			return nil
		}
		return c.Resources.Requests
	}
}

func actuatedRequests(infeasible bool) amountsOf {
	allocated := allocatedRequests(infeasible)
	return func(c *api.Container, s *api.ContainerStatus) resourceList {
		if s != nil && s.Resources != nil && s.Resources.Requests != nil {
			return s.Resources.Requests
		}
		return allocated(c, s)
	}
}

func actuatedLimits(infeasible bool) amountsOf {
	return func(c *api.Container, s *api.ContainerStatus) resourceList {
		switch {
		case s != nil && s.Resources != nil && s.Resources.Limits != nil:
			return s.Resources.Limits
		case infeasible:
			return nil
		}
		return c.Resources.Limits
	}
}

// aggregate sums over containers; statuses are those of a pod, or nil.
func aggregate(pod, statuses *api.Pod, of amountsOf) resourceList {
	total := resourceList{}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		addAll(total, of(c, statusOf(statuses, c.Name)))
	}
	sidecars, highest := resourceList{}, resourceList{}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		amounts := of(c, statusOf(statuses, c.Name))
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			addAll(total, amounts)
			addAll(sidecars, amounts)
			larger(highest, sidecars)
			continue
		}
		during := resourceList{}
		addAll(during, amounts)
		addAll(during, sidecars)
		larger(highest, during)
	}
	larger(total, highest)
	return total
}

func statusOf(pod *api.Pod, name string) *api.ContainerStatus {
	if pod == nil {
		return nil
	}
	for _, list := range [][]api.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

func resizeInfeasible(pod *api.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == "PodResizePending" {
			return c.Reason == "Infeasible"
		}
	}
	return false
}

func addAll(into, list resourceList) {
	for name, q := range list {
		if old, ok := into[name]; ok {
			q = old.Add(q)
		}
		into[name] = q
	}
}

func larger(into, list resourceList) {
	for name, q := range list {
		if old, ok := into[name]; !ok || q.Cmp(old) > 0 {
			into[name] = q
		}
	}
}

func override(into, list resourceList) {
	for name, q := range list {
		if podLevelName(name) {
			into[name] = q
		}
	}
}
