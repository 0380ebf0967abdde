// Package replicaset keeps as many pods as a ReplicaSet or a ReplicationController
// asks for: two actors that share the code, as the real ones do
// (pkg/controller/replicaset, pkg/controller/replication). It creates in growing
// batches, deletes by rank, adopts and releases, and writes the status. The work of
// a look is proportional to what changed: the pods are counted as they change, and
// listed only when some must go or change hands. It knows nothing of rollouts.
// Start reading at Controller.
package replicaset

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	burst = 500                 // pods that one look creates or deletes at most (BurstReplicas)
	stale = 5 * sim.Millisecond // until it looks at a cache again that lacks its own writes
)

// Controller is the actor of one of the two kinds.
type Controller struct {
	kind    string
	name    string
	control podcontrol.Control
	expect  podcontrol.Expectations
	retries retry.Queue
	tallies map[string]tally  // by UID of the set
	wrote   map[string]uint64 // by key: revision of the newest write of its own
}

var _ actor.Actor = (*Controller)(nil)

// New returns the actor of ReplicaSets.
func New() actor.Actor { return newController("ReplicaSet", "replicaset-controller") }

// NewForReplicationControllers returns the actor of ReplicationControllers.
func NewForReplicationControllers() actor.Actor {
	return newController("ReplicationController", "replication-controller")
}

func newController(kind, name string) *Controller {
	return &Controller{kind: kind, name: name, control: podcontrol.Control{Component: name},
		tallies: map[string]tally{}, wrote: map[string]uint64{}}
}

// Name returns the name of the real controller's service account.
func (r *Controller) Name() string { return r.name }

// Clone returns an independent copy.
func (r *Controller) Clone() actor.Actor {
	c := *r
	c.expect, c.retries = r.expect.Clone(), r.retries.Clone()
	c.tallies, c.wrote = maps.Clone(r.tallies), maps.Clone(r.wrote)
	return &c
}

// Watches maps sets to themselves and pods to the set that owns them; an orphan
// whose labels are new goes to the sets that select it.
func (r *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: r.kind, Map: func(_ store.Snapshot, c store.Change) []sim.Key {
			return []sim.Key{keyOf(r.kind, c.Object().Meta())}
		}},
		{Kind: "Pod", Map: r.podKeys},
	}
}

func keyOf(kind string, m *api.ObjectMeta) sim.Key {
	return sim.Key{Kind: kind, Namespace: m.Namespace, Name: m.Name}
}

func (r *Controller) podKeys(view store.Snapshot, c store.Change) []sim.Key {
	var keys []sim.Key
	pod := c.Object().(*api.Pod)
	ref := podcontrol.ControllerOf(pod)
	if c.Old != nil && c.New != nil {
		if was := podcontrol.ControllerOf(c.Old); was != nil && was.Kind == r.kind && (ref == nil || ref.UID != was.UID) {
			keys = append(keys, sim.Key{Kind: r.kind, Namespace: pod.Namespace, Name: was.Name})
		}
	}
	switch {
	case ref != nil && ref.Kind == r.kind:
		keys = append(keys, sim.Key{Kind: r.kind, Namespace: pod.Namespace, Name: ref.Name})
	case ref == nil && isNewOrphan(c):
		r.eachSelecting(view, pod, func(s *set) { keys = append(keys, keyOf(r.kind, s.meta)) })
	}
	return keys
}

// isNewOrphan reports whether somebody may now want to adopt the pod of a change.
func isNewOrphan(c store.Change) bool {
	if c.New == nil || podcontrol.ControllerOf(c.New) != nil || c.New.Meta().DeletionTimestamp != nil {
		return false
	}
	return c.Old == nil || podcontrol.ControllerOf(c.Old) != nil || !maps.Equal(c.Old.Meta().Labels, c.New.Meta().Labels)
}

func (r *Controller) eachSelecting(view store.Snapshot, pod *api.Pod, visit func(*set)) {
	view.Each(r.kind, pod.Namespace, func(o api.Object) bool {
		s := setOf(o)
		if sel, err := s.selector.AsSelector(); err == nil && !sel.Empty() && sel.Matches(pod.Labels) {
			visit(s)
		}
		return true
	})
}

// Reconcile looks at one set (syncReplicaSet).
func (r *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	r.observe(c)
	s := setOf(c.Read.Get(r.kind, key.Namespace, key.Name))
	switch {
	case s == nil:
		r.expect.Forget(id)
		r.retries.Forget(id)
		delete(r.wrote, id)
		return actor.Result{}
	case c.Read.Rev() < r.wrote[id]:
		return actor.At(c.Now() + stale) // its own writes are on their way to the cache
	}
	delete(r.wrote, id)
	before := c.Host.Latest().Rev()
	l := &look{r: r, c: c, s: s, id: id}
	err := l.sync()
	if rev := c.Host.Latest().Rev(); rev != before {
		r.wrote[id] = rev
	}
	if err != nil {
		return l.again(err)
	}
	r.retries.Forget(id)
	return actor.Result{Next: l.next}
}

