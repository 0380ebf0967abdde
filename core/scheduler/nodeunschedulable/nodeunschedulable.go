// Package nodeunschedulable is the rule that a cordoned node takes only pods that
// tolerate it (pkg/scheduler/framework/plugins/nodeunschedulable).
package nodeunschedulable

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// ErrReason is what a cordoned node answers.
const ErrReason = "node(s) were unschedulable"

// Plugin is the rule NodeUnschedulable.
type Plugin struct{}

var (
	_ f.FilterPlugin  = Plugin{}
	_ f.EnqueuePlugin = Plugin{}
)

var cordoned = api.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}

// ID returns f.NodeUnschedulable.
func (Plugin) ID() f.ID { return f.NodeUnschedulable }

// Fits reports whether a node, cordoned or not, takes a pod with these tolerations.
func Fits(unschedulable bool, tolerations []api.Toleration) bool {
	return !unschedulable || api.Tolerated(tolerations, &cordoned)
}

// Filter rejects a cordoned node.
func (Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if Fits(n.Unschedulable, p.Pod.Spec.Tolerations) {
		return nil
	}
	return f.NewStatus(f.NodeUnschedulable, f.UnschedulableAndUnresolvable, ErrReason)
}

// Events names a node that is new or uncordoned, and a toleration of the cordon.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeTaint}, Hint: afterNode},
		{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodToleration}, Hint: afterToleration},
	}
}

func afterNode(_ *f.HintContext, _ *f.PodInfo, old, new api.Object) bool {
	was, ok := old.(*api.Node)
	return !new.(*api.Node).Spec.Unschedulable && (!ok || was.Spec.Unschedulable)
}

func afterToleration(_ *f.HintContext, _ *f.PodInfo, _, new api.Object) bool {
	return api.Tolerated(new.(*api.Pod).Spec.Tolerations, &cordoned)
}
