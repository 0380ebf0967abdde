package printer

import (
	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

func mutatingWebhookCells(c *api.MutatingWebhookConfiguration, now int64) []string {
	return []string{c.Name, num(len(c.Webhooks)), age.Since(now, c.CreationTimestamp)}
}

func validatingWebhookCells(c *api.ValidatingWebhookConfiguration, now int64) []string {
	return []string{c.Name, num(len(c.Webhooks)), age.Since(now, c.CreationTimestamp)}
}

func validatingPolicyCells(p *api.ValidatingAdmissionPolicy, now int64) []string {
	return []string{p.Name, num(len(p.Spec.Validations)), paramKind(p.Spec.ParamKind), age.Since(now, p.CreationTimestamp)}
}

func mutatingPolicyCells(p *api.MutatingAdmissionPolicy, now int64) []string {
	return []string{p.Name, num(len(p.Spec.Mutations)), paramKind(p.Spec.ParamKind), age.Since(now, p.CreationTimestamp)}
}

func paramKind(k *api.ParamKind) string {
	if k == nil {
		return "<unset>"
	}
	return k.APIVersion + "/" + k.Kind
}

func validatingBindingCells(b *api.ValidatingAdmissionPolicyBinding, now int64) []string {
	return []string{b.Name, b.Spec.PolicyName, paramRef(b.Spec.ParamRef), age.Since(now, b.CreationTimestamp)}
}

func mutatingBindingCells(b *api.MutatingAdmissionPolicyBinding, now int64) []string {
	return []string{b.Name, b.Spec.PolicyName, paramRef(b.Spec.ParamRef), age.Since(now, b.CreationTimestamp)}
}

func paramRef(r *api.ParamRef) string {
	switch {
	case r == nil:
		return "<unset>"
	case r.Name != "":
		return or(r.Namespace, "*") + "/" + r.Name
	case r.Selector != nil:
		return goSelector(r.Selector)
	}
	return "<unset>"
}

// goSelector prints a selector as Go prints the struct, which the real server does.
func goSelector(s *api.LabelSelector) string {
	text := "&LabelSelector{MatchLabels:map[string]string{"
	for _, k := range sortedKeys(s.MatchLabels) {
		text += k + ": " + s.MatchLabels[k] + ","
	}
	text += "},MatchExpressions:[]LabelSelectorRequirement{"
	for _, e := range s.MatchExpressions {
		text += "LabelSelectorRequirement{Key:" + e.Key + ",Operator:" + e.Operator + ",Values:" + goStrings(e.Values) + ",},"
	}
	return text + "},}"
}
