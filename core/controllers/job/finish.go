package job

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// condition makes a condition that holds as of now.
func (s *sync) condition(kind, reason, message string) *api.JobCondition {
	now := s.ctx.Time()
	return &api.JobCondition{Type: kind, Status: "True", LastProbeTime: now, LastTransitionTime: now, Reason: reason, Message: message}
}

// conditionOf returns a condition that holds, or nil.
func conditionOf(j *api.Job, kind string) *api.JobCondition {
	for i := range j.Status.Conditions {
		if c := j.Status.Conditions[i]; c.Type == kind && c.Status == "True" {
			return &c
		}
	}
	return nil
}

// setCondition adds or replaces a condition and reports whether that changed
// anything; what never held is not noted as false.
func (s *sync) setCondition(c api.JobCondition) bool {
	list := s.job.Status.Conditions
	for i := range list {
		if list[i].Type != c.Type {
			continue
		}
		if list[i].Status == c.Status && list[i].Reason == c.Reason && list[i].Message == c.Message {
			return false
		}
		list[i] = c
		return true
	}
	if c.Status == "False" {
		return false
	}
	s.job.Status.Conditions = append(list, c)
	return true
}

func (s *sync) event(kind, reason, message string) {
	s.ctx.Event(actor.Event{Regarding: s.job, Type: kind, Reason: reason, Message: message, Component: name})
}

// deadline is when a Job that has started has been active for too long.
func (s *sync) deadline() sim.Time {
	return actor.SimTime(s.ctx.Host.Start(), *s.job.Status.StartTime+api.Time(*s.job.Spec.ActiveDeadlineSeconds))
}

// lookAt asks for a look no later than at.
func (s *sync) lookAt(at sim.Time) { s.work.due = min(s.work.due, at) }

// announce makes the interim condition that ends a Job part of its status, and
// turns it into the final one, which follows once all pods are counted.
func (s *sync) announce() {
	if s.finish == nil {
		return
	}
	final := ""
	switch s.finish.Type {
	case "FailureTarget":
		final = "Failed"
	case "SuccessCriteriaMet":
		final = "Complete"
	default:
		return
	}
	if final == "Failed" || conditionOf(s.job, s.finish.Type) == nil {
		s.job.Status.Conditions = append(s.job.Status.Conditions, *s.finish)
		s.changed = true
		s.explain(final == "Complete")
	}
	s.finish = s.condition(final, s.finish.Reason, s.finish.Message)
}

// explain records why a Job ends, with the numbers that decided it.
func (s *sync) explain(well bool) {
	r := trace.Record{Ref: actor.RefOf(s.job), Verdict: trace.Failed, Reason: s.finish.Reason, Message: s.finish.Message,
		Detail: []trace.Detail{{Name: "succeeded", Value: strconv.Itoa(s.succeeded)}, {Name: "failed", Value: strconv.Itoa(s.failed)}}}
	if well {
		r.Verdict = trace.Passed
	}
	if n := s.job.Spec.Completions; n != nil {
		r.Detail = append(r.Detail, trace.Detail{Name: "completions", Value: strconv.Itoa(int(*n))})
	}
	if n := s.job.Spec.BackoffLimit; n != nil {
		r.Detail = append(r.Detail, trace.Detail{Name: "backoffLimit", Value: strconv.Itoa(int(*n))})
	}
	if s.failedIndexes != nil {
		r.Detail = append(r.Detail, trace.Detail{Name: "failedIndexes", Value: s.failedIndexes.String()})
	}
	s.ctx.Record(r)
}

// conclude sets the final condition once no pod is left to be counted or to end,
// and reports whether it did.
func (s *sync) conclude() bool {
	u := s.job.Status.UncountedTerminatedPods
	if s.finish == nil || len(u.Succeeded)+len(u.Failed) > 0 || s.terminating > 0 {
		return false
	}
	s.setCondition(*s.finish)
	if s.finish.Type == "Complete" {
		now := s.ctx.Time()
		s.job.Status.CompletionTime = &now
	}
	return true
}

// tell writes the events of a Job that has just ended.
func (s *sync) tell() {
	if s.finish.Type != "Complete" {
		s.event("Warning", s.finish.Reason, s.finish.Message)
		return
	}
	if s.job.Spec.Completions != nil && s.job.Status.Succeeded > *s.job.Spec.Completions {
		s.event("Warning", "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
	}
	s.event("Normal", "Completed", "Job completed")
}
