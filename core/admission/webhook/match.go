package webhook

import (
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// concerns reports whether a hook is asked about a request (generic/webhook.go,
// ShouldCallHook; the equivalents of matchPolicy are other versions of a kind, and
// one version of each is served).
func (h *hook) concerns(a *admission.Attributes) bool {
	return h.inNamespace(a) && h.hasLabels(a) && h.inRules(a)
}

// inNamespace compares the namespace's labels with the hook's selector; what has
// no namespace passes (predicates/namespace).
func (h *hook) inNamespace(a *admission.Attributes) bool {
	if h.namespace == nil {
		return true
	}
	sel, err := h.namespace.AsSelector()
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

// hasLabels compares the object's labels, new or old, with the hook's selector
// (predicates/object).
func (h *hook) hasLabels(a *admission.Attributes) bool {
	if h.object == nil {
		return true
	}
	sel, err := h.object.AsSelector()
	if err != nil || sel.Empty() {
		return err == nil
	}
	return a.Object != nil && sel.Matches(a.Object.Meta().Labels) || a.Old != nil && sel.Matches(a.Old.Meta().Labels)
}

func (h *hook) inRules(a *admission.Attributes) bool {
	for i := range h.rules {
		r := &h.rules[i]
		if scope(r, a) && has(r.Operations, string(a.Operation)) && has(r.APIGroups, a.Kind.Group) &&
			has(r.APIVersions, a.Kind.Version) && resource(r.Resources, a.Kind.Plural, a.Subresource) {
			return true
		}
	}
	return false
}

func scope(r *api.RuleWithOperations, a *admission.Attributes) bool {
	if r.Scope == nil || *r.Scope == "*" {
		return true
	}
	return (*r.Scope == "Namespaced") == a.Kind.Namespaced
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
