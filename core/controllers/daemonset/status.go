package daemonset

import (
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// writeStatus counts the nodes and writes the status if it is another one
// (updateDaemonSetStatus).
func (l *look) writeStatus() bool {
	d := l.set
	st := d.Status
	st.ObservedGeneration = d.Generation
	l.count(&st)
	// A surging pod counts too: the one that it replaces waits for it.
	l.next = min(l.next, podcontrol.NextAvailable(l.ctx, l.pods, d.Spec.MinReadySeconds))
	if api.Equal(&st, &d.Status) {
		return true
	}
	c := d.Copy().(*api.DaemonSet)
	c.Status = st
	res := l.ctx.UpdateStatus(c)
	if res.Failed() {
		fresh := l.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed("DaemonSet"), Namespace: d.Namespace, Name: d.Name})
		if fresh.Failed() {
			return false
		}
		c = fresh.Object.Copy().(*api.DaemonSet)
		st.CollisionCount, st.Conditions = c.Status.CollisionCount, c.Status.Conditions
		c.Status = st
		if res = l.ctx.UpdateStatus(c); res.Failed() {
			return false
		}
	}
	l.wrote = l.ctx.Host.Latest().Rev()
	return true
}

func (l *look) count(st *api.DaemonSetStatus) {
	st.DesiredNumberScheduled, st.CurrentNumberScheduled, st.NumberMisscheduled = 0, 0, 0
	st.NumberReady, st.NumberAvailable, st.UpdatedNumberScheduled = 0, 0, 0
	for _, s := range l.sites[:l.nodes] {
		switch {
		case !s.run && len(s.pods) > 0:
			st.NumberMisscheduled++
		case s.run:
			st.DesiredNumberScheduled++
			if len(s.pods) > 0 {
				st.CurrentNumberScheduled++
				l.countPod(st, s.pods[0])
			}
		}
	}
	st.NumberUnavailable = st.DesiredNumberScheduled - st.NumberAvailable
}

// countPod counts the oldest pod of a node.
func (l *look) countPod(st *api.DaemonSetStatus, p *api.Pod) {
	if podcontrol.IsReady(p) {
		st.NumberReady++
		if l.available(p) {
			st.NumberAvailable++
		}
	}
	if l.updated(p) {
		st.UpdatedNumberScheduled++
	}
}
