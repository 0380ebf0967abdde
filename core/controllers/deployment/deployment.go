// Package deployment rolls Deployments out: it makes a ReplicaSet for each pod
// template and moves replicas from the old ones to the new one, by the strategy,
// and tells how far it is (pkg/controller/deployment). It never touches a pod.
// Start reading at Controller and look.sync.
package deployment

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
	name       = "deployment-controller"
	maxRetries = 15 // then a Deployment is left alone until it changes
)

// Controller is the actor.
type Controller struct {
	retries retry.Queue
	newest  map[string]newest // by UID of the Deployment
}

// newest is which set had the template of a Deployment: comparing templates is
// most of the work of a look.
type newest struct {
	generation int64 // of the Deployment
	sets       int   // how many it had
	uid        string
	setGen     int64
}

var _ actor.Actor = (*Controller)(nil)

// New returns the actor.
func New() actor.Actor { return &Controller{newest: map[string]newest{}} }

// Name returns the name of the real controller's service account.
func (r *Controller) Name() string { return name }

// Clone returns an independent copy.
func (r *Controller) Clone() actor.Actor {
	return &Controller{r.retries.Clone(), maps.Clone(r.newest)}
}

// Watches maps Deployments to themselves, ReplicaSets to the Deployment that owns
// or selects them, and pods that are gone to the Deployment that recreates them.
func (r *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Deployment", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
			m := c.Object().Meta()
			return []sim.Key{{Kind: "Deployment", Namespace: m.Namespace, Name: m.Name}}
		}},
		{Kind: "ReplicaSet", Map: setKeys},
		{Kind: "Pod", Map: goneKeys},
	}
}

func setKeys(view store.Snapshot, c store.Change) []sim.Key {
	var keys []sim.Key
	m, ref := c.Object().Meta(), podcontrol.ControllerOf(c.Object())
	if c.Old != nil && c.New != nil {
		if was := podcontrol.ControllerOf(c.Old); was != nil && was.Kind == "Deployment" && (ref == nil || ref.UID != was.UID) {
			keys = append(keys, sim.Key{Kind: "Deployment", Namespace: m.Namespace, Name: was.Name})
		}
	}
	switch {
	case ref != nil && ref.Kind == "Deployment":
		keys = append(keys, sim.Key{Kind: "Deployment", Namespace: m.Namespace, Name: ref.Name})
	case ref == nil && c.New != nil && (c.Old == nil || podcontrol.ControllerOf(c.Old) != nil || !maps.Equal(c.Old.Meta().Labels, m.Labels)):
		keys = append(keys, selecting(view, m)...)
	}
	return keys
}

// selecting gives the Deployments that would adopt something with these labels.
func selecting(view store.Snapshot, m *api.ObjectMeta) (keys []sim.Key) {
	view.Each("Deployment", m.Namespace, func(o api.Object) bool {
		d := o.(*api.Deployment)
		if s, err := d.Spec.Selector.AsSelector(); err == nil && !s.Empty() && s.Matches(m.Labels) {
			keys = append(keys, sim.Key{Kind: "Deployment", Namespace: d.Namespace, Name: d.Name})
		}
		return true
	})
	return keys
}

func goneKeys(view store.Snapshot, c store.Change) []sim.Key {
	ref := podcontrol.ControllerOf(c.Object())
	if c.New != nil || ref == nil || ref.Kind != "ReplicaSet" {
		return nil
	}
	namespace := c.Object().Meta().Namespace
	rs := view.Get("ReplicaSet", namespace, ref.Name)
	if rs == nil || rs.Meta().UID != ref.UID || podcontrol.ControllerOf(rs) == nil {
		return nil
	}
	d, ok := view.Get("Deployment", namespace, podcontrol.ControllerOf(rs).Name).(*api.Deployment)
	if !ok || d.UID != podcontrol.ControllerOf(rs).UID || d.Spec.Strategy.Type != "Recreate" {
		return nil
	}
	return []sim.Key{{Kind: "Deployment", Namespace: namespace, Name: d.Name}}
}

