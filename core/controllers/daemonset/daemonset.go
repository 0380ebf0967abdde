// Package daemonset is the DaemonSet controller: one pod on every node that suits,
// replaced node by node when the template changes. It chooses the nodes; the
// scheduler still binds the pods, which ask for their node by name. Start reading
// at Reconcile and look.
// Upstream: pkg/controller/daemon.
package daemonset

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const name = "daemonset-controller"

const (
	// stale is how long the controller waits for its cache to show what it wrote.
	stale = 5 * sim.Millisecond
	// perNode is what a look costs the real controller for each node. It takes
	// what happened meanwhile together, so a rollout does not cost a look for each
	// change of each pod.
	perNode = 10 * sim.Microsecond
	// A failed pod is replaced after so long, doubling up to the longest wait.
	firstBackoff   = sim.Second
	longestBackoff = 15 * sim.Minute
)

var control = podcontrol.Control{Component: name}

// Controller is the actor.
type Controller struct {
	retries retry.Queue
	sets    map[sim.Key]state
	failed  map[failure]backoff // of pods that failed, until long after
}

// state is what the controller keeps of a set between its looks.
type state struct {
	wrote uint64   // newest revision written for it
	busy  sim.Time // until when the last look lasts
}

// failure names a node on which a pod of a set's generation failed.
type failure struct {
	uid        string
	generation int64
	node       string
}

type backoff struct{ delay, at sim.Time }

// New returns the controller.
func New() actor.Actor {
	return &Controller{sets: map[sim.Key]state{}, failed: map[failure]backoff{}}
}

// Name is the controller's service account.
func (*Controller) Name() string { return "daemon-set-controller" }

// Clone copies what is awaited and retried.
func (c *Controller) Clone() actor.Actor {
	return &Controller{retries: c.retries.Clone(), sets: maps.Clone(c.sets), failed: maps.Clone(c.failed)}
}

// Watches lists what the controller reacts to.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "DaemonSet", Map: func(_ store.Snapshot, ch store.Change) []sim.Key { return []sim.Key{keyOf(ch.Object())} }},
		{Kind: "Pod", Map: ownerKeys},
		{Kind: "ControllerRevision", Map: func(read store.Snapshot, ch store.Change) []sim.Key {
			if ch.Old == nil && podcontrol.ControllerOf(ch.New) != nil {
				return nil
			}
			return ownerKeys(read, ch)
		}},
		{Kind: "Node", Map: nodeKeys},
	}
}

func keyOf(o api.Object) sim.Key {
	m := o.Meta()
	return sim.Key{Kind: "DaemonSet", Namespace: m.Namespace, Name: m.Name}
}

// ownerKeys are the sets that manage the object or did, or that may adopt it.
func ownerKeys(read store.Snapshot, ch store.Change) []sim.Key {
	var keys []sim.Key
	for _, o := range []api.Object{ch.Old, ch.New} {
		if s := ownerOf(read, o); s != nil && !(len(keys) > 0 && keys[0] == keyOf(s)) {
			keys = append(keys, keyOf(s))
		}
	}
	if ch.New == nil || podcontrol.ControllerOf(ch.New) != nil {
		return keys
	}
	if ch.Old != nil && podcontrol.ControllerOf(ch.Old) == nil && api.Equal(ch.Old.Meta().Labels, ch.New.Meta().Labels) {
		return keys
	}
	read.Each("DaemonSet", ch.New.Meta().Namespace, func(o api.Object) bool {
		selector, err := o.(*api.DaemonSet).Spec.Selector.AsSelector()
		if err == nil && !selector.Empty() && selector.Matches(ch.New.Meta().Labels) {
			keys = append(keys, keyOf(o))
		}
		return true
	})
	return keys
}

func ownerOf(read store.Snapshot, o api.Object) *api.DaemonSet {
	if o == nil {
		return nil
	}
	ref := podcontrol.ControllerOf(o)
	if ref == nil || ref.Kind != "DaemonSet" {
		return nil
	}
	d, _ := read.Get("DaemonSet", o.Meta().Namespace, ref.Name).(*api.DaemonSet)
	if d == nil || d.UID != ref.UID {
		return nil
	}
	return d
}

// nodeKeys are the sets to which a node's labels or taints make a difference
// (syncNodeUpdate).
func nodeKeys(read store.Snapshot, ch store.Change) []sim.Key {
	n, ok := ch.New.(*api.Node)
	if !ok {
		return nil
	}
	if old, ok := ch.Old.(*api.Node); ok && api.Equal(old.Labels, n.Labels) && api.Equal(old.Spec.Taints, n.Spec.Taints) {
		return nil
	}
	here := map[string]bool{}
	for _, o := range read.ByIndex("pod.node", n.Name) {
		if ref := podcontrol.ControllerOf(o); ref != nil && ref.Kind == "DaemonSet" {
			here[ref.UID] = true
		}
	}
	var keys []sim.Key
	read.Each("DaemonSet", "", func(o api.Object) bool {
		d := o.(*api.DaemonSet)
		fit := newFit(d)
		run, stay := fit.on(n)
		if scheduled := here[d.UID]; run && !scheduled || !stay && scheduled || scheduled && d.Status.NumberMisscheduled > 0 {
			keys = append(keys, keyOf(d))
		}
		return true
	})
	return keys
}

// Reconcile looks at a set.
func (c *Controller) Reconcile(ctx *actor.Ctx, key sim.Key) actor.Result {
	d, _ := ctx.Read.Get("DaemonSet", key.Namespace, key.Name).(*api.DaemonSet)
	if d == nil {
		c.retries.Forget(key.String())
		delete(c.sets, key)
		return actor.Result{}
	}
	st := c.sets[key]
	switch {
	case st.busy > ctx.Now():
		return actor.At(st.busy)
	case ctx.Read.Rev() < st.wrote:
		return actor.At(ctx.Now() + stale)
	}
	l := &look{c: c, ctx: ctx, set: d, next: sim.Never}
	ok := l.run()
	c.sets[key] = state{wrote: l.wrote, busy: ctx.Now() + perNode*sim.Time(l.nodes)}
	if !ok {
		return actor.At(ctx.Now() + c.retries.After(key.String()))
	}
	c.retries.Forget(key.String())
	return actor.At(l.next)
}

// holdOff reports whether a failed pod on a node has to stay for a while, and
// until when; if not, the next one will have to stay for longer.
func (c *Controller) holdOff(now sim.Time, k failure) (sim.Time, bool) {
	b, ok := c.failed[k]
	if ok && now-b.at < b.delay {
		return now + b.delay, true
	}
	next := backoff{firstBackoff, now}
	if ok && now-b.at <= 2*longestBackoff {
		next.delay = min(2*b.delay, longestBackoff)
	}
	for old, e := range c.failed {
		if now-e.at > 2*longestBackoff {
			delete(c.failed, old)
		}
	}
	c.failed[k] = next
	return 0, false
}
