package podtopologyspread

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// scoreState is what Score goes by.
type scoreState struct {
	*table
	weights []float64 // of each constraint, by its number of domains
	needAll bool      // a node that lacks one of the labels does not count
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
	s := &scoreState{weights: make([]float64, len(l)), needAll: len(p.Pod.Spec.TopologySpreadConstraints) > 0 || pl.Defaults != nil}
	s.table = tableOf(st, p, l, s.needAll, soft)
	for i := range l {
		s.weights[i] = math.Log(float64(s.size(i, nodes) + 2))
	}
	st.SetScore(f.PodTopologySpread, s)
	return nil
}

// size returns how many domains of a constraint the feasible nodes have; without
// the label is a domain too, that of the empty value.
func (s *scoreState) size(i int, nodes []*f.NodeInfo) int {
	d := s.domains[i]
	each := s.constraints[i].key == hostname
	seen := make([]bool, len(d.Names)+1)
	n := 0
	for _, node := range nodes {
		at := d.Of[node.Pos]
		switch {
		case s.needAll && s.lacks(node.Pos):
			continue
		case each:
			n++
			continue
		case at < 0:
			at = emptyValue(d)
		}
		if !seen[at] {
			seen[at] = true
			n++
		}
	}
	return n
}

func emptyValue(d *f.Domains) int32 {
	for i, name := range d.Names {
		if name == "" {
			return int32(i)
		}
	}
	return int32(len(d.Names))
}

func (s *scoreState) ignores(n *f.NodeInfo) bool { return s.needAll && s.lacks(n.Pos) }

// Score counts against the node: the more matching pods its domains hold, the
// more; a constraint with many domains weighs more.
func (Plugin) Score(st *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	s, ok := st.Score(f.PodTopologySpread).(*scoreState)
	if !ok || s.ignores(n) {
		return 0
	}
	var score float64
	for i := range s.constraints {
		c := &s.constraints[i]
		domain := s.domains[i].Of[n.Pos]
		if domain < 0 {
			continue
		}
		count := s.sums[i][domain]
		if c.key == hostname {
			count = int(s.matching[i][n.Pos])
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
