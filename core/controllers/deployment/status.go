package deployment

import (
	"math"
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

const (
	progressing    = "Progressing"
	replicaFailure = "ReplicaFailure"
)

// Reasons of the condition Progressing that the rules ask for.
const (
	timedOut  = "ProgressDeadlineExceeded"
	completed = "NewReplicaSetAvailable"
	paused    = "DeploymentPaused"
)

func find(list []api.DeploymentCondition, kind string) *api.DeploymentCondition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}

// setCondition sets a condition at the present instant; one of the same status and
// reason stays as it is (SetDeploymentCondition).
func (l *look) setCondition(s *api.DeploymentStatus, kind, status, reason, message string) {
	now := l.c.Time()
	set(s, api.DeploymentCondition{Type: kind, Status: status, Reason: reason, Message: message, LastUpdateTime: now, LastTransitionTime: now})
}

func set(s *api.DeploymentStatus, c api.DeploymentCondition) {
	was := find(s.Conditions, c.Type)
	if was != nil && was.Status == c.Status {
		if was.Reason == c.Reason {
			return
		}
		c.LastTransitionTime = was.LastTransitionTime
	}
	drop(s, c.Type)
	s.Conditions = append(s.Conditions, c)
}

// drop removes a condition; the list is a new one.
func drop(s *api.DeploymentStatus, kind string) {
	var rest []api.DeploymentCondition
	for _, c := range s.Conditions {
		if c.Type != kind {
			rest = append(rest, c)
		}
	}
	s.Conditions = rest
}

func (l *look) hasDeadline() bool {
	n := l.d.Spec.ProgressDeadlineSeconds
	return n != nil && *n != math.MaxInt32
}

// checkPaused notes that a Deployment was paused or resumed: the deadline does not
// run while it is paused (checkPausedConditions).
func (l *look) checkPaused() *api.Status {
	c := find(l.d.Status.Conditions, progressing)
	if !l.hasDeadline() || c != nil && c.Reason == timedOut {
		return nil
	}
	known := c != nil && c.Reason == paused
	switch {
	case l.d.Spec.Paused && !known:
		l.setCondition(&l.d.Status, progressing, "Unknown", paused, "Deployment is paused")
	case !l.d.Spec.Paused && known:
		l.setCondition(&l.d.Status, progressing, "Unknown", "DeploymentResumed", "Deployment is resumed")
	default:
		return nil
	}
	return l.c.UpdateStatus(l.snapshot()).Status
}

func available(sets []*api.ReplicaSet) (n int32) {
	for _, s := range sets {
		n += s.Status.AvailableReplicas
	}
	return n
}

// terminating is nil where a set has not told (GetTerminatingReplicaCountForReplicaSets).
func terminating(sets []*api.ReplicaSet) *int32 {
	n := int32(0)
	for _, s := range sets {
		switch t := s.Status.TerminatingReplicas; {
		case t != nil:
			n += *t
		case s.Status.ObservedGeneration != 0:
			return nil
		}
	}
	return &n
}

