package replicaset

import (
	"slices"

	"podwalk/core/api"
)

// set is what the two kinds have in common (pkg/controller/replication/conversion.go).
type set struct {
	object          api.Object
	meta            *api.ObjectMeta
	replicas        int32
	minReadySeconds int32
	selector        *api.LabelSelector
	template        *api.PodTemplateSpec
	status          api.ReplicaSetStatus // of a ReplicationController in the other's words
}

// setOf returns nil for nil.
func setOf(o api.Object) *set {
	switch x := o.(type) {
	case *api.ReplicaSet:
		return &set{x, &x.ObjectMeta, or1(x.Spec.Replicas), x.Spec.MinReadySeconds, x.Spec.Selector, &x.Spec.Template, x.Status}
	case *api.ReplicationController:
		template := x.Spec.Template
		if template == nil {
			template = &api.PodTemplateSpec{}
		}
		st := x.Status
		return &set{x, &x.ObjectMeta, or1(x.Spec.Replicas), x.Spec.MinReadySeconds, &api.LabelSelector{MatchLabels: x.Spec.Selector}, template,
			api.ReplicaSetStatus{AvailableReplicas: st.AvailableReplicas, Conditions: toSet(st.Conditions), FullyLabeledReplicas: st.FullyLabeledReplicas,
				ObservedGeneration: st.ObservedGeneration, ReadyReplicas: st.ReadyReplicas, Replicas: st.Replicas}}
	}
	return nil
}

func or1(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// withStatus returns a copy of the object, at a revision, with another status.
func withStatus(o api.Object, s api.ReplicaSetStatus) api.Object {
	switch x := o.(type) {
	case *api.ReplicaSet:
		c := *x
		c.Status = s
		return &c
	case *api.ReplicationController:
		c := *x
		c.Status = api.ReplicationControllerStatus{AvailableReplicas: s.AvailableReplicas, Conditions: toController(s.Conditions),
			FullyLabeledReplicas: s.FullyLabeledReplicas, ObservedGeneration: s.ObservedGeneration, ReadyReplicas: s.ReadyReplicas, Replicas: s.Replicas}
		return &c
	}
	return o
}

func toSet(list []api.ReplicationControllerCondition) []api.ReplicaSetCondition {
	var out []api.ReplicaSetCondition
	for _, c := range list {
		out = append(out, api.ReplicaSetCondition(c))
	}
	return out
}

func toController(list []api.ReplicaSetCondition) []api.ReplicationControllerCondition {
	var out []api.ReplicationControllerCondition
	for _, c := range list {
		out = append(out, api.ReplicationControllerCondition(c))
	}
	return out
}

// writeStatus writes the counts and the failure, if they are news
// (updateReplicaSetStatus: after a conflict it tries once more).
func (l *look) writeStatus(t tally, failed *api.Status) *api.Status {
	st := l.status(t, failed)
	if st.ObservedGeneration == l.s.meta.Generation && equal(st, l.s.status) {
		return nil
	}
	st.ObservedGeneration = l.s.meta.Generation
	res := l.c.UpdateStatus(withStatus(l.s.object, st))
	if !res.Failed() {
		return nil
	}
	k := api.KindNamed(l.r.kind)
	fresh := l.c.Do(api.Request{Verb: api.Get, Kind: k, Namespace: l.s.meta.Namespace, Name: l.s.meta.Name})
	if fresh.Failed() {
		return fresh.Status
	}
	return l.c.UpdateStatus(withStatus(fresh.Object, st)).Status
}

// status is calculateStatus.
func (l *look) status(t tally, failed *api.Status) api.ReplicaSetStatus {
	st := l.s.status
	i := slices.IndexFunc(st.Conditions, func(c api.ReplicaSetCondition) bool { return c.Type == "ReplicaFailure" })
	switch {
	case failed != nil && i < 0:
		reason := "FailedCreate"
		if t.active > l.s.replicas {
			reason = "FailedDelete"
		}
		st.Conditions = append(slices.Clone(st.Conditions), api.ReplicaSetCondition{Type: "ReplicaFailure", Status: "True",
			LastTransitionTime: l.c.Time(), Reason: reason, Message: failed.Message})
	case failed == nil && i >= 0:
		st.Conditions = slices.Delete(slices.Clone(st.Conditions), i, i+1)
	}
	st.Replicas, st.FullyLabeledReplicas, st.ReadyReplicas, st.AvailableReplicas = t.active, t.labeled, t.ready, t.available
	st.TerminatingReplicas = nil
	if l.r.kind == "ReplicaSet" {
		n := t.terminating
		st.TerminatingReplicas = &n
	}
	return st
}

func equal(a, b api.ReplicaSetStatus) bool {
	return a.Replicas == b.Replicas && a.FullyLabeledReplicas == b.FullyLabeledReplicas && a.ReadyReplicas == b.ReadyReplicas &&
		a.AvailableReplicas == b.AvailableReplicas && a.ObservedGeneration == b.ObservedGeneration &&
		(a.TerminatingReplicas == nil) == (b.TerminatingReplicas == nil) &&
		(a.TerminatingReplicas == nil || *a.TerminatingReplicas == *b.TerminatingReplicas) && slices.Equal(a.Conditions, b.Conditions)
}
