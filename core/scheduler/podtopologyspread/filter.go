package podtopologyspread

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// filterState is what Filter goes by.
type filterState struct {
	*table
	self    []bool  // the pod itself matches
	sums    [][]int // the table's, until a pod is assumed to come or go
	least   []int   // the smallest of sums; math.MaxInt32 if there is no domain
	domains []int
}

// CloneState returns a state that AddPod and RemovePod may change.
func (s *filterState) CloneState() any {
	c := *s
	c.sums, c.least = make([][]int, len(s.sums)), append([]int(nil), s.least...)
	for i, l := range s.sums {
		c.sums[i] = append([]int(nil), l...)
	}
	return &c
}

// PreFilter counts; it skips pods without a constraint that must hold.
func (pl Plugin) PreFilter(st *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	l, err := pl.of(p.Pod, hard, st.Cluster.Objects)
	if err != nil {
		return nil, f.NewStatus(f.PodTopologySpread, f.Error, "get constraints from pod: obtaining pod's hard topology spread constraints: "+err.Error())
	}
	if len(l) == 0 {
		return nil, f.Skipped
	}
	t := tableOf(st, p, l, true, hard)
	s := &filterState{table: t, sums: t.sums, self: make([]bool, len(l)), least: make([]int, len(l)), domains: make([]int, len(l))}
	for i := range l {
		s.self[i] = l[i].selector.Matches(p.Pod.Labels)
		s.least[i], s.domains[i] = t.least(i, s.sums[i])
	}
	st.SetFilter(f.PodTopologySpread, s)
	return nil, nil
}

// AddPod counts in a pod that is assumed to come to a node.
func (Plugin) AddPod(st *f.State, p, added *f.PodInfo, n *f.NodeInfo) { update(st, p, added, n, 1) }

// RemovePod counts out a pod that is assumed to leave a node.
func (Plugin) RemovePod(st *f.State, p, gone *f.PodInfo, n *f.NodeInfo) { update(st, p, gone, n, -1) }

func update(st *f.State, p, other *f.PodInfo, n *f.NodeInfo, by int) {
	s, ok := st.Filter(f.PodTopologySpread).(*filterState)
	if !ok || other.Pod.Namespace != p.Pod.Namespace || n.Node == nil || s.lacks(n.Pos) {
		return
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		if s.counted[i][n.Pos] && c.selector.Matches(other.Pod.Labels) {
			s.sums[i][s.table.domains[i].Of[n.Pos]] += by
			s.least[i], _ = s.table.least(i, s.sums[i])
		}
	}
}

// Filter rejects a node whose domain would be ahead of the emptiest by more than
// the constraint allows.
func (Plugin) Filter(st *f.State, _ *f.PodInfo, n *f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.PodTopologySpread).(*filterState)
	if !ok {
		return nil
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		domain := s.table.domains[i].Of[n.Pos]
		if domain < 0 {
			return missingLabel
		}
		if Skew(s.sums[i][domain], s.self[i], s.least[i], s.domains[i], c.minDomains) > c.maxSkew {
			return tooSkewed
		}
	}
	return nil
}

var (
	missingLabel = f.NewStatus(f.PodTopologySpread, f.UnschedulableAndUnresolvable, ErrReasonNodeLabelNotMatch)
	tooSkewed    = f.NewStatus(f.PodTopologySpread, f.Unschedulable, ErrReasonConstraintsNotMatch)
)

// Skew is how far a domain would be ahead of the emptiest one; with fewer domains
// than wanted the emptiest counts as 0.
func Skew(matching int, self bool, least, domains, minDomains int) int {
	if domains < minDomains {
		least = 0
	}
	if self {
		matching++
	}
	return matching - least
}

// Events names what may change the counts or the domains.
func (pl Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Add | f.UpdatePodLabel | f.Delete}, Hint: pl.afterPod},
		{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodToleration | f.UpdatePodLabel}, Hint: pl.afterTarget},
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.Delete | f.UpdateNodeLabel | f.UpdateNodeTaint}, Hint: pl.afterNode},
	}
}

func (pl Plugin) afterTarget(h *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	l, err := pl.of(p.Pod, hard, h.Cluster.Objects)
	was, now := old.(*api.Pod), new.(*api.Pod)
	if err != nil {
		return true
	}
	for i := range l {
		if l[i].honorTaints && len(was.Spec.Tolerations) != len(now.Spec.Tolerations) {
			return true
		}
	}
	return matchChanged(l, was, now)
}

func matchChanged(l []constraint, was, now *api.Pod) bool {
	for i := range l {
		if l[i].selector.Matches(was.Labels) != l[i].selector.Matches(now.Labels) {
			return true
		}
	}
	return false
}

func (pl Plugin) afterPod(h *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	l, err := pl.of(p.Pod, hard, h.Cluster.Objects)
	if err != nil {
		return true
	}
	was, _ := old.(*api.Pod)
	now, _ := new.(*api.Pod)
	if !involved(was, p.Pod) || !involved(now, p.Pod) {
		return false
	}
	if was != nil && now != nil {
		return matchChanged(l, was, now)
	}
	if now == nil {
		now = was
	}
	for i := range l {
		if l[i].selector.Matches(now.Labels) {
			return true
		}
	}
	return false
}

func involved(o, p *api.Pod) bool {
	return o == nil || (o.Spec.NodeName != "" || o.Status.NominatedNodeName != "") && o.Namespace == p.Namespace
}

func (pl Plugin) afterNode(h *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	l, err := pl.of(p.Pod, hard, h.Cluster.Objects)
	if err != nil {
		return true
	}
	was, _ := old.(*api.Node)
	now, _ := new.(*api.Node)
	has := func(n *api.Node) bool { return n != nil && hasAll(n.Labels, l) }
	if was == nil || now == nil || has(was) != has(now) {
		return has(was) || has(now)
	}
	return has(now) && (!sameDomains(l, was, now) || !sameTaints(was.Spec.Taints, now.Spec.Taints))
}

func sameDomains(l []constraint, was, now *api.Node) bool {
	for i := range l {
		if was.Labels[l[i].key] != now.Labels[l[i].key] {
			return false
		}
	}
	return true
}

func sameTaints(a, b []api.Taint) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || a[i].Value != b[i].Value || a[i].Effect != b[i].Effect {
			return false
		}
	}
	return true
}
