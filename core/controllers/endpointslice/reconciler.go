package endpointslice

import (
	"maps"
	"net/netip"
	"slices"
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// maxEndpoints is how many endpoints a slice holds (--max-endpoints-per-slice).
const maxEndpoints = 100

// reconciler is one pass over the slices of a Service
// (k8s.io/endpointslice/reconciler.go).
type reconciler struct {
	ctx      *actor.Ctx
	svc      *api.Service
	pods     []*api.Pod
	topology *topology
	key      sim.Key
	trigger  api.Time

	writes int
	errs   []string
	total  int // endpoints
	ready  []*api.Pod
}

// plan is what shall become of the slices of one address type.
type plan struct {
	create, update, remove []*api.EndpointSlice
}

func (r *reconciler) reconcile(existing []*api.EndpointSlice) {
	types := addressTypes(r.svc)
	byType := map[string][]*api.EndpointSlice{}
	var foreign []*api.EndpointSlice
	for _, s := range existing {
		if slices.Contains(types, s.AddressType) {
			byType[s.AddressType] = append(byType[s.AddressType], s)
		} else {
			r.topology.removeHints(r.key, s.AddressType)
			foreign = append(foreign, s)
		}
	}
	for _, t := range types {
		r.addressType(t, byType[t])
	}
	for _, s := range foreign {
		r.writes++
		if res := r.ctx.Delete(s, nil); res.Failed() {
			r.fail("error deleting " + s.Name + " EndpointSlice for Service " + r.svc.Namespace + "/" + r.svc.Name + ": " + res.Status.Message)
		}
	}
}

func (r *reconciler) fail(message string) { r.errs = append(r.errs, message) }

// addressTypes are the kinds of addresses that a Service has slices for.
func addressTypes(s *api.Service) []string {
	if len(s.Spec.IPFamilies) > 0 {
		return s.Spec.IPFamilies
	}
	switch ip, err := netip.ParseAddr(s.Spec.ClusterIP); {
	case err != nil:
		return []string{"IPv4", "IPv6"}
	case ip.Is4():
		return []string{"IPv4"}
	}
	return []string{"IPv6"}
}

// group are the endpoints with the same ports.
type group struct {
	ports     []api.EndpointSlicePort
	desired   map[string]int // the endpoint of an identity
	endpoints []wanted
	slices    []*api.EndpointSlice
	wanted    bool
}

// wanted is a desired endpoint, and whether a slice holds it already.
type wanted struct {
	api.Endpoint
	placed bool
}

func (r *reconciler) addressType(kind string, existing []*api.EndpointSlice) {
	var p plan
	groups := map[string]*group{}
	var order []string
	at := func(key string) *group {
		g := groups[key]
		if g == nil {
			g = &group{desired: make(map[string]int, len(r.pods))}
			groups[key] = g
			order = append(order, key)
		}
		return g
	}
	for _, s := range existing {
		if owned(s, r.svc) {
			g := at(endpoint.PortKey(s.Ports))
			g.slices = append(g.slices, s)
		} else {
			p.remove = append(p.remove, s)
		}
	}
	named := slices.ContainsFunc(r.svc.Spec.Ports, func(p api.ServicePort) bool { return p.TargetPort.IsString })
	var same *group // where no port is a name, all pods have the same
	for _, pod := range r.pods {
		if !endpoint.Included(pod, true) {
			continue
		}
		g := same
		if g == nil {
			ports := endpoint.SlicePorts(r.svc, pod)
			g = at(endpoint.PortKey(ports))
			g.ports, g.wanted = ports, true
		}
		if !named {
			same = g
		}
		r.desire(g, pod, kind)
	}
	for _, key := range order {
		if g := groups[key]; g.wanted {
			r.ports(&p, g, kind)
		}
	}
	for _, key := range order {
		if g := groups[key]; !g.wanted {
			p.remove = append(p.remove, g.slices...)
		}
	}
	r.placeholder(&p, kind, len(existing))
	r.hints(&p, kind, existing)
}

// desire adds the endpoint of a pod to its group.
func (r *reconciler) desire(g *group, pod *api.Pod, kind string) {
	node := r.ctx.Node(pod.Spec.NodeName)
	if node == nil && !r.svc.Spec.PublishNotReadyAddresses {
		r.fail("skipping Pod " + pod.Name + " for Service " + r.svc.Namespace + "/" + r.svc.Name + ": Node " + pod.Spec.NodeName + " Not Found")
		return
	}
	ep := r.endpointOf(pod, node, kind)
	if len(ep.Addresses) == 0 {
		return
	}
	key := identity(&ep)
	if i, ok := g.desired[key]; ok {
		g.endpoints[i].Endpoint = ep
	} else {
		g.desired[key] = len(g.endpoints)
		g.endpoints = append(g.endpoints, wanted{Endpoint: ep})
	}
	r.total++
	if isReady(&ep) {
		r.ready = append(r.ready, pod)
	}
}

// endpointOf is a pod as an endpoint (endpointslice/utils.go, podToEndpoint).
func (r *reconciler) endpointOf(pod *api.Pod, node *api.Node, kind string) api.Endpoint {
	serving, terminating := endpoint.Ready(pod), pod.DeletionTimestamp != nil
	ready := r.svc.Spec.PublishNotReadyAddresses || serving && !terminating
	ep := api.Endpoint{Addresses: addresses(pod, kind), TargetRef: endpoint.Ref(pod),
		Conditions: api.EndpointConditions{Ready: &ready, Serving: &serving, Terminating: &terminating}}
	if name := pod.Spec.NodeName; name != "" {
		ep.NodeName = &name
	}
	if node != nil {
		if zone := node.Labels["topology.kubernetes.io/zone"]; zone != "" {
			ep.Zone = &zone
		}
	}
	if name := endpoint.Hostname(pod, r.svc); name != "" {
		ep.Hostname = &name
	}
	return ep
}

func addresses(pod *api.Pod, kind string) []string {
	list := []string{}
	for _, p := range pod.Status.PodIPs {
		if ip, err := netip.ParseAddr(p.IP); err == nil && ip.Is4() == (kind == "IPv4") {
			list = append(list, ip.String())
		}
	}
	return list
}

// identity is what makes an endpoint the same one as before
// (endpointslice/util/endpointset.go).
func identity(e *api.Endpoint) string {
	list := e.Addresses
	if len(list) > 1 {
		list = slices.Clone(list)
		sort.Strings(list)
	}
	key := ""
	for _, a := range list {
		key += a + " "
	}
	if e.Hostname != nil {
		key += *e.Hostname
	}
	if t := e.TargetRef; t != nil {
		key += " " + t.Namespace + "/" + t.Name
	}
	return key
}

func isReady(e *api.Endpoint) bool { return e.Conditions.Ready != nil && *e.Conditions.Ready }

// sameBeyondIdentity compares what may change of an endpoint that stays.
func sameBeyondIdentity(a, b *api.Endpoint) bool {
	x, y := &a.Conditions, &b.Conditions
	return same(a.NodeName, b.NodeName) && same(a.Zone, b.Zone) && same(x.Ready, y.Ready) && same(x.Serving, y.Serving) &&
		same(x.Terminating, y.Terminating) && sameTarget(a.TargetRef, b.TargetRef)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

func sameTarget(a, b *api.ObjectReference) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.ResourceVersion, y.ResourceVersion = "", ""
	return x == y
}

func owned(s *api.EndpointSlice, svc *api.Service) bool {
	for _, o := range s.OwnerReferences {
		if o.UID == svc.UID && o.Kind == "Service" && o.APIVersion == "v1" {
			return true
		}
	}
	return false
}

// labelsFor returns the labels of the Service's slices, and whether those that
// mirror its own differ from a slice's.
func (r *reconciler) labelsFor(s *api.EndpointSlice) (want map[string]string, changed bool) {
	want = map[string]string{}
	for k, v := range r.svc.Labels {
		if !reserved(k) {
			want[k] = v
		}
	}
	mirrored := 0
	for k, v := range s.Labels {
		if reserved(k) {
			continue
		}
		mirrored++
		if got, ok := want[k]; !ok || got != v {
			changed = true
		}
	}
	changed = changed || mirrored != len(want)
	if endpoint.Headless(r.svc) {
		want[headless] = ""
	}
	want[serviceName], want[managedBy] = r.svc.Name, ManagedBy
	return want, changed
}

func reserved(label string) bool {
	return label == serviceName || label == managedBy || label == headless
}

// fresh is a new slice without endpoints.
func (r *reconciler) fresh(ports []api.EndpointSlicePort, kind string) *api.EndpointSlice {
	yes := true
	s := &api.EndpointSlice{AddressType: kind, Ports: ports}
	s.Namespace, s.GenerateName = r.svc.Namespace, endpoint.SlicePrefix(r.svc.Name)
	s.OwnerReferences = []api.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: r.svc.Name, UID: r.svc.UID, Controller: &yes, BlockOwnerDeletion: &yes}}
	s.Labels, _ = r.labelsFor(s)
	return s
}

