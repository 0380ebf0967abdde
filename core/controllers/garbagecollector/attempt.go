package garbagecollector

import (
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Reconcile looks at one object.
func (g *Collector) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	o := c.Host.Latest().Get(key.Kind, key.Namespace, key.Name)
	if o == nil || g.attempt(c, o) {
		g.failed.Forget(key.String())
		return actor.Result{}
	}
	return actor.At(c.Now() + g.failed.After(key.String()))
}

// attempt does what an object's owners and finalizers ask for. It reports false
// when it has to be tried again (garbagecollector.go, attemptToDeleteItem).
func (g *Collector) attempt(c *actor.Ctx, o api.Object) bool {
	switch {
	case waits(o, orphan):
		return g.setFree(c, o)
	case waits(o, foreground):
		return g.deleteDependents(c, o)
	case o.Meta().DeletionTimestamp != nil || len(o.Meta().OwnerReferences) == 0:
		return true
	}
	f, ok := classify(c, o)
	switch {
	case !ok:
		return true
	case len(f.solid) > 0:
		return len(f.dangling)+len(f.waiting) == 0 || g.dropReferences(c, o, append(f.dangling, f.waiting...))
	case len(f.waiting) > 0 && len(dependents(c, o)) > 0:
		return g.unblock(c, o) && g.delete(c, o, "Foreground", "an owner is being deleted in the foreground")
	case slices.Contains(o.Meta().Finalizers, orphan):
		return g.delete(c, o, "Orphan", f.why())
	case slices.Contains(o.Meta().Finalizers, foreground):
		return g.delete(c, o, "Foreground", f.why())
	}
	return g.delete(c, o, "Background", f.why())
}

// owners are the owners of an object, by uid and by what became of them.
type owners struct{ solid, dangling, waiting []api.OwnerReference }

func (f *owners) why() string {
	list := append(append([]api.OwnerReference(nil), f.dangling...), f.waiting...)
	text := ""
	for i, r := range list {
		if i > 0 {
			text += ", "
		}
		text += r.Kind + " " + r.Name
	}
	if len(f.waiting) > 0 {
		return "the owner " + text + " is gone or is being deleted in the foreground"
	}
	return "the owner " + text + " does not exist any more"
}

// classify looks every owner up. It reports false where nothing may be done: an
// owner is of a kind that nobody serves, or lives in a namespace while the object
// lives in none (garbagecollector.go, classifyReferences and isDangling).
func classify(c *actor.Ctx, o api.Object) (f owners, ok bool) {
	for _, r := range o.Meta().OwnerReferences {
		k := c.Host.Latest().KindFor(r.APIVersion, r.Kind)
		if k == nil {
			c.Record(trace.Record{Ref: actor.RefOf(o), Verdict: trace.Waiting, Reason: "UnknownOwnerKind",
				Message: "no kind " + r.Kind + " in " + r.APIVersion + " is served: whether the owner " + r.Name + " exists cannot be told"})
			return f, false
		}
		if k.Namespaced && o.Meta().Namespace == "" {
			invalidNamespace(c, o, &r)
			return f, false
		}
		owner := find(c.Host.Latest(), o, &r)
		switch {
		case owner == nil:
			if k.Namespaced && elsewhere(c, o, k, &r) {
				invalidNamespace(c, o, &r)
			}
			f.dangling = append(f.dangling, r)
		case waits(owner, foreground):
			f.waiting = append(f.waiting, r)
		default:
			f.solid = append(f.solid, r)
		}
	}
	return f, true
}

// elsewhere reports whether the owner that a reference means lives in another
// namespace.
func elsewhere(c *actor.Ctx, o api.Object, k *api.Kind, r *api.OwnerReference) (found bool) {
	read := c.Host.Latest()
	read.Each("Namespace", "", func(ns api.Object) bool {
		name := ns.Meta().Name
		x := read.Get(k.Kind, name, r.Name)
		found = name != o.Meta().Namespace && x != nil && x.Meta().UID == r.UID
		return !found
	})
	return found
}

// invalidNamespace tells of an owner in a namespace where it cannot be
// (graph_builder.go, reportInvalidNamespaceOwnerRef).
func invalidNamespace(c *actor.Ctx, o api.Object, r *api.OwnerReference) {
	namespace := o.Meta().Namespace
	c.Event(actor.Event{Regarding: o, Type: "Warning", Reason: "OwnerRefInvalidNamespace", Component: "garbage-collector-controller",
		Message: "ownerRef [" + r.APIVersion + "/" + r.Kind + ", namespace: " + namespace + ", name: " + r.Name + ", uid: " + r.UID +
			"] does not exist in namespace " + strconv.Quote(namespace)})
}

