// Package ingressnginx is a simulated Ingress controller, as the add-on of that
// name brings one: it takes note of Ingresses of its class and publishes its own
// address on them. How requests are routed is the network's business.
// Start reading at Controller.Reconcile.
package ingressnginx

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Addon is the add-on that brings the controller.
const Addon = "ingress-nginx"

// Handler is the value of IngressClass.spec.controller that names it.
const Handler = "k8s.io/ingress-nginx"

// Address is where the simulated controller is reached from outside.
const Address = "203.0.113.80"

// publishDelay is how long after an Ingress the controller's next status update
// comes at most (its --update-status loop of 60 s).
const publishDelay = 60 * sim.Second

// Controller is the actor "ingress-nginx-controller".
type Controller struct {
	enabled bool
	fresh   map[string]bool // UIDs of Ingresses that changed and have not been looked at
}

// New returns a controller; where the add-on is not asked for it only says so.
func New(enabled bool) actor.Actor { return &Controller{enabled, map[string]bool{}} }

// Name is the name of the controller.
func (c *Controller) Name() string { return "ingress-nginx-controller" }

// Clone returns an independent copy.
func (c *Controller) Clone() actor.Actor { return &Controller{c.enabled, maps.Clone(c.fresh)} }

// Watches lists Ingresses that changed, by the controller's own hand too, and all when a class did.
func (c *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Ingress", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			old, _ := ch.Old.(*api.Ingress)
			now, _ := ch.New.(*api.Ingress)
			if !changed(old, now) {
				return nil
			}
			return []sim.Key{keyOf(now)}
		}},
		{Kind: "IngressClass", Map: func(read store.Snapshot, _ store.Change) []sim.Key {
			var keys []sim.Key
			read.Each("Ingress", "", func(o api.Object) bool {
				keys = append(keys, keyOf(o.(*api.Ingress)))
				return true
			})
			return keys
		}},
	}
}

func keyOf(i *api.Ingress) sim.Key {
	return sim.Key{Kind: "Ingress", Namespace: i.Namespace, Name: i.Name}
}

// Reconcile looks at one Ingress.
func (c *Controller) Reconcile(ctx *actor.Ctx, k sim.Key) actor.Result {
	if c.enabled {
		c.note(ctx.Changes)
	}
	i, _ := ctx.Read.Get("Ingress", k.Namespace, k.Name).(*api.Ingress)
	switch {
	case i == nil:
		return actor.Result{}
	case !c.enabled:
		if len(i.Status.LoadBalancer.Ingress) == 0 {
			ctx.Record(trace.Record{Ref: actor.RefOf(i), Verdict: trace.NotSimulated, Reason: "NoIngressController",
				Message: "no Ingress controller runs, so nothing serves this Ingress; the addon " + Addon + " brings a simulated one"})
		}
		return actor.Result{}
	case !Handled(ctx.Read, i):
		return actor.Result{}
	}
	noted := c.synced(ctx, i)
	if published(i) {
		return actor.Result{}
	}
	phase := sim.Time(ctx.Random("ingress status", "", 0) % uint64(publishDelay))
	turn := phase + (ctx.Now()-phase+publishDelay-1)/publishDelay*publishDelay
	if noted || turn > ctx.Now() {
		return actor.At(max(turn, ctx.Now()+sim.Millisecond))
	}
	n := *i
	n.Status.LoadBalancer.Ingress = []api.IngressLoadBalancerIngress{{IP: Address}}
	if ctx.UpdateStatus(&n).Failed() {
		return actor.At(ctx.Now() + sim.Second)
	}
	return actor.Result{}
}

func published(i *api.Ingress) bool {
	list := i.Status.LoadBalancer.Ingress
	return len(list) == 1 && list[0].IP == Address
}

func changed(old, now *api.Ingress) bool {
	return now != nil && (old == nil || !api.Equal(&old.Spec, &now.Spec) || !api.Equal(&old.Status, &now.Status) || !api.Equal(old.Annotations, now.Annotations))
}

// note remembers the Ingresses that changed since the previous look.
func (c *Controller) note(changes []store.Change) {
	for _, ch := range changes {
		old, _ := ch.Old.(*api.Ingress)
		if now, _ := ch.New.(*api.Ingress); changed(old, now) {
			c.fresh[now.UID] = true
		}
	}
}

// synced tells of an Ingress that has not been looked at since it changed.
func (c *Controller) synced(ctx *actor.Ctx, i *api.Ingress) bool {
	if !c.fresh[i.UID] {
		return false
	}
	delete(c.fresh, i.UID)
	ctx.Event(actor.Event{Regarding: i, Type: "Normal", Reason: "Sync", Message: "Scheduled for sync", Component: "nginx-ingress-controller"})
	return true
}

// Handled reports whether the class of an Ingress names this controller.
func Handled(read store.Snapshot, i *api.Ingress) bool {
	name := i.Annotations["kubernetes.io/ingress.class"]
	if i.Spec.IngressClassName != nil {
		name = *i.Spec.IngressClassName
	}
	class, ok := read.Get("IngressClass", "", name).(*api.IngressClass)
	return ok && class.Spec.Controller == Handler
}
