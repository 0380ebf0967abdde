// Package endpointslice is the EndpointSlice controller: for each Service with a
// selector it keeps the slices that list the pods it selects, at most 100 in a
// slice, with their conditions, places and hints. It never touches slices that
// others manage. Start reading at Controller.Reconcile and reconciler.
package endpointslice

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// ManagedBy is the value of the label that marks the slices of this controller.
const ManagedBy = "endpointslice-controller.k8s.io"

const (
	serviceName = endpoint.ServiceName
	managedBy   = "endpointslice.kubernetes.io/managed-by"
	headless    = "service.kubernetes.io/headless"
)

// resyncDelay is how long after a change of its slices a Service is looked at once
// more (endpointSliceChangeMinSyncDelay): where the controller hears of its own
// change before the answer to its request, which is even chances.
const resyncDelay = sim.Second

// Controller is the actor "endpointslice-controller"
// (pkg/controller/endpointslice, k8s.io/endpointslice).
type Controller struct {
	members  endpoint.Members
	triggers endpoint.Triggers
	pace     endpoint.Pace
	resync   map[sim.Key]sim.Time
	topology topology
}

// New returns a controller that has seen nothing; request is what one write takes.
func New(request sim.Time) actor.Actor {
	return &Controller{resync: map[sim.Key]sim.Time{},
		pace: endpoint.Pace{Request: request, First: sim.Second, Longest: 1000 * sim.Second}}
}

// Name is the name of the controller's service account.
func (c *Controller) Name() string { return "endpointslice-controller" }

// Clone returns an independent copy.
func (c *Controller) Clone() actor.Actor {
	return &Controller{members: c.members.Clone(), triggers: c.triggers.Clone(), pace: c.pace.Clone(),
		resync: maps.Clone(c.resync), topology: c.topology.clone()}
}

var topologyKey = sim.Key{Kind: "topology"}

// Watches lists what a Service's slices depend on.
func (c *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Service", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			m := ch.Object().Meta()
			return []sim.Key{endpoint.KeyOf(m.Namespace, m.Name)}
		}},
		{Kind: "Pod", Map: ofPod},
		{Kind: "EndpointSlice", Map: ofSlice},
		{Kind: "Node", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if placesChanged(ch) {
				return []sim.Key{topologyKey}
			}
			return nil
		}},
	}
}

// ended is the kind of the key of a Service one of whose pods has ended, which is
// nothing that the controller watches for: it sees it at its next look.
const ended = "Ended"

func ofPod(read store.Snapshot, ch store.Change) []sim.Key {
	keys := endpoint.Affected(read, ch)
	old, _ := ch.Old.(*api.Pod)
	pod, _ := ch.New.(*api.Pod)
	if len(keys) > 0 || old == nil || pod == nil || old.Status.Phase == pod.Status.Phase || endpoint.Included(pod, true) {
		return keys
	}
	for _, s := range endpoint.Services(read, pod.Namespace, pod.Labels) {
		keys = append(keys, sim.Key{Kind: ended, Namespace: s.Namespace, Name: s.Name})
	}
	return keys
}

// ofSlice leads from a slice that somebody else changed to its Service.
func ofSlice(_ store.Snapshot, ch store.Change) []sim.Key {
	var keys []sim.Key
	for _, o := range []api.Object{ch.Old, ch.New} {
		if o == nil || o.Meta().Labels[managedBy] != ManagedBy || o.Meta().Labels[serviceName] == "" {
			continue
		}
		k := endpoint.KeyOf(o.Meta().Namespace, o.Meta().Labels[serviceName])
		if len(keys) == 0 || keys[0] != k {
			keys = append(keys, k)
		}
	}
	return keys
}

