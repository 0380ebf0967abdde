package scheduler

import (
	"slices"

	"podwalk/core/api"
)

// nodeTree keeps the names of the nodes by zone, so that the list of all nodes
// goes round the zones (pkg/scheduler/backend/cache/node_tree.go).
type nodeTree struct {
	zones []zone // in order of appearance
	count int
}

type zone struct {
	key   string
	nodes []string
}

func (t *nodeTree) clone() nodeTree {
	c := nodeTree{zones: slices.Clone(t.zones), count: t.count}
	for i := range c.zones {
		c.zones[i].nodes = slices.Clone(c.zones[i].nodes)
	}
	return c
}

func (t *nodeTree) zone(key string) int {
	return slices.IndexFunc(t.zones, func(z zone) bool { return z.key == key })
}

func (t *nodeTree) add(n *api.Node) {
	key := zoneKey(n)
	i := t.zone(key)
	if i < 0 {
		i = len(t.zones)
		t.zones = append(t.zones, zone{key: key})
	}
	t.zones[i].nodes = append(t.zones[i].nodes, n.Name)
	t.count++
}

func (t *nodeTree) remove(n *api.Node) {
	i := t.zone(zoneKey(n))
	if i < 0 {
		return
	}
	z := &t.zones[i]
	j := slices.Index(z.nodes, n.Name)
	if j < 0 {
		return
	}
	z.nodes = slices.Delete(z.nodes, j, j+1)
	t.count--
	if len(z.nodes) == 0 {
		t.zones = slices.Delete(t.zones, i, i+1)
	}
}

// list returns the names, one of each zone in turn.
func (t *nodeTree) list() []string {
	l := make([]string, 0, t.count)
	for i := 0; len(l) < t.count; i++ {
		for _, z := range t.zones {
			if i < len(z.nodes) {
				l = append(l, z.nodes[i])
			}
		}
	}
	return l
}

// zoneKey names a node's zone and region (component-helpers/node/topology).
func zoneKey(n *api.Node) string {
	label := func(old, new string) string {
		if v, ok := n.Labels[old]; ok {
			return v
		}
		return n.Labels[new]
	}
	z := label("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
	r := label("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
	if z == "" && r == "" {
		return ""
	}
	return r + ":\x00:" + z
}
