package policy

import (
	"strings"

	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// Validating is the rule ValidatingAdmissionPolicy.
type Validating struct{}

var _ admission.Validator = Validating{}

// Name returns ValidatingAdmissionPolicy.
func (Validating) Name() string { return "ValidatingAdmissionPolicy" }

// Handles requests where there are bindings.
func (p Validating) Handles(a *admission.Attributes) bool { return handles(a, p.Name()) }

// denial is a verdict against the request.
type denial struct {
	policy, binding string
	reason, message string
	hard            bool // no action of a binding softens it
}

// Validate asks all policies; the first denial is the answer
// (policy/validating/dispatcher.go).
func (p Validating) Validate(a *admission.Attributes) *api.Status {
	var denials []denial
	var in *expression.Input
	a.Read.Each(p.Name(), "", func(o api.Object) bool {
		policy := o.(*api.ValidatingAdmissionPolicy)
		d := definition{p.Name(), policy.Name, policy.Spec.FailurePolicy, policy.Spec.MatchConstraints, policy.Spec.ParamKind,
			policy.Spec.MatchConditions}
		bound := d.asked(a)
		if len(bound) == 0 {
			return true
		}
		if why := unknownKind(a, d.params); why != "" {
			if !d.ignores() {
				denials = append(denials, denial{policy: d.name, message: "failed to configure policy: " + why})
			}
			return true
		}
		if in == nil {
			in = inputOf(a)
		}
		denials = append(denials, validate(a, policy, &d, bound, in)...)
		return true
	})
	if len(denials) == 0 {
		return nil
	}
	return refusal(a, denials[0])
}

func validate(a *admission.Attributes, policy *api.ValidatingAdmissionPolicy, d *definition, bound []binding, in *expression.Input) (out []denial) {
	program := a.Expressions.Program(validatingSource(policy))
	for _, b := range bound {
		params, failure := collect(a, d.params, b.params)
		if failure != "" {
			if !d.ignores() {
				out = append(out, denial{policy: d.name, binding: b.name, message: "failed to configure binding: " + failure})
			}
			continue
		}
		for _, param := range params {
			one := *in
			one.Params = param
			out = append(out, act(a, d, &b, evaluate(a, policy, d, &b, program, &one))...)
		}
	}
	return out
}

// act does what the binding wants done about failed validations.
func act(a *admission.Attributes, d *definition, b *binding, failed []denial) (denied []denial) {
	for _, f := range failed {
		f.policy, f.binding = d.name, b.name
		if f.hard {
			denied = append(denied, f)
			continue
		}
		for _, action := range b.actions {
			switch action {
			case "Deny":
				denied = append(denied, f)
			case "Warn":
				a.Warn("Validation failed for ValidatingAdmissionPolicy '" + d.name + "' with binding '" + b.name + "': " + f.message)
			case "Audit":
				a.Note(trace.Info, "Audit", "policy "+d.name+" with binding "+b.name+" failed: "+f.message)
			}
		}
	}
	return denied
}

func validatingSource(p *api.ValidatingAdmissionPolicy) expression.Source {
	s := expression.Source{Params: p.Spec.ParamKind != nil, Variables: p.Spec.Variables, Conditions: texts(p.Spec.MatchConditions)}
	for i := range p.Spec.Validations {
		s.Validations = append(s.Validations, p.Spec.Validations[i].Expression)
		s.Messages = append(s.Messages, p.Spec.Validations[i].MessageExpression)
	}
	for _, x := range p.Spec.AuditAnnotations {
		s.Audits = append(s.Audits, x.ValueExpression)
	}
	return s
}

// evaluate runs a policy under one binding with one set of parameters
// (policy/validating/validator.go).
func evaluate(a *admission.Attributes, p *api.ValidatingAdmissionPolicy, d *definition, b *binding, program expression.Program, in *expression.Input) []denial {
	yes, condition, failure := matches(program, d.conditions, d.ignores(), in)
	if failure != "" {
		return []denial{{message: failure}}
	}
	if !yes {
		a.Note(trace.Info, "MatchConditions", "policy "+d.name+" with binding "+b.name+" is not asked: condition "+condition+" is not met")
		return nil
	}
	results, left, failure := program.Run(expression.Validation, in, expression.Budget)
	if failure != "" {
		return d.unless(failure)
	}
	messages, _, noMessages := program.Run(expression.Message, in, left)
	var out []denial
	for i, r := range results {
		switch {
		case r.Error != "":
			out = append(out, d.unless(r.Error)...)
		case noMessages != "":
			out = append(out, d.unless("failed messageExpression: "+noMessages)...)
		case !r.Bool:
			out = append(out, denial{reason: reasonOf(&p.Spec.Validations[i]), message: messageOf(&p.Spec.Validations[i], messages, i)})
		}
	}
	return append(out, audit(a, p, d, program, in)...)
}

// unless is the denial of an error, if the policy does not ignore errors.
func (d *definition) unless(why string) []denial {
	if d.ignores() {
		return nil
	}
	return []denial{{message: why}}
}

func reasonOf(v *api.PolicyValidation) string {
	if v.Reason == nil {
		return api.ReasonInvalid
	}
	return *v.Reason
}

// maxMessage is the length of the longest message that an expression may make.
const maxMessage = 5 * 1024

// messageOf is the text of a failed validation: that of its expression, else the
// fixed one, else it names what failed.
func messageOf(v *api.PolicyValidation, messages []expression.Result, i int) string {
	if i < len(messages) && messages[i].IsText {
		text := strings.TrimSpace(messages[i].Text)
		if text != "" && len(text) <= maxMessage && !strings.Contains(text, "\n") {
			return text
		}
	}
	if text := strings.TrimSpace(v.Message); text != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.Expression)
}

