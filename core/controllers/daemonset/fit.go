package daemonset

import (
	"podwalk/core/actor/placement"
	"podwalk/core/api"
)

// fit is what decides whether a set's pods run on a node.
type fit struct {
	nodeName    string
	demand      placement.Demand
	tolerations []api.Toleration
}

func newFit(d *api.DaemonSet) fit {
	spec := &d.Spec.Template.Spec
	return fit{spec.NodeName, placement.Of(spec), tolerations(spec)}
}

// on reports whether a pod shall run on the node, and whether one that is there may
// stay (NodeShouldRunDaemonPod).
func (f *fit) on(n *api.Node) (run, stay bool) {
	if f.nodeName != "" && f.nodeName != n.Name || !f.demand.Matches(n) {
		return false, false
	}
	if placement.Untolerated(n.Spec.Taints, f.tolerations, "NoExecute", "NoSchedule") != nil {
		return false, placement.Untolerated(n.Spec.Taints, f.tolerations, "NoExecute") == nil
	}
	return true, true
}

// added are the tolerations that every pod of a DaemonSet gets.
var added = []api.Toleration{
	{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"},
	{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"},
	{Key: "node.kubernetes.io/disk-pressure", Operator: "Exists", Effect: "NoSchedule"},
	{Key: "node.kubernetes.io/memory-pressure", Operator: "Exists", Effect: "NoSchedule"},
	{Key: "node.kubernetes.io/pid-pressure", Operator: "Exists", Effect: "NoSchedule"},
	{Key: "node.kubernetes.io/unschedulable", Operator: "Exists", Effect: "NoSchedule"},
	{Key: "node.kubernetes.io/network-unavailable", Operator: "Exists", Effect: "NoSchedule"},
}

// tolerations are those of the template with the added ones; the last of them only
// for pods in the host's network (AddOrUpdateDaemonPodTolerations).
func tolerations(spec *api.PodSpec) []api.Toleration {
	out := append([]api.Toleration(nil), spec.Tolerations...)
	n := len(added)
	if !spec.HostNetwork {
		n--
	}
	for _, t := range added[:n] {
		found := false
		for i := range out {
			if o := &out[i]; o.Key == t.Key && o.Operator == t.Operator && o.Effect == t.Effect && o.Value == t.Value {
				*o, found = t, true
			}
		}
		if !found {
			out = append(out, t)
		}
	}
	return out
}

// onNode is an affinity that also asks for one node by its name.
func onNode(a *api.Affinity, node string) *api.Affinity {
	out := api.Affinity{}
	if a != nil {
		out = *a
	}
	na := api.NodeAffinity{}
	if out.NodeAffinity != nil {
		na = *out.NodeAffinity
	}
	na.RequiredDuringSchedulingIgnoredDuringExecution = &api.NodeSelector{NodeSelectorTerms: []api.NodeSelectorTerm{
		{MatchFields: []api.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{node}}}}}}
	out.NodeAffinity = &na
	return &out
}

// target is the node that a pod is on or asks for, or "".
func target(p *api.Pod) string {
	if p.Spec.NodeName != "" {
		return p.Spec.NodeName
	}
	a := p.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, e := range t.MatchFields {
			if e.Key == "metadata.name" && e.Operator == "In" {
				if len(e.Values) == 1 {
					return e.Values[0]
				}
				return ""
			}
		}
	}
	return ""
}
