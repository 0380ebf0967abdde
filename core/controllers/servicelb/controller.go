// Package servicelb is the service controller of a cloud provider: Services of
// type LoadBalancer get an address from outside, where the cluster has a provider.
// The provider itself is simulated: it takes a moment and gives addresses of
// 203.0.113.0/24. Start reading at Controller.Reconcile.
package servicelb

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Addon is the add-on that gives a cluster a provider.
const Addon = "cloud-provider-kind"

// provision is how long the simulated provider takes for a balancer.
const provision = 2 * sim.Second

const (
	finalizer = "service.kubernetes.io/load-balancer-cleanup"
	component = "service-controller"
	excluded  = "node.kubernetes.io/exclude-from-external-load-balancers"
)

// Controller is the actor "service-controller"
// (cloud-provider/controllers/service/controller.go).
type Controller struct {
	provider bool
	told     map[string]bool     // UIDs of Services that were told that there is no provider
	under    map[string]sim.Time // UIDs of Services whose balancer is being made, and when it is there
	done     map[string]string   // what the balancers of Services were made of, by UID
}

// New returns a controller; without a provider it only says so.
func New(provider bool) actor.Actor {
	return &Controller{provider: provider, told: map[string]bool{}, under: map[string]sim.Time{}, done: map[string]string{}}
}

// Name is the name of the controller's service account.
func (c *Controller) Name() string { return "service-controller" }

// Clone returns an independent copy.
func (c *Controller) Clone() actor.Actor {
	return &Controller{c.provider, maps.Clone(c.told), maps.Clone(c.under), maps.Clone(c.done)}
}

var nodesKey = sim.Key{Kind: "Node"}

// Watches lists Services that want a balancer or had one, and the nodes.
func (c *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Service", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			for _, o := range []api.Object{ch.Old, ch.New} {
				if s, ok := o.(*api.Service); ok && (wants(s) || slices.Contains(s.Finalizers, finalizer)) {
					return []sim.Key{endpoint.KeyOf(s.Namespace, s.Name)}
				}
			}
			return nil
		}},
		{Kind: "Node", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.Old != nil && ch.New != nil && serves(ch.Old.(*api.Node)) == serves(ch.New.(*api.Node)) {
				return nil
			}
			return []sim.Key{nodesKey}
		}},
	}
}

func wants(s *api.Service) bool {
	return s.Spec.Type == "LoadBalancer" && s.Spec.LoadBalancerClass == nil
}

// serves reports whether balancers send to a node.
func serves(n *api.Node) bool {
	_, out := n.Labels[excluded]
	return !out && n.DeletionTimestamp == nil
}

// Reconcile looks at a Service, or tells all balancers of other nodes.
func (c *Controller) Reconcile(ctx *actor.Ctx, k sim.Key) actor.Result {
	if k == nodesKey {
		c.otherNodes(ctx)
		return actor.Result{}
	}
	s, _ := ctx.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	switch {
	case s == nil:
		return actor.Result{}
	case !c.provider:
		c.tell(ctx, s)
		return actor.Result{}
	case !wants(s) || s.DeletionTimestamp != nil:
		c.release(ctx, s)
		return actor.Result{}
	}
	return c.ensure(ctx, s)
}

// tell says once of a Service why it stays pending.
func (c *Controller) tell(ctx *actor.Ctx, s *api.Service) {
	if !wants(s) || c.told[s.UID] || len(s.Status.LoadBalancer.Ingress) > 0 {
		return
	}
	c.told[s.UID] = true
	ctx.Record(trace.Record{Ref: actor.RefOf(s), Verdict: trace.NotSimulated, Reason: "NoLoadBalancer",
		Message: "the cluster has no cloud provider, so EXTERNAL-IP stays <pending>; the addon " + Addon + " gives it a simulated one"})
}

// ensure makes the balancer, or makes it again when what it is made of changed.
func (c *Controller) ensure(ctx *actor.Ctx, s *api.Service) actor.Result {
	if c.done[s.UID] == shape(s) {
		return actor.Result{}
	}
	ready, started := c.under[s.UID]
	if !started {
		c.event(ctx, s, "EnsuringLoadBalancer", "Ensuring load balancer")
		if !slices.Contains(s.Finalizers, finalizer) {
			n := *s
			n.Finalizers = append(slices.Clone(s.Finalizers), finalizer)
			if ctx.Update(&n).Failed() {
				return actor.At(ctx.Now() + 5*sim.Second)
			}
		}
		c.under[s.UID] = ctx.Now() + provision
		return actor.At(ctx.Now() + provision)
	}
	if ctx.Now() < ready {
		return actor.At(ready)
	}
	delete(c.under, s.UID)
	if !c.anyNode(ctx) {
		ctx.Event(actor.Event{Regarding: s, Type: "Warning", Reason: "UnAvailableLoadBalancer", Component: component, Message: "There are no available nodes for LoadBalancer"})
	}
	c.done[s.UID] = shape(s)
	c.event(ctx, s, "EnsuredLoadBalancer", "Ensured load balancer")
	return c.publish(ctx, s)
}