// Reconcile looks at a Service, or at the places of the nodes.
func (c *Controller) Reconcile(ctx *actor.Ctx, k sim.Key) actor.Result {
	c.members.Observe(ctx.Read, ctx.Changes)
	for _, ch := range ctx.Changes {
		if _, ok := ch.Object().(*api.Node); ok && placesChanged(ch) {
			c.topology.stale = true
		}
	}
	if k == topologyKey {
		for _, o := range c.topology.overloaded(ctx.Read) {
			c.service(ctx, o)
		}
		return actor.Result{}
	}
	if k.Kind == ended {
		if at := c.resync[endpoint.KeyOf(k.Namespace, k.Name)]; at > ctx.Now() {
			return actor.At(at)
		}
		return actor.Result{}
	}
	if free := c.pace.Busy(k, ctx.Now()); free > 0 {
		return actor.At(free)
	}
	return c.service(ctx, k)
}

// service syncs one Service and says when to look again.
func (c *Controller) service(ctx *actor.Ctx, k sim.Key) actor.Result {
	now := ctx.Now()
	if c.pace.Stale(k, ctx.Read.Rev()) {
		return actor.At(c.pace.Done(k, now, endpoint.Look{Failed: true}))
	}
	pods, writes, failed := c.sync(ctx, k)
	again := c.pace.Done(k, now, endpoint.Look{Pods: pods, Writes: writes, Rev: ctx.Host.Latest().Rev(), Failed: failed})
	if c.resync[k] <= now {
		delete(c.resync, k)
	}
	if _, waiting := c.resync[k]; writes > 0 && !waiting && ctx.Random("own change", k.String(), ctx.Read.Rev())&1 == 0 {
		c.resync[k] = now + resyncDelay
	}
	if again > 0 {
		return actor.At(again)
	}
	svc, _ := ctx.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	if svc == nil {
		c.pace.Forget(k)
	}
	return actor.Result{Next: c.resync[k], Periodic: svc == nil || !hintsEnabled(svc.Annotations)}
}

// sync is one pass over a Service; it returns how many pods it has and how often it
// wrote.
func (c *Controller) sync(ctx *actor.Ctx, k sim.Key) (looked, writes int, failed bool) {
	svc, _ := ctx.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	switch {
	case svc == nil:
		c.triggers.Forget(k)
		c.topology.forget(k)
		return 0, 0, false
	case svc.Spec.Type == "ExternalName" || len(svc.Spec.Selector) == 0:
		return 0, 0, false
	}
	pods := c.members.Pods(ctx.Read, svc)
	r := reconciler{ctx: ctx, svc: svc, pods: pods, topology: &c.topology, key: k, trigger: c.triggers.Time(svc, pods)}
	before := existing(ctx.Read, svc)
	r.reconcile(before)
	if len(r.errs) > 0 {
		ctx.Event(actor.Event{Regarding: svc, Type: "Warning", Reason: "FailedToUpdateEndpointSlices", Component: "endpoint-slice-controller",
			Message: "Error updating Endpoint Slices for Service " + svc.Namespace + "/" + svc.Name + ": " + aggregate(r.errs)})
	}
	if r.writes > 0 {
		ctx.Record(trace.Record{Ref: actor.RefOf(svc), Verdict: trace.Info, Reason: "EndpointSlicesReconciled", Message: r.summary()})
		r.welcome(before)
	}
	return len(pods), r.writes, len(r.errs) > 0
}

// existing are the slices of a Service that this controller manages and nobody
// deletes.
func existing(read store.Snapshot, svc *api.Service) []*api.EndpointSlice {
	var list []*api.EndpointSlice
	for _, o := range read.ByIndex(endpoint.SliceIndex, svc.Namespace+"/"+svc.Name) {
		s := o.(*api.EndpointSlice)
		if s.Labels[managedBy] == ManagedBy && s.DeletionTimestamp == nil {
			list = append(list, s)
		}
	}
	return list
}

// aggregate prints errors as apimachinery does: several in brackets, each once.
func aggregate(errs []string) string {
	if len(errs) == 1 {
		return errs[0]
	}
	seen := map[string]bool{}
	text := ""
	for _, e := range errs {
		if seen[e] {
			continue
		}
		seen[e] = true
		if text != "" {
			text += ", "
		}
		text += e
	}
	if len(seen) == 1 {
		return text
	}
	return "[" + text + "]"
}
