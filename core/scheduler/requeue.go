package scheduler

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// enqueue adds a new waiting pod.
func (s *Scheduler) enqueue(c *actor.Ctx, p *api.Pod, cause sim.Cause) {
	s.queue.seq++
	q := &queued{key: podKey{p.Namespace, p.Name}, info: f.NewPodInfo(p), seq: s.queue.seq, since: c.Now(), expires: -1, cause: cause}
	s.nominees.add(q.info, p.Status.NominatedNodeName)
	if s.held(c, q) {
		s.queue.put(q, unschedulable)
		return
	}
	s.queue.put(q, active)
}

// held runs the PreEnqueue plugins and reports whether one holds the pod back.
func (s *Scheduler) held(c *actor.Ctx, q *queued) bool {
	for _, pl := range s.profiles[q.info.Pod.Spec.SchedulerName].preEnqueue {
		st := pl.PreEnqueue(q.info)
		if st.OK() {
			continue
		}
		if !q.gated || q.gate != pl.ID() {
			verdict := trace.Waiting
			if pl.ID() == f.DynamicResources {
				verdict = trace.NotSimulated
			}
			s.causedBy(c, q.cause).Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(q.info.Pod), Verdict: verdict,
				Reason: pl.ID().String(), Message: st.Message()})
		}
		q.gated, q.gate = true, pl.ID()
		q.rejecters = q.rejecters.With(pl.ID())
		return true
	}
	q.gated = false
	return false
}

// moveAll lets an event move the unschedulable pods that it may make schedulable;
// check, if not nil, chooses which are asked
// (pkg/scheduler/backend/queue/scheduling_queue.go, MoveAllToActiveOrBackoffQueue).
func (s *Scheduler) moveAll(c *actor.Ctx, e f.Event, old, now api.Object, cause sim.Cause, check func(*queued) bool) {
	q := s.queue
	mask := s.interested(e)
	any := q.free > 0
	for id := range f.ID(len(q.parked)) {
		any = any || mask.Has(id) && q.parked[id] > 0
	}
	if !any {
		return
	}
	moved := q.waiting(func(p *queued) bool {
		return (p.rejecters == 0 || p.rejecters&mask != 0) && (check == nil || check(p))
	})
	if len(moved) == 0 {
		return
	}
	h := &f.HintContext{Cluster: s.clusterOf(c.Read)}
	for _, p := range moved {
		if p.gated && !mask.Has(p.gate) {
			continue
		}
		if s.worth(h, p, e, old, now) {
			s.requeue(c, p, e, cause)
		}
	}
}

// interested returns the plugins of any profile that want an event.
func (s *Scheduler) interested(e f.Event) f.Set {
	var set f.Set
	for _, p := range s.profiles {
		for i := range p.hints {
			if p.hints[i].Event.Matches(e) {
				set = set.With(p.hints[i].id)
			}
		}
	}
	return set
}

// worth asks the plugins that rejected the pod whether the event may have changed
// their mind.
func (s *Scheduler) worth(h *f.HintContext, p *queued, e f.Event, old, now api.Object) bool {
	if p.rejecters == 0 {
		return true
	}
	hints := s.profiles[p.info.Pod.Spec.SchedulerName].hints
	for i := range hints {
		if x := &hints[i]; p.rejecters.Has(x.id) && x.Event.Matches(e) && (x.Hint == nil || x.Hint(h, p.info, old, now)) {
			return true
		}
	}
	return false
}

// requeue moves an unschedulable pod on and reports whether it did: a PreEnqueue
// plugin may hold it.
func (s *Scheduler) requeue(c *actor.Ctx, p *queued, e f.Event, cause sim.Cause) bool {
	s.queue.take(p)
	if s.held(c, p) {
		s.queue.put(p, unschedulable)
		return false
	}
	if cause != 0 {
		p.cause = cause
	}
	if s.queue.backingOff(p, c.Now()) {
		s.queue.put(p, backoff)
	} else {
		s.queue.put(p, active)
	}
	s.causedBy(c, p.cause).Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p.info.Pod), Verdict: trace.Waiting,
		Reason: "Requeued", Message: "to be tried again because of " + e.String()})
	return true
}

// flush moves the pods that have been unschedulable for more than five minutes.
func (s *Scheduler) flush(c *actor.Ctx) {
	for _, p := range s.queue.overdue(c.Now()) {
		p.flushed = c.Now()
		s.requeue(c, p, f.Event{Resource: f.Everything, Action: f.All}, 0)
	}
}

// failedBack puts a pod back after an attempt that failed
// (AddUnschedulablePodIfNotPresent). Without a plugin that rejected it the failure
// was the scheduler's own, and the pod waits in back-off only.
func (s *Scheduler) failedBack(c *actor.Ctx, p *queued) {
	if p.rejecters == 0 {
		p.errors++
	} else {
		p.failures++
		p.errors = 0
	}
	s.queue.seq++
	p.seq, p.since, p.expires = s.queue.seq, c.Now(), -1
	if p.rejecters != 0 {
		s.queue.put(p, unschedulable)
		return
	}
	s.queue.put(p, errorBackoff)
}
