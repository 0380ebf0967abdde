// Package kubeproxy is the kube-proxies of all nodes: what they have been told of
// Services and EndpointSlices, from which each node's rules follow. The rules are
// written only when somebody asks for them (core/network/proxy and below); a change
// costs what its Service has of endpoints. Start reading at Proxies.
package kubeproxy

import (
	"maps"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/network/proxy"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Proxies is the actor.
type Proxies struct {
	mode  string
	table *proxy.Table
	// sticky is when a client was last sent to an endpoint: the lists of the match
	// "recent", by client and chain.
	sticky map[string]sim.Time
	shared bool
}

var _ actor.Actor = (*Proxies)(nil)

// New returns the proxies of a cluster; mode is iptables, ipvs or nftables.
func New(mode string) *Proxies {
	return &Proxies{mode: mode, table: proxy.NewTable("IPv4"), sticky: map[string]sim.Time{}}
}

// Name returns "kube-proxy".
func (p *Proxies) Name() string { return "kube-proxy" }

// Clone returns an independent copy.
func (p *Proxies) Clone() actor.Actor {
	c := *p
	c.table = p.table.Clone()
	p.shared, c.shared = true, true
	return &c
}

// Watches leads from Services and their slices to the Service.
func (p *Proxies) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Service", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			m := ch.Object().Meta()
			return []sim.Key{{Kind: "Service", Namespace: m.Namespace, Name: m.Name}}
		}},
		{Kind: "EndpointSlice", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			m := ch.Object().Meta()
			if name := m.Labels[endpoint.ServiceName]; name != "" {
				return []sim.Key{{Kind: "Service", Namespace: m.Namespace, Name: name}}
			}
			return nil
		}},
	}
}

// Reconcile brings the rules of one Service up to date.
func (p *Proxies) Reconcile(c *actor.Ctx, k sim.Key) actor.Result {
	s, _ := c.Read.Get("Service", k.Namespace, k.Name).(*api.Service)
	var slices []*api.EndpointSlice
	for _, o := range c.Read.ByIndex(endpoint.SliceIndex, k.Namespace+"/"+k.Name) {
		slices = append(slices, o.(*api.EndpointSlice))
	}
	before, after := p.table.Set(k.Namespace, k.Name, s, slices)
	if !proxy.Same(before, after) {
		c.Record(trace.Record{Stage: trace.Endpoints, Ref: trace.Ref{Kind: "Service", Namespace: k.Namespace, Name: k.Name},
			Verdict: trace.Changed, Reason: "Rules", Message: summary(before, after), Detail: difference(before, after)})
	}
	return actor.Result{}
}

// summary says how many endpoints the ports of a Service lead to.
func summary(before, after []*proxy.Entry) string {
	if len(after) == 0 {
		return "the rules of the Service are taken out on every node"
	}
	text := ""
	for i, e := range after {
		if i > 0 {
			text += ", "
		}
		usable := 0
		for j := range e.Endpoints {
			if e.Endpoints[j].Ready {
				usable++
			}
		}
		text += "port " + strconv.Itoa(int(e.Port.Port)) + " leads to " + strconv.Itoa(usable) + " endpoints"
		if usable == 1 {
			text = text[:len(text)-1]
		}
	}
	return "rules are written on every node: " + text
}

// difference lists endpoints that came, went or changed, of the first ports.
func difference(before, after []*proxy.Entry) (l []trace.Detail) {
	old := map[string]string{}
	for _, e := range before {
		for i := range e.Endpoints {
			old[e.Name+" "+e.Endpoints[i].String()] = state(&e.Endpoints[i])
		}
	}
	for _, e := range after {
		for i := range e.Endpoints {
			name, now := e.Endpoints[i].String(), state(&e.Endpoints[i])
			was, known := old[e.Name+" "+name]
			delete(old, e.Name+" "+name)
			switch {
			case len(l) >= 16 || known && was == now:
			case known:
				l = append(l, trace.Detail{Name: "endpoint " + name, Value: was + " -> " + now})
			default:
				l = append(l, trace.Detail{Name: "endpoint " + name, Value: "added, " + now})
			}
		}
	}
	for _, e := range before {
		for i := range e.Endpoints {
			if name := e.Endpoints[i].String(); old[e.Name+" "+name] != "" && len(l) < 16 {
				l = append(l, trace.Detail{Name: "endpoint " + name, Value: "removed"})
			}
		}
	}
	return l
}

func state(e *proxy.Endpoint) string {
	switch {
	case e.Ready:
		return "ready"
	case e.Serving && e.Terminating:
		return "serving, terminating"
	case e.Terminating:
		return "terminating"
	}
	return "not ready"
}

// Table returns the Services as the proxies know them.
func (p *Proxies) Table() *proxy.Table { return p.table }

// Mode returns iptables, ipvs or nftables.
func (p *Proxies) Mode() string { return p.mode }

// Recent reports whether a client was sent to an endpoint within seconds.
func (p *Proxies) Recent(now sim.Time, client, endpoint string, seconds int32) bool {
	at, ok := p.sticky[client+">"+endpoint]
	return ok && now-at <= sim.Time(seconds)*sim.Second
}

// Remember notes that a client is sent to an endpoint.
func (p *Proxies) Remember(now sim.Time, client, endpoint string) {
	if p.shared {
		p.sticky, p.shared = maps.Clone(p.sticky), false
	}
	p.sticky[client+">"+endpoint] = now
}