// observe takes in what the cache was told of: pods that were awaited, and the
// counts of every set whose pods changed.
func (r *Controller) observe(c *actor.Ctx) {
	r.expect.Observe(c.Changes, r.ownerKey)
	for _, ch := range c.Changes {
		switch o := ch.Object().(type) {
		case *api.Pod:
			r.recount(c, ch)
		case *api.ReplicaSet, *api.ReplicationController:
			if ch.New == nil {
				delete(r.tallies, o.Meta().UID)
			}
		}
	}
}

func (r *Controller) ownerKey(p *api.Pod) string {
	if ref := podcontrol.ControllerOf(p); ref != nil && ref.Kind == r.kind {
		return p.Namespace + "/" + ref.Name
	}
	return ""
}

func (r *Controller) recount(c *actor.Ctx, ch store.Change) {
	if ch.Old != nil {
		r.count(ch.Old.(*api.Pod), -1)
	}
	if ch.New != nil {
		r.count(ch.New.(*api.Pod), 1)
	}
	if len(r.tallies) > 0 && isNewOrphan(ch) {
		r.eachSelecting(c.Read, ch.New.(*api.Pod), func(s *set) { delete(r.tallies, s.meta.UID) })
	}
}

func (r *Controller) count(p *api.Pod, n int32) {
	if ref := podcontrol.ControllerOf(p); ref != nil {
		if t, ok := r.tallies[ref.UID]; ok {
			t.add(p, n)
			r.tallies[ref.UID] = t
		}
	}
}

// look is one look at one set.
type look struct {
	r    *Controller
	c    *actor.Ctx
	s    *set
	id   string
	next sim.Time
}

// again is the look after a failure. Where a pod could not be created, nothing
// but the count of the event changes until somebody changes something.
func (l *look) again(err *api.Status) actor.Result {
	wait := l.r.retries.After(l.id)
	if err.Reason == api.ReasonConflict {
		return actor.At(l.c.Now() + wait)
	}
	l.c.Record(trace.Record{Ref: actor.RefOf(l.s.object), Verdict: trace.Failed, Reason: "Retry", Message: err.Message,
		Detail: []trace.Detail{{Name: "next try in", Value: wait.String()}}})
	return actor.Result{Next: l.c.Now() + wait, Periodic: true}
}

func (l *look) sync() *api.Status {
	t, known := l.r.tallies[l.s.meta.UID]
	var pods []*api.Pod // the active ones, if they had to be listed
	if !known || t.generation != l.s.meta.Generation || t.strays > 0 || l.s.minReadySeconds > 0 {
		var err *api.Status
		if t, pods, err = l.relist(); err != nil {
			return err
		}
	}
	var failed *api.Status
	if l.r.expect.Satisfied(l.id) && l.s.meta.DeletionTimestamp == nil {
		failed = l.manage(t.active, pods)
	}
	if err := l.writeStatus(t, failed); err != nil {
		return err
	}
	if failed == nil && l.s.minReadySeconds > 0 && t.ready != t.available {
		l.next = podcontrol.NextAvailable(l.c, pods, l.s.minReadySeconds)
	}
	return failed
}

// relist counts the pods of the set anew and settles whose they are. The returned
// tally counts what has been adopted too; the stored one does not until the cache
// shows it.
func (l *look) relist() (tally, []*api.Pod, *api.Status) {
	sel, bad := l.s.selector.AsSelector()
	if bad != nil {
		return tally{}, nil, nil
	}
	t := tally{generation: l.s.meta.Generation, selector: sel, template: l.s.template.Labels}
	all := podcontrol.Owned(l.c.Read, l.s.object)
	for _, p := range all {
		t.add(p, 1)
	}
	l.r.tallies[l.s.meta.UID] = t
	var active []*api.Pod
	for _, p := range append(all, podcontrol.Orphans(l.c.Read, l.s.meta.Namespace)...) {
		if podcontrol.IsActive(p) {
			active = append(active, p)
		}
	}
	mine, err := (&podcontrol.Claims{Owner: l.s.object, Selector: sel}).Pods(l.c, active)
	if err != nil {
		delete(l.r.tallies, l.s.meta.UID)
		return t, nil, err
	}
	t.active, t.labeled, t.ready, t.available = 0, 0, 0, 0
	now := l.c.Time()
	for _, p := range mine {
		t.addActive(p, 1)
		if podcontrol.IsAvailable(p, l.s.minReadySeconds, now) {
			t.available++
		}
	}
	return t, mine, nil
}
