package claim

import "podwalk/core/api"

// Suits reports whether a volume is what the claim asks for: large enough, of its
// mode and attributes class, and not on its way out. It says nothing of storage
// classes, selectors and access modes (FindMatchingVolume).
func Suits(v *api.PersistentVolume, c *api.PersistentVolumeClaim) bool {
	return v.Spec.Capacity["storage"].Cmp(Size(c)) >= 0 && SameMode(v, c) && SameAttributes(v, c) && v.DeletionTimestamp == nil
}

// Size returns how much storage a claim asks for.
func Size(c *api.PersistentVolumeClaim) api.Quantity { return c.Spec.Resources.Requests["storage"] }

// SameMode reports whether both are block devices or both file systems.
func SameMode(v *api.PersistentVolume, c *api.PersistentVolumeClaim) bool {
	return or(v.Spec.VolumeMode, "Filesystem") == or(c.Spec.VolumeMode, "Filesystem")
}

// SameAttributes reports whether both are of one VolumeAttributesClass, or of none.
func SameAttributes(v *api.PersistentVolume, c *api.PersistentVolumeClaim) bool {
	return or(v.Spec.VolumeAttributesClassName, "") == or(c.Spec.VolumeAttributesClassName, "")
}

// Offers reports whether a volume has each access mode that the claim asks for.
func Offers(v *api.PersistentVolume, c *api.PersistentVolumeClaim) bool {
	for _, wanted := range c.Spec.AccessModes {
		found := false
		for _, offered := range v.Spec.AccessModes {
			found = found || offered == wanted
		}
		if !found {
			return false
		}
	}
	return true
}

func or(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}
