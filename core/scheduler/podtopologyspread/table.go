package podtopologyspread

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// table counts, for each constraint of a pod, the matching pods of each node and
// of each domain. It is brought up to date node by node.
type table struct {
	constraints []constraint
	domains     []*f.Domains
	matching    [][]int32 // by constraint and node
	counted     [][]bool  // whether the node counts in its domain
	sums        [][]int   // by constraint and domain
	nodes       [][]int32 // that count in a domain
}

// tableOf returns the table for constraints; soft ones of the system do not need
// all labels.
func tableOf(st *f.State, p *f.PodInfo, l []constraint, needAll bool, kind string) *table {
	id := kind
	for i := range l {
		id += "\x00" + l[i].key + "\x00" + l[i].id
	}
	k := st.Cluster
	if v, changed := st.Template.Recall(f.PodTopologySpread, id); v != nil {
		t := v.(*table)
		for _, at := range changed {
			t.count(p, k.Nodes[at], int(at), needAll)
		}
		return t
	}
	t := &table{constraints: l}
	for i := range l {
		d := k.Domains(l[i].key)
		t.domains = append(t.domains, d)
		t.matching = append(t.matching, make([]int32, len(k.Nodes)))
		t.counted = append(t.counted, make([]bool, len(k.Nodes)))
		t.sums = append(t.sums, make([]int, len(d.Names)))
		t.nodes = append(t.nodes, make([]int32, len(d.Names)))
	}
	for at, n := range k.Nodes {
		t.count(p, n, at, needAll)
	}
	st.Template.Keep(f.PodTopologySpread, id, t)
	return t
}

// count counts a node anew.
func (t *table) count(p *f.PodInfo, n *f.NodeInfo, at int, needAll bool) {
	ignored := needAll && t.lacks(at)
	for i := range t.constraints {
		c := &t.constraints[i]
		d := t.domains[i].Of[at]
		if d >= 0 && t.counted[i][at] {
			t.sums[i][d] -= int(t.matching[i][at])
			t.nodes[i][d]--
		}
		if i > 0 && c.id == t.constraints[0].id {
			t.matching[i][at] = t.matching[0][at]
		} else {
			t.matching[i][at] = int32(matching(n.Pods, &c.selector, p.Pod.Namespace))
		}
		counts := !ignored && d >= 0 && c.counts(p, n.Node)
		t.counted[i][at] = counts
		if counts {
			t.sums[i][d] += int(t.matching[i][at])
			t.nodes[i][d]++
		}
	}
}

// lacks reports whether a node lacks the label of a constraint.
func (t *table) lacks(at int) bool {
	for _, d := range t.domains {
		if d.Of[at] < 0 {
			return true
		}
	}
	return false
}

// least returns the smallest count of a domain, and how many domains there are.
func (t *table) least(i int, sums []int) (least, domains int) {
	least = math.MaxInt32
	for d, n := range t.nodes[i] {
		if n > 0 {
			domains++
			if sums[d] < least {
				least = sums[d]
			}
		}
	}
	return least, domains
}
