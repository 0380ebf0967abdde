// Package namespacelifecycle keeps objects out of namespaces that do not exist or
// are being deleted, and the system's namespaces from being deleted
// (apiserver/pkg/admission/plugin/namespace/lifecycle).
package namespacelifecycle

import (
	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule NamespaceLifecycle.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

// Name returns NamespaceLifecycle.
func (Plugin) Name() string { return "NamespaceLifecycle" }

// Handles creations in a namespace and deletions of namespaces.
func (Plugin) Handles(a *admission.Attributes) bool {
	if a.Kind.Kind == "Namespace" {
		return a.Operation == admission.Delete
	}
	return a.Operation == admission.Create && a.Namespace != ""
}

// Admit changes nothing: it refuses early, as the real rule does.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	if a.Operation == admission.Delete {
		return false, refuseDeletion(a)
	}
	ns, ok := a.Read.Get("Namespace", "", a.Namespace).(*api.Namespace)
	if !ok {
		return false, api.NewNotFound(api.KindNamed("Namespace"), a.Namespace)
	}
	if ns.Status.Phase != "Terminating" {
		return false, nil
	}
	s := a.Forbidden("unable to create new content in namespace " + a.Namespace + " because it is being terminated")
	s.Details.Causes = append(s.Details.Causes, api.StatusCause{Type: "NamespaceTerminating",
		Message: "namespace " + a.Namespace + " is being terminated", Field: "metadata.namespace"})
	return false, s
}

func refuseDeletion(a *admission.Attributes) *api.Status {
	switch a.Name {
	case "default", "kube-system", "kube-public":
		return api.NewForbidden(a.Kind, a.Name, "this namespace may not be deleted")
	}
	return nil
}
