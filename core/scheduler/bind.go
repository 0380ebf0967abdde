package scheduler

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/trace"
)

// bind assumes the pod on its node and binds it, its volumes first.
func (s *Scheduler) bind(c *actor.Ctx, q *queued, y *cycle, r *Result) {
	p := q.info.Pod
	s.nominees.remove(p.UID)
	s.cache.assume(q.info, r.Node)
	w := *c
	w.Cause = s.recordChoice(c, p, r)
	b := &pendingBind{pod: *q, node: r.Node, poll: c.Now() + volumePoll, till: c.Now() + y.profile.bindTimeout, cause: w.Cause, reserved: &s.volumes}
	for _, pl := range y.profile.reserve {
		pl.Reserve(y.state, q.info, r.Node, b)
	}
	b.reserved = nil
	if len(b.volumes) > 0 {
		s.bindVolumes(&w, b)
		return
	}
	s.finishBind(&w, *q, r.Node)
}

// finishBind sends the binding to the API server
// (pkg/scheduler/framework/plugins/defaultbinder).
func (s *Scheduler) finishBind(c *actor.Ctx, q queued, node string) {
	p := q.info.Pod
	resp := c.Do(api.Request{Verb: api.Create, Kind: api.KindNamed("Pod"), Namespace: p.Namespace, Name: p.Name,
		Subresource: "binding", PreconditionUID: p.UID, Options: map[string]string{"node": node}})
	if resp.Failed() {
		s.unbind(c, q, resp.Status.Message)
		return
	}
	s.event(c, p, "Normal", "Scheduled", "Binding", "Successfully assigned "+p.Namespace+"/"+p.Name+" to "+node)
}

// unbind takes the assumptions back after a binding that failed
// (handleBindingCycleError).
func (s *Scheduler) unbind(c *actor.Ctx, q queued, message string) {
	p := q.info.Pod
	if b := s.binding[p.UID]; b != nil {
		s.release(b)
	}
	s.cache.forget(p.UID)
	q.rejecters, q.idle = 0, false
	assigned := *p
	assigned.Spec.NodeName = "assumed" // hints take a pod without a node for one that held nothing
	s.moveAll(c, f.Event{Resource: f.AssignedPod, Action: f.Delete}, &assigned, nil, c.Cause, nil)
	c.Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Failed, Reason: "SchedulerError", Message: message})
	s.handleFailure(c, &q, "SchedulerError", message, new(string))
}
