// Package statefulset is the StatefulSet controller: pods with an identity that
// stays, made in order and ended in the opposite one unless the set is Parallel,
// each with claims of its own. Start reading at Reconcile and update.
// Upstream: pkg/controller/statefulset.
package statefulset

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const name = "statefulset-controller"

// stale is how long the controller waits for its cache to show what it wrote: the
// first wait of its work queue.
const stale = 5 * sim.Millisecond

// Controller is the actor.
type Controller struct {
	retries retry.Queue
	wrote   map[sim.Key]uint64 // newest revision written for a set, until the cache shows it
}

// New returns the controller.
func New() actor.Actor { return &Controller{wrote: map[sim.Key]uint64{}} }

// Name is the controller's service account.
func (*Controller) Name() string { return name }

// Clone copies what is awaited and retried.
func (c *Controller) Clone() actor.Actor {
	return &Controller{retries: c.retries.Clone(), wrote: maps.Clone(c.wrote)}
}

// Watches lists what the controller reacts to.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "StatefulSet", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			return []sim.Key{keyOf(ch.Object())}
		}},
		{Kind: "Pod", Map: podKeys},
	}
}

func keyOf(o api.Object) sim.Key {
	m := o.Meta()
	return sim.Key{Kind: "StatefulSet", Namespace: m.Namespace, Name: m.Name}
}

// podKeys are the sets that manage the pod or did, or may adopt it.
func podKeys(read store.Snapshot, ch store.Change) []sim.Key {
	var keys []sim.Key
	for _, o := range []api.Object{ch.Old, ch.New} {
		if s := ownerOf(read, o); s != nil && !(len(keys) > 0 && keys[0] == keyOf(s)) {
			keys = append(keys, keyOf(s))
		}
	}
	if ch.New == nil || podcontrol.ControllerOf(ch.New) != nil {
		return keys
	}
	p := ch.New.(*api.Pod)
	if parent, _ := parse(p.Name); parent != "" {
		s, _ := read.Get("StatefulSet", p.Namespace, parent).(*api.StatefulSet)
		if s != nil && selects(s, p) {
			keys = append(keys, keyOf(s))
		}
	}
	return keys
}

func ownerOf(read store.Snapshot, o api.Object) *api.StatefulSet {
	if o == nil {
		return nil
	}
	ref := podcontrol.ControllerOf(o)
	if ref == nil || ref.Kind != "StatefulSet" {
		return nil
	}
	s, _ := read.Get("StatefulSet", o.Meta().Namespace, ref.Name).(*api.StatefulSet)
	if s == nil || s.UID != ref.UID {
		return nil
	}
	return s
}

func selects(s *api.StatefulSet, p *api.Pod) bool {
	selector, err := s.Spec.Selector.AsSelector()
	return err == nil && !selector.Empty() && selector.Matches(p.Labels)
}

// Reconcile looks at a set.
func (c *Controller) Reconcile(ctx *actor.Ctx, key sim.Key) actor.Result {
	set, _ := ctx.Read.Get("StatefulSet", key.Namespace, key.Name).(*api.StatefulSet)
	if set == nil {
		c.retries.Forget(key.String())
		delete(c.wrote, key)
		return actor.Result{}
	}
	if rev, ok := c.wrote[key]; ok {
		if ctx.Read.Rev() < rev {
			return actor.At(ctx.Now() + stale)
		}
		delete(c.wrote, key)
	}
	u := &update{ctx: ctx, set: set}
	failed := !u.run()
	if u.wrote > 0 {
		c.wrote[key] = u.wrote
	}
	if failed {
		return actor.At(ctx.Now() + c.retries.After(key.String()))
	}
	c.retries.Forget(key.String())
	return actor.At(u.next)
}