// Reconcile looks at one Deployment.
func (r *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	for _, ch := range c.Changes {
		if d, ok := ch.Old.(*api.Deployment); ok && ch.New == nil {
			delete(r.newest, d.UID)
		}
	}
	cached, ok := c.Read.Get("Deployment", key.Namespace, key.Name).(*api.Deployment)
	if !ok {
		r.retries.Forget(id)
		return actor.Result{}
	}
	d := *cached
	d.Annotations = maps.Clone(d.Annotations)
	l := &look{r: r, c: c, d: &d}
	err := l.sync()
	if err == nil || podcontrol.IsNamespaceTerminating(err) {
		r.retries.Forget(id)
		return actor.Result{Next: l.next}
	}
	return r.again(c, &d, id, err)
}

// again is the look after a failure (handleErr).
func (r *Controller) again(c *actor.Ctx, d *api.Deployment, id string, err *api.Status) actor.Result {
	if r.retries.Failures(id) >= maxRetries {
		r.retries.Forget(id)
		c.Record(trace.Record{Ref: actor.RefOf(d), Verdict: trace.Failed, Reason: "GivenUp",
			Message: "failed 15 times in a row; looked at again when something changes: " + err.Message})
		return actor.Result{}
	}
	wait := r.retries.After(id)
	if err.Reason != api.ReasonConflict {
		c.Record(trace.Record{Ref: actor.RefOf(d), Verdict: trace.Failed, Reason: "Retry", Message: err.Message,
			Detail: []trace.Detail{{Name: "next try in", Value: wait.String()}}})
	}
	return actor.At(c.Now() + wait)
}

// look is one look at one Deployment. The sets are those of the cache: what the
// look itself writes shows in a later one, as with the real controller.
type look struct {
	r    *Controller
	c    *actor.Ctx
	d    *api.Deployment // a copy; its maps are the look's, its lists are replaced
	next sim.Time
}

// sync is syncDeployment.
func (l *look) sync() *api.Status {
	if s := l.d.Spec.Selector; s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		return l.refuseSelectingAll()
	}
	sets, err := l.claim()
	if err != nil {
		return err
	}
	if l.d.DeletionTimestamp != nil {
		newSet, old, err := l.revise(sets, false)
		if err != nil {
			return err
		}
		return l.writeStatus(l.status(join(old, newSet), newSet))
	}
	if err := l.checkPaused(); err != nil {
		return err
	}
	if l.d.Annotations["deprecated.deployment.rollback.to"] != "" {
		l.c.Record(trace.Record{Ref: actor.RefOf(l.d), Verdict: trace.NotSimulated, Reason: "Rollback",
			Message: "the annotation deprecated.deployment.rollback.to is ignored"})
	}
	scaling, err := l.isScaling(sets)
	switch {
	case err != nil:
		return err
	case l.d.Spec.Paused || scaling:
		return l.syncScale(sets)
	case l.d.Spec.Strategy.Type == "Recreate":
		return l.recreate(sets)
	}
	return l.roll(sets)
}

func (l *look) refuseSelectingAll() *api.Status {
	l.event("Warning", "SelectingAll", "This deployment is selecting all pods. A non-empty selector is required.")
	if l.d.Status.ObservedGeneration < l.d.Generation {
		l.d.Status.ObservedGeneration = l.d.Generation
		return l.c.UpdateStatus(l.d).Status
	}
	return nil
}

// claim returns the sets of the Deployment, the oldest first.
func (l *look) claim() ([]*api.ReplicaSet, *api.Status) {
	sel, bad := l.d.Spec.Selector.AsSelector()
	if bad != nil {
		return nil, api.NewInternalError("deployment " + l.d.Namespace + "/" + l.d.Name + " has invalid label selector: " + bad.Error())
	}
	claims := podcontrol.Claims{Owner: l.d, Selector: sel}
	var mine []*api.ReplicaSet
	var first *api.Status
	candidates := append(l.c.Read.ByIndex("replicaset.owner", l.d.UID), l.c.Read.ByIndex("replicaset.orphan", l.d.Namespace)...)
	for _, o := range candidates {
		ok, err := claims.One(l.c, o)
		if err != nil && first == nil {
			first = err
		}
		if ok {
			mine = append(mine, o.(*api.ReplicaSet))
		}
	}
	sortByAge(mine)
	return mine, first
}

// event records an event of the Deployment. It regards the object as stored, whose
// name is what matters.
func (l *look) event(kind, reason, message string) {
	l.c.Event(actor.Event{Regarding: l.d, Type: kind, Reason: reason, Message: message, Component: name})
}
