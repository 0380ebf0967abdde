package endpointslicemirroring

import (
	"maps"
	"net/netip"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
)

// maxPerSubset is how many addresses of a subset are mirrored
// (--mirroring-max-endpoints-per-subset).
const maxPerSubset = 1000

// reconciler is one pass over the slices of an Endpoints object
// (endpointslicemirroring/reconciler.go).
type reconciler struct {
	ctx       *actor.Ctx
	endpoints *api.Endpoints
	writes    int
	failed    bool
}

// group are the endpoints with the same ports and kind of address.
type group struct {
	kind   string
	ports  []api.EndpointSlicePort
	list   []api.Endpoint
	slices []*api.EndpointSlice
	wanted bool
}

type plan struct{ create, update, remove []*api.EndpointSlice }

// clear removes all slices.
func (r *reconciler) clear(list []*api.EndpointSlice) {
	for _, s := range list {
		r.writes++
		if res := r.ctx.Delete(s, nil); res.Failed() && res.Status.Reason != api.ReasonNotFound {
			r.failed = true
		}
	}
}

func (r *reconciler) reconcile(existing []*api.EndpointSlice) {
	groups := r.desired()
	for _, s := range existing {
		g := find(&groups, s.AddressType, s.Ports)
		g.slices = append(g.slices, s)
	}
	var p plan
	for _, g := range groups {
		if g.wanted {
			r.ports(&p, g)
		}
	}
	for _, g := range groups {
		if !g.wanted {
			p.remove = append(p.remove, g.slices...)
		}
	}
	r.finalize(&p)
}

// desired groups the addresses of the object, and tells of those left out.
func (r *reconciler) desired() (groups []*group) {
	invalid, skipped := 0, 0
	for _, s := range endpoint.Repack(r.endpoints.Subsets) {
		ports := portsOf(s.Ports)
		for _, kind := range []string{"IPv4", "IPv6"} {
			find(&groups, kind, ports).wanted = true
		}
		added := 0
		for i, list := range [][]api.EndpointAddress{s.Addresses, s.NotReadyAddresses} {
			for _, a := range list {
				if added >= maxPerSubset {
					break
				}
				ep, kind := endpointOf(a, i == 0)
				if kind == "" {
					invalid++
					continue
				}
				g := find(&groups, kind, ports)
				g.list = append(g.list, ep)
				added++
			}
		}
		skipped += len(s.Addresses) + len(s.NotReadyAddresses) - added
	}
	if invalid > 0 {
		r.warn("InvalidIPAddress", "Skipped "+strconv.Itoa(invalid)+" invalid IP addresses when mirroring to EndpointSlices")
	}
	if skipped > invalid {
		r.warn("TooManyAddressesToMirror", "A max of "+strconv.Itoa(maxPerSubset)+" addresses can be mirrored to EndpointSlices per Endpoints subset. "+
			strconv.Itoa(skipped)+" addresses were skipped")
	}
	return groups
}

func (r *reconciler) warn(reason, message string) {
	r.ctx.Event(actor.Event{Regarding: r.endpoints, Type: "Warning", Reason: reason, Message: message, Component: component})
}

func find(groups *[]*group, kind string, ports []api.EndpointSlicePort) *group {
	key := endpoint.PortKey(ports)
	for _, g := range *groups {
		if g.kind == kind && endpoint.PortKey(g.ports) == key {
			return g
		}
	}
	g := &group{kind: kind, ports: ports}
	*groups = append(*groups, g)
	return g
}

func portsOf(list []api.EndpointPort) []api.EndpointSlicePort {
	var ports []api.EndpointSlicePort
	for _, p := range list {
		ports = append(ports, api.EndpointSlicePort{Name: &p.Name, Port: &p.Port, Protocol: &p.Protocol, AppProtocol: p.AppProtocol})
	}
	endpoint.SortSlicePorts(ports)
	return ports
}

// endpointOf is an address as an endpoint; kind is "" if it is none.
func endpointOf(a api.EndpointAddress, ready bool) (ep api.Endpoint, kind string) {
	ip, err := netip.ParseAddr(a.IP)
	if err != nil {
		return ep, ""
	}
	kind = "IPv4"
	if !ip.Unmap().Is4() {
		kind = "IPv6"
	}
	ep = api.Endpoint{Addresses: []string{ip.Unmap().String()}, Conditions: api.EndpointConditions{Ready: &ready}, TargetRef: a.TargetRef, NodeName: a.NodeName}
	if a.Hostname != "" {
		ep.Hostname = &a.Hostname
	}
	return ep, kind
}

