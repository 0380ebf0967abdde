package validation

import (
	"errors"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// Expressions compiles the expressions of an object, one after the other.
type Expressions interface {
	// Compile returns the error of an expression, "" where it compiles. Use is what it
	// is for: Variable (known by name from then on), Condition, Validation, Message,
	// Audit, ApplyConfiguration or JSONPatch. Params says that params is known.
	Compile(use, name, text string, params bool) string
}

// Admission returns what is wrong with a policy, a binding or the conditions of
// webhooks beside their metadata (pkg/apis/admissionregistration/validation).
// Without x no expression is compiled.
func Admission(o api.Object, x Expressions) field.ErrorList {
	c := admissionCheck{x: x}
	spec := field.NewPath("spec")
	switch o := o.(type) {
	case *api.ValidatingAdmissionPolicy:
		c.validatingPolicy(o, spec)
	case *api.MutatingAdmissionPolicy:
		c.mutatingPolicy(o, spec)
	case *api.ValidatingAdmissionPolicyBinding:
		c.binding(o.Spec.PolicyName, o.Spec.ParamRef, o.Spec.MatchResources, spec)
		c.actions(o.Spec.ValidationActions, spec.Child("validationActions"))
	case *api.MutatingAdmissionPolicyBinding:
		c.binding(o.Spec.PolicyName, o.Spec.ParamRef, o.Spec.MatchResources, spec)
	case *api.ValidatingWebhookConfiguration:
		for i := range o.Webhooks {
			c.conditions(o.Webhooks[i].MatchConditions, false, field.NewPath("webhooks").Index(i).Child("matchConditions"))
		}
	case *api.MutatingWebhookConfiguration:
		for i := range o.Webhooks {
			c.conditions(o.Webhooks[i].MatchConditions, false, field.NewPath("webhooks").Index(i).Child("matchConditions"))
		}
	}
	return c.result()
}

type admissionCheck struct {
	check
	x Expressions
}

// compile reports an expression that does not compile.
func (c *admissionCheck) compile(use, name, text string, params bool, p *field.Path) {
	if c.x == nil {
		return
	}
	switch why := c.x.Compile(use, name, text, params); {
	case why == "":
	case strings.HasPrefix(why, "program instantiation failed: "):
		c.add(field.InternalError(p, errors.New(why)))
	default:
		c.invalid(p, text, why)
	}
}

func (c *admissionCheck) validatingPolicy(o *api.ValidatingAdmissionPolicy, p *field.Path) {
	s := &o.Spec
	params := s.ParamKind != nil
	c.policy(s.FailurePolicy, s.ParamKind, s.MatchConstraints, p)
	c.conditions(s.MatchConditions, params, p.Child("matchConditions"))
	c.variables(s.Variables, params, p.Child("variables"))
	if len(s.Validations)+len(s.AuditAnnotations) == 0 {
		const detail = "validations or auditAnnotations must contain at least one item"
		c.required(p.Child("validations"), detail)
		c.required(p.Child("auditAnnotations"), detail)
	}
	for i := range s.Validations {
		c.validation(&s.Validations[i], params, p.Child("validations").Index(i))
	}
	seen := map[string]bool{}
	for i, a := range s.AuditAnnotations {
		at := p.Child("auditAnnotations").Index(i)
		c.each(at.Child("key"), o.Name+"/"+a.Key, field.IsLabelKey(o.Name+"/"+a.Key))
		if text := strings.TrimSpace(a.ValueExpression); text == "" {
			c.required(at.Child("valueExpression"), "valueExpression is not specified")
		} else {
			c.compile("Audit", "", text, params, at.Child("valueExpression"))
		}
		if seen[a.Key] {
			c.duplicate(at.Child("key"), a.Key)
		}
		seen[a.Key] = true
	}
}

func (c *admissionCheck) mutatingPolicy(o *api.MutatingAdmissionPolicy, p *field.Path) {
	s := &o.Spec
	params := s.ParamKind != nil
	c.policy(s.FailurePolicy, s.ParamKind, s.MatchConstraints, p)
	if s.MatchConstraints != nil {
		for _, r := range s.MatchConstraints.ResourceRules {
			for _, op := range r.Operations {
				if !contains([]string{"*", "CONNECT", "CREATE", "UPDATE"}, op) {
					c.unsupported(p.Child("matchConstraints").Child("resourceRules").Child("operations"), op, "*", "CONNECT", "CREATE", "UPDATE")
				}
			}
		}
	}
	c.conditions(s.MatchConditions, params, p.Child("matchConditions"))
	c.variables(s.Variables, params, p.Child("variables"))
	if len(s.Mutations) == 0 {
		c.required(p.Child("mutations"), "mutations must contain at least one item")
	}
	for i := range s.Mutations {
		c.mutation(&s.Mutations[i], params, p.Child("mutations").Index(i))
	}
	c.oneOf(p.Child("reinvocationPolicy"), s.ReinvocationPolicy, "IfNeeded", "Never")
}

func (c *admissionCheck) mutation(m *api.Mutation, params bool, p *field.Path) {
	switch m.PatchType {
	case "JSONPatch":
		if m.JSONPatch == nil {
			c.required(p.Child("jsonPatch"), "must be specified when patchType is JSONPatch")
		} else {
			c.patchText("JSONPatch", m.JSONPatch.Expression, params, p.Child("jsonPatch").Child("expression"))
		}
		if m.ApplyConfiguration != nil {
			c.invalid(p.Child("applyConfiguration"), "{applyConfiguration}", "must not be specified when patchType is JSONPatch")
		}
	case "ApplyConfiguration":
		if m.ApplyConfiguration == nil {
			c.required(p.Child("applyConfiguration"), "must be specified when patchType is ApplyConfiguration")
		} else {
			c.patchText("ApplyConfiguration", m.ApplyConfiguration.Expression, params, p.Child("applyConfiguration").Child("expression"))
		}
		if m.JSONPatch != nil {
			c.invalid(p.Child("jsonPatch"), "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration")
		}
	default:
		c.oneOf(p.Child("patchType"), m.PatchType, "ApplyConfiguration", "JSONPatch")
	}
}

func (c *admissionCheck) patchText(use, text string, params bool, p *field.Path) {
	if text = strings.TrimSpace(text); text == "" {
		c.required(p, "")
		return
	}
	c.compile(use, "", text, params, p)
}

// policy checks what both kinds of policy have.
func (c *admissionCheck) policy(failure *string, k *api.ParamKind, m *api.MatchResources, p *field.Path) {
	if failure != nil && !contains([]string{"Fail", "Ignore"}, *failure) {
		c.unsupported(p.Child("failurePolicy"), *failure, "Fail", "Ignore")
	}
	if k != nil {
		c.paramKind(k, p.Child("paramKind"))
	}
	if m == nil {
		c.required(p.Child("matchConstraints"), "")
		return
	}
	c.resources(m, p.Child("matchConstraints"))
	if len(m.ResourceRules) == 0 {
		c.required(p.Child("matchConstraints").Child("resourceRules"), "")
	}
}

func (c *admissionCheck) paramKind(k *api.ParamKind, p *field.Path) {
	group, version, grouped := strings.Cut(k.APIVersion, "/")
	switch {
	case k.APIVersion == "":
		c.required(p.Child("apiVersion"), "")
	case strings.Count(k.APIVersion, "/") > 1:
		c.invalid(p.Child("apiVersion"), k.APIVersion, "unexpected GroupVersion string: "+k.APIVersion)
	case grouped && version == "":
		c.invalid(p.Child("apiVersion"), k.APIVersion, "version must be specified")
	case grouped && group != "":
		if wrong := isSubdomain(group); len(wrong) > 0 {
			c.invalid(p.Child("apiVersion"), group, strings.Join(wrong, ","))
		}
	}
	switch {
	case k.Kind == "":
		c.required(p.Child("kind"), "")
	case !isKindName(strings.ToLower(k.Kind)):
		c.invalid(p.Child("kind"), k.Kind, "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', "+
			"start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')")
	}
}

func isKindName(s string) bool {
	return s[0] >= 'a' && s[0] <= 'z' && s[len(s)-1] != '-' && every(s, func(b byte) bool { return lowerAlnum(b) || b == '-' })
}

func (c *admissionCheck) resources(m *api.MatchResources, p *field.Path) {
	if m == nil {
		return
	}
	if m.MatchPolicy != nil && !contains([]string{"Equivalent", "Exact"}, *m.MatchPolicy) {
		c.unsupported(p.Child("matchPolicy"), *m.MatchPolicy, "Equivalent", "Exact")
	}
	c.selector(p.Child("namespaceSelector"), m.NamespaceSelector)
	c.selector(p.Child("objectSelector"), m.ObjectSelector)
	for i := range m.ResourceRules {
		c.namedRule(&m.ResourceRules[i], p.Child("resourceRules").Index(i))
	}
	for i := range m.ExcludeResourceRules {
		c.namedRule(&m.ExcludeResourceRules[i], p.Child("excludeResourceRules").Index(i))
	}
}

var operations = []string{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}

func (c *admissionCheck) namedRule(r *api.NamedRuleWithOperations, p *field.Path) {
	named := map[string]bool{}
	for i, n := range r.ResourceNames {
		c.each(p.Child("resourceNames").Index(i), n, isSegment(n))
		if named[n] {
			c.duplicate(p.Child("resourceNames").Index(i), n)
		}
		named[n] = true
	}
	c.filled(p.Child("operations"), r.Operations, "if '*' is present, must not specify other operations")
	for i, op := range r.Operations {
		if !contains(operations, op) {
			c.unsupported(p.Child("operations").Index(i), op, operations...)
		}
	}
	c.filled(p.Child("apiGroups"), r.APIGroups, "if '*' is present, must not specify other API groups")
	c.filled(p.Child("apiVersions"), r.APIVersions, "if '*' is present, must not specify other API versions")
	for i, v := range r.APIVersions {
		if v == "" {
			c.required(p.Child("apiVersions").Index(i), "")
		}
	}
	c.resourceNames(p.Child("resources"), r.Resources)
	if r.Scope != nil && !contains([]string{"*", "Cluster", "Namespaced"}, *r.Scope) {
		c.unsupported(p.Child("scope"), *r.Scope, "*", "Cluster", "Namespaced")
	}
}

// resourceNames checks resources with their subresources; a star leaves no room for
// others of its kind.
func (c *admissionCheck) resourceNames(p *field.Path, list []string) {
	if len(list) == 0 {
		c.required(p, "")
	}
	wholes, subs := map[string]bool{}, map[string]bool{}
	plain := false
	for i, x := range list {
		if x == "" {
			c.required(p.Index(i), "")
			continue
		}
		res, sub, ok := strings.Cut(x, "/")
		if !ok {
			plain = x != "*"
			continue
		}
		if wholes[res] {
			c.invalid(p.Index(i), x, "if '"+res+"/*' is present, must not specify "+x)
		}
		if subs[sub] {
			c.invalid(p.Index(i), x, "if '*/"+sub+"' is present, must not specify "+x)
		}
		wholes[res] = wholes[res] || sub == "*"
		subs[sub] = subs[sub] || res == "*"
	}
	if len(list) > 1 && contains(list, "*/*") {
		c.invalid(p, list, "if '*/*' is present, must not specify other resources")
	}
	if contains(list, "*") && plain {
		c.invalid(p, list, "if '*' is present, must not specify other resources without subresources")
	}
}

// filled reports a list that is empty, or that has a star beside other words.
func (c *admissionCheck) filled(p *field.Path, list []string, detail string) {
	switch {
	case len(list) == 0:
		c.required(p, "")
	case len(list) > 1 && contains(list, "*"):
		c.invalid(p, list, detail)
	}
}

func (c *admissionCheck) conditions(list []api.MatchCondition, params bool, p *field.Path) {
	if len(list) > 64 {
		c.add(field.TooMany(p, len(list), 64))
	}
	seen := map[string]bool{}
	for i, m := range list {
		at := p.Index(i)
		if text := strings.TrimSpace(m.Expression); text == "" {
			c.required(at.Child("expression"), "")
		} else {
			c.compile("Condition", "", text, params, at.Child("expression"))
		}
		if m.Name == "" {
			c.required(at.Child("name"), "")
			continue
		}
		c.each(at.Child("name"), m.Name, field.IsLabelKey(m.Name))
		if seen[m.Name] {
			c.duplicate(at.Child("name"), m.Name)
		}
		seen[m.Name] = true
	}
}

func (c *admissionCheck) variables(list []api.PolicyVariable, params bool, p *field.Path) {
	for i, v := range list {
		at := p.Index(i)
		if strings.TrimSpace(v.Name) == "" {
			c.required(at.Child("name"), "name is not specified")
		} else if !isIdentifier(v.Name) {
			c.invalid(at.Child("name"), v.Name, "must be a valid CEL identifier")
		}
		if strings.TrimSpace(v.Expression) == "" {
			c.required(at.Child("expression"), "expression is not specified")
		} else {
			c.compile("Variable", v.Name, v.Expression, params, at.Child("expression"))
		}
	}
}

var reservedWords = []string{"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
	"let", "loop", "package", "namespace", "return", "var", "void", "while"}

func isIdentifier(s string) bool {
	return !contains(reservedWords, s) && !(s[0] >= '0' && s[0] <= '9') && every(s, func(b byte) bool { return alnum(b) || b == '_' })
}

func (c *admissionCheck) validation(v *api.PolicyValidation, params bool, p *field.Path) {
	if strings.TrimSpace(v.Expression) == "" {
		c.required(p.Child("expression"), "expression is not specified")
	} else {
		c.compile("Validation", "", v.Expression, params, p.Child("expression"))
	}
	const empty = "must be non-empty if specified"
	switch {
	case v.MessageExpression == "":
	case strings.TrimSpace(v.MessageExpression) == "":
		c.invalid(p.Child("messageExpression"), v.MessageExpression, empty)
	default:
		c.compile("Message", "", v.MessageExpression, params, p.Child("messageExpression"))
	}
	text := strings.TrimSpace(v.Message)
	switch {
	case v.Message != "" && text == "":
		c.invalid(p.Child("message"), v.Message, empty)
	case strings.ContainsAny(text, "\n\r"):
		c.invalid(p.Child("message"), v.Message, "must not contain line breaks")
	}
	if v.Reason != nil && !contains([]string{"Forbidden", "Invalid", "RequestEntityTooLarge"}, *v.Reason) {
		c.unsupported(p.Child("reason"), *v.Reason, "Forbidden", "Invalid", "RequestEntityTooLarge")
	}
}

func (c *admissionCheck) binding(policy string, ref *api.ParamRef, m *api.MatchResources, p *field.Path) {
	if policy == "" {
		c.required(p.Child("policyName"), "")
	} else {
		c.each(p.Child("policyName"), policy, isSubdomain(policy))
	}
	if ref != nil {
		c.paramRef(ref, p.Child("paramRef"))
	}
	c.resources(m, p.Child("matchResources"))
}

func (c *admissionCheck) paramRef(r *api.ParamRef, p *field.Path) {
	const exclusive = "name and selector are mutually exclusive"
	if r.Name != "" {
		c.each(p.Child("name"), r.Name, isSegment(r.Name))
		if r.Selector != nil {
			c.forbidden(p.Child("name"), exclusive)
		}
	}
	if r.Selector != nil {
		c.selector(p.Child("selector"), r.Selector)
		if r.Name != "" {
			c.forbidden(p.Child("selector"), exclusive)
		}
	}
	if r.Name == "" && r.Selector == nil {
		c.required(p, "one of name or selector must be specified")
	}
	switch a := r.ParameterNotFoundAction; {
	case a == nil || *a == "":
		c.required(p.Child("parameterNotFoundAction"), "")
	case *a != "Deny" && *a != "Allow":
		c.unsupported(p.Child("parameterNotFoundAction"), *a, "Deny", "Allow")
	}
}

func (c *admissionCheck) actions(list []string, p *field.Path) {
	seen := map[string]bool{}
	for i, a := range list {
		if !contains([]string{"Audit", "Deny", "Warn"}, a) {
			c.unsupported(p.Index(i), a, "Audit", "Deny", "Warn")
		}
		if seen[a] {
			c.duplicate(p.Index(i), a)
		}
		seen[a] = true
	}
	if seen["Deny"] && seen["Warn"] {
		c.invalid(p, list, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)")
	}
	if len(list) == 0 {
		c.required(p, "")
	}
}