// placeholder makes sure that there is at least one slice.
func (r *reconciler) placeholder(p *plan, kind string, existing int) {
	if existing != len(p.remove) || len(p.create) > 0 {
		return
	}
	s := r.fresh(nil, kind)
	if len(p.remove) == 1 && len(p.remove[0].Endpoints) == 0 && len(p.remove[0].Ports) == 0 && maps.Equal(p.remove[0].Labels, s.Labels) {
		p.remove = nil
		return
	}
	p.create = append(p.create, s)
}

// summary says for people what the slices hold now.
func (r *reconciler) summary() string {
	if len(r.pods) == 0 {
		return "the selector matches no pod: no endpoints"
	}
	return strconv.Itoa(len(r.pods)) + " pods selected, " + strconv.Itoa(r.total) + " with an address, " + strconv.Itoa(len(r.ready)) + " ready"
}

// welcome leaves a record for each pod that was no ready endpoint before.
func (r *reconciler) welcome(before []*api.EndpointSlice) {
	known := map[string]bool{}
	for _, s := range before {
		for i := range s.Endpoints {
			if e := &s.Endpoints[i]; e.TargetRef != nil && isReady(e) {
				known[e.TargetRef.UID] = true
			}
		}
	}
	for _, p := range r.ready {
		if known[p.UID] {
			continue
		}
		known[p.UID] = true
		r.ctx.Record(trace.Record{Stage: trace.Endpoints, Ref: actor.RefOf(p), Verdict: trace.Passed, Reason: "EndpointReady",
			Message: "Service " + r.svc.Namespace + "/" + r.svc.Name + " sends requests to " + p.Status.PodIP})
	}
}