// ports plans the slice of one group: all its endpoints stand in one.
func (r *reconciler) ports(p *plan, g *group) {
	if len(g.list) == 0 {
		p.remove = append(p.remove, g.slices...)
		return
	}
	name := ""
	if len(g.slices) > 0 {
		name = g.slices[0].Name
		p.remove = append(p.remove, g.slices[1:]...)
		if r.fits(g.slices[0], g) {
			return
		}
	}
	s := r.fresh(g, name)
	if name == "" {
		p.create = append(p.create, s)
	} else {
		p.update = append(p.update, s)
	}
}

// fits reports whether a slice shows its group already, in whatever order.
func (r *reconciler) fits(s *api.EndpointSlice, g *group) bool {
	if len(s.Endpoints) != len(g.list) || !maps.Equal(withoutKeys(s.Labels, managedBy, serviceName), r.endpoints.Labels) ||
		!maps.Equal(s.Annotations, withoutKeys(r.endpoints.Annotations, endpoint.LastChange, lastApplied)) {
		return false
	}
	for _, o := range s.OwnerReferences {
		if o.Kind == "Endpoints" && o.Name == r.endpoints.Name && o.UID != r.endpoints.UID {
			return false
		}
	}
	want := map[string]*api.Endpoint{}
	for i := range g.list {
		want[g.list[i].Addresses[0]+" "+text(g.list[i].Hostname)] = &g.list[i]
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if len(e.Addresses) != 1 || !api.Equal(want[e.Addresses[0]+" "+text(e.Hostname)], e) {
			return false
		}
	}
	return true
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fresh is the slice of a group; name is that of the one it replaces, or "".
func (r *reconciler) fresh(g *group, name string) *api.EndpointSlice {
	yes := true
	s := &api.EndpointSlice{TypeMeta: api.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, AddressType: g.kind, Ports: g.ports}
	for _, i := range endpoint.PopOrder(nil, len(g.list), func(n int) uint64 {
		return r.ctx.Random("endpoint order", r.endpoints.UID+g.list[0].Addresses[0], uint64(n))
	}) {
		if len(s.Endpoints) < maxPerSubset {
			s.Endpoints = append(s.Endpoints, g.list[i])
		}
	}
	s.Namespace, s.Name = r.endpoints.Namespace, name
	s.OwnerReferences = []api.OwnerReference{{APIVersion: "v1", Kind: "Endpoints", Name: r.endpoints.Name, UID: r.endpoints.UID, Controller: &yes, BlockOwnerDeletion: &yes}}
	s.Annotations = withoutKeys(r.endpoints.Annotations, endpoint.LastChange, lastApplied)
	s.Labels = withoutKeys(r.endpoints.Labels)
	s.Labels[serviceName], s.Labels[managedBy] = r.endpoints.Name, ManagedBy
	if name == "" {
		s.GenerateName = endpoint.SlicePrefix(r.endpoints.Name)
	}
	return s
}

// withoutKeys copies a map but for some keys.
func withoutKeys(m map[string]string, keys ...string) map[string]string {
	c := map[string]string{}
	maps.Copy(c, m)
	for _, k := range keys {
		delete(c, k)
	}
	return c
}

// finalize writes the plan; slices that would go are used again for those that
// would be made.
func (r *reconciler) finalize(p *plan) {
	var create []*api.EndpointSlice
	for _, s := range p.create {
		if i := reusable(p.remove, s.AddressType); i >= 0 {
			s.Name = p.remove[i].Name
			p.remove = append(p.remove[:i:i], p.remove[i+1:]...)
			p.update = append(p.update, s)
			continue
		}
		create = append(create, s)
	}
	if r.endpoints.DeletionTimestamp == nil {
		for _, s := range create {
			r.writes++
			if res := r.ctx.Create(s); res.Failed() {
				r.failed = !endpoint.Terminating(res.Status)
				return
			}
		}
	}
	for _, s := range p.update {
		r.writes++
		if res := r.ctx.Update(s); res.Failed() {
			r.failed = true
			return
		}
	}
	r.clear(p.remove)
}

func reusable(list []*api.EndpointSlice, kind string) int {
	for i, s := range list {
		if s.AddressType == kind {
			return i
		}
	}
	return -1
}
