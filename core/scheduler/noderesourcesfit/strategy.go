package noderesourcesfit

import (
	"math"
	"strings"

	f "podwalk/core/scheduler/framework"
)

// Args are the arguments of the rule (NodeResourcesFitArgs).
type Args struct {
	Ignored       []string // extended resources that nobody asks for
	IgnoredGroups []string // the part of their names before the slash
	Strategy      Strategy
	Resources     []f.Weighted
	Shape         []f.ShapePoint // of RequestedToCapacityRatio
}

// Strategy is how nodes rank by their use.
type Strategy uint8

// The strategies.
const (
	Least Strategy = iota
	Most
	Ratio
)

// asked returns the requests without what is ignored. Emptiness is decided before
// that, as upstream does.
func (a *Args) asked(r *f.Resource) *f.Resource {
	kept := *r
	kept.Scalars = nil
	for _, s := range r.Scalars {
		if f.Extended(s.Name) && a.ignores(s.Name) {
			s.Value = 0
		}
		kept.Scalars = append(kept.Scalars, s)
	}
	return &kept
}

func (a *Args) ignores(name string) bool {
	group, _, _ := strings.Cut(name, "/")
	for _, x := range a.Ignored {
		if x == name {
			return true
		}
	}
	for _, x := range a.IgnoredGroups {
		if x == group {
			return true
		}
	}
	return false
}

// PreScore works out once what the pod asks for of each resource that counts.
func (pl Plugin) PreScore(s *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	if pl.Args == nil {
		return nil
	}
	want := make([]int64, len(pl.Args.Resources))
	for i, r := range pl.Args.Resources {
		want[i] = p.ScoredRequest(r.Name)
	}
	s.SetScore(f.NodeResourcesFit, want)
	return nil
}

func (a *Args) score(s *f.State, n *f.NodeInfo) int64 {
	want, _ := s.Score(f.NodeResourcesFit).([]int64)
	var sum, weights int64
	for i := range a.Resources {
		r := &a.Resources[i]
		capacity, used := n.Use(r.Name, &n.NonZero)
		if capacity == 0 || want[i] == 0 && f.IsScalar(r.Name) {
			continue
		}
		score := a.of(used+want[i], capacity)
		if a.Strategy == Ratio && score <= 0 {
			continue
		}
		sum += score * r.Weight
		weights += r.Weight
	}
	switch {
	case weights == 0:
		return 0
	case a.Strategy == Ratio:
		return int64(math.Round(float64(sum) / float64(weights)))
	}
	return sum / weights
}

func (a *Args) of(requested, capacity int64) int64 {
	switch {
	case a.Strategy == Most:
		return min(requested, capacity) * f.MaxNodeScore / capacity
	case a.Strategy == Ratio && requested > capacity:
		return f.BrokenLine(a.Shape, 100)
	case a.Strategy == Ratio:
		return f.BrokenLine(a.Shape, requested*100/capacity)
	case requested > capacity:
		return 0
	}
	return (capacity - requested) * f.MaxNodeScore / capacity
}
