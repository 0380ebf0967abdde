package apiserver

import "podwalk/core/api"

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
