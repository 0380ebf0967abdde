// Package defaultstorageclass gives claims without a class the default one
// (plugin/pkg/admission/storage/storageclass/setdefault).
package defaultstorageclass

import (
	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule DefaultStorageClass.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

// Name returns DefaultStorageClass.
func (Plugin) Name() string { return "DefaultStorageClass" }

// Handles new claims that choose no class.
func (Plugin) Handles(a *admission.Attributes) bool {
	claim, ok := a.Object.(*api.PersistentVolumeClaim)
	if !ok || a.Operation != admission.Create || a.Subresource != "" {
		return false
	}
	_, annotated := claim.Annotations["volume.beta.kubernetes.io/storage-class"]
	return !annotated && claim.Spec.StorageClassName == nil
}

// Admit sets the class.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	class := admission.Newest(a, "StorageClass", "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
	if class == "" {
		return false, nil
	}
	a.Object.(*api.PersistentVolumeClaim).Spec.StorageClassName = &class
	return true, nil
}
