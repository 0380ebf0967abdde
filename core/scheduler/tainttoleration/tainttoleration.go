// Package tainttoleration is the rule that taints keep off pods which do not
// tolerate them, and that nodes with fewer untolerated PreferNoSchedule taints
// rank higher (pkg/scheduler/framework/plugins/tainttoleration).
package tainttoleration

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// ErrReason is what a node with an untolerated taint answers.
const ErrReason = "node(s) had untolerated taint(s)"

// Plugin is the rule TaintToleration.
type Plugin struct{}

var (
	_ f.FilterPlugin    = Plugin{}
	_ f.PreScorePlugin  = Plugin{}
	_ f.ScorePlugin     = Plugin{}
	_ f.NormalizePlugin = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.TaintToleration.
func (Plugin) ID() f.ID { return f.TaintToleration }

// Filter rejects a node with a NoSchedule or NoExecute taint that is not tolerated.
func (Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if f.Untolerated(n.Taints, p.Pod.Spec.Tolerations) == nil {
		return nil
	}
	return f.NewStatus(f.TaintToleration, f.UnschedulableAndUnresolvable, ErrReason)
}

// PreScore keeps the tolerations that speak of PreferNoSchedule.
func (Plugin) PreScore(s *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	var l []api.Toleration
	for _, t := range p.Pod.Spec.Tolerations {
		if t.Effect == "" || t.Effect == "PreferNoSchedule" {
			l = append(l, t)
		}
	}
	s.SetScore(f.TaintToleration, l)
	return nil
}

// Intolerable counts the PreferNoSchedule taints that are not tolerated.
func Intolerable(taints []api.Taint, tolerations []api.Toleration) int64 {
	var n int64
	for i := range taints {
		if taints[i].Effect == "PreferNoSchedule" && !api.Tolerated(tolerations, &taints[i]) {
			n++
		}
	}
	return n
}

// Score counts against the node.
func (Plugin) Score(s *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	l, _ := s.Score(f.TaintToleration).([]api.Toleration)
	return Intolerable(n.Taints, l)
}

// Normalize ranks the node with the most taints at 0.
func (Plugin) Normalize(_ *f.State, _ *f.PodInfo, _ []*f.NodeInfo, scores []int64) {
	f.Normalize(true, scores)
}

// Events names a node whose taints are gone, and any new toleration.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeTaint}, Hint: afterNode},
		{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodToleration}},
	}
}

func afterNode(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	l := p.Pod.Spec.Tolerations
	was, ok := old.(*api.Node)
	return (!ok || f.Untolerated(was.Spec.Taints, l) != nil) && f.Untolerated(new.(*api.Node).Spec.Taints, l) == nil
}
