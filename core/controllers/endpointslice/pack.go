package endpointslice

import (
	"slices"
	"sort"

	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
)

// ports plans the slices of one group of endpoints: what is no longer desired goes,
// what changed is replaced in its place, and what is new fills first the slices
// that change anyway, then one that has room, then new ones
// (reconcileByPortMapping).
func (r *reconciler) ports(p *plan, g *group, kind string) {
	var update, unchanged []*api.EndpointSlice
	for _, s := range g.slices {
		kept, changed := keep(s, g)
		labels, relabelled := r.labelsFor(s)
		switch {
		case (changed || len(kept) != len(s.Endpoints)) && len(kept) == 0:
			p.remove = append(p.remove, s)
		case changed || len(kept) != len(s.Endpoints) || relabelled:
			c := *s
			c.Labels = labels
			if changed || len(kept) != len(s.Endpoints) {
				c.Endpoints = kept
			}
			update = append(update, &c)
		default:
			unchanged = append(unchanged, s)
		}
	}
	left := r.unplaced(g)
	fullest := slices.Clone(update)
	sort.SliceStable(fullest, func(i, j int) bool { return len(fullest[i].Endpoints) > len(fullest[j].Endpoints) })
	for _, s := range fullest {
		left = fill(s, left)
	}
	for len(left) > 0 {
		if s := roomiest(unchanged, len(left)); s != nil {
			unchanged = slices.DeleteFunc(unchanged, func(o *api.EndpointSlice) bool { return o == s })
			c := *s
			left = fill(&c, left)
			update = append(update, &c)
			continue
		}
		s := r.fresh(g.ports, kind)
		left = fill(s, left)
		p.create = append(p.create, s)
	}
	p.update = append(p.update, update...)
}

// keep returns the endpoints of a slice that are still desired, as they are now.
func keep(s *api.EndpointSlice, g *group) (kept []api.Endpoint, changed bool) {
	kept = make([]api.Endpoint, 0, len(s.Endpoints))
	for i := range s.Endpoints {
		old := &s.Endpoints[i]
		at, ok := g.desired[identity(old)]
		if !ok || g.endpoints[at].placed {
			continue
		}
		now := &g.endpoints[at]
		now.placed = true
		kept = append(kept, now.Endpoint)
		changed = changed || !sameBeyondIdentity(&now.Endpoint, old)
	}
	return kept, changed
}

// unplaced are the endpoints that no slice holds yet, in the order in which the
// real controller takes them from a map.
func (r *reconciler) unplaced(g *group) []*api.Endpoint {
	var left []*api.Endpoint
	gone := make([]bool, len(g.endpoints))
	for i := range g.endpoints {
		gone[i] = g.endpoints[i].placed
	}
	for _, i := range endpoint.PopOrder(gone, len(gone), func(n int) uint64 {
		return r.ctx.Random("endpoint order", r.svc.UID+identity(&g.endpoints[0].Endpoint), uint64(n))
	}) {
		left = append(left, &g.endpoints[i].Endpoint)
	}
	return left
}

// fill moves endpoints into a slice, which must not be shared, until it is full.
func fill(s *api.EndpointSlice, left []*api.Endpoint) []*api.Endpoint {
	n := min(len(left), maxEndpoints-len(s.Endpoints))
	if n <= 0 {
		return left
	}
	all := make([]api.Endpoint, 0, len(s.Endpoints)+n)
	all = append(all, s.Endpoints...)
	for _, e := range left[:n] {
		all = append(all, *e)
	}
	s.Endpoints = all
	return left[n:]
}

// roomiest returns the slice that n more endpoints bring nearest to full, or nil.
func roomiest(list []*api.EndpointSlice, n int) (best *api.EndpointSlice) {
	closest := maxEndpoints
	for _, s := range list {
		if room := maxEndpoints - n - len(s.Endpoints); n < maxEndpoints && room >= 0 && room < closest {
			closest, best = room, s
		}
	}
	return best
}

// finalize writes the plan. Slices that would go are used again for those that
// would be made.
func (r *reconciler) finalize(p *plan) {
	for i := 0; i < len(p.remove) && len(p.create) > 0; {
		old, s := p.remove[i], p.create[len(p.create)-1]
		if old.AddressType != s.AddressType || !owned(old, r.svc) {
			i++
			continue
		}
		s.Name = old.Name
		p.create = p.create[:len(p.create)-1]
		p.update = append(p.update, s)
		p.remove = slices.Delete(slices.Clone(p.remove), i, i+1)
	}
	if r.svc.DeletionTimestamp == nil {
		for _, s := range p.create {
			r.stamp(s)
			r.writes++
			if res := r.ctx.Create(typed(s)); res.Failed() {
				if !endpoint.Terminating(res.Status) {
					r.fail("failed to create EndpointSlice for Service " + r.svc.Namespace + "/" + r.svc.Name + ": " + res.Status.Message)
				}
				return
			}
		}
	}
	for _, s := range p.update {
		r.stamp(s)
		r.writes++
		if res := r.ctx.Update(typed(s)); res.Failed() {
			r.fail("failed to update " + s.Name + " EndpointSlice for Service " + r.svc.Namespace + "/" + r.svc.Name + ": " + res.Status.Message)
			return
		}
	}
	for _, s := range p.remove {
		r.writes++
		if res := r.ctx.Delete(s, nil); res.Failed() {
			r.fail("failed to delete " + s.Name + " EndpointSlice for Service " + r.svc.Namespace + "/" + r.svc.Name + ": " + res.Status.Message)
			return
		}
	}
}

func typed(s *api.EndpointSlice) *api.EndpointSlice {
	s.TypeMeta = api.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}
	return s
}
