// Package placement says which nodes a pod asks for and which taints it bears, for
// the controllers that place pods or judge their places
// (component-helpers/scheduling/corev1). The scheduler has rules of its own, with
// the words for its refusals. Start reading at Of.
package placement

import "podwalk/core/api"

// Demand is a pod's nodeSelector and required node affinity, read once for many
// nodes.
type Demand struct {
	labels map[string]string
	terms  []term
	some   bool // there are terms, one of which must hold
}

type term struct {
	fields, labels []api.Requirement
	never          bool // it is empty or wrong: it matches nothing
}

// Of reads the demand of a pod.
func Of(spec *api.PodSpec) Demand {
	d := Demand{labels: spec.NodeSelector}
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return d
	}
	d.some = true
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		var r term
		fieldsOK, labelsOK := true, true
		r.fields, fieldsOK = requirements(t.MatchFields)
		r.labels, labelsOK = requirements(t.MatchExpressions)
		r.never = !fieldsOK || !labelsOK || len(r.fields)+len(r.labels) == 0
		d.terms = append(d.terms, r)
	}
	return d
}

func requirements(list []api.NodeSelectorRequirement) ([]api.Requirement, bool) {
	var out []api.Requirement
	for _, e := range list {
		r, err := api.NewRequirement(e.Key, operator(e.Operator), e.Values, nil)
		if err != nil {
			return nil, false
		}
		out = append(out, r)
	}
	return out, true
}

func operator(word string) api.Operator {
	switch word {
	case "In":
		return api.OpIn
	case "NotIn":
		return api.OpNotIn
	case "Exists":
		return api.OpExists
	case "DoesNotExist":
		return api.OpDoesNotExist
	case "Gt":
		return api.OpGreaterThan
	case "Lt":
		return api.OpLessThan
	}
	return api.Operator(word)
}

// Matches reports whether a node is one that the pod asks for.
func (d *Demand) Matches(n *api.Node) bool {
	for k, v := range d.labels {
		if got, ok := n.Labels[k]; !ok || got != v {
			return false
		}
	}
	for i := range d.terms {
		if d.terms[i].matches(n) {
			return true
		}
	}
	return !d.some
}

func (t *term) matches(n *api.Node) bool {
	if t.never {
		return false
	}
	for i := range t.labels {
		if !t.labels[i].Matches(n.Labels) {
			return false
		}
	}
	if len(t.fields) == 0 {
		return true
	}
	fields := map[string]string{"metadata.name": n.Name}
	for i := range t.fields {
		if !t.fields[i].Matches(fields) {
			return false
		}
	}
	return true
}

// Untolerated returns the first taint with one of these effects that no toleration
// bears, or nil.
func Untolerated(taints []api.Taint, tolerations []api.Toleration, effects ...string) *api.Taint {
	for i := range taints {
		t := &taints[i]
		counts := false
		for _, e := range effects {
			counts = counts || t.Effect == e
		}
		if counts && !api.Tolerated(tolerations, t) {
			return t
		}
	}
	return nil
}
