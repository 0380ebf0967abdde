package scheduler

import (
	"podwalk/core/actor"
	f "podwalk/core/scheduler/framework"
)

// The sampling of nodes (pkg/scheduler/schedule_one.go).
const (
	minFeasibleNodes      = 100
	minFeasiblePercentage = 5
)

// noNodes is what a pod is told when there is no node at all.
const noNodes = "no nodes available to schedule pods"

// Result is the outcome of the search for a node.
type Result struct {
	Node     string
	Feasible []*f.NodeInfo
	Totals   []int64      // of Feasible; nil if there was only one
	Scores   []Column     // what each plugin adds to Totals
	Failed   *f.Diagnosis // why no node is feasible
	Err      string       // an error of the scheduler itself
	Rejected bool         // Err is a rejection: no nodes
	Examined int
}

// Column is one plugin's ranking of the feasible nodes: as its Score returned it,
// and normalised and weighted.
type Column struct {
	Plugin     f.ID
	Raw, Final []int64
}

// cycle is one search for a node.
type cycle struct {
	profile  *Profile
	state    *f.State
	pod      *f.PodInfo
	rotation int
	random   func(n uint64) uint64
	scratch  *scratch
	template *template // nil remembers nothing
	// everywhere asks all nodes, however many fit.
	everywhere bool
}

// scratch is memory that one cycle leaves to the next: a Result is good until the
// next cycle.
type scratch struct {
	feasible  []*f.NodeInfo
	numbers   []int64
	templates []*template // the latest first
}

// take returns n zeroes.
func (m *scratch) take(n int) []int64 {
	if cap(m.numbers)-len(m.numbers) < n {
		m.numbers = make([]int64, 0, max(2*cap(m.numbers), n, 256))
	}
	i := len(m.numbers)
	m.numbers = m.numbers[:i+n]
	clear(m.numbers[i:])
	return m.numbers[i : i+n : i+n]
}

var _ f.Runner = (*cycle)(nil)

func (s *Scheduler) newCycle(c *actor.Ctx, p *f.PodInfo, attempt int) *cycle {
	name := p.Pod.Namespace + "/" + p.Pod.Name
	if s.scratch == nil {
		s.scratch = &scratch{}
	}
	s.scratch.feasible, s.scratch.numbers = s.scratch.feasible[:0], s.scratch.numbers[:0]
	t := s.templateOf(p)
	st := &f.State{Cluster: s.clusterOf(c.Read)}
	if t != nil {
		st.Template = &t.Template
	}
	return &cycle{scratch: s.scratch, profile: s.profiles[p.Pod.Spec.SchedulerName], state: st, template: t, pod: p, rotation: s.rotation,
		random: func(n uint64) uint64 { return c.Random("scheduler", name, uint64(attempt)<<32+n) }}
}

// Random returns the n-th value of the pod's stream in this cycle.
func (y *cycle) Random(_ *f.PodInfo, n uint64) uint64 { return y.random(n) }

// schedule finds the node for the pod, without looking at preemption.
func (y *cycle) schedule() Result {
	all := y.state.Cluster.Nodes
	if len(all) == 0 {
		return Result{Err: noNodes, Rejected: true}
	}
	d := &f.Diagnosis{All: len(all)}
	names, st := y.preFilter(d)
	if st != nil {
		if !st.Rejected() {
			return Result{Err: st.Message()}
		}
		d.Absent, d.PreFilter = st, st.Message()
		d.Note(st)
		return Result{Failed: d}
	}
	r := Result{Failed: d}
	if name := y.pod.Pod.Status.NominatedNodeName; name != "" {
		if n := y.state.Cluster.Node(name); n != nil && names.allows(name) && y.Filter(y.state, y.pod, n).OK() {
			r.Feasible = []*f.NodeInfo{n}
		}
	}
	if len(r.Feasible) == 0 {
		if err := y.find(&r, names); err != "" {
			return Result{Err: err}
		}
	}
	if len(r.Feasible) > 0 {
		r.Failed = nil
		y.choose(&r)
	}
	return r
}

