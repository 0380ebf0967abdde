// Package defaultpreemption looks, when no node is feasible, for one on which
// evicting pods of lower priority would make room
// (pkg/scheduler/framework/plugins/defaultpreemption and framework/preemption).
// It evicts nobody: the scheduler carries the outcome out. The choice among the
// candidates is in pick.go.
package defaultpreemption

import (
	"sort"
	"strconv"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	NotHelpful  = "Preemption is not helpful for scheduling"
	NoVictims   = "No preemption victims found for incoming pod"
	Never       = "not eligible due to preemptionPolicy=Never."
	Terminating = "not eligible due to a terminating pod on the nominated node."
	prefix      = "preemption: "
)

// How many candidates end the search (DefaultPreemptionArgs).
const (
	minCandidatePercentage = 10
	minCandidates          = 100
)

// Plugin is the rule DefaultPreemption; nil arguments are the default.
type Plugin struct{ Args *Args }

// Args say how many candidates end the search (DefaultPreemptionArgs): a share of
// the nodes in percent, and a number.
type Args struct{ Percentage, Absolute int }

var _ f.PostFilterPlugin = Plugin{}

// ID returns f.DefaultPreemption.
func (Plugin) ID() f.ID { return f.DefaultPreemption }

// PostFilter returns the best candidate. Without one the nomination is taken back;
// a pod that may not preempt keeps it.
func (pl Plugin) PostFilter(s *f.State, p *f.PodInfo, d *f.Diagnosis, r f.Runner) (*f.Preemption, *f.Status) {
	if no := ineligible(s, p, d); no != "" {
		return nil, status(no)
	}
	out := &f.Preemption{}
	failed := &f.Diagnosis{All: len(s.Cluster.Nodes), Absent: f.NewStatus(f.DefaultPreemption, f.UnschedulableAndUnresolvable, NotHelpful)}
	found := search(s, p, potential(s, d), pl.enough, r, out, failed)
	if len(found) == 0 {
		return out, status(failed.Message())
	}
	best := pick(found, r.Random(p, 2))
	out.Node, out.Victims = best.Node, best.Victims
	return out, f.NewStatus(f.DefaultPreemption, f.Success, prefix+"found a potential placement for pod on node "+best.Node+
		", preempting "+strconv.Itoa(len(best.Victims))+" victims")
}

func status(message string) *f.Status {
	return f.NewStatus(f.DefaultPreemption, f.Unschedulable, prefix+message)
}

// ineligible says why the pod may not preempt, or "". While a victim of it is
// still terminating on its node, it waits.
func ineligible(s *f.State, p *f.PodInfo, d *f.Diagnosis) string {
	if policy := p.Pod.Spec.PreemptionPolicy; policy != nil && *policy == "Never" {
		return Never
	}
	name := p.Pod.Status.NominatedNodeName
	if name == "" || d.Of(name).Unresolvable() {
		return ""
	}
	if n := s.Cluster.Node(name); n != nil {
		for _, v := range n.Pods {
			if v.Priority < p.Priority && preempted(v.Pod) {
				return Terminating
			}
		}
	}
	return ""
}

// preempted reports whether a preemption is what ends the pod.
func preempted(p *api.Pod) bool {
	if p.DeletionTimestamp == nil {
		return false
	}
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == "DisruptionTarget" {
			return c.Status == "True" && c.Reason == "PreemptionByScheduler"
		}
	}
	return false
}

// potential returns the nodes that rejected the pod in a way that evicting may help.
func potential(s *f.State, d *f.Diagnosis) []*f.NodeInfo {
	var l []*f.NodeInfo
	said := make(map[string]*f.Status, len(d.Nodes))
	for i := range d.Nodes {
		said[d.Nodes[i].Node] = d.Nodes[i].Status
	}
	for _, n := range s.Cluster.Nodes {
		st, ok := said[n.Name()]
		if !ok {
			st = d.Absent
		}
		if st != nil && st.Code == f.Unschedulable {
			l = append(l, n)
		}
	}
	return l
}

// enough is how many candidates of n nodes end the search (calculateNumCandidates).
func (pl Plugin) enough(n int) int {
	percentage, absolute := minCandidatePercentage, minCandidates
	if pl.Args != nil {
		percentage, absolute = pl.Args.Percentage, pl.Args.Absolute
	}
	return min(max(n*percentage/100, absolute), n)
}

