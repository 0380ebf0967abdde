// Package noderesourcesfit is the rule that a node must have what a pod requests,
// and that the emptier node ranks higher
// (pkg/scheduler/framework/plugins/noderesources/fit.go, least_allocated.go).
package noderesourcesfit

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule; Insufficient is followed by a resource's name.
const (
	TooManyPods  = "Too many pods"
	Insufficient = "Insufficient "
)

// Plugin is the rule NodeResourcesFit. Without arguments it ranks by what stays
// free of CPU and memory.
type Plugin struct{ Args *Args }

var (
	_ f.FilterPlugin   = Plugin{}
	_ f.PreScorePlugin = Plugin{}
	_ f.ScorePlugin    = Plugin{}
	_ f.EnqueuePlugin  = Plugin{}
)

// ID returns f.NodeResourcesFit.
func (Plugin) ID() f.ID { return f.NodeResourcesFit }

// Shortage lists why a request does not fit, and reports whether it would not fit
// an empty node either.
func Shortage(want, free, allocatable *f.Resource, pods int64) (reasons []string, never bool) {
	if pods+1 > allocatable.Pods {
		reasons = append(reasons, TooManyPods)
	}
	if want.Empty() {
		return reasons, false
	}
	check := func(name string, want, free, all int64) {
		if want > 0 && want > free {
			reasons = append(reasons, Insufficient+name)
			never = never || want > all
		}
	}
	check("cpu", want.MilliCPU, free.MilliCPU, allocatable.MilliCPU)
	check("memory", want.Memory, free.Memory, allocatable.Memory)
	check("ephemeral-storage", want.EphemeralStorage, free.EphemeralStorage, allocatable.EphemeralStorage)
	for _, s := range want.Scalars {
		have, _ := free.Scalar(s.Name)
		all, _ := allocatable.Scalar(s.Name)
		check(s.Name, s.Value, have, all)
	}
	return reasons, never
}

// Filter rejects a node that lacks something.
func (pl Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if fitsFast(p, n) {
		return nil
	}
	free := n.Free()
	want := &p.Requests
	if pl.Args != nil {
		want = pl.Args.asked(want)
	}
	reasons, never := Shortage(want, &free, &n.Allocatable, int64(len(n.Pods)))
	if len(reasons) == 0 {
		return nil
	}
	code := f.Unschedulable
	if never {
		code = f.UnschedulableAndUnresolvable
	}
	return f.NewStatus(f.NodeResourcesFit, code, reasons...)
}

// fitsFast decides the common case, in which nothing is short, without allocating.
func fitsFast(p *f.PodInfo, n *f.NodeInfo) bool {
	r, a, u := &p.Requests, &n.Allocatable, &n.Requested
	return len(r.Scalars) == 0 && int64(len(n.Pods)) < a.Pods &&
		(r.MilliCPU == 0 || r.MilliCPU <= a.MilliCPU-u.MilliCPU) && (r.Memory == 0 || r.Memory <= a.Memory-u.Memory) &&
		(r.EphemeralStorage == 0 || r.EphemeralStorage <= a.EphemeralStorage-u.EphemeralStorage)
}

// Score is the mean of the shares of CPU and memory that stay free, or what the
// strategy of the arguments says.
func (pl Plugin) Score(s *f.State, p *f.PodInfo, n *f.NodeInfo) int64 {
	if pl.Args != nil {
		return pl.Args.score(s, n)
	}
	return LeastAllocated(n.NonZero.MilliCPU+p.Scored.MilliCPU, n.Allocatable.MilliCPU,
		n.NonZero.Memory+p.Scored.Memory, n.Allocatable.Memory)
}

// LeastAllocated ranks by what is free of two resources of equal weight; one with
// no capacity does not count.
func LeastAllocated(cpu, cpuCapacity, memory, memoryCapacity int64) int64 {
	var sum, weight int64
	for _, r := range [...][2]int64{{cpu, cpuCapacity}, {memory, memoryCapacity}} {
		requested, capacity := r[0], r[1]
		if capacity == 0 {
			continue
		}
		weight++
		if requested <= capacity {
			sum += (capacity - requested) * f.MaxNodeScore / capacity
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// Events names whatever may free or add resources.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Delete}, Hint: afterDelete},
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeAllocatable}, Hint: afterNode},
		{Event: f.Event{Resource: f.AssignedPod, Action: f.UpdatePodScaleDown}, Hint: afterScaleDown},
		{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodScaleDown}},
	}
}

func afterDelete(_ *f.HintContext, _ *f.PodInfo, old, _ api.Object) bool {
	gone := old.(*api.Pod)
	return gone.Spec.NodeName != "" || gone.Status.NominatedNodeName != ""
}

func afterNode(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	now := f.NewResource(new.(*api.Node).Status.Allocatable)
	if reasons, _ := Shortage(&p.Requests, &now, &now, 0); len(reasons) > 0 {
		return false
	}
	was, ok := old.(*api.Node)
	if !ok {
		return true
	}
	before := f.NewResource(was.Status.Allocatable)
	return now.Pods > before.Pods || grown(&p.Requests, &before, &now)
}

func afterScaleDown(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	if new.(*api.Pod).Spec.NodeName == "" {
		return false
	}
	before, after := f.NewPodInfo(old.(*api.Pod)), f.NewPodInfo(new.(*api.Pod))
	return grown(&p.Requests, &after.Requests, &before.Requests)
}

// grown reports whether a wanted resource is greater in b than in a.
func grown(want, a, b *f.Resource) bool {
	if want.MilliCPU > 0 && b.MilliCPU > a.MilliCPU || want.Memory > 0 && b.Memory > a.Memory ||
		want.EphemeralStorage > 0 && b.EphemeralStorage > a.EphemeralStorage {
		return true
	}
	for _, s := range want.Scalars {
		x, _ := a.Scalar(s.Name)
		y, _ := b.Scalar(s.Name)
		if s.Value > 0 && y > x {
			return true
		}
	}
	return false
}
