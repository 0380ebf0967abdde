package kubelet

import (
	"slices"

	"podwalk/core/api"
)

// readyToStart is the condition PodReadyToStartContainers
// (pkg/kubelet/status/generate.go).
func (s *step) readyToStart(seen *podStatus) api.PodCondition {
	changed, _, _, why := sandboxChanged(s.w.pod, seen)
	if !changed {
		return s.condition("PodReadyToStartContainers", "True", "", "")
	}
	return s.condition("PodReadyToStartContainers", "False", "PodSandboxNotReady", why)
}

func (s *step) condition(t, status, reason, message string) api.PodCondition {
	return api.PodCondition{Type: t, Status: status, Reason: reason, Message: message, ObservedGeneration: s.w.pod.Generation}
}

// initialized is the condition Initialized.
func (s *step) initialized(st *api.PodStatus) api.PodCondition {
	spec := &s.w.pod.Spec
	var unknown, incomplete []string
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		x := statusNamed(st.InitContainerStatuses, c.Name)
		switch {
		case x == nil:
			unknown = append(unknown, c.Name)
		case isSidecar(c) && !deref(x.Started), !isSidecar(c) && !x.Ready:
			incomplete = append(incomplete, c.Name)
		}
	}
	if st.Phase == "Succeeded" && unknown == nil {
		return s.condition("Initialized", "True", "PodCompleted", "")
	}
	for i := range st.ContainerStatuses {
		x := &st.ContainerStatuses[i]
		if x.State.Running != nil || x.State.Terminated != nil || x.LastTerminationState.Terminated != nil || deref(x.Started) {
			return s.condition("Initialized", "True", "", "")
		}
	}
	if m := unreadyMessage(unknown, incomplete, "incomplete"); m != "" {
		return s.condition("Initialized", "False", "ContainersNotInitialized", m)
	}
	return s.condition("Initialized", "True", "", "")
}

func unreadyMessage(unknown, other []string, word string) string {
	m := ""
	if unknown != nil {
		m = "containers with unknown status: " + goList(unknown)
	}
	if other != nil {
		if m != "" {
			m += ", "
		}
		m += "containers with " + word + " status: " + goList(other)
	}
	return m
}

// containersReady is the condition ContainersReady.
func (s *step) containersReady(st *api.PodStatus) api.PodCondition {
	return s.containersReadyAs("ContainersReady", st)
}

func (s *step) containersReadyAs(t string, st *api.PodStatus) api.PodCondition {
	spec := &s.w.pod.Spec
	var unknown, unready []string
	note := func(name string, x *api.ContainerStatus) {
		if x == nil {
			unknown = append(unknown, name)
		} else if !x.Ready {
			unready = append(unready, name)
		}
	}
	for i := range spec.InitContainers {
		if c := &spec.InitContainers[i]; isSidecar(c) {
			note(c.Name, statusNamed(st.InitContainerStatuses, c.Name))
		}
	}
	for i := range spec.Containers {
		note(spec.Containers[i].Name, statusNamed(st.ContainerStatuses, spec.Containers[i].Name))
	}
	switch {
	case st.Phase == "Succeeded" && unknown == nil:
		return s.condition(t, "False", "PodCompleted", "")
	case st.Phase == "Failed":
		return s.condition(t, "False", "PodFailed", "")
	}
	if m := unreadyMessage(unknown, unready, "unready"); m != "" {
		return s.condition(t, "False", "ContainersNotReady", m)
	}
	return s.condition(t, "True", "", "")
}

// ready is the condition Ready: the containers are, and so are the readiness gates.
func (s *step) ready(st *api.PodStatus) api.PodCondition {
	c := s.containersReadyAs("Ready", st)
	if c.Status != "True" {
		return c
	}
	m := ""
	for _, g := range s.w.pod.Spec.ReadinessGates {
		x := findCondition(st.Conditions, g.ConditionType)
		text := ""
		if x == nil {
			text = "corresponding condition of pod readiness gate " + quote(g.ConditionType) + " does not exist."
		} else if x.Status != "True" {
			text = "the status of pod readiness gate " + quote(g.ConditionType) + " is not \"True\", but " + x.Status
		}
		if text != "" && m != "" {
			m += ", "
		}
		m += text
	}
	if m != "" {
		return s.condition("Ready", "False", "ReadinessGatesNotReady", m)
	}
	return c
}

// needsReadiness reports whether readiness gates changed under the kubelet
// (pkg/kubelet/status/status_manager.go, NeedToReconcilePodReadiness).
func needsReadiness(w *worker, pod *api.Pod) bool {
	if len(pod.Spec.ReadinessGates) == 0 {
		return false
	}
	cur := findCondition(pod.Status.Conditions, "Ready")
	if cur == nil {
		return false
	}
	want := (&step{w: w}).ready(&pod.Status)
	return cur.Status != want.Status || cur.Message != want.Message
}

func findCondition(list []api.PodCondition, t string) *api.PodCondition {
	for i := range list {
		if list[i].Type == t {
			return &list[i]
		}
	}
	return nil
}

// replaceCondition returns the list with one condition replaced or added.
func replaceCondition(list []api.PodCondition, c api.PodCondition) []api.PodCondition {
	l := slices.Clone(list)
	for i := range l {
		if l[i].Type == c.Type {
			l[i] = c
			return l
		}
	}
	return append(l, c)
}
