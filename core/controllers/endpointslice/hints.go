package endpointslice

import (
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
)

// stamp notes on a slice when the change happened that it shows.
func (r *reconciler) stamp(s *api.EndpointSlice) {
	s.Annotations = maps.Clone(s.Annotations)
	if r.trigger == 0 {
		delete(s.Annotations, endpoint.LastChange)
		return
	}
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Annotations[endpoint.LastChange] = r.trigger.String()
}

// hints gives the endpoints the hints that the Service asks for, then writes.
func (r *reconciler) hints(p *plan, kind string, existing []*api.EndpointSlice) {
	var events []actor.Event
	auto := hintsEnabled(r.svc.Annotations)
	distribute := !auto && validDistribution(r.svc.Spec.TrafficDistribution)
	if auto {
		events = r.topology.addHints(r, p, kind, unchanged(existing, p))
	} else {
		if r.topology.populated[r.key] {
			events = append(events, topologyEvent("Warning", "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled", kind))
		}
		r.topology.removeHints(r.key, kind)
		if !distribute {
			removeHints(p, unchanged(existing, p))
		}
	}
	if distribute {
		nodes := *r.svc.Spec.TrafficDistribution == "PreferSameNode"
		for _, s := range unchanged(existing, p) {
			if hinted(s, nodes) != nil {
				c := *s
				p.update = append(p.update, &c)
			}
		}
		for _, s := range slices.Concat(p.create, p.update) {
			if list := hinted(s, nodes); list != nil {
				s.Endpoints = list
			}
		}
	}
	r.finalize(p)
	for _, e := range events {
		e.Regarding = r.svc
		r.ctx.Event(e)
	}
}

func validDistribution(d *string) bool {
	return d != nil && (*d == "PreferClose" || *d == "PreferSameZone" || *d == "PreferSameNode")
}

// hintsEnabled reports whether an annotation asks for hints by the zones' CPUs.
func hintsEnabled(annotations map[string]string) bool {
	v, ok := annotations["service.kubernetes.io/topology-aware-hints"]
	if !ok {
		v = annotations["service.kubernetes.io/topology-mode"]
	}
	return v == "Auto" || v == "auto"
}

// unchanged are the slices that a plan leaves alone.
func unchanged(existing []*api.EndpointSlice, p *plan) []*api.EndpointSlice {
	touched := map[string]bool{}
	for _, s := range p.update {
		touched[s.Name] = true
	}
	for _, s := range p.remove {
		touched[s.Name] = true
	}
	var list []*api.EndpointSlice
	for _, s := range existing {
		if !touched[s.Name] {
			list = append(list, s)
		}
	}
	return list
}

// removeHints takes all hints away; slices that had some are updated.
func removeHints(p *plan, rest []*api.EndpointSlice) {
	for _, s := range rest {
		if slices.ContainsFunc(s.Endpoints, func(e api.Endpoint) bool { return e.Hints != nil }) {
			c := *s
			p.update = append(p.update, &c)
		}
	}
	for _, s := range slices.Concat(p.create, p.update) {
		s.Endpoints = slices.Clone(s.Endpoints)
		for i := range s.Endpoints {
			s.Endpoints[i].Hints = nil
		}
	}
}

// hinted returns the endpoints of a slice with hints to their own zone, and node if
// nodes is set; nil if they are so already (endpointslice/trafficdist).
func hinted(s *api.EndpointSlice, nodes bool) []api.Endpoint {
	var list []api.Endpoint
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if !isReady(e) {
			continue
		}
		var want *api.EndpointHints
		if e.Zone != nil || nodes && e.NodeName != nil {
			want = &api.EndpointHints{}
		}
		if e.Zone != nil {
			want.ForZones = []api.ForZone{{Name: *e.Zone}}
		}
		if nodes && e.NodeName != nil {
			want.ForNodes = []api.ForNode{{Name: *e.NodeName}}
		}
		if api.Equal(want, e.Hints) {
			continue
		}
		if list == nil {
			list = slices.Clone(s.Endpoints)
		}
		list[i].Hints = want
	}
	return list
}
