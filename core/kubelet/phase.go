package kubelet

import "podwalk/core/api"

// phaseOf computes the phase of a pod from the states of its containers
// (pkg/kubelet/kubelet_pods.go, getPhase).
func phaseOf(pod *api.Pod, st *api.PodStatus, isTerminal, initialised bool) string {
	var n phaseCount
	spec := &pod.Spec
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		x := statusNamed(st.InitContainerStatuses, c.Name)
		if isSidecar(c) {
			n.sidecar(x)
		} else {
			n.init(c, spec, x)
		}
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		n.main(c, spec, statusNamed(st.ContainerStatuses, c.Name))
	}
	switch {
	case n.initFailed:
		return "Failed"
	case n.pendingInit, n.pendingSidecar && !initialised, n.waiting:
		return "Pending"
	case n.running && !n.unknown:
		return "Running"
	case n.running || n.stopped == 0 || n.unknown:
		return "Pending"
	case isTerminal || n.stopped == n.final:
		if n.stopped == n.succeeded {
			return "Succeeded"
		}
		return "Failed"
	}
	return "Running"
}

type phaseCount struct {
	initFailed, pendingInit, pendingSidecar bool
	unknown, running, waiting               bool
	stopped, final, succeeded               int
}

func (n *phaseCount) init(c *api.Container, spec *api.PodSpec, x *api.ContainerStatus) {
	if x == nil {
		n.pendingInit = true
		return
	}
	t := x.State.Terminated
	if x.State.Waiting != nil {
		t = x.LastTerminationState.Terminated
	}
	switch {
	case x.State.Running != nil, t == nil:
		n.pendingInit = true
	case t.ExitCode != 0 && !restarts(c, spec, int(t.ExitCode)):
		n.initFailed = true
	}
}

func (n *phaseCount) sidecar(x *api.ContainerStatus) {
	switch {
	case x == nil:
		n.unknown = true
	case x.State.Running != nil:
		n.pendingSidecar = n.pendingSidecar || !deref(x.Started)
		n.running = true
	case x.State.Terminated != nil:
	case x.State.Waiting != nil:
		if x.LastTerminationState.Terminated == nil {
			n.pendingSidecar, n.waiting = true, true
		}
	default:
		n.pendingSidecar, n.unknown = true, true
	}
}

func (n *phaseCount) main(c *api.Container, spec *api.PodSpec, x *api.ContainerStatus) {
	if x == nil {
		n.unknown = true
		return
	}
	switch {
	case x.State.Running != nil:
		n.running = true
	case x.State.Terminated != nil:
		n.stopped++
		if !restarts(c, spec, int(x.State.Terminated.ExitCode)) {
			n.final++
		}
		if x.State.Terminated.ExitCode == 0 {
			n.succeeded++
		}
	case x.State.Waiting != nil && x.LastTerminationState.Terminated != nil:
		n.stopped++
		if !restarts(c, spec, int(x.LastTerminationState.Terminated.ExitCode)) {
			n.final++
		}
	case x.State.Waiting != nil:
		n.waiting = true
	default:
		n.unknown = true
	}
}
