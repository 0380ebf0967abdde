package podtopologyspread

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// scoreState counts the matching pods in the domains of the feasible nodes.
type scoreState struct {
	constraints []constraint
	counts      []map[string]*int64
	weights     []float64 // of each constraint, by its number of domains
	needAll     bool      // a node that lacks one of the labels does not count
}

// PreScore counts; it skips pods without preferences.
func (pl Plugin) PreScore(st *f.State, p *f.PodInfo, nodes []*f.NodeInfo) *f.Status {
	l, err := pl.of(p.Pod, soft, st.Cluster.Objects)
	if err != nil {
		return f.NewStatus(f.PodTopologySpread, f.Error, "calculating preScoreState: obtaining pod's soft topology spread constraints: "+err.Error())
	}
	if len(l) == 0 {
		return f.Skipped
	}
	s := &scoreState{constraints: l, counts: make([]map[string]*int64, len(l)), weights: make([]float64, len(l)),
		needAll: len(p.Pod.Spec.TopologySpreadConstraints) > 0 || pl.Defaults != nil}
	s.domains(nodes)
	for _, n := range st.Cluster.Nodes {
		if s.ignores(n) {
			continue
		}
		for i := range l {
			c := &l[i]
			if count := s.counts[i][n.Node.Labels[c.key]]; count != nil && c.counts(p, n.Node) {
				*count += int64(c.matching(n, p.Pod.Namespace))
			}
		}
	}
	st.SetScore(f.PodTopologySpread, s)
	return nil
}

// domains prepares the counters of the domains that the feasible nodes have.
func (s *scoreState) domains(nodes []*f.NodeInfo) {
	looked := 0
	for i := range s.counts {
		s.counts[i] = map[string]*int64{}
	}
	for _, n := range nodes {
		if s.ignores(n) {
			continue
		}
		looked++
		for i := range s.constraints {
			if key := s.constraints[i].key; key != hostname && s.counts[i][n.Node.Labels[key]] == nil {
				s.counts[i][n.Node.Labels[key]] = new(int64)
			}
		}
	}
	for i := range s.constraints {
		size := len(s.counts[i])
		if s.constraints[i].key == hostname {
			size = looked
		}
		s.weights[i] = math.Log(float64(size + 2))
	}
}

func (s *scoreState) ignores(n *f.NodeInfo) bool {
	return s.needAll && !hasAll(n.Node.Labels, s.constraints)
}

// Score counts against the node: the more matching pods its domains hold, the
// more; a constraint with many domains weighs more.
func (Plugin) Score(st *f.State, p *f.PodInfo, n *f.NodeInfo) int64 {
	s, ok := st.Score(f.PodTopologySpread).(*scoreState)
	if !ok || s.ignores(n) {
		return 0
	}
	var score float64
	for i := range s.constraints {
		c := &s.constraints[i]
		domain, ok := n.Node.Labels[c.key]
		if !ok {
			continue
		}
		var count int64
		if c.key == hostname {
			count = int64(c.matching(n, p.Pod.Namespace))
		} else {
			count = *s.counts[i][domain]
		}
		score += float64(float64(count)*s.weights[i]) + float64(c.maxSkew-1)
	}
	return int64(math.Round(score))
}

// Normalize ranks the emptiest node at 100, an ignored one at 0.
func (Plugin) Normalize(st *f.State, _ *f.PodInfo, nodes []*f.NodeInfo, scores []int64) {
	s, ok := st.Score(f.PodTopologySpread).(*scoreState)
	if !ok {
		return
	}
	var least, most int64 = math.MaxInt64, 0
	for i, n := range nodes {
		if !s.ignores(n) {
			least, most = min(least, scores[i]), max(most, scores[i])
		}
	}
	for i, n := range nodes {
		switch {
		case s.ignores(n):
			scores[i] = 0
		case most == 0:
			scores[i] = f.MaxNodeScore
		default:
			scores[i] = f.MaxNodeScore * (most + least - scores[i]) / most
		}
	}
}
