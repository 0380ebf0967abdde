package framework

import (
	"errors"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// RequiredNode is what a pod's nodeSelector and required node affinity ask of a
// node (component-helpers/scheduling/corev1/nodeaffinity).
type RequiredNode struct {
	labels   api.Selector
	terms    []nodeTerm
	affinity bool // there is an affinity: one of the terms must match
}

// nodeTerm is one term; a term that cannot be parsed matches nothing.
type nodeTerm struct {
	labels api.Selector
	names  []api.FieldRequirement // on metadata.name
	errs   []string
}

// WeightedNodeTerm is a preferred term.
type WeightedNodeTerm struct {
	term   nodeTerm
	Weight int64
}

func newRequiredNode(p *api.Pod) RequiredNode {
	r := RequiredNode{labels: api.SelectorFromSet(p.Spec.NodeSelector)}
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		r.affinity = true
		r.terms = newNodeTerms(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return r
}

// NodeSelector is a parsed api.NodeSelector, such as a volume's node affinity.
type NodeSelector struct{ terms []nodeTerm }

// NewNodeSelector parses a node selector.
func NewNodeSelector(s *api.NodeSelector) NodeSelector { return NodeSelector{newNodeTerms(s)} }

// Matches reports whether one of the terms matches the node.
func (s NodeSelector) Matches(n *api.Node) bool { return anyTerm(s.terms, n) }

// AddedAffinity is a node affinity that the scheduler adds to every pod.
type AddedAffinity struct {
	Required  *NodeSelector // nil asks for nothing
	Preferred []WeightedNodeTerm
}

// NewAddedAffinity parses an affinity in which AffinityErrors finds nothing wrong.
func NewAddedAffinity(a *api.NodeAffinity) *AddedAffinity {
	out := &AddedAffinity{}
	if s := a.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		required := NewNodeSelector(s)
		out.Required = &required
	}
	out.Preferred, _ = newPreferred(a.PreferredDuringSchedulingIgnoredDuringExecution)
	return out
}

func newNodeTerms(s *api.NodeSelector) []nodeTerm {
	var l []nodeTerm
	for i := range s.NodeSelectorTerms {
		if t := &s.NodeSelectorTerms[i]; len(t.MatchExpressions)+len(t.MatchFields) > 0 {
			l = append(l, newNodeTerm(t, nil))
		}
	}
	return l
}

// Matches reports whether the node is one that the pod asks for.
func (r *RequiredNode) Matches(n *api.Node) bool {
	return r.labels.Matches(n.Labels) && (!r.affinity || anyTerm(r.terms, n))
}

func anyTerm(terms []nodeTerm, n *api.Node) bool {
	for i := range terms {
		if terms[i].matches(n) {
			return true
		}
	}
	return false
}

func newPreferred(terms []api.PreferredSchedulingTerm) (l []WeightedNodeTerm, err error) {
	var root *field.Path
	var errs []string
	for i := range terms {
		t := &terms[i]
		if t.Weight == 0 || len(t.Preference.MatchExpressions)+len(t.Preference.MatchFields) == 0 {
			continue
		}
		w := WeightedNodeTerm{newNodeTerm(&t.Preference, root.Index(i)), int64(t.Weight)}
		errs = append(errs, w.term.errs...)
		l = append(l, w)
	}
	return l, aggregate(errs)
}

// aggregate joins errors as apimachinery/pkg/util/errors does.
func aggregate(errs []string) error {
	var l []string
	for _, e := range errs {
		if !contains(l, e) {
			l = append(l, e)
		}
	}
	switch len(l) {
	case 0:
		return nil
	case 1:
		return errors.New(l[0])
	}
	return errors.New("[" + strings.Join(l, ", ") + "]")
}

// Matches reports whether the term matches the node.
func (w *WeightedNodeTerm) Matches(n *api.Node) bool { return w.term.matches(n) }

func (t *nodeTerm) matches(n *api.Node) bool {
	if len(t.errs) > 0 || !t.labels.Matches(n.Labels) {
		return false
	}
	for i := range t.names {
		if (t.names[i].Value == n.Name) == t.names[i].NotEqual {
			return false
		}
	}
	return true
}

var nodeOperators = map[string]api.Operator{"In": api.OpIn, "NotIn": api.OpNotIn, "Exists": api.OpExists,
	"DoesNotExist": api.OpDoesNotExist, "Gt": api.OpGreaterThan, "Lt": api.OpLessThan}

func newNodeTerm(t *api.NodeSelectorTerm, p *field.Path) nodeTerm {
	var n nodeTerm
	for i := range t.MatchExpressions {
		e := &t.MatchExpressions[i]
		r, err := api.NewRequirement(e.Key, nodeOperators[e.Operator], e.Values, p.Child("matchExpressions").Index(i))
		if err != nil {
			n.errs = append(n.errs, err.Error())
		}
		n.labels.Requirements = append(n.labels.Requirements, r)
	}
	for i := range t.MatchFields {
		f := &t.MatchFields[i]
		if len(f.Values) != 1 || f.Key != "metadata.name" || f.Operator != "In" && f.Operator != "NotIn" {
			n.errs = append(n.errs, "matchFields must name metadata.name and one value")
			continue
		}
		n.names = append(n.names, api.FieldRequirement{Field: f.Key, Value: f.Values[0], NotEqual: f.Operator == "NotIn"})
	}
	return n
}

// AffinityErrors returns what is wrong with the terms of a node affinity, printed.
func AffinityErrors(a *api.NodeAffinity, p *field.Path) []string {
	var errs []string
	if s := a.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		at := p.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		for i := range s.NodeSelectorTerms {
			errs = append(errs, termErrors(&s.NodeSelectorTerms[i], at.Index(i))...)
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		if t := &a.PreferredDuringSchedulingIgnoredDuringExecution[i]; t.Weight != 0 {
			errs = append(errs, termErrors(&t.Preference, p.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i))...)
		}
	}
	return errs
}

func termErrors(t *api.NodeSelectorTerm, p *field.Path) []string {
	var errs []string
	for i := range t.MatchExpressions {
		e, at := &t.MatchExpressions[i], p.Child("matchExpressions").Index(i)
		op, ok := nodeOperators[e.Operator]
		if !ok {
			errs = append(errs, field.NotSupported(at.Child("operator"), e.Operator, []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}).Error())
			continue
		}
		if _, err := api.NewRequirement(e.Key, op, e.Values, at); err != nil {
			errs = append(errs, err.Error())
		}
	}
	for i := range t.MatchFields {
		e, at := &t.MatchFields[i], p.Child("matchFields").Index(i)
		switch {
		case e.Operator != "In" && e.Operator != "NotIn":
			errs = append(errs, field.NotSupported(at.Child("operator"), e.Operator, []string{"In", "NotIn"}).Error())
		case len(e.Values) != 1:
			errs = append(errs, field.Invalid(at.Child("values"), e.Values, "must have one element").Error())
		}
	}
	return errs
}