// allowed is the list of nodes that the PreFilters leave; nil leaves all.
type allowed struct {
	names *f.NodeNames
	by    f.Set // the plugins that restricted them
}

func (a allowed) allows(name string) bool {
	if a.names == nil {
		return true
	}
	for _, n := range a.names.Names {
		if n == name {
			return true
		}
	}
	return false
}

// preFilter runs the PreFilter plugins (framework/runtime, RunPreFilterPlugins).
func (y *cycle) preFilter(d *f.Diagnosis) (allowed, *f.Status) {
	var a allowed
	var rejected *f.Status
	for _, pl := range y.profile.preFilter {
		names, st := pl.PreFilter(y.state, y.pod)
		switch {
		case st.IsSkip():
			y.state.SkipFilter(pl.ID())
			continue
		case st.OK():
		case st.Code == f.Unschedulable:
			rejected = st
			continue
		case st.Rejected():
			return a, st
		default:
			return a, f.NewStatus(pl.ID(), f.Error, "running PreFilter plugin "+quoted(pl.ID().String())+": "+st.Message())
		}
		if names != nil {
			a.by = a.by.With(pl.ID())
		}
		a.names = a.names.Intersect(names)
		if a.names != nil && len(a.names.Names) == 0 {
			d.Unschedulable = a.by
			return a, f.NewStatus(pl.ID(), f.UnschedulableAndUnresolvable, emptied(a.by))
		}
	}
	d.Unschedulable = a.by
	return a, rejected
}

func emptied(by f.Set) string {
	names := by.Names()
	if len(names) == 1 {
		return "node(s) didn't satisfy plugin " + names[0]
	}
	return "node(s) didn't satisfy plugin(s) " + bracketed(names) + " simultaneously"
}

func bracketed(names []string) string {
	s := "["
	for i, n := range names {
		if i > 0 {
			s += " "
		}
		s += n
	}
	return s + "]"
}

// find looks for feasible nodes, beginning where the last search ended and
// stopping when enough are found.
func (y *cycle) find(r *Result, a allowed) string {
	all := y.state.Cluster.Nodes
	nodes := all
	if a.names != nil {
		nodes = nil
		for _, name := range a.names.Names {
			if n := y.state.Cluster.Node(name); n != nil {
				nodes = append(nodes, n)
			}
		}
		r.Failed.Absent = f.NewStatus(0, f.UnschedulableAndUnresolvable, "node(s) didn't satisfy plugin(s) "+bracketed(a.by.Names()))
	}
	want := y.enough(len(nodes))
	r.Feasible = y.scratch.feasible
	defer func() { y.scratch.feasible = r.Feasible }()
	for i := range nodes {
		at := y.rotation + i
		if at >= len(nodes) {
			at %= len(nodes)
		}
		n := nodes[at]
		st := y.ask(n)
		switch {
		case st.OK():
			if len(r.Feasible) == want {
				return y.turn(r, len(all))
			}
			r.Feasible = append(r.Feasible, n)
		case !st.Rejected():
			return st.Message()
		default:
			r.Failed.Nodes = append(r.Failed.Nodes, f.NodeStatus{Node: n.Name(), Status: st})
			r.Failed.Note(st)
		}
	}
	return y.turn(r, len(all))
}

func (y *cycle) turn(r *Result, all int) string {
	r.Examined = len(r.Feasible) + len(r.Failed.Nodes)
	y.rotation = (y.rotation + r.Examined) % all
	return ""
}

// enough returns how many feasible nodes end the search
// (pkg/scheduler/schedule_one.go, numFeasibleNodesToFind).
func (y *cycle) enough(all int) int {
	if all < minFeasibleNodes || y.everywhere {
		return all
	}
	percentage := y.profile.Percentage
	if percentage == 0 {
		percentage = max(50-all/125, minFeasiblePercentage)
	}
	return max(all*percentage/100, minFeasibleNodes)
}

