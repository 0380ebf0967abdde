// Package namespace is the namespace controller: it empties a namespace that is
// being deleted, pods first, says in the namespace's conditions what is still in
// it, and lets it go when nothing is (pkg/controller/namespace). It never deletes
// a namespace itself: it takes its finalizer off. Start reading at Reconcile.
package namespace

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	// grace is how long after a change of the namespace its content is looked at, so
	// that what is just being created is there (namespace_controller.go,
	// namespaceDeletionGracePeriod).
	grace = 5 * sim.Second

	firstRetry   = 5 * sim.Millisecond
	longestRetry = 60 * sim.Second
	finalizer    = "kubernetes"
)

// Controller is the namespace controller.
type Controller struct{ work map[string]progress }

// progress is what the controller remembers of a namespace that is being deleted.
type progress struct {
	seen     string   // its resourceVersion when it was last put into the queue
	due      sim.Time // when its content is next looked at
	failures int
	idle     bool // the latest look at its content changed nothing
}

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() *Controller { return &Controller{work: map[string]progress{}} }

// Name returns the name of its service account.
func (n *Controller) Name() string { return "namespace-controller" }

// Clone returns an independent copy.
func (n *Controller) Clone() actor.Actor { return &Controller{maps.Clone(n.work)} }

// Watches returns the namespaces. Removals of what they hold do not hasten the
// controller: they only tell that its next look will find something new.
func (n *Controller) Watches() []actor.Watch {
	w := []actor.Watch{{Kind: "Namespace", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
		m := c.Object().Meta()
		if m.DeletionTimestamp == nil {
			return nil
		}
		return []sim.Key{{Kind: "Namespace", Name: m.Name}}
	}}}
	for i := range api.Kinds {
		if k := &api.Kinds[i]; k.Namespaced {
			w = append(w, actor.Watch{Kind: k.Kind, Map: holder})
		}
	}
	return append(w, actor.Watch{Kind: actor.AnyCustom, Map: holder})
}

func holder(view store.Snapshot, c store.Change) []sim.Key {
	if c.New != nil && c.New.Meta().DeletionTimestamp == nil {
		return nil
	}
	name := c.Object().Meta().Namespace
	if ns := view.Get("Namespace", "", name); ns == nil || ns.Meta().DeletionTimestamp == nil {
		return nil
	}
	return []sim.Key{{Kind: "Namespace", Name: name}}
}

// Reconcile looks at one namespace.
func (n *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	ns, _ := c.Read.Get("Namespace", "", key.Name).(*api.Namespace)
	if ns == nil || ns.DeletionTimestamp == nil {
		delete(n.work, key.Name)
		return actor.Result{}
	}
	w, known := n.work[key.Name]
	if !known {
		w.due = sim.Never
	}
	if w.seen != ns.ResourceVersion {
		w.seen, w.due = ns.ResourceVersion, min(w.due, c.Now()+grace)
	}
	if c.Now() >= w.due {
		n.sync(c, key.Name, &w)
	}
	n.work[key.Name] = w
	if w.due == sim.Never {
		return actor.Result{}
	}
	return actor.Result{Next: w.due, Periodic: w.idle && held(c.Host.Latest(), key.Name)}
}

// sync deletes the content and plans the next look
// (namespace_controller.go, worker; deletion/namespaced_resources_deleter.go, Delete).
func (n *Controller) sync(c *actor.Ctx, name string, w *progress) {
	w.due = sim.Never
	before := c.Host.Latest()
	ns, _ := before.Get("Namespace", "", name).(*api.Namespace)
	if ns == nil || ns.DeletionTimestamp == nil || len(ns.Spec.Finalizers) == 0 {
		return
	}
	s := &sweep{c: c, ns: ns}
	s.run()
	w.idle = c.Host.Latest().Rev() == before.Rev()
	switch {
	case len(s.errors) > 0:
		w.due = c.Now() + min(firstRetry<<min(w.failures, 20), longestRetry)
		w.failures++
	case s.estimate > 0:
		w.due = c.Now() + sim.Time(s.estimate/2+1)*sim.Second
	default:
		n.finalize(c, name)
	}
}

// finalize takes the controller's finalizer off, upon which the API server removes
// the namespace.
func (n *Controller) finalize(c *actor.Ctx, name string) {
	live, _ := c.Host.Latest().Get("Namespace", "", name).(*api.Namespace)
	if live == nil {
		return
	}
	ns := live.Copy().(*api.Namespace)
	ns.Spec.Finalizers = nil
	for _, f := range live.Spec.Finalizers {
		if f != finalizer {
			ns.Spec.Finalizers = append(ns.Spec.Finalizers, f)
		}
	}
	c.Record(trace.Record{Ref: actor.RefOf(ns), Verdict: trace.Passed, Reason: "NamespaceEmpty", Message: "nothing is left in the namespace"})
	c.Do(api.Request{Verb: api.Update, Kind: api.KindNamed("Namespace"), Name: name, Subresource: "finalize", Object: ns})
}

// kinds are those whose objects are in namespaces; of a custom kind with several
// versions the first.
func kinds(read store.Snapshot) (list []*api.Kind) {
	for i := range api.Kinds {
		if k := &api.Kinds[i]; k.Namespaced {
			list = append(list, k)
		}
	}
	last := ""
	for _, k := range read.CustomKinds() {
		if k.Namespaced && k.Kind != last {
			list = append(list, k)
		}
		last = k.Kind
	}
	return list
}

// held reports whether only finalizers keep what is in a namespace: no look changes
// anything before somebody takes one off.
func held(read store.Snapshot, name string) bool {
	any, all := false, true
	for _, k := range kinds(read) {
		if !all {
			break
		}
		read.Each(k.Kind, name, func(o api.Object) bool {
			any, all = true, len(o.Meta().Finalizers) > 0
			return all
		})
	}
	return any && all
}
