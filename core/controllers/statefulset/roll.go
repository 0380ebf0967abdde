package statefulset

import (
	"podwalk/core/actor"
	"podwalk/core/actor/history"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// roll ends pods of older revisions, the highest ordinals first, as many as may be
// unavailable (updateStatefulSetAfterInvariantEstablished).
func (u *update) roll() string {
	limit, down, stuck := u.maxUnavailable(), 0, 0
	for _, p := range u.replicas {
		if p == nil || u.unavailable(p) {
			down++
			if p != nil && !u.monotonic() && u.outdated(p) {
				stuck++
			}
		}
	}
	if down >= limit && stuck == 0 {
		return ""
	}
	budget := limit - down
	if !u.monotonic() {
		if failure := u.end(len(u.replicas), func(p *api.Pod) bool { return !u.available(p) }); failure != "" {
			return failure
		}
		return u.end(budget, func(p *api.Pod) bool { return !u.unavailable(p) })
	}
	return u.end(budget, func(*api.Pod) bool { return true })
}

// end ends up to n outdated pods that suit, from the highest ordinal down to the
// partition.
func (u *update) end(n int, suits func(*api.Pod) bool) string {
	for i := len(u.replicas) - 1; i >= partition(u.set) && n > 0; i-- {
		p := u.replicas[i]
		if p == nil || !u.outdated(p) || !suits(p) {
			continue
		}
		u.ctx.Record(trace.Record{Ref: actor.RefOf(u.set), Verdict: trace.Changed, Reason: "RollingUpdate",
			Message: p.Name + " is of revision " + revisionOf(p) + " and makes room for " + u.latest.Name})
		if failure := u.deletePod(p); failure != "" {
			return failure
		}
		u.ended++
		n--
	}
	return ""
}

// outdated reports whether a pod is to be replaced by one of the newest revision.
func (u *update) outdated(p *api.Pod) bool {
	return revisionOf(p) != u.latest.Name && !terminating(p)
}

// maxUnavailable is how many pods a rollout may make unavailable: at least one.
func (u *update) maxUnavailable() int {
	r := u.set.Spec.UpdateStrategy.RollingUpdate
	if r == nil || r.MaxUnavailable == nil {
		return 1
	}
	n, err := r.MaxUnavailable.Scaled(int(*u.set.Spec.Replicas), false)
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// revise finds the current and the newest revision; it stores the latter if the
// template is a new one, and renumbers it if it is an earlier one
// (getStatefulSetRevisions).
func (u *update) revise() bool {
	s := u.set
	if s.Status.CollisionCount != nil {
		u.collisions = *s.Status.CollisionCount
	}
	data := history.Data(&s.Spec.Template)
	var st *api.Status
	if last := u.find(data); last == nil {
		u.latest, st = u.create(data)
	} else {
		number := last.Revision
		if last != u.revisions[len(u.revisions)-1] {
			number = history.Next(u.revisions)
		}
		u.latest, st = history.Renumber(u.ctx, last, number)
	}
	if st != nil {
		return false
	}
	u.current = u.latest
	for _, r := range u.revisions {
		if r.Name == s.Status.CurrentRevision {
			u.current = r
		}
	}
	return u.findTemplate(data)
}

// find returns the newest revision with that text, or nil.
func (u *update) find(data api.RawJSON) *api.ControllerRevision {
	for i := len(u.revisions) - 1; i >= 0; i-- {
		if history.Equal(u.revisions[i].Data, data) {
			return u.revisions[i]
		}
	}
	return nil
}

// findTemplate finds what pods of the current revision are made from.
func (u *update) findTemplate(data api.RawJSON) bool {
	u.currentTemplate = &u.set.Spec.Template
	if u.current == u.latest || history.Equal(u.current.Data, data) {
		return true
	}
	t, ok := history.Template(u.current.Data)
	u.currentTemplate = t
	return ok
}

// create stores a revision; another one of that name makes it take another hash.
func (u *update) create(data api.RawJSON) (*api.ControllerRevision, *api.Status) {
	// The label keeps the hash of before any collision, as upstream's does.
	r := history.New(u.set, u.set.Spec.Template.Labels, data, history.Next(u.revisions), history.RevisionLabel, history.Hash(data, &u.collisions))
	for {
		r.Name = history.Name(u.set.Name, history.Hash(data, &u.collisions))
		res := u.ctx.Create(r)
		if !res.Failed() {
			return res.Object.(*api.ControllerRevision), nil
		}
		if res.Status.Reason != api.ReasonAlreadyExists {
			return nil, res.Status
		}
		got := u.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed("ControllerRevision"), Namespace: r.Namespace, Name: r.Name})
		if got.Failed() {
			return nil, got.Status
		}
		if old := got.Object.(*api.ControllerRevision); history.Equal(old.Data, data) {
			return old, nil
		}
		u.collisions++
	}
}

