package policy

import (
	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/codec"
)

// inputOf makes the variables of expressions (plugin/cel/condition.go
// CreateAdmissionRequest, CreateNamespaceObject).
func inputOf(a *admission.Attributes) *expression.Input {
	in := &expression.Input{Kind: a.Kind, Object: generic(a.Object, a), Old: generic(a.Old, a), Request: request(a), User: a.User}
	if a.Server != nil {
		in.Authorizer = a.Server
	}
	if a.Kind.Namespaced && a.Namespace != "" {
		if ns, ok := a.Read.Get("Namespace", "", a.Namespace).(*api.Namespace); ok {
			in.Namespace = namespace(ns)
		}
	}
	return in
}

func generic(o api.Object, a *admission.Attributes) map[string]any {
	if o == nil {
		return nil
	}
	m, _ := codec.ToValue(o).(map[string]any)
	if m != nil && (m["kind"] == nil || m["kind"] == "") {
		m["apiVersion"], m["kind"] = a.Kind.APIVersion(), a.Kind.Name()
	}
	return m
}

func namespace(ns *api.Namespace) map[string]any {
	m, _ := codec.ToValue(ns).(map[string]any)
	delete(m, "apiVersion")
	delete(m, "kind")
	if meta, ok := m["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
		delete(meta, "ownerReferences")
		delete(meta, "selfLink")
	}
	return m
}

func request(a *admission.Attributes) map[string]any {
	group, version, kind := a.Kind.Group, a.Kind.Version, a.Kind.Name()
	if k, ok := subresourceKinds[a.Subresource]; ok {
		group, version, kind = k[0], k[1], k[2]
	}
	gvk := map[string]any{"group": group, "version": version, "kind": kind}
	gvr := map[string]any{"group": a.Kind.Group, "version": a.Kind.Version, "resource": a.Kind.Plural}
	m := map[string]any{"uid": "", "kind": gvk, "resource": gvr, "requestKind": gvk, "requestResource": gvr,
		"operation": string(a.Operation), "userInfo": userInfo(a.User), "object": nil, "oldObject": nil, "dryRun": a.DryRun, "options": options(a)}
	for name, v := range map[string]string{"name": a.Name, "namespace": a.Namespace, "subResource": a.Subresource, "requestSubResource": a.Subresource} {
		if v != "" {
			m[name] = v
		}
	}
	if a.Kind.Kind == "Namespace" && a.Kind.Group == "" && a.Name != "" {
		m["namespace"] = a.Name
	}
	return m
}

// subresourceKinds are the kinds of what is sent to subresources, where it is not
// the object itself.
var subresourceKinds = map[string][3]string{
	"scale":    {"autoscaling", "v1", "Scale"},
	"eviction": {"policy", "v1", "Eviction"},
	"binding":  {"", "v1", "Binding"},
	"exec":     {"", "v1", "PodExecOptions"},
	"attach":   {"", "v1", "PodAttachOptions"},
	"token":    {"authentication.k8s.io", "v1", "TokenRequest"},
}

func userInfo(u api.User) map[string]any {
	m := map[string]any{}
	if u.Name != "" {
		m["username"] = u.Name
	}
	if len(u.Groups) > 0 {
		groups := make([]any, len(u.Groups))
		for i, g := range u.Groups {
			groups[i] = g
		}
		m["groups"] = groups
	}
	return m
}

var optionKinds = map[admission.Operation]string{admission.Create: "CreateOptions", admission.Update: "UpdateOptions", admission.Delete: "DeleteOptions"}

func options(a *admission.Attributes) map[string]any {
	m := map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": optionKinds[a.Operation]}
	for k, v := range a.Options {
		m[k] = v
	}
	return m
}
