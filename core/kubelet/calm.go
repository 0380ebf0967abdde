package kubelet

// A resync of a pod to which nothing has happened changes nothing but when the next
// one is due. Such resyncs are not executed: the next look at the pod, whatever asks
// for it, takes them in.

// catchUp takes in the resyncs since the last look.
func (s *step) catchUp() {
	w := s.w
	if !w.calm || w.requeueAt >= s.now {
		return
	}
	for w.requeueAt < s.now {
		w.lastSync, w.relisted = w.requeueAt, false
		w.requeueAt = s.requeue(w.requeueAt, false, 0)
	}
	if w.gone && w.pod == w.seen {
		w.pod, w.seen = w.told, w.told // a pod that is gone was last seen by a resync
	}
}

// isCalm reports whether a resync can change nothing until something else asks for a
// look at the pod: its worker waits, its status is what was last sent, and its
// containers do as they did.
func (s *step) isCalm() bool {
	w := s.w
	if w.work != syncing || w.state != Idle || !w.synced || !w.admitted || w.pending || w.failing || w.gone || w.evict != nil || len(w.reasons) > 0 {
		return false
	}
	if w.told == nil || w.sent != w.version || w.sendAt != never || w.resize != (resizing{}) || terminal(w.status.Phase) || terminal(w.pod.Status.Phase) {
		return false
	}
	if ready := findCondition(w.status.Conditions, "Ready"); ready == nil || ready.Status != "True" || len(w.pod.Spec.ReadinessGates) > 0 {
		return false
	}
	if len(w.sums.limits) > 0 && !w.sums.running {
		return false // which limits count will change once the pod is seen to run
	}
	rev, _ := s.machine().Changed(w.uid)
	return rev == w.seenRev && !s.stale()
}
