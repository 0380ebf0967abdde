// Package endpointslicemirroring mirrors Endpoints objects that people write by
// hand, for Services without a selector, into EndpointSlices. It never mirrors
// what the Endpoints controller wrote. Start reading at Controller.Reconcile.
package endpointslicemirroring

import (
	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// ManagedBy is the value of the label that marks the slices of this controller.
const ManagedBy = "endpointslicemirroring-controller.k8s.io"

const (
	serviceName = endpoint.ServiceName
	managedBy   = "endpointslice.kubernetes.io/managed-by"
	skipMirror  = "endpointslice.kubernetes.io/skip-mirror"
	leader      = "control-plane.alpha.kubernetes.io/leader"
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	component   = "endpoint-slice-mirroring-controller"
)

// Controller is the actor "endpointslicemirroring-controller"
// (pkg/controller/endpointslicemirroring).
type Controller struct{ pace endpoint.Pace }

// New returns a controller that has seen nothing; request is what one write takes.
func New(request sim.Time) actor.Actor {
	return &Controller{pace: endpoint.Pace{Request: request, First: sim.Second, Longest: 100 * sim.Second}}
}

// Name is the name of the controller's service account.
func (c *Controller) Name() string { return "endpointslicemirroring-controller" }

// Clone returns an independent copy.
func (c *Controller) Clone() actor.Actor { return &Controller{pace: c.pace.Clone()} }

// Watches lists what a mirrored slice depends on.
func (c *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Endpoints", Map: ofEndpoints},
		{Kind: "Service", Map: ofService},
		{Kind: "EndpointSlice", Map: ofSlice},
	}
}

func key(namespace, name string) sim.Key {
	return sim.Key{Kind: "Endpoints", Namespace: namespace, Name: name}
}

func ofEndpoints(_ store.Snapshot, ch store.Change) []sim.Key {
	for _, o := range []api.Object{ch.Old, ch.New} {
		if e, ok := o.(*api.Endpoints); ok && mirrored(e) {
			return []sim.Key{key(e.Namespace, e.Name)}
		}
	}
	return nil
}

// ofService leads from a Service without a selector, or one that got or lost it.
func ofService(_ store.Snapshot, ch store.Change) []sim.Key {
	old, _ := ch.Old.(*api.Service)
	now, _ := ch.New.(*api.Service)
	m := ch.Object().Meta()
	switch {
	case old != nil && now != nil:
		if (len(old.Spec.Selector) == 0) == (len(now.Spec.Selector) == 0) {
			return nil
		}
	case len(ch.Object().(*api.Service).Spec.Selector) > 0:
		return nil
	}
	return []sim.Key{key(m.Namespace, m.Name)}
}

func ofSlice(_ store.Snapshot, ch store.Change) []sim.Key {
	m := ch.Object().Meta()
	if m.Labels[managedBy] != ManagedBy || m.Labels[serviceName] == "" {
		return nil
	}
	return []sim.Key{key(m.Namespace, m.Labels[serviceName])}
}

// mirrored reports whether an Endpoints object asks to be mirrored: the Endpoints
// controller's own are left out by their Service's selector.
func mirrored(e *api.Endpoints) bool {
	_, elects := e.Annotations[leader]
	return e.Labels[skipMirror] != "true" && !elects
}

// Reconcile looks at one Endpoints object.
func (c *Controller) Reconcile(ctx *actor.Ctx, k sim.Key) actor.Result {
	if free := c.pace.Busy(k, ctx.Now()); free > 0 {
		return actor.At(free)
	}
	if c.pace.Stale(k, ctx.Read.Rev()) {
		return actor.At(c.pace.Done(k, ctx.Now(), endpoint.Look{Failed: true}))
	}
	r := &reconciler{ctx: ctx}
	e, _ := ctx.Read.Get("Endpoints", k.Namespace, k.Name).(*api.Endpoints)
	svc, _ := ctx.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	slices := existing(ctx.Read, k)
	if e == nil || !mirrored(e) || svc == nil || len(svc.Spec.Selector) > 0 {
		r.clear(slices)
	} else {
		r.endpoints = e
		r.reconcile(slices)
	}
	return actor.At(c.pace.Done(k, ctx.Now(), endpoint.Look{Writes: r.writes, Rev: ctx.Host.Latest().Rev(), Failed: r.failed}))
}

func existing(read store.Snapshot, k sim.Key) []*api.EndpointSlice {
	var list []*api.EndpointSlice
	for _, o := range read.ByIndex(endpoint.SliceIndex, k.Namespace+"/"+k.Name) {
		if s := o.(*api.EndpointSlice); s.Labels[managedBy] == ManagedBy {
			list = append(list, s)
		}
	}
	return list
}
