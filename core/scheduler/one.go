package scheduler

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/trace"
)

// noteLimit is the longest message of an event (pkg/apis/core/validation).
const noteLimit = 1024

// scheduleOne does one scheduling cycle and, if a node is found, the binding
// (pkg/scheduler/schedule_one.go).
func (s *Scheduler) scheduleOne(c *actor.Ctx, q *queued) {
	p := q.info.Pod
	if p.DeletionTimestamp != nil {
		s.event(c, p, "Warning", "FailedScheduling", "Scheduling", "skip schedule deleting pod: "+p.Namespace+"/"+p.Name)
		return
	}
	if _, ok := s.cache.assumed[p.UID]; ok {
		return
	}
	q.attempts++
	y := s.newCycle(c, q.info, q.attempts)
	r := y.schedule()
	s.rotation = y.rotation
	if r.Err == "" && r.Failed == nil {
		s.bind(c, q, y, &r)
		return
	}
	s.fail(c, q, y, &r)
}

func (s *Scheduler) event(c *actor.Ctx, p *api.Pod, typ, reason, action, message string) {
	c.Event(actor.Event{Regarding: p, Type: typ, Reason: reason, Message: message,
		Component: p.Spec.SchedulerName, Host: s.host, Action: action})
}

// fail runs the PostFilter plugins and sends the pod back to the queue; then it
// carries a preemption out.
func (s *Scheduler) fail(c *actor.Ctx, q *queued, y *cycle, r *Result) {
	q.rejecters, q.idle = 0, r.Rejected
	if r.Failed == nil {
		reason := "SchedulerError"
		if r.Rejected {
			reason = "Unschedulable"
		}
		s.handleFailure(c, q, reason, r.Err, new(string))
		return
	}
	out := y.postFilter(r.Failed)
	q.rejecters = r.Failed.Unschedulable | r.Failed.Pending
	s.recordVerdicts(c, q.info.Pod, r.Failed)
	if out == nil {
		s.handleFailure(c, q, "Unschedulable", r.Failed.Message(), nil)
		return
	}
	s.recordPreemption(c, q.info.Pod, out)
	s.handleFailure(c, q, "Unschedulable", r.Failed.Message(), &out.Node)
	s.evict(c, y.pod, out)
}

// handleFailure puts the pod back, then writes the event and the condition, in
// this order (pkg/scheduler/schedule_one.go, handleSchedulingFailure). nominate is
// the node to nominate; nil leaves the nomination as it is.
func (s *Scheduler) handleFailure(c *actor.Ctx, q *queued, reason, message string, nominate *string) {
	p := q.info.Pod
	now := c.Pod(p.Namespace, p.Name)
	if now == nil || now.UID != p.UID {
		return
	}
	if now.Spec.NodeName == "" {
		q.info = infoOf(q.info, now)
		s.failedBack(c, q)
	}
	if nominate != nil {
		s.nominees.add(q.info, *nominate)
	} else {
		s.nominees.add(q.info, now.Status.NominatedNodeName)
	}
	w := *c
	w.Cause = c.Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Waiting, Reason: reason, Message: message,
		Detail: []trace.Detail{{Name: "attempt", Value: strconv.Itoa(q.attempts)}}})
	s.event(&w, now, "Warning", "FailedScheduling", "Scheduling", truncated(message))
	s.patchStatus(&w, now, &api.PodCondition{Type: "PodScheduled", Status: "False", Reason: reason, Message: message}, nominate)
}

// infoOf returns the info of the newest state of a pod.
func infoOf(old *f.PodInfo, now *api.Pod) *f.PodInfo {
	if old.Pod == now {
		return old
	}
	return f.NewPodInfo(now)
}

func truncated(message string) string {
	if len(message) <= noteLimit {
		return message
	}
	return message[:noteLimit-4] + " ..."
}

// patchStatus sets a condition and, if given, the nominated node. Like the real
// patch it applies to the pod as it is now, whatever the cache shows
// (pkg/api/v1/pod/util.go, UpdatePodCondition).
func (s *Scheduler) patchStatus(c *actor.Ctx, p *api.Pod, cond *api.PodCondition, nominate *string) {
	live, ok := c.Host.Latest().Get("Pod", p.Namespace, p.Name).(*api.Pod)
	if !ok || live.UID != p.UID {
		return
	}
	now := *live
	changed := cond != nil && setCondition(c, &now, *cond)
	if nominate != nil && now.Status.NominatedNodeName != *nominate {
		now.Status.NominatedNodeName = *nominate
		changed = true
	}
	if changed {
		c.UpdateStatus(&now)
	}
}

// setCondition puts a condition into the pod, which owns its status, and reports
// whether that changed something.
func setCondition(c *actor.Ctx, p *api.Pod, cond api.PodCondition) bool {
	cond.ObservedGeneration = p.Generation
	cond.LastTransitionTime = c.Time()
	l := append([]api.PodCondition(nil), p.Status.Conditions...)
	for i := range l {
		if l[i].Type != cond.Type {
			continue
		}
		if l[i].Status == cond.Status {
			cond.LastTransitionTime = l[i].LastTransitionTime
		}
		if l[i] == cond {
			return false
		}
		l[i] = cond
		p.Status.Conditions = l
		return true
	}
	p.Status.Conditions = append(l, cond)
	return true
}
