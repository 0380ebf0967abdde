package apiserver

import (
	"strconv"

	"podwalk/core/api"
)

// logs answers the log of a container
// (pkg/registry/core/pod/strategy.go LogLocation).
func (c *call) logs(o api.Object) api.Response {
	pod, ok := o.(*api.Pod)
	if !ok {
		return c.refuse("apiserver", noSubresource())
	}
	opts := map[string]string{}
	for k, v := range c.req.Options {
		opts[k] = v
	}
	name, st := containerOf(pod, opts["container"])
	if st != nil {
		return c.refuse("apiserver", st)
	}
	opts["container"] = name
	if pod.Spec.NodeName == "" {
		return api.Response{}
	}
	if c.s.proxy == nil {
		return c.refuse("apiserver", api.NewInternalError("no kubelet is connected"))
	}
	text, st := c.s.proxy.Log(pod, opts)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	return api.Response{Text: text}
}

// containerOf settles which container is meant: the only one, or the one named.
func containerOf(pod *api.Pod, name string) (string, *api.Status) {
	if name == "" {
		if len(pod.Spec.Containers) == 1 && len(pod.Spec.InitContainers) == 0 && len(pod.Spec.EphemeralContainers) == 0 {
			return pod.Spec.Containers[0].Name, nil
		}
		text := "a container name must be specified for pod " + pod.Name + ", choose one of: " + list(pod.Spec.Containers)
		if len(pod.Spec.InitContainers) > 0 {
			text += " or one of the init containers: " + list(pod.Spec.InitContainers)
		}
		return "", api.NewBadRequest(text)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if c.Name == name {
			return name, nil
		}
	}
	for _, l := range [][]api.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range l {
			if l[i].Name == name {
				return name, nil
			}
		}
	}
	return "", api.NewBadRequest("container " + name + " is not valid for pod " + pod.Name)
}

func list(containers []api.Container) string {
	text := "["
	for i := range containers {
		if i > 0 {
			text += " "
		}
		text += containers[i].Name
	}
	return text + "]"
}

// evict deletes a pod as drain asks for it. Disruption budgets with room are
// counted by their controller.
func (c *call) evict() api.Response {
	pod, ok := c.current().(*api.Pod)
	if !ok {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	if pod.DeletionTimestamp == nil && pod.Status.Phase != "Failed" && pod.Status.Phase != "Succeeded" {
		if st := c.disruption(pod); st != nil {
			return c.refuse("apiserver", st)
		}
	}
	c.req.Verb, c.req.Subresource = api.Delete, ""
	return c.deleteObject(pod)
}

// disruption refuses an eviction that the only budget of the pod does not allow
// (pkg/registry/core/pod/storage/eviction.go).
func (c *call) disruption(pod *api.Pod) *api.Status {
	var budgets []*api.PodDisruptionBudget
	c.read.Each("PodDisruptionBudget", pod.Namespace, func(o api.Object) bool {
		b := o.(*api.PodDisruptionBudget)
		if sel, err := b.Spec.Selector.AsSelector(); err == nil && sel.Matches(pod.Labels) {
			budgets = append(budgets, b)
		}
		return true
	})
	switch {
	case len(budgets) > 1:
		return api.NewInternalError("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
	case len(budgets) == 0 || budgets[0].Status.DisruptionsAllowed > 0:
		return nil
	}
	return tooManyRequests(budgets[0])
}

func tooManyRequests(b *api.PodDisruptionBudget) *api.Status {
	st := api.NewBadRequest("Cannot evict pod as it would violate the pod's disruption budget.")
	st.Code, st.Reason = 429, api.ReasonTooManyRequests
	st.Details = &api.StatusDetails{Causes: []api.StatusCause{{Type: "DisruptionBudget", Message: "The disruption budget " + b.Name +
		" needs " + strconv.Itoa(int(b.Status.DesiredHealthy)) + " healthy pods and has " + strconv.Itoa(int(b.Status.CurrentHealthy)) + " currently"}}}
	return st
}
