package proxy

import (
	"slices"
	"sort"
)

// Node is what a proxy knows of the node that it runs on.
type Node struct {
	Name string
	IP   string
	Zone string
}

// Choice is which endpoints of a port a node may use (pkg/proxy/topology.go).
type Choice struct {
	Cluster []Endpoint // of the policy Cluster
	Local   []Endpoint // of the policy Local
	All     []Endpoint // both
	Any     bool       // some node could use one
}

// Categorize sorts the endpoints of a port by what the traffic policies and the
// hints of topology make of them.
func Categorize(p *Port, all []Endpoint, n Node) (c Choice) {
	if len(all) == 0 {
		return c
	}
	mode := ""
	if p.UsesCluster() {
		mode = hinted(all, n)
		c.Cluster = keep(all, func(e *Endpoint) bool { return e.Ready && available(e, mode, n) })
		if len(c.Cluster) == 0 {
			c.Cluster = keep(all, leaving)
		}
		c.Any = len(c.Cluster) > 0
	}
	if !p.UsesLocal() {
		c.All = c.Cluster
		return c
	}
	local := func(e *Endpoint) bool { return e.Node == n.Name && n.Name != "" }
	c.Any = c.Any || slices.ContainsFunc(all, func(e Endpoint) bool { return e.Ready || leaving(&e) })
	c.Local = keep(all, func(e *Endpoint) bool { return local(e) && e.Ready })
	ending := false
	if len(c.Local) == 0 {
		c.Local = keep(all, func(e *Endpoint) bool { return local(e) && leaving(e) })
		ending = len(c.Local) > 0
	}
	switch {
	case !p.UsesCluster():
		c.All = c.Local
	case mode == "" && !ending:
		c.All = c.Cluster
	default:
		c.All = union(c.Cluster, c.Local)
	}
	return c
}

func leaving(e *Endpoint) bool { return !e.Ready && e.Serving && e.Terminating }

func keep(all []Endpoint, want func(*Endpoint) bool) (l []Endpoint) {
	for i := range all {
		if want(&all[i]) {
			l = append(l, all[i])
		}
	}
	return l
}

// union merges two lists; the real one leaves their order to chance.
func union(a, b []Endpoint) []Endpoint {
	l := slices.Clone(a)
	for i := range b {
		if !slices.ContainsFunc(a, func(e Endpoint) bool { return e.IP == b[i].IP && e.Port == b[i].Port }) {
			l = append(l, b[i])
		}
	}
	sort.Slice(l, func(i, j int) bool { return l[i].String() < l[j].String() })
	return l
}

const (
	sameNode = "PreferSameNode"
	sameZone = "PreferSameZone"
)

// hinted says which hints count: those of nodes or of zones, if every ready
// endpoint has one and one is for this node.
func hinted(all []Endpoint, n Node) string {
	ready, forNode, forZone, nodes, zones := false, false, false, true, true
	for i := range all {
		e := &all[i]
		if !e.Ready {
			continue
		}
		ready = true
		nodes = nodes && len(e.Nodes) > 0
		zones = zones && len(e.Zones) > 0
		forNode = forNode || slices.Contains(e.Nodes, n.Name)
		forZone = forZone || slices.Contains(e.Zones, n.Zone)
	}
	switch {
	case !ready:
		return ""
	case nodes && forNode:
		return sameNode
	case zones && forZone:
		return sameZone
	}
	return ""
}

func available(e *Endpoint, mode string, n Node) bool {
	switch mode {
	case sameNode:
		return slices.Contains(e.Nodes, n.Name)
	case sameZone:
		return slices.Contains(e.Zones, n.Zone)
	}
	return true
}
