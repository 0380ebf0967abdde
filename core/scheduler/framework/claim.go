package framework

import (
	"errors"
	"strconv"

	"podwalk/core/api"
)

// Annotations on claims and volumes (component-helpers/storage/volume).
const (
	AnnBindCompleted     = "pv.kubernetes.io/bind-completed"
	AnnBoundByController = "pv.kubernetes.io/bound-by-controller"
	AnnSelectedNode      = "volume.kubernetes.io/selected-node"
	annClass             = "volume.beta.kubernetes.io/storage-class"
)

// WaitForFirstConsumer is the binding mode that leaves the choice to the scheduler.
const WaitForFirstConsumer = "WaitForFirstConsumer"

// Claim returns a claim or the error of an informer that does not have it.
func (k *Cluster) Claim(namespace, name string) (*api.PersistentVolumeClaim, error) {
	if c, ok := k.Objects.Get("PersistentVolumeClaim", namespace, name).(*api.PersistentVolumeClaim); ok {
		return c, nil
	}
	return nil, errors.New("persistentvolumeclaim " + strconv.Quote(name) + " not found")
}

// Volume returns a persistent volume or nil.
func (k *Cluster) Volume(name string) *api.PersistentVolume {
	v, _ := k.Objects.Get("PersistentVolume", "", name).(*api.PersistentVolume)
	return v
}

// Class returns a storage class or nil.
func (k *Cluster) Class(name string) *api.StorageClass {
	c, _ := k.Objects.Get("StorageClass", "", name).(*api.StorageClass)
	return c
}

// ClassOfClaim returns the name of the storage class that a claim asks for, or "".
func ClassOfClaim(c *api.PersistentVolumeClaim) string {
	if name, ok := c.Annotations[annClass]; ok {
		return name
	}
	if c.Spec.StorageClassName != nil {
		return *c.Spec.StorageClassName
	}
	return ""
}

// ClassOfVolume returns the name of a volume's storage class, or "".
func ClassOfVolume(v *api.PersistentVolume) string {
	if name, ok := v.Annotations[annClass]; ok {
		return name
	}
	return v.Spec.StorageClassName
}

// ClaimKey returns namespace/name.
func ClaimKey(c *api.PersistentVolumeClaim) string { return c.Namespace + "/" + c.Name }

// FullyBound reports whether the volume controller has finished with a claim.
func FullyBound(c *api.PersistentVolumeClaim) bool {
	_, done := c.Annotations[AnnBindCompleted]
	return c.Spec.VolumeName != "" && done
}

// OwnedBy returns the error of an ephemeral volume's claim that belongs to
// another pod (component-helpers/storage/ephemeral).
func OwnedBy(p *api.Pod, c *api.PersistentVolumeClaim) error {
	for _, r := range c.OwnerReferences {
		if r.Controller != nil && *r.Controller && r.UID == p.UID {
			return nil
		}
	}
	return errors.New("PVC " + ClaimKey(c) + " was not created for pod " + p.Namespace + "/" + p.Name + " (pod is not owner)")
}

// Uses reports whether the pod has a volume with that claim; ephemeral ones count
// if asked for.
func Uses(p *api.Pod, c *api.PersistentVolumeClaim, ephemeral bool) bool {
	if p.Namespace != c.Namespace {
		return false
	}
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if (ephemeral || v.Ephemeral == nil) && ClaimName(p, v) == c.Name {
			return true
		}
	}
	return false
}

// VolumeReaches reports whether a volume can be used on a node with these labels.
func VolumeReaches(v *api.PersistentVolume, n *api.Node) bool {
	a := v.Spec.NodeAffinity
	if a == nil || a.Required == nil {
		return true
	}
	return NewNodeSelector(a.Required).Matches(n)
}