func dependents(c *actor.Ctx, o api.Object) []api.Object {
	return c.Host.Latest().ByIndex(Index, o.Meta().UID)
}

// delete removes an object, with what shall become of its own dependents.
func (g *Collector) delete(c *actor.Ctx, o api.Object, policy, why string) bool {
	m := o.Meta()
	c.Cause = c.Record(trace.Record{Ref: actor.RefOf(o), Verdict: trace.Info, Reason: "GarbageCollected", Message: why,
		Detail: []trace.Detail{{Name: "propagationPolicy", Value: policy}}})
	res := c.Do(api.Request{Verb: api.Delete, Kind: c.KindOf(o), Namespace: m.Namespace, Name: m.Name,
		Propagation: policy, PreconditionUID: m.UID})
	return done(res)
}

func done(res api.Response) bool {
	return !res.Failed() || res.Status.Reason == api.ReasonNotFound
}

// dropReferences takes owners off an object that has others.
func (g *Collector) dropReferences(c *actor.Ctx, o api.Object, gone []api.OwnerReference) bool {
	n := o.Copy()
	m := n.Meta()
	m.OwnerReferences = nil
	for _, r := range o.Meta().OwnerReferences {
		if !slices.ContainsFunc(gone, func(x api.OwnerReference) bool { return x.UID == r.UID }) {
			m.OwnerReferences = append(m.OwnerReferences, r)
		}
	}
	return done(c.Update(n))
}

// unblock makes the references of an object non-blocking where one of its own
// dependents is deleted in the foreground too: a circle would wait for ever
// (garbagecollector.go, attemptToDeleteItem).
func (g *Collector) unblock(c *actor.Ctx, o api.Object) bool {
	circle := false
	for _, d := range dependents(c, o) {
		circle = circle || waits(d, foreground)
	}
	if !circle {
		return true
	}
	n := o.Copy()
	m := n.Meta()
	m.OwnerReferences = slices.Clone(m.OwnerReferences)
	no := false
	for i := range m.OwnerReferences {
		m.OwnerReferences[i].BlockOwnerDeletion = &no
	}
	return done(c.Update(n))
}

// deleteDependents goes on with a foreground deletion: the object is let go when
// nothing blocks it any more (garbagecollector.go, processDeletingDependentsItem;
// graph_builder.go, processTransitions).
func (g *Collector) deleteDependents(c *actor.Ctx, o api.Object) bool {
	blocked, ok := 0, true
	for _, d := range dependents(c, o) {
		if !waits(d, foreground) {
			ok = g.attempt(c, d) && ok
		}
	}
	for _, d := range dependents(c, o) {
		if blocks(d, o.Meta().UID) {
			blocked++
		}
	}
	if blocked == 0 {
		return g.removeFinalizer(c, o, foreground, "no dependent blocks the deletion any more")
	}
	c.Record(trace.Record{Ref: actor.RefOf(o), Verdict: trace.Waiting, Reason: "DeletingDependents",
		Message: strconv.Itoa(blocked) + " dependents block the deletion in the foreground"})
	return ok
}

// setFree takes an owner off its dependents (garbagecollector.go, orphanDependents).
func (g *Collector) setFree(c *actor.Ctx, o api.Object) bool {
	for _, d := range dependents(c, o) {
		for _, r := range d.Meta().OwnerReferences {
			if r.UID == o.Meta().UID && !g.dropReferences(c, d, []api.OwnerReference{r}) {
				return false
			}
		}
	}
	return g.removeFinalizer(c, o, orphan, "the dependents have been set free")
}

// removeFinalizer takes the collector's finalizer off, as the object is by now
// (operations.go, removeFinalizer).
func (g *Collector) removeFinalizer(c *actor.Ctx, o api.Object, finalizer, why string) bool {
	live := c.Host.Latest().Get(o.ObjectType().Kind, o.Meta().Namespace, o.Meta().Name)
	if live == nil || live.Meta().UID != o.Meta().UID {
		return true
	}
	c.Cause = c.Record(trace.Record{Ref: actor.RefOf(o), Verdict: trace.Passed, Reason: "FinalizerRemoved", Message: why,
		Detail: []trace.Detail{{Name: "finalizer", Value: finalizer}}})
	n := live.Copy()
	n.Meta().Finalizers = slices.DeleteFunc(slices.Clone(n.Meta().Finalizers), func(f string) bool { return f == finalizer })
	return done(c.Update(n))
}
