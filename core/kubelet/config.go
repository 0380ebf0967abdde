package kubelet

import (
	"maps"

	"podwalk/core/api"
	"podwalk/core/trace"
)

// podAdded admits a pod that is new to the node, or rejects it
// (pkg/kubelet/kubelet.go, HandlePodAdditions).
func (s *step) podAdded() {
	w := s.w
	w.cause = s.c.Cause
	s.machine()
	if !terminal(w.pod.Status.Phase) && w.pod.DeletionTimestamp == nil {
		if why := s.admit(); why != nil {
			s.reject(why.reason, why.message)
			return
		}
	}
	w.admitted = true
	s.unsupported()
	s.updatePod()
}

// unsupported says what the pod asks for and Podwalk does not do.
func (s *step) unsupported() {
	spec := &s.w.pod.Spec
	for _, list := range [][]api.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			for _, r := range list[i].RestartPolicyRules {
				if r.Action == "RestartAllContainers" {
					s.record("", trace.NotSimulated, r.Action, "when container "+list[i].Name+" matches the rule, only it is started again")
				}
			}
		}
	}
}

// podUpdated takes in a change; one of the status alone makes no work
// (pkg/kubelet/config/config.go, checkAndUpdatePod).
func (s *step) podUpdated(pod *api.Pod) {
	w, old := s.w, s.w.seen
	s.takePod(pod)
	if !w.admitted && pod.DeletionTimestamp == nil {
		return
	}
	if !differs(old, pod) {
		if needsReadiness(w, pod) {
			s.updatePod()
		}
		return
	}
	s.updatePod()
}

// differs reports whether a change of a pod is one that the kubelet has to act on
// (pkg/kubelet/config/config.go, podsDifferSemantically).
func differs(old, pod *api.Pod) bool {
	return old.Generation != pod.Generation || (old.DeletionTimestamp == nil) != (pod.DeletionTimestamp == nil) ||
		deref(old.DeletionGracePeriodSeconds) != deref(pod.DeletionGracePeriodSeconds) ||
		!maps.Equal(old.Labels, pod.Labels) || !maps.Equal(old.Annotations, pod.Annotations)
}

// podRemoved takes in that the pod is gone from the API server
// (pkg/kubelet/kubelet.go, HandlePodRemoves).
func (s *step) podRemoved() {
	s.w.gone = true
	s.w.sendAt = never
	if !s.w.admitted {
		s.w.work = finished
		return
	}
	s.updatePod()
}

// updatePod gives the worker something to look at; it decides whether the pod has
// to end (pkg/kubelet/pod_workers.go, UpdatePod).
func (s *step) updatePod() {
	w := s.w
	if w.work == finished {
		s.deleteFinished()
		return
	}
	w.pending, w.cause = true, s.c.Cause
	if w.work != syncing {
		s.shortenGrace()
		return
	}
	switch {
	case w.pod.DeletionTimestamp != nil, w.gone, terminal(w.pod.Status.Phase), w.evict != nil && w.evict.reason != deadlineExceeded:
		w.work = terminating
		s.shortenGrace()
		if w.state == MountVolumes {
			w.at = s.now
		}
	}
}

// deleteFinished asks for the deletion of a pod that had ended before it was
// deleted; the status manager notices that when it next looks at all pods
// (pkg/kubelet/status/status_manager.go, needsUpdate).
func (s *step) deleteFinished() {
	w := s.w
	if w.done && !w.gone && w.pod.DeletionTimestamp != nil {
		w.sent = 0
		w.sendAt = tickAt(s.now, s.k.phase(w.node, "status", statusRetry), statusRetry)
	}
}

// shortenGrace decides how long containers get to stop
// (pkg/kubelet/pod_workers.go, calculateEffectiveGracePeriod).
func (s *step) shortenGrace() {
	w := s.w
	if o := w.pod.DeletionGracePeriodSeconds; o != nil && (w.grace == 0 || *o < w.grace) {
		w.grace = *o
	} else if w.grace == 0 && w.pod.Spec.TerminationGracePeriodSeconds != nil {
		w.grace = *w.pod.Spec.TerminationGracePeriodSeconds
	}
	w.grace = max(w.grace, 1)
}

// reject fails a pod that the node does not admit
// (pkg/kubelet/kubelet.go, rejectPod).
func (s *step) reject(reason, message string) {
	s.event("", "Warning", reason, message)
	s.record("", trace.Denied, reason, message)
	s.setStatus(api.PodStatus{QOSClass: qosClass(s.w.pod), Phase: "Failed", Reason: reason, Message: "Pod was rejected: " + message}, false, false)
}
