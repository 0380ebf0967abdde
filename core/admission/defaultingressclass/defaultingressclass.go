// Package defaultingressclass gives Ingresses without a class the default one
// (plugin/pkg/admission/network/defaultingressclass).
package defaultingressclass

import (
	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule DefaultIngressClass.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

// Name returns DefaultIngressClass.
func (Plugin) Name() string { return "DefaultIngressClass" }

// Handles new Ingresses that choose no class.
func (Plugin) Handles(a *admission.Attributes) bool {
	ingress, ok := a.Object.(*api.Ingress)
	if !ok || a.Operation != admission.Create || a.Subresource != "" {
		return false
	}
	_, annotated := ingress.Annotations["kubernetes.io/ingress.class"]
	return !annotated && ingress.Spec.IngressClassName == nil
}

// Admit sets the class.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	class := admission.Newest(a, "IngressClass", "ingressclass.kubernetes.io/is-default-class")
	if class == "" {
		return false, nil
	}
	a.Object.(*api.Ingress).Spec.IngressClassName = &class
	return true, nil
}