// publish writes the balancer's address into the status.
func (c *Controller) publish(ctx *actor.Ctx, s *api.Service) actor.Result {
	n := *s
	mode := "VIP"
	ip := s.Spec.LoadBalancerIP
	if list := s.Status.LoadBalancer.Ingress; ip == "" && len(list) > 0 {
		ip = list[0].IP
	}
	if ip == "" {
		ip = free(ctx, s)
	}
	n.Status.LoadBalancer.Ingress = []api.LoadBalancerIngress{{IP: ip, IPMode: &mode}}
	if ctx.UpdateStatus(&n).Failed() {
		delete(c.done, s.UID)
		return actor.At(ctx.Now() + 5*sim.Second)
	}
	ctx.Record(trace.Record{Ref: actor.RefOf(s), Verdict: trace.Info, Reason: "LoadBalancerEnsured", Message: "the simulated provider gave " + ip})
	return actor.Result{}
}

// release takes the balancer down, and lets the Service go.
func (c *Controller) release(ctx *actor.Ctx, s *api.Service) {
	if !slices.Contains(s.Finalizers, finalizer) {
		return
	}
	delete(c.under, s.UID)
	delete(c.done, s.UID)
	c.event(ctx, s, "DeletingLoadBalancer", "Deleting load balancer")
	n := *s
	n.Finalizers = slices.DeleteFunc(slices.Clone(s.Finalizers), func(f string) bool { return f == finalizer })
	n.Status.LoadBalancer = api.LoadBalancerStatus{}
	if ctx.Update(&n).Failed() {
		return
	}
	c.event(ctx, s, "DeletedLoadBalancer", "Deleted load balancer")
}

func (c *Controller) event(ctx *actor.Ctx, s *api.Service, reason, message string) {
	ctx.Event(actor.Event{Regarding: s, Type: "Normal", Reason: reason, Message: message, Component: component})
}

// shape is what a balancer is made of: another one is a reason to make it again
// (needsUpdate).
func shape(s *api.Service) string {
	p := &s.Spec
	text := p.ExternalTrafficPolicy + "|" + p.SessionAffinity + "|" + p.LoadBalancerIP + "|" + strconv.Itoa(int(p.HealthCheckNodePort))
	for _, l := range [][]string{p.LoadBalancerSourceRanges, p.ExternalIPs, p.IPFamilies} {
		text += "|"
		for _, v := range l {
			text += v + ","
		}
	}
	for _, port := range p.Ports {
		text += "|" + port.Name + "/" + port.Protocol + "/" + strconv.Itoa(int(port.Port)) + "/" + strconv.Itoa(int(port.NodePort))
	}
	for _, k := range slices.Sorted(maps.Keys(s.Annotations)) {
		text += "|" + k + "=" + s.Annotations[k]
	}
	return text
}

func (c *Controller) anyNode(ctx *actor.Ctx) (any bool) {
	ctx.Read.Each("Node", "", func(o api.Object) bool {
		any = serves(o.(*api.Node))
		return !any
	})
	return any
}

// otherNodes tells the balancers that the nodes have changed.
func (c *Controller) otherNodes(ctx *actor.Ctx) {
	if len(c.done) == 0 {
		return
	}
	ctx.Read.Each("Service", "", func(o api.Object) bool {
		s := o.(*api.Service)
		if c.done[s.UID] == "" {
			return true
		}
		if c.anyNode(ctx) {
			c.event(ctx, s, "UpdatedLoadBalancer", "Updated load balancer with new hosts")
		} else {
			ctx.Event(actor.Event{Regarding: s, Type: "Warning", Reason: "UnAvailableLoadBalancer", Component: component, Message: "There are no available nodes for LoadBalancer"})
		}
		return true
	})
}

// free draws an address that no other balancer has.
func free(ctx *actor.Ctx, s *api.Service) string {
	used := map[string]bool{}
	ctx.Host.Latest().Each("Service", "", func(o api.Object) bool {
		for _, i := range o.(*api.Service).Status.LoadBalancer.Ingress {
			used[i.IP] = true
		}
		return true
	})
	draw := ctx.Random("load balancer", s.Namespace+"/"+s.Name, 0)
	for _, net := range []string{"203.0.113.", "198.51.100."} {
		for i := range uint64(254) {
			if ip := net + strconv.FormatUint((draw+i)%254+1, 10); !used[ip] {
				return ip
			}
		}
	}
	return "192.0.2." + strconv.FormatUint(draw%254+1, 10)
}
