// Package garbagecollector is the garbage collector: it deletes what has lost all
// its owners, ends foreground deletions and sets dependents free where they shall
// outlive their owner (pkg/controller/garbagecollector). The graph of owners is the
// store's index "dependents"; a change costs what hangs on the changed object,
// whatever the size of the cluster. Start reading at Map and Collector.attempt.
package garbagecollector

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Index finds the objects of all kinds that name an owner, by its uid.
const Index = "dependents"

const (
	orphan     = "orphan"
	foreground = "foregroundDeletion"
)

// Collector is the garbage collector.
type Collector struct{ failed retry.Queue }

var _ actor.Actor = (*Collector)(nil)

// New returns the collector.
func New() *Collector { return &Collector{} }

// Name returns the name of its service account.
func (g *Collector) Name() string { return "generic-garbage-collector" }

// Clone returns an independent copy.
func (g *Collector) Clone() actor.Actor { return &Collector{g.failed.Clone()} }

// Watches returns all kinds but Events, which own nothing and are not owned
// (config/v1alpha1/defaults.go, gcIgnoredResources).
func (g *Collector) Watches() []actor.Watch {
	var w []actor.Watch
	for i := range api.Kinds {
		if k := api.Kinds[i].Kind; k != "Event" {
			w = append(w, actor.Watch{Kind: k, Map: Map})
		}
	}
	return append(w, actor.Watch{Kind: actor.AnyCustom, Map: Map})
}

// Map gives the objects whose fate a change may decide
// (graph_builder.go, processGraphChanges).
func Map(view store.Snapshot, c store.Change) []sim.Key {
	if c.New == nil {
		return afterDeletion(view, c.Old)
	}
	var keys []sim.Key
	m := c.New.Meta()
	var was []api.OwnerReference
	if c.Old != nil {
		was = c.Old.Meta().OwnerReferences
	}
	if !sameReferences(was, m.OwnerReferences) {
		if doubtful(view, c.New) {
			keys = append(keys, keyOf(c.New))
		}
		keys = append(keys, unblocked(view, c.New, was)...)
	}
	if m.DeletionTimestamp != nil && (waits(c.New, orphan) || waits(c.New, foreground)) &&
		(c.Old == nil || !waits(c.Old, orphan) && !waits(c.Old, foreground)) {
		keys = append(keys, keyOf(c.New))
	}
	return keys
}

// afterDeletion gives the dependents of what is gone, and the owners that waited
// for it.
func afterDeletion(view store.Snapshot, gone api.Object) (keys []sim.Key) {
	for _, d := range view.ByIndex(Index, gone.Meta().UID) {
		keys = append(keys, keyOf(d))
	}
	for i := range gone.Meta().OwnerReferences {
		if o := find(view, gone, &gone.Meta().OwnerReferences[i]); o != nil && waits(o, foreground) {
			keys = append(keys, keyOf(o))
		}
	}
	return keys
}

// unblocked gives the owners that are being deleted in the foreground and for which
// a changed object has ceased to be in the way.
func unblocked(view store.Snapshot, obj api.Object, was []api.OwnerReference) (keys []sim.Key) {
	for i := range was {
		if o := find(view, obj, &was[i]); o != nil && waits(o, foreground) && !blocks(obj, o.Meta().UID) {
			keys = append(keys, keyOf(o))
		}
	}
	return keys
}

// doubtful reports whether an owner that an object names is not there.
func doubtful(view store.Snapshot, obj api.Object) bool {
	for i := range obj.Meta().OwnerReferences {
		if find(view, obj, &obj.Meta().OwnerReferences[i]) == nil {
			return true
		}
	}
	return false
}

// find returns the owner that a reference names, or nil.
func find(view store.Snapshot, obj api.Object, ref *api.OwnerReference) api.Object {
	k := view.KindFor(ref.APIVersion, ref.Kind)
	if k == nil {
		return nil
	}
	namespace := ""
	if k.Namespaced {
		namespace = obj.Meta().Namespace
	}
	o := view.Get(k.Kind, namespace, ref.Name)
	if o == nil || o.Meta().UID != ref.UID {
		return nil
	}
	return o
}

// waits reports whether an object is being deleted and waits for what a finalizer
// of the collector stands for.
func waits(o api.Object, finalizer string) bool {
	m := o.Meta()
	return m.DeletionTimestamp != nil && slices.Contains(m.Finalizers, finalizer)
}

// blocks reports whether a dependent is in the way of the foreground deletion of an
// owner.
func blocks(o api.Object, owner string) bool {
	for _, r := range o.Meta().OwnerReferences {
		if r.UID == owner && r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion {
			return true
		}
	}
	return false
}

func sameReferences(a, b []api.OwnerReference) bool {
	if len(a) != len(b) || len(a) == 0 || &a[0] == &b[0] {
		return len(a) == len(b)
	}
	return api.Equal(a, b)
}

func keyOf(o api.Object) sim.Key {
	m := o.Meta()
	return sim.Key{Kind: o.ObjectType().Kind, Namespace: m.Namespace, Name: m.Name}
}
