package kubelet

import (
	"slices"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// setStatus caches a status and arranges that the API server gets it, if anything
// of it is new (pkg/kubelet/status/status_manager.go, updateStatusInternal).
func (s *step) setStatus(st api.PodStatus, force, done bool) {
	w, pod := s.w, s.w.pod
	st.ObservedGeneration = pod.Generation
	old := &w.status
	if w.version == 0 {
		old = &pod.Status
	}
	if illegalTransition(pod, old, &st) {
		return
	}
	now := s.apiTime(s.now)
	for i := range st.Conditions {
		c := &st.Conditions[i]
		if !ownCondition(c.Type) && c.Type != "DisruptionTarget" {
			continue
		}
		c.LastTransitionTime = now
		if o := findCondition(old.Conditions, c.Type); o != nil && o.Status == c.Status {
			c.LastTransitionTime = o.LastTransitionTime
		}
	}
	if old.StartTime != nil {
		st.StartTime = old.StartTime
	} else if st.StartTime == nil {
		st.StartTime = &now
	}
	cutMessages(pod, &st)
	if w.version != 0 && !force && equalStatus(old, &st) {
		return
	}
	s.noteReady(old, &st)
	w.status, w.done = st, w.done || done
	w.version++
	if w.sendAt == never {
		w.sendAt = s.now + s.k.cfg.Latency.Request
	}
}

// noteReady leaves a record when the pod becomes ready or ceases to be.
func (s *step) noteReady(old, st *api.PodStatus) {
	was, is := findCondition(old.Conditions, "Ready"), findCondition(st.Conditions, "Ready")
	switch {
	case is == nil:
	case is.Status == "True" && (was == nil || was.Status != "True"):
		s.record(trace.Ready, trace.Passed, "Ready", "all containers are ready")
	case is.Status != "True" && was != nil && was.Status == "True":
		s.record(trace.Ready, trace.Failed, is.Reason, is.Message)
	}
}

// cutMessages bounds the termination messages of a pod
// (pkg/kubelet/status/status_manager.go, normalizeStatus).
func cutMessages(pod *api.Pod, st *api.PodStatus) {
	limit := 12 << 10
	if n := len(pod.Spec.Containers) + len(pod.Spec.InitContainers) + len(pod.Spec.EphemeralContainers); n > 0 {
		limit /= n
	}
	cut := func(x *api.ContainerState) {
		if x.Terminated != nil && len(x.Terminated.Message) > limit {
			t := *x.Terminated
			t.Message = t.Message[:limit]
			x.Terminated = &t
		}
	}
	for _, list := range [][]api.ContainerStatus{st.InitContainerStatuses, st.ContainerStatuses, st.EphemeralContainerStatuses} {
		for i := range list {
			cut(&list[i].State)
			cut(&list[i].LastTerminationState)
		}
	}
}

// illegalTransition reports whether a container would come back from the dead
// (pkg/kubelet/status/status_manager.go, checkContainerStateTransition).
func illegalTransition(pod *api.Pod, old, st *api.PodStatus) bool {
	if pod.Spec.RestartPolicy == "Always" {
		return false
	}
	back := func(specs []api.Container, was, is []api.ContainerStatus) bool {
		for i := range specs {
			o, n := statusNamed(was, specs[i].Name), statusNamed(is, specs[i].Name)
			if o == nil || n == nil || o.State.Terminated == nil || n.State.Terminated != nil || isSidecar(&specs[i]) {
				continue
			}
			if !restarts(&specs[i], &pod.Spec, int(o.State.Terminated.ExitCode)) {
				return true
			}
		}
		return false
	}
	return back(pod.Spec.Containers, old.ContainerStatuses, st.ContainerStatuses) ||
		back(pod.Spec.InitContainers, old.InitContainerStatuses, st.InitContainerStatuses)
}

// terminatePod sets the final status of a pod whose worker has ended
// (pkg/kubelet/status/status_manager.go, TerminatePod).
func (s *step) terminatePod() {
	w, pod := s.w, s.w.pod
	st := w.status
	if w.version == 0 {
		st = pod.Status
	}
	lost := api.ContainerState{Terminated: &api.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: 137,
		Message: "The container could not be located when the pod was terminated"}}
	if podInitialised(pod) {
		st.ContainerStatuses = slices.Clone(st.ContainerStatuses)
		for i := range st.ContainerStatuses {
			if st.ContainerStatuses[i].State.Terminated == nil {
				st.ContainerStatuses[i].State = lost
			}
		}
	}
	st.InitContainerStatuses = slices.Clone(st.InitContainerStatuses)
	for i := range begun(st.InitContainerStatuses) {
		if st.InitContainerStatuses[i].State.Terminated == nil {
			st.InitContainerStatuses[i].State = lost
		}
	}
	if !terminal(st.Phase) {
		st.Phase = "Failed"
	}
	st.Conditions = slices.Clone(st.Conditions)
	s.setStatus(st, true, true)
}

