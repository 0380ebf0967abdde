package policy

import (
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/api"
)

// Mutating is the rule MutatingAdmissionPolicy.
type Mutating struct{}

var _ admission.Mutator = Mutating{}

// Name returns MutatingAdmissionPolicy.
func (Mutating) Name() string { return "MutatingAdmissionPolicy" }

// Handles requests with a body where there are bindings.
func (p Mutating) Handles(a *admission.Attributes) bool {
	return a.Operation != admission.Delete && a.Object != nil && handles(a, p.Name())
}

// invocation is a policy under a binding with one set of parameters.
type invocation struct {
	*definition
	policy  *api.MutatingAdmissionPolicy
	binding string
	param   any
	key     string
}

// problem is an error of a policy, which refuses the request unless it is ignored.
type problem struct {
	*definition
	binding         string
	message, reason string
}

// Admit runs the mutations of all policies one after the other
// (policy/mutating/dispatcher.go).
func (p Mutating) Admit(a *admission.Attributes) (bool, *api.Status) {
	calls, problems := invocations(a)
	changed := false
	for i := range calls {
		dirty, wrong, st := calls[i].run(a)
		if st != nil {
			return changed, st
		}
		changed = changed || dirty
		problems = append(problems, wrong...)
	}
	if changed {
		a.Reinvoke()
	}
	for _, x := range problems {
		if !x.ignores() {
			return changed, refuse(a, problems)
		}
	}
	return changed, nil
}

// invocations lists what the request calls for.
func invocations(a *admission.Attributes) (calls []invocation, problems []problem) {
	a.Read.Each("MutatingAdmissionPolicy", "", func(o api.Object) bool {
		policy := o.(*api.MutatingAdmissionPolicy)
		d := &definition{"MutatingAdmissionPolicy", policy.Name, policy.Spec.FailurePolicy, policy.Spec.MatchConstraints, policy.Spec.ParamKind,
			policy.Spec.MatchConditions}
		bound := d.asked(a)
		if len(bound) == 0 {
			return true
		}
		if why := unknownKind(a, d.params); why != "" {
			problems = append(problems, problem{d, "", "failed to configure policy: " + why, ""})
			return true
		}
		for _, b := range bound {
			params, failure := collect(a, d.params, b.params)
			if failure != "" {
				problems = append(problems, problem{d, b.name, "failed to configure binding: " + failure, ""})
			}
			for i, param := range params {
				calls = append(calls, invocation{d, policy, b.name, param, d.name + "/" + b.name + "/" + strconv.Itoa(i)})
			}
		}
		return true
	})
	return calls, problems
}

// run carries out the mutations of one invocation.
func (c *invocation) run(a *admission.Attributes) (changed bool, wrong []problem, st *api.Status) {
	program := a.Expressions.Program(expression.Source{Params: c.params != nil, Variables: c.policy.Spec.Variables,
		Conditions: texts(c.conditions), Mutations: c.policy.Spec.Mutations})
	in := inputOf(a)
	in.Params = c.param
	yes, _, failure := matches(program, c.conditions, c.ignores(), in)
	switch {
	case failure != "":
		return false, []problem{{c.definition, c.binding, failure, api.ReasonInvalid}}, nil
	case !yes, !a.ShouldInvoke(c.key):
		return false, nil, nil
	}
	for i := range c.policy.Spec.Mutations {
		if i > 0 {
			in.Object = generic(a.Object, a)
		}
		out, failed := program.Mutate(i, in)
		if failed == nil {
			if why := a.Server.Replace(a.Object, out); why != "" {
				failed = &expression.Failure{Message: why, Internal: true}
			}
		}
		switch {
		case failed == nil:
			changed = true
		case failed.Internal:
			return changed, wrong, api.NewInternalError(failed.Message)
		default:
			wrong = append(wrong, problem{c.definition, c.binding, failed.Message, api.ReasonInvalid})
		}
	}
	if c.policy.Spec.ReinvocationPolicy == "IfNeeded" {
		a.Reinvocable(c.key)
	}
	return changed, wrong, nil
}

// refuse is the answer where policies failed (policy/generic/policy_dispatcher.go).
func refuse(a *admission.Attributes, problems []problem) *api.Status {
	st := a.Forbidden("admission request denied by policy")
	first := true
	for _, x := range problems {
		if x.ignores() {
			continue
		}
		text := "policy " + strconv.Quote(x.name) + " denied request: " + x.message
		if x.binding != "" {
			text = "policy '" + x.name + "' with binding '" + x.binding + "' denied request: " + x.message
		}
		if first {
			first, st.Message = false, text
			if x.reason != "" {
				st.Reason = x.reason
			}
		}
		addCause(st, text)
	}
	return st
}
