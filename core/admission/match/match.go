// Package match decides which requests a webhook or a policy is asked about
// (apiserver/pkg/admission/plugin/webhook/predicates, plugin/policy/matching). It
// reads the request and the labels of its namespace, nothing else.
package match

import (
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Namespace compares the namespace's labels with a selector; what has no namespace
// passes (predicates/namespace).
func Namespace(a *admission.Attributes, s *api.LabelSelector) bool {
	if s == nil {
		return true
	}
	sel, err := s.AsSelector()
	if err != nil || sel.Empty() {
		return err == nil
	}
	if a.Kind.Kind == "Namespace" && a.Kind.Group == "" {
		o := a.Object
		if o == nil {
			o = a.Old
		}
		return o != nil && sel.Matches(o.Meta().Labels)
	}
	if a.Namespace == "" || !a.Kind.Namespaced {
		return true
	}
	ns, ok := a.Read.Get("Namespace", "", a.Namespace).(*api.Namespace)
	return ok && sel.Matches(ns.Labels)
}

// Object compares the object's labels, new or old, with a selector
// (predicates/object).
func Object(a *admission.Attributes, s *api.LabelSelector) bool {
	if s == nil {
		return true
	}
	sel, err := s.AsSelector()
	if err != nil || sel.Empty() {
		return err == nil
	}
	return a.Object != nil && sel.Matches(a.Object.Meta().Labels) || a.Old != nil && sel.Matches(a.Old.Meta().Labels)
}

// Rule compares the request with one rule (predicates/rules).
func Rule(a *admission.Attributes, r *api.RuleWithOperations) bool {
	return rule(a, r, a.Kind.Group, a.Kind.Version)
}

func rule(a *admission.Attributes, r *api.RuleWithOperations, group, version string) bool {
	return scope(r.Scope, a) && has(r.Operations, string(a.Operation)) && has(r.APIGroups, group) &&
		has(r.APIVersions, version) && resource(r.Resources, a.Kind.Plural, a.Subresource)
}

// Resources compares the request with what a policy or binding matches
// (policy/matching); nil matches all.
func Resources(a *admission.Attributes, m *api.MatchResources) bool {
	if m == nil {
		return true
	}
	return Namespace(a, m.NamespaceSelector) && Object(a, m.ObjectSelector) && !anyRule(a, m.ExcludeResourceRules, m.MatchPolicy) &&
		(len(m.ResourceRules) == 0 || anyRule(a, m.ResourceRules, m.MatchPolicy))
}

// equivalents are the other groups and versions under which the objects of a
// resource can be had.
var equivalents = map[string][][2]string{
	"horizontalpodautoscalers": {{"autoscaling", "v1"}, {"autoscaling", "v2"}},
	"events":                   {{"", "v1"}, {"events.k8s.io", "v1"}},
}

func anyRule(a *admission.Attributes, rules []api.NamedRuleWithOperations, policy *string) bool {
	for i := range rules {
		if namedRule(a, &rules[i], a.Kind.Group, a.Kind.Version) {
			return true
		}
	}
	if policy == nil || *policy == "Exact" {
		return false
	}
	for _, e := range equivalents[a.Kind.Plural] {
		for i := range rules {
			if namedRule(a, &rules[i], e[0], e[1]) {
				return true
			}
		}
	}
	return false
}

func namedRule(a *admission.Attributes, r *api.NamedRuleWithOperations, group, version string) bool {
	plain := api.RuleWithOperations{APIGroups: r.APIGroups, APIVersions: r.APIVersions, Operations: r.Operations, Resources: r.Resources, Scope: r.Scope}
	if !rule(a, &plain, group, version) {
		return false
	}
	if len(r.ResourceNames) == 0 {
		return true
	}
	for _, n := range r.ResourceNames {
		if n == a.Name {
			return true
		}
	}
	return false
}

func scope(s *string, a *admission.Attributes) bool {
	return s == nil || *s == "*" || (*s == "Namespaced") == a.Kind.Namespaced
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == "*" || x == s {
			return true
		}
	}
	return false
}

func resource(list []string, plural, sub string) bool {
	for _, x := range list {
		res, s, _ := strings.Cut(x, "/")
		if (res == "*" || res == plural) && (s == "*" || s == sub) {
			return true
		}
	}
	return false
}
