// Package nodeports is the rule that two pods with one host port cannot share a
// node (pkg/scheduler/framework/plugins/nodeports).
package nodeports

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// ErrReason is what a node with a taken port answers.
const ErrReason = "node(s) didn't have free ports for the requested pod ports"

// Plugin is the rule NodePorts.
type Plugin struct{}

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.NodePorts.
func (Plugin) ID() f.ID { return f.NodePorts }

// PreFilter skips pods without host ports.
func (Plugin) PreFilter(_ *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	if len(p.Ports) == 0 {
		return nil, f.Skipped
	}
	return nil, nil
}

// Fits reports whether none of the wanted ports is in use.
func Fits(wanted, used []f.HostPort) bool {
	for _, w := range wanted {
		for _, u := range used {
			if w.Conflicts(u) {
				return false
			}
		}
	}
	return true
}

// Filter rejects a node on which a port is taken.
func (Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if Fits(p.Ports, n.Ports) {
		return nil
	}
	return f.NewStatus(f.NodePorts, f.Unschedulable, ErrReason)
}

// Events names a new node, and the end of a pod that held a wanted port.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Delete}, Hint: afterDelete},
		{Event: f.Event{Resource: f.Node, Action: f.Add}},
	}
}

func afterDelete(_ *f.HintContext, p *f.PodInfo, old, _ api.Object) bool {
	gone := old.(*api.Pod)
	if gone.Spec.NodeName == "" && gone.Status.NominatedNodeName == "" {
		return false
	}
	return !Fits(p.Ports, f.HostPorts(gone))
}
