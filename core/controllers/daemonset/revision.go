package daemonset

import (
	"maps"

	"podwalk/core/actor/history"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/codec"
)

// revise finds the revision of the present template among those of the set, and
// makes it if there is none (constructHistory).
func (l *look) revise(selector api.Selector) bool {
	all, st := history.List(l.ctx, l.set, selector)
	if st != nil {
		return false
	}
	data := history.Data(&l.set.Spec.Template)
	var same []*api.ControllerRevision
	newest := int64(0)
	for _, r := range all {
		if r, st = l.labelled(r); st != nil {
			return false
		}
		if history.Equal(r.Data, data) {
			same = append(same, r)
			continue
		}
		l.older = append(l.older, r)
		newest = max(newest, r.Revision)
	}
	if len(same) == 0 {
		l.present, st = l.create(data, newest+1)
	} else {
		l.present, st = l.keepOne(same)
		if st == nil && l.present.Revision <= newest {
			_, st = history.Renumber(l.ctx, l.present, newest+1)
		}
	}
	if st != nil {
		return false
	}
	l.hash = l.present.Labels[history.HashLabel]
	return true
}

// labelled gives a revision without the hash label its name as one.
func (l *look) labelled(r *api.ControllerRevision) (*api.ControllerRevision, *api.Status) {
	if _, ok := r.Labels[history.HashLabel]; ok {
		return r, nil
	}
	c := r.Copy().(*api.ControllerRevision)
	c.Labels = maps.Clone(r.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	c.Labels[history.HashLabel] = r.Name
	res := l.ctx.Update(c)
	if res.Failed() {
		return nil, res.Status
	}
	return res.Object.(*api.ControllerRevision), nil
}

// create stores the revision of the present template. A collision of names raises
// the set's collision count, and the look is repeated with it.
func (l *look) create(data api.RawJSON, number int64) (*api.ControllerRevision, *api.Status) {
	d := l.set
	r := history.New(d, d.Spec.Template.Labels, data, number, history.HashLabel, podcontrol.Hash(&d.Spec.Template, d.Status.CollisionCount))
	r.Name = d.Name + "-" + r.Labels[history.HashLabel]
	res := l.ctx.Create(r)
	if !res.Failed() {
		return res.Object.(*api.ControllerRevision), nil
	}
	if res.Status.Reason != api.ReasonAlreadyExists {
		return nil, res.Status
	}
	got := l.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed("ControllerRevision"), Namespace: d.Namespace, Name: r.Name})
	if got.Failed() {
		return nil, got.Status
	}
	if old := got.Object.(*api.ControllerRevision); history.Equal(old.Data, data) {
		return old, nil
	}
	fresh := l.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed("DaemonSet"), Namespace: d.Namespace, Name: d.Name})
	if fresh.Failed() {
		return nil, fresh.Status
	}
	now := fresh.Object.Copy().(*api.DaemonSet)
	if !api.Equal(now.Status.CollisionCount, d.Status.CollisionCount) {
		return nil, res.Status
	}
	n := int32(1)
	if c := now.Status.CollisionCount; c != nil {
		n += *c
	}
	now.Status.CollisionCount = &n
	if up := l.ctx.UpdateStatus(now); up.Failed() {
		return nil, up.Status
	}
	return nil, res.Status
}

// keepOne keeps the newest of several revisions of the present template, whose
// hash their pods get, and deletes the others.
func (l *look) keepOne(same []*api.ControllerRevision) (*api.ControllerRevision, *api.Status) {
	keep := same[len(same)-1]
	if len(same) == 1 {
		return keep, nil
	}
	hash := keep.Labels[history.HashLabel]
	for _, p := range l.pods {
		if p.Labels[history.HashLabel] == hash {
			continue
		}
		res := l.ctx.Do(api.Request{Verb: api.Patch, Kind: api.KindNamed("Pod"), Namespace: p.Namespace, Name: p.Name,
			PatchType: "application/merge-patch+json",
			Body:      codec.ToJSON(map[string]any{"metadata": map[string]any{"labels": map[string]any{history.HashLabel: hash}}})})
		if res.Failed() {
			return nil, res.Status
		}
	}
	for _, r := range same[:len(same)-1] {
		if res := l.ctx.Delete(r, nil); res.Failed() {
			return nil, res.Status
		}
	}
	return keep, nil
}

// forget deletes the oldest revisions beyond the set's limit that no pod has.
func (l *look) forget() bool {
	if l.set.Spec.RevisionHistoryLimit == nil {
		return true
	}
	extra := len(l.older) - int(*l.set.Spec.RevisionHistoryLimit)
	if extra <= 0 {
		return true
	}
	live := map[string]bool{}
	for _, p := range l.pods {
		live[p.Labels[history.HashLabel]] = true
	}
	for _, r := range l.older {
		if extra <= 0 {
			break
		}
		if live[r.Labels[history.HashLabel]] {
			continue
		}
		if res := l.ctx.Delete(r, nil); res.Failed() {
			return false
		}
		extra--
	}
	return true
}
