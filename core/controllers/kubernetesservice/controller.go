// Package kubernetesservice is the loop of the API server that keeps the way to
// itself: the Service default/kubernetes, its Endpoints and its EndpointSlice come
// back when somebody deletes them. Start reading at Controller.Reconcile.
package kubernetesservice

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// interval is how often the loop looks.
const interval = 10 * sim.Second

// Controller is the actor "kubernetes-service-controller"
// (pkg/controlplane/controller/kubernetesservice).
type Controller struct{ want []api.Object }

// New returns the loop that keeps these objects; they are not changed.
func New(want []api.Object) actor.Actor { return &Controller{want: want} }

// Name is the name of the actor; it is a part of the API server.
func (c *Controller) Name() string { return "kubernetes-service-controller" }

// Clone returns the controller: it keeps nothing.
func (c *Controller) Clone() actor.Actor { return c }

var key = sim.Key{Kind: "Service", Namespace: "default", Name: "kubernetes"}

// Watches lists the kinds of the objects.
func (c *Controller) Watches() []actor.Watch {
	own := func(_ store.Snapshot, ch store.Change) []sim.Key {
		if m := ch.Object().Meta(); m.Namespace == key.Namespace && m.Name == key.Name {
			return []sim.Key{key}
		}
		return nil
	}
	return []actor.Watch{{Kind: "Service", Map: own}, {Kind: "Endpoints", Map: own}, {Kind: "EndpointSlice", Map: own}}
}

// Reconcile restores what is missing at the loop's next turn.
func (c *Controller) Reconcile(ctx *actor.Ctx, _ sim.Key) actor.Result {
	missing := c.missing(ctx.Host.Latest())
	if len(missing) == 0 {
		return actor.Result{}
	}
	phase := sim.Time(ctx.Random("kubernetes service", "", 0) % uint64(interval))
	if turn := phase + (ctx.Now()-phase+interval-1)/interval*interval; turn > ctx.Now() {
		return actor.At(turn)
	}
	for _, o := range missing {
		ctx.Create(o)
	}
	return actor.Result{}
}

func (c *Controller) missing(read store.Snapshot) (list []api.Object) {
	for _, o := range c.want {
		if read.Get(o.ObjectType().Kind, key.Namespace, key.Name) == nil {
			list = append(list, o)
		}
	}
	return list
}