// podInitialised reports whether there is evidence that a main container was
// started (pkg/kubelet/status/status_manager.go, hasPodInitialized).
func podInitialised(pod *api.Pod) bool {
	n := len(pod.Spec.InitContainers)
	if n == 0 {
		return true
	}
	for i := range pod.Status.ContainerStatuses {
		if x := &pod.Status.ContainerStatuses[i]; x.LastTerminationState.Terminated != nil || x.State.Waiting == nil {
			return true
		}
	}
	c := &pod.Spec.InitContainers[n-1]
	x := statusNamed(pod.Status.InitContainerStatuses, c.Name)
	if x == nil {
		return false
	}
	if isSidecar(c) {
		return x.State.Running != nil && deref(x.Started)
	}
	return x.LastTerminationState.Terminated != nil && x.LastTerminationState.Terminated.ExitCode == 0 ||
		x.State.Terminated != nil && x.State.Terminated.ExitCode == 0
}

// begun returns the init containers up to the last one that was ever started.
func begun(list []api.ContainerStatus) []api.ContainerStatus {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].State.Waiting == nil || list[i].LastTerminationState.Terminated != nil {
			return list[:i+1]
		}
	}
	return list[:min(1, len(list))]
}

// statusRetry is how often the status manager looks for what it could not send
// (pkg/kubelet/status/status_manager.go, syncPeriod).
const statusRetry = 10 * sim.Second

// sendStatus brings the newest status to the API server, and asks it to delete a
// pod that has ended (pkg/kubelet/status/status_manager.go, syncPod).
func (s *step) sendStatus() {
	w := s.w
	if s.now < w.sendAt || s.offline {
		return
	}
	w.sendAt = never
	if w.version == w.sent {
		return
	}
	live, _ := s.c.Host.Latest().Get("Pod", w.key.Namespace, w.key.Name).(*api.Pod)
	if live == nil || live.UID != w.uid {
		return
	}
	merged := s.mergeStatus(live)
	if !equalWhole(&live.Status, &merged) {
		np := live.Copy().(*api.Pod)
		np.Status = merged
		res := s.c.Do(api.Request{Verb: api.Update, Kind: api.KindNamed("Pod"), Namespace: w.key.Namespace, Name: w.key.Name,
			Subresource: "status", Object: np, User: w.user, FieldManager: "kubelet"})
		if res.Failed() {
			w.sendAt = s.now + statusRetry
			return
		}
		if p, ok := res.Object.(*api.Pod); ok {
			live = p
		}
	}
	w.sent, w.told = w.version, live
	s.deleteIfDone(live)
}

func (s *step) deleteIfDone(live *api.Pod) {
	w := s.w
	if live.DeletionTimestamp == nil || !terminal(live.Status.Phase) || !w.done {
		return
	}
	res := s.c.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: w.key.Namespace, Name: w.key.Name,
		GracePeriodSeconds: ptr(int64(0)), PreconditionUID: w.uid, User: w.user})
	if res.Failed() {
		w.sendAt = s.now + statusRetry
	}
}

// mergeStatus keeps what others set, and the phase while containers may still run
// (pkg/kubelet/status/status_manager.go, mergePodStatus).
func (s *step) mergeStatus(live *api.Pod) api.PodStatus {
	w := s.w
	st := w.status
	st.Conditions = make([]api.PodCondition, 0, len(w.status.Conditions)+1)
	for _, c := range live.Status.Conditions {
		if !ownCondition(c.Type) {
			st.Conditions = append(st.Conditions, c)
		}
	}
	ending := !terminal(live.Status.Phase) && terminal(st.Phase)
	running := w.admitted && w.work != terminated && w.work != finished
	for _, c := range w.status.Conditions {
		switch {
		case ownCondition(c.Type):
			st.Conditions = append(st.Conditions, c)
		case c.Type == "DisruptionTarget" && ending && !running:
			st.Conditions = replaceCondition(st.Conditions, c)
		}
	}
	st.ResourceClaimStatuses = live.Status.ResourceClaimStatuses
	st.ExtendedResourceClaimStatus = live.Status.ExtendedResourceClaimStatus
	st.NodeAllocatableResourceClaimStatuses = live.Status.NodeAllocatableResourceClaimStatuses
	st.NominatedNodeName = live.Status.NominatedNodeName
	if ending && running {
		st.Phase, st.Reason, st.Message = live.Status.Phase, live.Status.Reason, live.Status.Message
	}
	return st
}
