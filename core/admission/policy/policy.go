// Package policy holds the rules MutatingAdmissionPolicy and
// ValidatingAdmissionPolicy: policies that users write as expressions, with the
// bindings that put them into force and the objects that parametrise them
// (apiserver/pkg/admission/plugin/policy). Expressions are run by an
// expression.Engine; without one a policy that would have a say leaves a record that
// it is not simulated. Start reading at Validating and Mutating.
package policy

import (
	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/admission/match"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// handles leaves out the kinds by which policies are made.
func handles(a *admission.Attributes, kind string) bool {
	if a.Kind.Group == "admissionregistration.k8s.io" {
		switch a.Kind.Kind {
		case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
			return false
		}
	}
	any := false
	a.Read.Each(kind+"Binding", "", func(api.Object) bool {
		any = true
		return false
	})
	return any
}

// definition is a policy of either kind.
type definition struct {
	kind, name string
	failure    *string
	match      *api.MatchResources
	params     *api.ParamKind
	conditions []api.MatchCondition
}

// ignores reports whether errors of the policy let the request pass.
func (d *definition) ignores() bool { return d.failure != nil && *d.failure == "Ignore" }

// binding puts a policy into force.
type binding struct {
	name    string
	match   *api.MatchResources
	params  *api.ParamRef
	actions []string
}

// bindings lists those of a policy that match the request.
func (d *definition) bindings(a *admission.Attributes) (out []binding) {
	a.Read.Each(d.kind+"Binding", "", func(o api.Object) bool {
		var b binding
		var policy string
		switch o := o.(type) {
		case *api.ValidatingAdmissionPolicyBinding:
			policy, b = o.Spec.PolicyName, binding{o.Name, o.Spec.MatchResources, o.Spec.ParamRef, o.Spec.ValidationActions}
		case *api.MutatingAdmissionPolicyBinding:
			policy, b = o.Spec.PolicyName, binding{o.Name, o.Spec.MatchResources, o.Spec.ParamRef, nil}
		}
		if policy == d.name && match.Resources(a, b.match) {
			out = append(out, b)
		}
		return true
	})
	return out
}

// asked lists the bindings under which a policy has a say about the request. Without
// an engine it has none, which is noted.
func (d *definition) asked(a *admission.Attributes) []binding {
	if !match.Resources(a, d.match) {
		return nil
	}
	bound := d.bindings(a)
	if len(bound) == 0 || a.Expressions != nil {
		return bound
	}
	a.Note(trace.NotSimulated, "NotEvaluated", d.kind+" "+d.name+" is not evaluated: expressions are not simulated in this build")
	return nil
}

// matches runs the conditions of a policy or webhook (plugin/webhook/matchconditions).
// failure is why they cannot be told.
func matches(p expression.Program, conditions []api.MatchCondition, ignore bool, in *expression.Input) (yes bool, failed, failure string) {
	if len(conditions) == 0 {
		return true, "", ""
	}
	request := *in
	request.Namespace = nil
	results, _, why := p.Run(expression.Condition, &request, expression.ConditionsBudget)
	if why != "" {
		if ignore {
			return false, "", ""
		}
		return false, "", why
	}
	var wrong []string
	for i, r := range results {
		if r.Error != "" {
			wrong = appendNew(wrong, r.Error)
		}
		if r.False {
			return false, conditions[i].Name, ""
		}
	}
	switch {
	case len(wrong) == 0:
		return true, "", ""
	case ignore:
		return false, "", ""
	}
	return false, "", aggregate(wrong)
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// aggregate prints errors as apimachinery/pkg/util/errors does.
func aggregate(errs []string) string {
	if len(errs) == 1 {
		return errs[0]
	}
	text := "["
	for i, e := range errs {
		if i > 0 {
			text += ", "
		}
		text += e
	}
	return text + "]"
}

func texts(conditions []api.MatchCondition) []string {
	out := make([]string, len(conditions))
	for i := range conditions {
		out[i] = conditions[i].Expression
	}
	return out
}

// Conditions runs the conditions of a webhook. failed names the one that is not met.
func Conditions(a *admission.Attributes, conditions []api.MatchCondition, ignore bool) (yes bool, failed, failure string) {
	p := a.Expressions.Program(expression.Source{Conditions: texts(conditions)})
	return matches(p, conditions, ignore, inputOf(a))
}
