// Package noderesourcesbalanced is the rule that a node on which a pod evens out
// the use of CPU and memory ranks higher
// (pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go).
package noderesourcesbalanced

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// Plugin is the rule NodeResourcesBalancedAllocation, of CPU and memory unless
// Resources names others.
type Plugin struct{ Resources []string }

var (
	_ f.PreScorePlugin = Plugin{}
	_ f.ScorePlugin    = Plugin{}
)

// ID returns f.NodeResourcesBalancedAllocation.
func (Plugin) ID() f.ID { return f.NodeResourcesBalancedAllocation }

// PreScore skips pods that request neither CPU nor memory.
func (pl Plugin) PreScore(s *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	if pl.Resources != nil {
		return pl.preScore(s, p)
	}
	if p.Requests.MilliCPU == 0 && p.Requests.Memory == 0 {
		return f.Skipped
	}
	return nil
}

// Score is 75 where the pod changes nothing, 100 at most where it evens out.
func (pl Plugin) Score(s *f.State, p *f.PodInfo, n *f.NodeInfo) int64 {
	if pl.Resources != nil {
		return pl.score(s, n)
	}
	with := Balance(n.Requested.MilliCPU+p.Requests.MilliCPU, n.Allocatable.MilliCPU,
		n.Requested.Memory+p.Requests.Memory, n.Allocatable.Memory)
	without := Balance(n.Requested.MilliCPU, n.Allocatable.MilliCPU, n.Requested.Memory, n.Allocatable.Memory)
	return f.MaxNodeScore/2 + (f.MaxNodeScore/2+with-without)/2
}

// Balance is 100 if CPU and memory are used to the same share, 50 if one is full
// and the other empty. A resource without capacity does not count.
func Balance(cpu, cpuCapacity, memory, memoryCapacity int64) int64 {
	if cpuCapacity == 0 || memoryCapacity == 0 {
		return f.MaxNodeScore
	}
	a := min(float64(cpu)/float64(cpuCapacity), 1)
	b := min(float64(memory)/float64(memoryCapacity), 1)
	std := math.Abs((a - b) / 2)
	return int64((1 - std) * float64(f.MaxNodeScore))
}

// preScore works out what the pod asks for of each resource.
func (pl Plugin) preScore(s *f.State, p *f.PodInfo) *f.Status {
	want := make([]int64, len(pl.Resources))
	any := false
	for i, name := range pl.Resources {
		want[i] = p.Request(name)
		any = any || want[i] != 0
	}
	if !any {
		return f.Skipped
	}
	s.SetScore(f.NodeResourcesBalancedAllocation, want)
	return nil
}

func (pl Plugin) score(s *f.State, n *f.NodeInfo) int64 {
	want, _ := s.Score(f.NodeResourcesBalancedAllocation).([]int64)
	var with, without []float64
	for i, name := range pl.Resources {
		capacity, used := n.Use(name, &n.Requested)
		if capacity == 0 || want[i] == 0 && f.IsScalar(name) {
			continue
		}
		with = append(with, min(float64(used+want[i])/float64(capacity), 1))
		without = append(without, min(float64(used)/float64(capacity), 1))
	}
	return f.MaxNodeScore/2 + (f.MaxNodeScore/2+even(with)-even(without))/2
}

// even is 100 if all shares are equal, and less by their standard deviation.
func even(shares []float64) int64 {
	std := 0.0
	switch n := float64(len(shares)); {
	case len(shares) == 2:
		std = math.Abs((shares[0] - shares[1]) / 2)
	case len(shares) > 2:
		total, sum := 0.0, 0.0
		for _, x := range shares {
			total += x
		}
		for _, x := range shares {
			sum += float64((x - total/n) * (x - total/n))
		}
		std = math.Sqrt(sum / n)
	}
	return int64((1 - std) * float64(f.MaxNodeScore))
}