// truncate deletes revisions that no pod has, beyond the set's limit.
func (u *update) truncate() bool {
	if u.set.Spec.RevisionHistoryLimit == nil {
		return true
	}
	live := map[string]bool{}
	for _, r := range []*api.ControllerRevision{u.current, u.latest} {
		if r != nil {
			live[r.Name] = true
		}
	}
	for _, p := range u.pods {
		live[revisionOf(p)] = true
	}
	isLive := func(r *api.ControllerRevision) bool { return live[r.Name] }
	return history.Truncate(u.ctx, u.revisions, isLive, int(*u.set.Spec.RevisionHistoryLimit)) == nil
}

// recount counts again, with what the look has just made and ended.
func (u *update) recount() {
	u.tally(append(append([]*api.Pod(nil), u.replicas...), u.condemned...))
	u.status.CurrentReplicas -= int32(u.ended)
}

// tally counts pods into the status (computeReplicaStatus).
func (u *update) tally(pods []*api.Pod) {
	st := &u.status
	st.Replicas, st.ReadyReplicas, st.AvailableReplicas, st.CurrentReplicas, st.UpdatedReplicas = 0, 0, 0, 0, 0
	for _, p := range pods {
		if p == nil || !created(p) {
			continue
		}
		st.Replicas++
		if runningAndReady(p) {
			st.ReadyReplicas++
			if u.available(p) {
				st.AvailableReplicas++
			}
		}
		if terminating(p) {
			continue
		}
		if revisionOf(p) == u.current.Name {
			st.CurrentReplicas++
		}
		if revisionOf(p) == u.latest.Name {
			st.UpdatedReplicas++
		}
	}
}

// writeStatus writes the status if it is another one. Once all pods are of the
// newest revision, that is the current one.
func (u *update) writeStatus() bool {
	s, st := u.set, &u.status
	if n := *s.Spec.Replicas; st.UpdatedReplicas == n && st.ReadyReplicas == n && st.Replicas == n {
		st.CurrentReplicas, st.CurrentRevision = st.UpdatedReplicas, st.UpdateRevision
	}
	if st.ObservedGeneration <= s.Status.ObservedGeneration && sameCounts(st, &s.Status) {
		return true
	}
	if st.CurrentRevision != s.Status.CurrentRevision && s.Status.CurrentRevision != "" {
		u.ctx.Record(trace.Record{Ref: actor.RefOf(s), Verdict: trace.Changed, Reason: "RevisionComplete", Message: "all pods are of revision " + st.CurrentRevision})
	}
	c := s.Copy().(*api.StatefulSet)
	c.Status = *st
	res := u.ctx.UpdateStatus(c)
	for i := 0; i < 4 && res.Failed() && res.Status.Reason == api.ReasonConflict; i++ {
		fresh := u.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed("StatefulSet"), Namespace: s.Namespace, Name: s.Name})
		if fresh.Failed() {
			return false
		}
		c = fresh.Object.Copy().(*api.StatefulSet)
		c.Status = *st
		res = u.ctx.UpdateStatus(c)
	}
	if res.Failed() {
		return false
	}
	u.noteWrite()
	return true
}

func sameCounts(a, b *api.StatefulSetStatus) bool {
	return a.Replicas == b.Replicas && a.CurrentReplicas == b.CurrentReplicas && a.ReadyReplicas == b.ReadyReplicas &&
		a.UpdatedReplicas == b.UpdatedReplicas && a.CurrentRevision == b.CurrentRevision &&
		a.AvailableReplicas == b.AvailableReplicas && a.UpdateRevision == b.UpdateRevision
}