// status is calculateStatus.
func (l *look) status(all []*api.ReplicaSet, newSet *api.ReplicaSet) api.DeploymentStatus {
	s := api.DeploymentStatus{ObservedGeneration: l.d.Generation, AvailableReplicas: available(all),
		CollisionCount: l.d.Status.CollisionCount, TerminatingReplicas: terminating(all), Conditions: slices.Clone(l.d.Status.Conditions)}
	for _, x := range all {
		s.Replicas += x.Status.Replicas
		s.ReadyReplicas += x.Status.ReadyReplicas
	}
	if newSet != nil {
		s.UpdatedReplicas = newSet.Status.Replicas
	}
	s.UnavailableReplicas = max(0, wanted(all)-s.AvailableReplicas)
	if _, unavailable := l.limits(); s.AvailableReplicas >= l.replicas()-unavailable {
		l.setCondition(&s, "Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
	} else {
		l.setCondition(&s, "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
	}
	return s
}

// isComplete reports whether a status says that the rollout is over
// (DeploymentComplete).
func (l *look) isComplete(s *api.DeploymentStatus) bool {
	n := l.replicas()
	return s.UpdatedReplicas == n && s.Replicas == n && s.AvailableReplicas == n && s.ObservedGeneration >= l.d.Generation
}

// report writes the status of a rollout, with how it progresses (syncRolloutStatus).
func (l *look) report(all []*api.ReplicaSet, newSet *api.ReplicaSet) *api.Status {
	s := l.status(all, newSet)
	c := find(l.d.Status.Conditions, progressing)
	over := s.Replicas == s.UpdatedReplicas && c != nil && c.Reason == completed
	switch {
	case !l.hasDeadline():
		drop(&s, progressing)
	case !over:
		l.judge(&s, c, newSet)
	}
	if f := failure(all, newSet); f != nil {
		set(&s, *f)
	} else {
		drop(&s, replicaFailure)
	}
	if equal(&l.d.Status, &s) {
		l.next = l.checkAt(&s)
		return nil
	}
	return l.writeStatus(s)
}

// judge sets the condition Progressing; was is the one so far.
func (l *look) judge(s *api.DeploymentStatus, was *api.DeploymentCondition, newSet *api.ReplicaSet) {
	who := "Deployment " + strconv.Quote(l.d.Name)
	if newSet != nil {
		who = "ReplicaSet " + strconv.Quote(newSet.Name)
	}
	switch {
	case l.isComplete(s):
		l.setCondition(s, progressing, "True", completed, who+" has successfully progressed.")
	case l.hasMoved(s):
		now := l.c.Time()
		c := api.DeploymentCondition{Type: progressing, Status: "True", Reason: "ReplicaSetUpdated", Message: who + " is progressing.",
			LastUpdateTime: now, LastTransitionTime: now}
		if was != nil && was.Status == "True" {
			c.LastTransitionTime = was.LastTransitionTime
		}
		drop(s, progressing) // the same reason is news too: it moves the deadline
		set(s, c)
	case l.isLate(s):
		l.setCondition(s, progressing, "False", timedOut, who+" has timed out progressing.")
	}
}

// hasMoved reports whether a status is a step forward (DeploymentProgressing).
func (l *look) hasMoved(s *api.DeploymentStatus) bool {
	was := &l.d.Status
	return s.UpdatedReplicas > was.UpdatedReplicas || s.Replicas-s.UpdatedReplicas < was.Replicas-was.UpdatedReplicas ||
		s.ReadyReplicas > was.ReadyReplicas || s.AvailableReplicas > was.AvailableReplicas
}

// isLate is DeploymentTimedOut.
func (l *look) isLate(s *api.DeploymentStatus) bool {
	c := find(s.Conditions, progressing)
	if c == nil || c.Reason == completed {
		return false
	}
	return c.Reason == timedOut || l.deadline(c) < l.c.Now()
}

func (l *look) deadline(c *api.DeploymentCondition) sim.Time {
	return actor.SimTime(l.c.Host.Start(), c.LastUpdateTime+api.Time(*l.d.Spec.ProgressDeadlineSeconds))
}

// checkAt is when to see whether the rollout is stuck, or 0
// (requeueStuckDeployment; it adds a second too).
func (l *look) checkAt(s *api.DeploymentStatus) sim.Time {
	c := find(l.d.Status.Conditions, progressing)
	if !l.hasDeadline() || c == nil || l.isComplete(s) || c.Reason == timedOut || c.Reason == completed {
		return 0
	}
	at := l.deadline(c)
	if at-l.c.Now() < sim.Second {
		return max(at, l.c.Now()) + 5*sim.Millisecond
	}
	return at + sim.Second
}

// failure is the condition that the pods of a set cannot be made, the new set's
// first (getReplicaFailures).
func failure(all []*api.ReplicaSet, newSet *api.ReplicaSet) *api.DeploymentCondition {
	if newSet != nil {
		all = append([]*api.ReplicaSet{newSet}, all...)
	}
	for _, s := range all {
		for _, c := range s.Status.Conditions {
			if c.Type == replicaFailure {
				return &api.DeploymentCondition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message,
					LastTransitionTime: c.LastTransitionTime, LastUpdateTime: c.LastTransitionTime}
			}
		}
	}
	return nil
}

func (l *look) writeStatus(s api.DeploymentStatus) *api.Status {
	if equal(&l.d.Status, &s) {
		return nil
	}
	d := l.snapshot()
	d.Status = s
	return l.c.UpdateStatus(d).Status
}

func equal(a, b *api.DeploymentStatus) bool {
	return a.AvailableReplicas == b.AvailableReplicas && a.ObservedGeneration == b.ObservedGeneration && a.ReadyReplicas == b.ReadyReplicas &&
		a.Replicas == b.Replicas && a.UnavailableReplicas == b.UnavailableReplicas && a.UpdatedReplicas == b.UpdatedReplicas &&
		same(a.CollisionCount, b.CollisionCount) && same(a.TerminatingReplicas, b.TerminatingReplicas) && slices.Equal(a.Conditions, b.Conditions)
}

func same(a, b *int32) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
