package framework

import (
	"sort"
	"strconv"
	"strings"
)

// NodeStatus is a node's rejection.
type NodeStatus struct {
	Node   string
	Status *Status
}

// Diagnosis says why no node is feasible.
type Diagnosis struct {
	All           int          // nodes in the cluster
	Nodes         []NodeStatus // rejected by a Filter, in the order they were looked at
	Absent        *Status      // of the nodes that are not in Nodes; nil if there are none
	PreFilter     string       // message of the PreFilter that rejected the pod
	PostFilter    string
	Unschedulable Set // plugins that said no
	Pending       Set
}

// Of returns the status of a node.
func (d *Diagnosis) Of(node string) *Status {
	for i := range d.Nodes {
		if d.Nodes[i].Node == node {
			return d.Nodes[i].Status
		}
	}
	return d.Absent
}

// Note adds a rejection's plugin.
func (d *Diagnosis) Note(s *Status) {
	if s.Code == Pending {
		d.Pending = d.Pending.With(s.Plugin)
		return
	}
	d.Unschedulable = d.Unschedulable.With(s.Plugin)
}

// Counted is a reason and how many nodes gave it.
type Counted struct {
	Reason string
	Count  int
}

// Reasons counts the reasons of the nodes, sorted as the message lists them.
func (d *Diagnosis) Reasons() []Counted {
	counts := map[string]int{}
	last, run := "", 0
	for i := range d.Nodes {
		for _, r := range d.Nodes[i].Status.Reasons {
			if r != last {
				counts[last] += run
				last, run = r, 0
			}
			run++
		}
	}
	counts[last] += run
	if counts[""] == 0 {
		delete(counts, "")
	}
	if left := d.All - len(d.Nodes); left > 0 && d.Absent != nil {
		for _, r := range d.Absent.Reasons {
			counts[r] += left
		}
	}
	return sorted(counts)
}

func sorted(counts map[string]int) []Counted {
	l := make([]Counted, 0, len(counts))
	for r, n := range counts {
		l = append(l, Counted{r, n})
	}
	sort.Slice(l, func(i, j int) bool { return l[i].String() < l[j].String() })
	return l
}

// String prints count and reason.
func (c Counted) String() string { return strconv.Itoa(c.Count) + " " + c.Reason }

// Join prints the reasons with commas between.
func Join(l []Counted) string {
	parts := make([]string, len(l))
	for i := range l {
		parts[i] = l[i].String()
	}
	return strings.Join(parts, ", ")
}

// Message is the sentence of FailedScheduling
// (pkg/scheduler/framework/types.go, FitError.Error).
func (d *Diagnosis) Message() string {
	msg := "0/" + strconv.Itoa(d.All) + " nodes are available:"
	if d.PreFilter != "" {
		msg += " " + d.PreFilter + "."
	} else if r := d.Reasons(); len(r) > 0 {
		msg += " " + Join(r) + "."
	}
	if d.PostFilter != "" {
		msg += " " + d.PostFilter
	}
	return msg
}