// Filter runs the filters on a node; with pods of at least the same priority
// nominated to it, once with them counted in and once without
// (framework/runtime, RunFilterPluginsWithNominatedPods).
func (y *cycle) Filter(s *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if with, node := y.withNominated(s, p, n); with != nil {
		if st := y.filters(with, p, node); !st.OK() {
			return st
		}
	}
	return y.filters(s, p, n)
}

// ask is Filter for the pod of the cycle and a node as it is.
func (y *cycle) ask(n *f.NodeInfo) *f.Status {
	t := y.template
	if t == nil || y.state.Cluster.Nominated != nil && len(y.state.Cluster.Nominated(n.Name())) > 0 {
		return y.Filter(y.state, y.pod, n)
	}
	if !t.known[n.Pos] {
		t.status[n.Pos] = y.run(y.profile.filter[:y.profile.local], y.state, y.pod, n)
		t.known[n.Pos] = true
	}
	if st := t.status[n.Pos]; st != nil {
		return st
	}
	return y.run(y.profile.filter[y.profile.local:], y.state, y.pod, n)
}

func (y *cycle) withNominated(s *f.State, p *f.PodInfo, n *f.NodeInfo) (*f.State, *f.NodeInfo) {
	var with *f.State
	if s.Cluster.Nominated == nil {
		return nil, n
	}
	for _, o := range s.Cluster.Nominated(n.Name()) {
		if o.Priority < p.Priority || o.Pod.UID == p.Pod.UID {
			continue
		}
		if with == nil {
			with, n = s.Clone(), n.Copy()
		}
		n.AddPod(o)
		y.AddPod(with, p, o, n)
	}
	return with, n
}

func (y *cycle) filters(s *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	return y.run(y.profile.filter, s, p, n)
}

func (y *cycle) run(l []f.FilterPlugin, s *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	for _, pl := range l {
		if s.SkipsFilter(pl.ID()) {
			continue
		}
		st := pl.Filter(s, p, n)
		if st.OK() {
			continue
		}
		if !st.Rejected() {
			return f.NewStatus(pl.ID(), f.Error, "running "+quoted(pl.ID().String())+" filter plugin: "+st.Message())
		}
		return st
	}
	return nil
}

// AddPod tells the plugins that a pod is assumed to come to a node.
func (y *cycle) AddPod(s *f.State, p, added *f.PodInfo, n *f.NodeInfo) {
	for _, x := range y.profile.extensions {
		if !s.SkipsFilter(x.id) {
			x.AddPod(s, p, added, n)
		}
	}
}

// RemovePod tells the plugins that a pod is assumed to leave a node.
func (y *cycle) RemovePod(s *f.State, p, removed *f.PodInfo, n *f.NodeInfo) {
	for _, x := range y.profile.extensions {
		if !s.SkipsFilter(x.id) {
			x.RemovePod(s, p, removed, n)
		}
	}
}

// postFilter asks the PostFilter plugins in turn until one has found a way
// (framework/runtime, RunPostFilterPlugins). nil leaves a nomination as it is.
func (y *cycle) postFilter(d *f.Diagnosis) *f.Preemption {
	if len(y.profile.postFilter) == 0 {
		return &f.Preemption{}
	}
	var result *f.Preemption
	var all f.Status
	for _, pl := range y.profile.postFilter {
		out, st := pl.PostFilter(y.state, y.pod, d, y)
		switch {
		case st.OK() || st.Unresolvable():
			d.PostFilter = st.Message()
			return out
		case !st.Rejected():
			d.PostFilter = st.Message()
			return nil
		}
		if out != nil {
			result = out
		}
		all.Reasons = append(all.Reasons, st.Reasons...)
	}
	d.PostFilter = all.Message()
	return result
}
