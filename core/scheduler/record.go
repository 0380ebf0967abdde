package scheduler

import (
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// shown is how many nodes are named where they are summed up.
const shown = 5

// recordVerdicts leaves a record for each node that says no, or, in a large
// cluster, one for each plugin and reason.
func (s *Scheduler) recordVerdicts(c *actor.Ctx, p *api.Pod, d *f.Diagnosis) {
	if d.PreFilter != "" {
		s.verdict(c, p, d.Absent, "all nodes")
		return
	}
	if d.All <= s.detail {
		for i := range d.Nodes {
			s.verdict(c, p, d.Nodes[i].Status, d.Nodes[i].Node)
		}
	} else {
		s.summedVerdicts(c, p, d)
	}
	if left := d.All - len(d.Nodes); left > 0 && d.Absent != nil {
		s.verdict(c, p, d.Absent, strconv.Itoa(left)+" nodes not looked at")
	}
}

func (s *Scheduler) verdict(c *actor.Ctx, p *api.Pod, st *f.Status, node string) {
	c.Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Denied, Reason: st.Plugin.String(), Message: st.Message(),
		Detail: []trace.Detail{{Name: "node", Value: node}, {Name: "code", Value: st.Code.String()}}})
}

func (s *Scheduler) summedVerdicts(c *actor.Ctx, p *api.Pod, d *f.Diagnosis) {
	type group struct {
		st    *f.Status
		nodes []string
	}
	var groups []*group
	index := map[string]*group{}
	for i := range d.Nodes {
		st := d.Nodes[i].Status
		k := st.Plugin.String() + st.Code.String() + st.Message()
		g := index[k]
		if g == nil {
			g = &group{st: st}
			index[k] = g
			groups = append(groups, g)
		}
		g.nodes = append(g.nodes, d.Nodes[i].Node)
	}
	for _, g := range groups {
		names := strings.Join(g.nodes[:min(shown, len(g.nodes))], ", ")
		if n := len(g.nodes); n > shown {
			names = strconv.Itoa(n) + " nodes: " + names + ", ..."
		}
		s.verdict(c, p, g.st, names)
	}
}

// recordChoice leaves the record of a found node, with the scores: of all in a
// small cluster, of the chosen one in a large one.
func (s *Scheduler) recordChoice(c *actor.Ctx, p *api.Pod, r *Result) sim.Cause {
	rec := trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Passed, Reason: "Scheduled", Message: "chose node " + r.Node,
		Detail: append(make([]trace.Detail, 0, 8), trace.Detail{Name: "node", Value: r.Node}, trace.Detail{Name: "feasible", Value: strconv.Itoa(len(r.Feasible))})}
	if len(r.Totals) == 0 {
		rec.Detail = append(rec.Detail, trace.Detail{Name: "why", Value: "the only feasible node: no scores"})
		return c.Record(rec)
	}
	buf := make([]byte, 0, 256)
	for i, n := range r.Feasible {
		if len(r.Feasible) > s.detail && n.Name() != r.Node {
			continue
		}
		buf = r.appendScore(buf[:0], i)
		rec.Detail = append(rec.Detail, trace.Detail{Name: "score " + n.Name(), Value: string(buf)})
	}
	if _, n := r.best(); n > 1 {
		rec.Detail = append(rec.Detail, trace.Detail{Name: "tie", Value: "one of " + strconv.Itoa(n) + " best, by chance"})
	}
	return c.Record(rec)
}

// appendScore prints a node's total and, for each plugin, what it adds (normalised
// times weight) and its raw score.
func (r *Result) appendScore(b []byte, node int) []byte {
	b = strconv.AppendInt(b, r.Totals[node], 10)
	b = append(b, " ="...)
	for i, c := range r.Scores {
		if i > 0 {
			b = append(b, " +"...)
		}
		b = append(b, ' ')
		b = append(b, c.Plugin.String()...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, c.Final[node], 10)
		b = append(b, " (raw "...)
		b = strconv.AppendInt(b, c.Raw[node], 10)
		b = append(b, ')')
	}
	return b
}
