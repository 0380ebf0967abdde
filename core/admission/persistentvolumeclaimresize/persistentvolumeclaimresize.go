// Package persistentvolumeclaimresize lets only claims grow whose class allows it
// (plugin/pkg/admission/storage/persistentvolume/resize).
package persistentvolumeclaimresize

import (
	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule PersistentVolumeClaimResize.
type Plugin struct{}

var _ admission.Validator = Plugin{}

// Name returns PersistentVolumeClaimResize.
func (Plugin) Name() string { return "PersistentVolumeClaimResize" }

// Handles claims that get bigger.
func (Plugin) Handles(a *admission.Attributes) bool {
	claim, ok := a.Object.(*api.PersistentVolumeClaim)
	old, was := a.Old.(*api.PersistentVolumeClaim)
	return ok && was && a.Subresource == "" && size(claim).Cmp(size(old)) > 0
}

func size(c *api.PersistentVolumeClaim) api.Quantity { return c.Spec.Resources.Requests["storage"] }

func classOf(c *api.PersistentVolumeClaim) string {
	if name, ok := c.Annotations["volume.beta.kubernetes.io/storage-class"]; ok {
		return name
	}
	if c.Spec.StorageClassName == nil {
		return ""
	}
	return *c.Spec.StorageClassName
}

// Validate refuses what cannot grow.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	claim, old := a.Object.(*api.PersistentVolumeClaim), a.Old.(*api.PersistentVolumeClaim)
	if old.Status.Phase != "Bound" {
		return a.Forbidden("Only bound persistent volume claims can be expanded")
	}
	name := classOf(claim)
	class, _ := a.Read.Get("StorageClass", "", name).(*api.StorageClass)
	if name == "" || name != classOf(old) || class == nil || class.AllowVolumeExpansion == nil || !*class.AllowVolumeExpansion {
		return a.Forbidden("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
	}
	return nil
}
