package policy

import (
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/codec"
)

// collect finds the objects that parametrise a policy under a binding; one that is
// nil stands for none (policy/generic/policy_dispatcher.go CollectParams).
func collect(a *admission.Attributes, k *api.ParamKind, ref *api.ParamRef) (params []any, failure string) {
	if k == nil || ref == nil {
		return []any{nil}, ""
	}
	kind := a.Server.KindFor(k.APIVersion, k.Kind)
	if kind == nil {
		return nil, "paramKind kind `" + gvk(k) + "` not known"
	}
	namespace := ""
	switch {
	case !kind.Namespaced && ref.Namespace != "":
		return nil, "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
	case kind.Namespaced && ref.Namespace != "":
		namespace = ref.Namespace
	case kind.Namespaced:
		if namespace = namespaceOf(a); namespace == "" {
			return nil, "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
		}
	}
	params, failure = find(a, kind, namespace, ref)
	if failure == "" && len(params) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == "Deny" {
		return nil, "no params found for policy binding with `Deny` parameterNotFoundAction"
	}
	return params, failure
}

func find(a *admission.Attributes, kind *api.Kind, namespace string, ref *api.ParamRef) (params []any, failure string) {
	add := func(o api.Object) {
		m, _ := codec.ToValue(o).(map[string]any)
		m["apiVersion"], m["kind"] = kind.APIVersion(), kind.Name()
		params = append(params, m)
	}
	switch {
	case ref.Name != "":
		if o := a.Read.Get(kind.Kind, namespace, ref.Name); o != nil {
			add(o)
		}
	case ref.Selector != nil:
		sel, err := ref.Selector.AsSelector()
		if err != nil {
			return nil, err.Error()
		}
		a.Read.Each(kind.Kind, namespace, func(o api.Object) bool {
			if sel.Matches(o.Meta().Labels) {
				add(o)
			}
			return true
		})
	default:
		return nil, "one of name or selector must be provided"
	}
	return params, ""
}

// namespaceOf is the namespace as admission knows it: a Namespace's is its name.
func namespaceOf(a *admission.Attributes) string {
	if a.Kind.Kind == "Namespace" && a.Kind.Group == "" {
		return a.Name
	}
	return a.Namespace
}

// unknownKind is the error of a policy whose paramKind the server does not have.
func unknownKind(a *admission.Attributes, k *api.ParamKind) string {
	if k == nil || a.Server.KindFor(k.APIVersion, k.Kind) != nil {
		return ""
	}
	return "failed to find resource referenced by paramKind: '" + gvk(k) + "'"
}

func gvk(k *api.ParamKind) string {
	group, version, ok := strings.Cut(k.APIVersion, "/")
	if !ok {
		group, version = "", k.APIVersion
	}
	return group + "/" + version + ", Kind=" + k.Kind
}
