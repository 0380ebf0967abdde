package podtopologyspread

import (
	"maps"
	"math"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// filterState counts the matching pods in each domain of each constraint.
type filterState struct {
	constraints []constraint
	counts      []map[string]int
	least       []int // the smallest of counts; math.MaxInt32 if there is no domain
}

// CloneState returns a state that AddPod and RemovePod may change.
func (s *filterState) CloneState() any {
	c := &filterState{s.constraints, make([]map[string]int, len(s.counts)), append([]int(nil), s.least...)}
	for i, m := range s.counts {
		c.counts[i] = maps.Clone(m)
	}
	return c
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
	s := &filterState{constraints: l, counts: make([]map[string]int, len(l)), least: make([]int, len(l))}
	for i := range s.counts {
		s.counts[i] = map[string]int{}
	}
	for _, n := range st.Cluster.Nodes {
		if !hasAll(n.Node.Labels, l) {
			continue
		}
		for i := range l {
			if l[i].counts(p, n.Node) {
				s.counts[i][n.Node.Labels[l[i].key]] += l[i].matching(n, p.Pod.Namespace)
			}
		}
	}
	for i := range l {
		s.findLeast(i)
	}
	st.SetFilter(f.PodTopologySpread, s)
	return nil, nil
}

func (s *filterState) findLeast(i int) {
	s.least[i] = math.MaxInt32
	for _, n := range s.counts[i] {
		s.least[i] = min(s.least[i], n)
	}
}

// AddPod counts in a pod that is assumed to come to a node.
func (Plugin) AddPod(st *f.State, p, added *f.PodInfo, n *f.NodeInfo) { update(st, p, added, n, 1) }

// RemovePod counts out a pod that is assumed to leave a node.
func (Plugin) RemovePod(st *f.State, p, gone *f.PodInfo, n *f.NodeInfo) { update(st, p, gone, n, -1) }

func update(st *f.State, p, other *f.PodInfo, n *f.NodeInfo, by int) {
	s, ok := st.Filter(f.PodTopologySpread).(*filterState)
	if !ok || other.Pod.Namespace != p.Pod.Namespace || n.Node == nil || !hasAll(n.Node.Labels, s.constraints) {
		return
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		if c.selector.Matches(other.Pod.Labels) && c.counts(p, n.Node) {
			s.counts[i][n.Node.Labels[c.key]] += by
			s.findLeast(i)
		}
	}
}

// Filter rejects a node whose domain would be ahead of the emptiest by more than
// the constraint allows.
func (Plugin) Filter(st *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.PodTopologySpread).(*filterState)
	if !ok {
		return nil
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		domain, ok := n.Node.Labels[c.key]
		if !ok {
			return f.NewStatus(f.PodTopologySpread, f.UnschedulableAndUnresolvable, ErrReasonNodeLabelNotMatch)
		}
		if Skew(s.counts[i][domain], c.selector.Matches(p.Pod.Labels), s.least[i], len(s.counts[i]), c.minDomains) > c.maxSkew {
			return f.NewStatus(f.PodTopologySpread, f.Unschedulable, ErrReasonConstraintsNotMatch)
		}
	}
	return nil
}

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
