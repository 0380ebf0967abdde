package scheduler

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/trace"
)

// recordPreemption tells what a preemption looked at and chose.
func (s *Scheduler) recordPreemption(c *actor.Ctx, p *api.Pod, out *f.Preemption) {
	if len(out.Search) == 0 {
		return
	}
	rec := trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Failed, Reason: f.DefaultPreemption.String(), Message: "no node on which evicting pods would help"}
	if out.Node != "" {
		rec.Verdict, rec.Message = trace.Passed, "evicting "+strconv.Itoa(len(out.Victims))+" pods would make room on "+out.Node
	}
	for i, x := range out.Search {
		if i == s.detail {
			rec.Detail = append(rec.Detail, trace.Detail{Name: "more", Value: strconv.Itoa(len(out.Search)-i) + " nodes"})
			break
		}
		rec.Detail = append(rec.Detail, trace.Detail{Name: "candidate " + x.Node, Value: described(&x)})
	}
	c.Record(rec)
}

func described(x *f.Candidate) string {
	if x.No != "" {
		return "no: " + x.No
	}
	text := "victims"
	for _, v := range x.Victims {
		text += " " + v.Pod.Namespace + "/" + v.Pod.Name + " (priority " + strconv.Itoa(int(v.Priority)) + ")"
	}
	if x.Violations > 0 {
		text += ", " + strconv.Itoa(x.Violations) + " protected by a budget"
	}
	return text
}

// evict carries a preemption out: it takes back what was promised on the node to
// pods of lower priority, then marks and deletes the victims
// (pkg/scheduler/framework/preemption/executor.go).
func (s *Scheduler) evict(c *actor.Ctx, p *f.PodInfo, out *f.Preemption) {
	if out.Node == "" {
		return
	}
	for _, o := range s.nominees.byNode[out.Node] {
		if o.Priority < p.Priority && o.Pod.Status.NominatedNodeName != "" {
			s.patchStatus(c, o.Pod, nil, new(string))
		}
	}
	for _, v := range out.Victims {
		if v.Pod.DeletionTimestamp == nil {
			s.evictPod(c, p.Pod, v.Pod, out.Node)
		}
	}
}

func (s *Scheduler) evictPod(c *actor.Ctx, p, victim *api.Pod, node string) {
	s.patchStatus(c, victim, &api.PodCondition{Type: "DisruptionTarget", Status: "True", Reason: "PreemptionByScheduler",
		Message: p.Spec.SchedulerName + ": preempting to accommodate a higher priority pod"}, nil)
	if c.Delete(victim, nil).Failed() {
		return
	}
	c.Event(actor.Event{Regarding: victim, Type: "Normal", Reason: "Preempted", Message: "Preempted by pod " + p.UID + " on node " + node,
		Component: p.Spec.SchedulerName, Host: s.host, Action: "Preempting"})
}
