package kubelet

import "podwalk/core/api"

// nodeMatches reports whether a node is one that the pod asks for, by nodeSelector
// and required node affinity (component-helpers/scheduling/corev1/nodeaffinity).
func nodeMatches(n *api.Node, spec *api.PodSpec) bool {
	for k, v := range spec.NodeSelector {
		if got, ok := n.Labels[k]; !ok || got != v {
			return false
		}
	}
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true
	}
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(t.MatchExpressions)+len(t.MatchFields) > 0 && termMatches(n, &t) {
			return true
		}
	}
	return false
}

func termMatches(n *api.Node, t *api.NodeSelectorTerm) bool {
	fields := map[string]string{"metadata.name": n.Name}
	for _, e := range t.MatchFields {
		if !expressionMatches(e, fields) {
			return false
		}
	}
	for _, e := range t.MatchExpressions {
		if !expressionMatches(e, n.Labels) {
			return false
		}
	}
	return true
}

var nodeOperators = map[string]api.Operator{"In": api.OpIn, "NotIn": api.OpNotIn, "Exists": api.OpExists, "DoesNotExist": api.OpDoesNotExist,
	"Gt": api.OpGreaterThan, "Lt": api.OpLessThan}

func expressionMatches(e api.NodeSelectorRequirement, labels map[string]string) bool {
	r, err := api.NewRequirement(e.Key, nodeOperators[e.Operator], e.Values, nil)
	return err == nil && r.Matches(labels)
}
