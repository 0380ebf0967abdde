// Package nodename is the rule that a pod which names a node goes to that node
// only (pkg/scheduler/framework/plugins/nodename).
package nodename

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// ErrReason is what a node that is not the named one answers.
const ErrReason = "node(s) didn't match the requested node name"

// Plugin is the rule NodeName.
type Plugin struct{}

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.NodeName.
func (Plugin) ID() f.ID { return f.NodeName }

// Fits reports whether a pod may go to the node of that name.
func Fits(p *api.Pod, node string) bool { return p.Spec.NodeName == "" || p.Spec.NodeName == node }

// PreFilter restricts the nodes to the named one; it skips pods that name none.
func (Plugin) PreFilter(_ *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	if name := p.Pod.Spec.NodeName; name != "" {
		return &f.NodeNames{Names: []string{name}}, nil
	}
	return nil, f.Skipped
}

// Filter rejects every other node.
func (Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if Fits(p.Pod, n.Name()) {
		return nil
	}
	return f.NewStatus(f.NodeName, f.UnschedulableAndUnresolvable, ErrReason)
}

// Events names a new node.
func (Plugin) Events() []f.Registration {
	return []f.Registration{{Event: f.Event{Resource: f.Node, Action: f.Add}}}
}
