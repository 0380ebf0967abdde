// Package noderesourcesbalanced is the rule that a node on which a pod evens out
// the use of CPU and memory ranks higher
// (pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go).
package noderesourcesbalanced

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// Plugin is the rule NodeResourcesBalancedAllocation.
type Plugin struct{}

var (
	_ f.PreScorePlugin = Plugin{}
	_ f.ScorePlugin    = Plugin{}
)

// ID returns f.NodeResourcesBalancedAllocation.
func (Plugin) ID() f.ID { return f.NodeResourcesBalancedAllocation }

// PreScore skips pods that request neither CPU nor memory.
func (Plugin) PreScore(_ *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	if p.Requests.MilliCPU == 0 && p.Requests.Memory == 0 {
		return f.Skipped
	}
	return nil
}

// Score is 75 where the pod changes nothing, 100 at most where it evens out.
func (Plugin) Score(_ *f.State, p *f.PodInfo, n *f.NodeInfo) int64 {
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
