package printer

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

func volumeCells(v *api.PersistentVolume, now int64) []string {
	claim, phase := "", v.Status.Phase
	if r := v.Spec.ClaimRef; r != nil {
		claim = r.Namespace + "/" + r.Name
	}
	if v.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	return []string{v.Name, v.Spec.Capacity["storage"].String(), AccessModes(v.Spec.AccessModes), v.Spec.PersistentVolumeReclaimPolicy,
		phase, claim, VolumeClass(v), deref(v.Spec.VolumeAttributesClassName, "<unset>"), v.Status.Reason,
		age.Since(now, v.CreationTimestamp), deref(v.Spec.VolumeMode, "<unset>")}
}

func claimCells(c *api.PersistentVolumeClaim, now int64) []string {
	phase, capacity, modes := c.Status.Phase, "", ""
	if c.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	if c.Spec.VolumeName != "" {
		capacity, modes = c.Status.Capacity["storage"].String(), AccessModes(c.Status.AccessModes)
	}
	return []string{c.Name, phase, c.Spec.VolumeName, capacity, modes, ClaimClass(c),
		deref(c.Spec.VolumeAttributesClassName, "<unset>"), age.Since(now, c.CreationTimestamp), deref(c.Spec.VolumeMode, "<unset>")}
}

func storageClassCells(c *api.StorageClass, now int64) []string {
	return []string{c.Name, c.Provisioner, deref(c.ReclaimPolicy, "Delete"), deref(c.VolumeBindingMode, "Immediate"),
		lower(deref(c.AllowVolumeExpansion, false)), age.Since(now, c.CreationTimestamp)}
}

// IsDefaultClass reports whether a storage class calls itself the default.
func IsDefaultClass(m *api.ObjectMeta) bool {
	return m.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" ||
		m.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
}

// defaultStorageClass names the newest of the default classes; of two made in one
// second, the first by name.
func defaultStorageClass(objects []api.Object) string {
	var best *api.ObjectMeta
	for _, o := range objects {
		m := o.Meta()
		if !IsDefaultClass(m) {
			continue
		}
		if best == nil || m.CreationTimestamp > best.CreationTimestamp ||
			m.CreationTimestamp == best.CreationTimestamp && m.Name < best.Name {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	return best.Name
}

func attachmentCells(a *api.VolumeAttachment, now int64) []string {
	return []string{a.Name, a.Spec.Attacher, deref(a.Spec.Source.PersistentVolumeName, ""), a.Spec.NodeName,
		lower(a.Status.Attached), age.Since(now, a.CreationTimestamp)}
}

func attributesClassCells(c *api.VolumeAttributesClass, now int64) []string {
	return []string{c.Name, c.DriverName, age.Since(now, c.CreationTimestamp)}
}

func csiNodeCells(n *api.CSINode, now int64) []string {
	return []string{n.Name, num(len(n.Spec.Drivers)), age.Since(now, n.CreationTimestamp)}
}

func csiDriverCells(d *api.CSIDriver, now int64) []string {
	tokens := "<unset>"
	if d.Spec.TokenRequests != nil {
		var audiences []string
		for _, t := range d.Spec.TokenRequests {
			audiences = append(audiences, t.Audience)
		}
		tokens = strings.Join(audiences, ",")
	}
	return []string{d.Name, lower(deref(d.Spec.AttachRequired, true)), lower(deref(d.Spec.PodInfoOnMount, false)),
		lower(deref(d.Spec.StorageCapacity, false)), tokens, lower(deref(d.Spec.RequiresRepublish, false)),
		or(strings.Join(d.Spec.VolumeLifecycleModes, ","), "<none>"), age.Since(now, d.CreationTimestamp)}
}