// audit computes the audit annotations, which nobody sees but the record.
func audit(a *admission.Attributes, p *api.ValidatingAdmissionPolicy, d *definition, program expression.Program, in *expression.Input) (out []denial) {
	results, _, failure := program.Run(expression.Audit, in, expression.Budget)
	if failure != "" {
		return d.unless(failure)
	}
	for i, r := range results {
		x := &p.Spec.AuditAnnotations[i]
		switch {
		case r.Error != "":
			for _, e := range d.unless(r.Error) {
				out = append(out, denial{message: e.message, hard: true})
			}
		case r.IsText && strings.TrimSpace(r.Text) != "":
			a.Note(trace.Info, "AuditAnnotation", d.name+"/"+x.Key+": "+strings.TrimSpace(r.Text))
		case !r.IsText && !r.Null:
			out = append(out, denial{hard: true, message: "valueExpression '" + x.ValueExpression + "' resulted in unsupported return type: " +
				r.Type + ". Return type must be either string or null."})
		}
	}
	return out
}

var reasonCodes = map[string]int32{api.ReasonForbidden: 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}

// refusal is the answer of the first denial.
func refusal(a *admission.Attributes, d denial) *api.Status {
	text := "ValidatingAdmissionPolicy '" + d.policy + "'"
	if d.binding != "" {
		text += " with binding '" + d.binding + "'"
	}
	text += " denied request: " + d.message
	st := a.Forbidden(text)
	if st.Reason = d.reason; st.Reason == "" {
		st.Reason = api.ReasonInvalid
	}
	if st.Code = reasonCodes[st.Reason]; st.Code == 0 {
		st.Code = 422
	}
	addCause(st, text)
	return st
}

func addCause(st *api.Status, text string) {
	details := api.StatusDetails{}
	if st.Details != nil {
		details = *st.Details
	}
	details.Causes = append(details.Causes[:len(details.Causes):len(details.Causes)], api.StatusCause{Message: text})
	st.Details = &details
}