// search tries the nodes, from a random one on, until there are enough candidates
// and one of them violates no budget (DryRunPreemption).
func search(s *f.State, p *f.PodInfo, nodes []*f.NodeInfo, enoughOf func(int) int, r f.Runner, out *f.Preemption, failed *f.Diagnosis) []f.Candidate {
	if len(nodes) == 0 {
		return nil
	}
	enough := enoughOf(len(nodes))
	offset := int(r.Random(p, 1) % uint64(len(nodes)))
	budgets := newBudgets(s)
	var clean, violating []f.Candidate
	for i := range nodes {
		n := nodes[(offset+i)%len(nodes)]
		victims, violations, st := selectVictims(s, p, n, budgets, r)
		if !st.OK() {
			failed.Nodes = append(failed.Nodes, f.NodeStatus{Node: n.Name(), Status: st})
			out.Search = append(out.Search, f.Candidate{Node: n.Name(), No: st.Message()})
			continue
		}
		c := f.Candidate{Node: n.Name(), Victims: victims, Violations: violations}
		out.Search = append(out.Search, c)
		if violations == 0 {
			clean = append(clean, c)
		} else {
			violating = append(violating, c)
		}
		if len(clean) > 0 && len(clean)+len(violating) >= enough {
			break
		}
	}
	return append(clean, violating...)
}

// selectVictims finds the fewest and least important pods without which the pod
// fits the node: it removes all of lower priority, then takes back as many as it
// can, those first that a budget protects (SelectVictimsOnNode).
func selectVictims(s *f.State, p *f.PodInfo, node *f.NodeInfo, b budgets, r f.Runner) ([]*f.PodInfo, int, *f.Status) {
	var lower []*f.PodInfo
	for _, v := range node.Pods {
		if v.Priority < p.Priority {
			lower = append(lower, v)
		}
	}
	if len(lower) == 0 {
		return nil, 0, f.NewStatus(f.DefaultPreemption, f.UnschedulableAndUnresolvable, NoVictims)
	}
	st, n := s.Clone(), node.Copy()
	remove := func(v *f.PodInfo) {
		n.RemovePod(v.Pod.UID)
		r.RemovePod(st, p, v, n)
	}
	for _, v := range lower {
		remove(v)
	}
	if rejected := r.Filter(st, p, n); !rejected.OK() {
		return nil, 0, rejected
	}
	sort.SliceStable(lower, func(i, j int) bool { return MoreImportant(lower[i], lower[j]) })
	violating, others := b.split(lower)
	var victims []*f.PodInfo
	violations := 0
	reprieve := func(v *f.PodInfo) bool {
		n.AddPod(v)
		r.AddPod(st, p, v, n)
		if r.Filter(st, p, n).OK() {
			return true
		}
		remove(v)
		victims = append(victims, v)
		return false
	}
	for _, v := range violating {
		if !reprieve(v) {
			violations++
		}
	}
	for _, v := range others {
		reprieve(v)
	}
	if len(violating) > 0 && len(others) > 0 {
		sort.SliceStable(victims, func(i, j int) bool { return MoreImportant(victims[i], victims[j]) })
	}
	if len(victims) == 0 {
		return nil, 0, f.NewStatus(f.DefaultPreemption, f.Error, "expected at least one victim pod on node "+strconv.Quote(n.Name()))
	}
	return victims, violations, nil
}

// budgets are the PodDisruptionBudgets and how many more evictions each allows.
type budgets []budget

type budget struct {
	*api.PodDisruptionBudget
	selector api.Selector
}

func newBudgets(s *f.State) budgets {
	var l budgets
	s.Cluster.Objects.Each("PodDisruptionBudget", "", func(o api.Object) bool {
		b := o.(*api.PodDisruptionBudget)
		if sel, err := b.Spec.Selector.AsSelector(); err == nil && !sel.Empty() {
			l = append(l, budget{b, sel})
		}
		return true
	})
	return l
}

// split separates the pods whose eviction would violate a budget, in order of
// importance (FilterVictimsWithPDBViolation).
func (l budgets) split(pods []*f.PodInfo) (violating, others []*f.PodInfo) {
	left := make([]int32, len(l))
	for i := range l {
		left[i] = l[i].Status.DisruptionsAllowed
	}
	for _, p := range pods {
		if l.violates(p.Pod, left) {
			violating = append(violating, p)
		} else {
			others = append(others, p)
		}
	}
	return violating, others
}

func (l budgets) violates(p *api.Pod, left []int32) bool {
	if len(p.Labels) == 0 {
		return false
	}
	for i := range l {
		if _, gone := l[i].Status.DisruptedPods[p.Name]; gone || l[i].Namespace != p.Namespace || !l[i].selector.Matches(p.Labels) {
			continue
		}
		left[i]--
		if left[i] < 0 {
			return true
		}
	}
	return false
}
