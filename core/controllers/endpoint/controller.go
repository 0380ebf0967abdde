// Package endpoint is the Endpoints controller: for each Service with a selector
// it keeps the object of the old API, of the same name, that lists the addresses
// of its pods. It never touches what EndpointSlices say.
// Start reading at Controller.Reconcile.
package endpoint

import (
	"maps"
	"net/netip"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const (
	managedBy    = "endpoints.kubernetes.io/managed-by"
	component    = "endpoint-controller"
	headless     = "service.kubernetes.io/headless"
	overCapacity = "endpoints.kubernetes.io/over-capacity"
)

// Controller is the actor "endpoint-controller"
// (pkg/controller/endpoint/endpoints_controller.go).
type Controller struct {
	members  endpoint.Members
	triggers endpoint.Triggers
	pace     endpoint.Pace
}

// New returns a controller that has seen nothing; request is what one write takes.
func New(request sim.Time) actor.Actor {
	return &Controller{pace: endpoint.Pace{Request: request, First: 5 * sim.Millisecond, Longest: 1000 * sim.Second}}
}

// Name is the name of the controller's service account.
func (c *Controller) Name() string { return component }

// Clone returns an independent copy.
func (c *Controller) Clone() actor.Actor {
	return &Controller{members: c.members.Clone(), triggers: c.triggers.Clone(), pace: c.pace.Clone()}
}

// Watches lists what an Endpoints object depends on.
func (c *Controller) Watches() []actor.Watch {
	named := func(_ store.Snapshot, ch store.Change) []sim.Key {
		m := ch.Object().Meta()
		return []sim.Key{endpoint.KeyOf(m.Namespace, m.Name)}
	}
	return []actor.Watch{
		{Kind: "Service", Map: named},
		{Kind: "Pod", Map: endpoint.Affected},
		{Kind: "Endpoints", Map: func(read store.Snapshot, ch store.Change) []sim.Key {
			if ch.New != nil {
				return nil
			}
			return named(read, ch)
		}},
	}
}

// Reconcile looks at one Service.
func (c *Controller) Reconcile(ctx *actor.Ctx, k sim.Key) actor.Result {
	c.members.Observe(ctx.Read, ctx.Changes)
	if free := c.pace.Busy(k, ctx.Now()); free > 0 {
		return actor.At(free)
	}
	if c.pace.Stale(k, ctx.Read.Rev()) {
		return actor.At(c.pace.Done(k, ctx.Now(), endpoint.Look{Failed: true}))
	}
	pods, wrote, failed := c.sync(ctx, k)
	writes := 0
	if wrote {
		writes = 1
	}
	return actor.At(c.pace.Done(k, ctx.Now(), endpoint.Look{Pods: pods, Writes: writes, Rev: ctx.Host.Latest().Rev(), Failed: failed}))
}

func (c *Controller) sync(ctx *actor.Ctx, k sim.Key) (looked int, wrote, failed bool) {
	svc, _ := ctx.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	old, _ := ctx.Read.Get("Endpoints", k.Namespace, k.Name).(*api.Endpoints)
	switch {
	case svc == nil:
		c.triggers.Forget(k)
		if old == nil {
			return 0, false, false
		}
		res := ctx.Delete(old, nil)
		return 0, true, res.Failed() && res.Status.Reason != api.ReasonNotFound
	case svc.Spec.Type == "ExternalName" || len(svc.Spec.Selector) == 0:
		return 0, false, false
	}
	pods := c.members.Pods(ctx.Read, svc)
	trigger := c.triggers.Time(svc, pods)
	subsets := endpoint.Repack(subsetsOf(svc, pods))
	if old != nil && upToDate(old, svc, subsets) {
		return len(pods), false, false
	}
	return len(pods), true, c.write(ctx, svc, old, desired(svc, old, subsets, trigger))
}

// upToDate reports whether nothing is to be written.
func upToDate(old *api.Endpoints, svc *api.Service, subsets []api.EndpointSubset) bool {
	_, marked := old.Annotations[overCapacity]
	return api.Equal(old.Subsets, subsets) && labelsFit(old.Labels, svc.Labels) && !marked && count(old.Subsets) <= capacity
}

func labelsFit(have, want map[string]string) bool {
	own := 0
	for k, v := range have {
		if k == headless || k == managedBy {
			own++
		} else if w, ok := want[k]; !ok || w != v {
			return false
		}
	}
	return have[managedBy] == component && len(have)-own == len(want)
}

// desired is the object as it shall be.
func desired(svc *api.Service, old *api.Endpoints, subsets []api.EndpointSubset, trigger api.Time) *api.Endpoints {
	e := &api.Endpoints{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}}
	e.Namespace, e.Name = svc.Namespace, svc.Name
	if old != nil {
		c := *old
		e = &c
	}
	e.Subsets = subsets
	notes := maps.Clone(e.Annotations)
	if notes == nil {
		notes = map[string]string{}
	}
	delete(notes, endpoint.LastChange)
	if trigger != 0 {
		notes[endpoint.LastChange] = trigger.String()
	}
	delete(notes, overCapacity)
	if truncated := truncate(e); truncated {
		notes[overCapacity] = "truncated"
	}
	labels := maps.Clone(svc.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	delete(labels, headless)
	if endpoint.Headless(svc) {
		labels[headless] = ""
	}
	labels[managedBy] = component
	e.Labels, e.Annotations = labels, notes
	return e
}

// write stores the object; a failure is an event, but for a namespace that is
// being deleted.
func (c *Controller) write(ctx *actor.Ctx, svc *api.Service, old, e *api.Endpoints) (failed bool) {
	do, reason, text := ctx.Update, "FailedToUpdateEndpoint", "Failed to update endpoint "
	if old == nil {
		do, reason, text = ctx.Create, "FailedToCreateEndpoint", "Failed to create endpoint for service "
	}
	res := do(e)
	if !res.Failed() || old == nil && endpoint.Terminating(res.Status) {
		return false
	}
	ctx.Event(actor.Event{Regarding: e, Type: "Warning", Reason: reason, Component: component,
		Message: text + svc.Namespace + "/" + svc.Name + ": " + res.Status.Message})
	return true
}

// subsetsOf are the pods' addresses, one subset a pod and port.
func subsetsOf(svc *api.Service, pods []*api.Pod) []api.EndpointSubset {
	var list []api.EndpointSubset
	for _, p := range pods {
		if !endpoint.Included(p, svc.Spec.PublishNotReadyAddresses) {
			continue
		}
		a, ok := addressOf(svc, p)
		if !ok {
			continue
		}
		for _, port := range portsOf(svc, p) {
			s := api.EndpointSubset{Ports: port}
			if svc.Spec.PublishNotReadyAddresses || endpoint.Ready(p) {
				s.Addresses = []api.EndpointAddress{a}
			} else {
				s.NotReadyAddresses = []api.EndpointAddress{a}
			}
			list = append(list, s)
		}
	}
	return list
}

// portsOf lists the ports that a pod offers to a Service; a headless Service
// without ports has one entry with none.
func portsOf(svc *api.Service, p *api.Pod) (list [][]api.EndpointPort) {
	if len(svc.Spec.Ports) == 0 && svc.Spec.ClusterIP == "None" {
		return [][]api.EndpointPort{nil}
	}
	for i := range svc.Spec.Ports {
		sp := &svc.Spec.Ports[i]
		if n, ok := endpoint.FindPort(p, sp); ok {
			list = append(list, []api.EndpointPort{{Name: sp.Name, Port: n, Protocol: sp.Protocol, AppProtocol: sp.AppProtocol}})
		}
	}
	return list
}

// addressOf is a pod's address of the Service's first family.
func addressOf(svc *api.Service, p *api.Pod) (api.EndpointAddress, bool) {
	want6 := wantsIPv6(svc, p)
	for _, ip := range p.Status.PodIPs {
		a, err := netip.ParseAddr(ip.IP)
		if err != nil || a.Is6() != want6 {
			continue
		}
		node := p.Spec.NodeName
		return api.EndpointAddress{IP: a.String(), NodeName: &node, TargetRef: endpoint.Ref(p), Hostname: endpoint.Hostname(p, svc)}, true
	}
	return api.EndpointAddress{}, false
}

func wantsIPv6(svc *api.Service, p *api.Pod) bool {
	switch {
	case len(svc.Spec.IPFamilies) > 0:
		return svc.Spec.IPFamilies[0] == "IPv6"
	case !endpoint.Headless(svc):
		a, err := netip.ParseAddr(svc.Spec.ClusterIP)
		return err == nil && a.Is6()
	}
	a, err := netip.ParseAddr(p.Status.PodIP)
	return err == nil && a.Is6()
}
