package proxy

import (
	"maps"
	"slices"
	"sort"
	"strconv"

	"podwalk/core/api"
)

// Entry is a port of a Service with its endpoints. It is frozen.
type Entry struct {
	Port
	Endpoints []Endpoint
}

// Table is all Services as the proxies know them, found by name and by address.
// Copies by Clone share what neither has changed. It is for one family.
type Table struct {
	family   string
	shared   bool // the maps belong to a clone too
	services map[string][]*Entry
	byVIP    map[string]*Entry // "tcp/10.96.0.1:443"
	byNode   map[string]*Entry // "tcp/30080"
	total    int               // endpoints
}

// NewTable returns an empty table for IPv4 or IPv6.
func NewTable(family string) *Table {
	return &Table{family: family, services: map[string][]*Entry{}, byVIP: map[string]*Entry{}, byNode: map[string]*Entry{}}
}

// Clone returns an independent copy.
func (t *Table) Clone() *Table {
	c := *t
	t.shared, c.shared = true, true
	return &c
}

func (t *Table) own() {
	if t.shared {
		t.services, t.byVIP, t.byNode, t.shared = maps.Clone(t.services), maps.Clone(t.byVIP), maps.Clone(t.byNode), false
	}
}

// Set puts a Service into the table, or takes it out if s is nil or has no cluster
// address. It returns the entries before and after.
func (t *Table) Set(namespace, name string, s *api.Service, sl []*api.EndpointSlice) (before, after []*Entry) {
	key := namespace + "/" + name
	before = t.services[key]
	if s != nil {
		for _, p := range Ports(s, t.family) {
			after = append(after, &Entry{Port: p, Endpoints: Endpoints(sl, &p)})
		}
	}
	if len(before) == 0 && len(after) == 0 {
		return before, after
	}
	t.own()
	for _, e := range before {
		t.total -= len(e.Endpoints)
		e.addresses(func(m bool, k string) {
			if by := t.index(m); by[k] == e {
				delete(by, k)
			}
		})
	}
	for _, e := range after {
		t.total += len(e.Endpoints)
		e.addresses(func(m bool, k string) { t.index(m)[k] = e })
	}
	if len(after) == 0 {
		delete(t.services, key)
	} else {
		t.services[key] = after
	}
	return before, after
}

func (t *Table) index(node bool) map[string]*Entry {
	if node {
		return t.byNode
	}
	return t.byVIP
}

// addresses visits the keys under which an entry is found; node tells a node port.
func (e *Entry) addresses(visit func(node bool, key string)) {
	port := ":" + strconv.Itoa(int(e.Port.Port))
	visit(false, e.Proto()+"/"+e.ClusterIP+port)
	for _, ip := range e.ExternalIPs {
		visit(false, e.Proto()+"/"+ip+port)
	}
	for _, ip := range e.LoadBalancerIPs {
		visit(false, e.Proto()+"/"+ip+port)
	}
	if e.NodePort != 0 {
		visit(true, e.Proto()+"/"+strconv.Itoa(int(e.NodePort)))
	}
}

// ByAddress returns the port behind an address of a Service, or nil. proto is in
// small letters.
func (t *Table) ByAddress(proto, ip string, port int32) *Entry {
	return t.byVIP[proto+"/"+ip+":"+strconv.Itoa(int(port))]
}

// ByNodePort returns the port behind a node port, or nil.
func (t *Table) ByNodePort(proto string, port int32) *Entry {
	return t.byNode[proto+"/"+strconv.Itoa(int(port))]
}

// Service returns the ports of a Service.
func (t *Table) Service(namespace, name string) []*Entry { return t.services[namespace+"/"+name] }

// Entries returns all ports, sorted by namespace, Service and port name.
func (t *Table) Entries() []*Entry {
	l := make([]*Entry, 0, len(t.services))
	for _, es := range t.services {
		l = append(l, es...)
	}
	sort.Slice(l, func(i, j int) bool {
		a, b := l[i], l[j]
		switch {
		case a.Namespace != b.Namespace:
			return a.Namespace < b.Namespace
		case a.Service != b.Service:
			return a.Service < b.Service
		case a.Name != b.Name:
			return a.Name < b.Name
		}
		return a.Protocol < b.Protocol
	})
	return l
}

// Total returns how many endpoints all ports have together.
func (t *Table) Total() int { return t.total }

// Same reports whether two lists of entries lead to the same rules.
func Same(a, b []*Entry) bool {
	return slices.EqualFunc(a, b, func(x, y *Entry) bool {
		return samePort(&x.Port, &y.Port) && slices.EqualFunc(x.Endpoints, y.Endpoints, sameEndpoint)
	})
}

func samePort(a, b *Port) bool {
	return a.Namespace == b.Namespace && a.Service == b.Service && a.Name == b.Name && a.Protocol == b.Protocol &&
		a.ClusterIP == b.ClusterIP && a.Port == b.Port && a.NodePort == b.NodePort && slices.Equal(a.ExternalIPs, b.ExternalIPs) &&
		slices.Equal(a.LoadBalancerIPs, b.LoadBalancerIPs) && slices.Equal(a.SourceRanges, b.SourceRanges) &&
		a.HealthCheckPort == b.HealthCheckPort && a.Sticky == b.Sticky && a.ExternalLocal == b.ExternalLocal && a.InternalLocal == b.InternalLocal
}

func sameEndpoint(a, b Endpoint) bool {
	return a.IP == b.IP && a.Port == b.Port && a.Node == b.Node && a.Ready == b.Ready && a.Serving == b.Serving &&
		a.Terminating == b.Terminating && slices.Equal(a.Zones, b.Zones) && slices.Equal(a.Nodes, b.Nodes)
}
