// Package schedulinggates is the rule that a pod with scheduling gates does not
// enter the queue (pkg/scheduler/framework/plugins/schedulinggates).
package schedulinggates

import (
	"strings"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// ErrReason, with the gates behind it, is what a gated pod is told.
const ErrReason = "waiting for scheduling gates: "

// Plugin is the rule SchedulingGates.
type Plugin struct{}

var (
	_ f.PreEnqueuePlugin = Plugin{}
	_ f.EnqueuePlugin    = Plugin{}
)

// ID returns f.SchedulingGates.
func (Plugin) ID() f.ID { return f.SchedulingGates }

// Gates returns the names of the pod's gates.
func Gates(p *api.Pod) []string {
	var l []string
	for _, g := range p.Spec.SchedulingGates {
		l = append(l, g.Name)
	}
	return l
}

// PreEnqueue holds a gated pod back.
func (Plugin) PreEnqueue(p *f.PodInfo) *f.Status {
	gates := Gates(p.Pod)
	if len(gates) == 0 {
		return nil
	}
	return f.NewStatus(f.SchedulingGates, f.UnschedulableAndUnresolvable, ErrReason+"["+strings.Join(gates, " ")+"]")
}

// Events names the removal of the pod's last gate.
func (Plugin) Events() []f.Registration {
	return []f.Registration{{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodSchedulingGatesEliminated}}}
}
