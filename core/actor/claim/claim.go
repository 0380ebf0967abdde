// Package claim is what the volume controllers share: the annotations by which
// they talk to each other, the classes of claims and volumes, and which pods use a
// claim (component-helpers/storage/volume, component-helpers/storage/ephemeral).
// It reads only.
package claim

import (
	"podwalk/core/api"
	"podwalk/core/store"
)

// Annotations on claims and volumes.
const (
	BindCompleted     = "pv.kubernetes.io/bind-completed"
	BoundByController = "pv.kubernetes.io/bound-by-controller"
	SelectedNode      = "volume.kubernetes.io/selected-node"
	ProvisionedBy     = "pv.kubernetes.io/provisioned-by"
	MigratedTo        = "pv.kubernetes.io/migrated-to"
	Provisioner       = "volume.kubernetes.io/storage-provisioner"
	BetaProvisioner   = "volume.beta.kubernetes.io/storage-provisioner"
	class             = "volume.beta.kubernetes.io/storage-class"
)

// The indexes of package cluster that the functions below use.
const (
	PodIndex   = "pod.claim" // pods by namespace/name of the claims they use
	ClassIndex = "pv.class"  // volumes by the name of their class, "/" before it
	RefIndex   = "pv.claim"  // volumes by namespace/name of the claim they are meant for
)

// Class returns the name of the storage class that a claim asks for, or "".
func Class(c *api.PersistentVolumeClaim) string {
	if name, ok := c.Annotations[class]; ok {
		return name
	}
	if c.Spec.StorageClassName != nil {
		return *c.Spec.StorageClassName
	}
	return ""
}

// HasClass reports whether a claim says anything about its class, "" included.
func HasClass(c *api.PersistentVolumeClaim) bool {
	_, ok := c.Annotations[class]
	return ok || c.Spec.StorageClassName != nil
}

// ClassOfVolume returns the name of a volume's storage class, or "".
func ClassOfVolume(v *api.PersistentVolume) string {
	if name, ok := v.Annotations[class]; ok {
		return name
	}
	return v.Spec.StorageClassName
}

// Name returns the name of the claim that a volume of a pod uses, or "".
func Name(p *api.Pod, v *api.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return p.Name + "-" + v.Name
	}
	return ""
}

// Keys returns namespace/name of the claims that a pod uses.
func Keys(p *api.Pod) (keys []string) {
	for i := range p.Spec.Volumes {
		if name := Name(p, &p.Spec.Volumes[i]); name != "" {
			keys = append(keys, p.Namespace+"/"+name)
		}
	}
	return keys
}

// Key returns namespace/name.
func Key(c *api.PersistentVolumeClaim) string { return c.Namespace + "/" + c.Name }

// RefKey returns namespace/name of the claim that a volume is meant for, or "".
func RefKey(v *api.PersistentVolume) string {
	if r := v.Spec.ClaimRef; r != nil {
		return r.Namespace + "/" + r.Name
	}
	return ""
}

// Pods returns the pods that use the claim with a key.
func Pods(read store.Snapshot, key string) []*api.Pod {
	list := read.ByIndex(PodIndex, key)
	pods := make([]*api.Pod, len(list))
	for i, o := range list {
		pods[i] = o.(*api.Pod)
	}
	return pods
}

// MadeFor reports whether a claim is that of a pod's own ephemeral volume.
func MadeFor(p *api.Pod, c *api.PersistentVolumeClaim) bool {
	for _, r := range c.OwnerReferences {
		if r.Controller != nil && *r.Controller && r.UID == p.UID {
			return true
		}
	}
	return false
}

// Terminated reports whether nothing of a pod runs any more
// (pkg/volume/util, IsPodTerminated).
func Terminated(p *api.Pod) bool {
	if p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" {
		return true
	}
	return p.DeletionTimestamp != nil && !running(p.Status.ContainerStatuses) && !running(p.Status.InitContainerStatuses) &&
		!running(p.Status.EphemeralContainerStatuses)
}

func running(list []api.ContainerStatus) bool {
	for i := range list {
		if list[i].State.Terminated == nil && list[i].State.Waiting == nil {
			return true
		}
	}
	return false
}

// Annotated returns annotations with some set: name, value, name, value.
func Annotated(m map[string]string, pairs ...string) map[string]string {
	c := make(map[string]string, len(m)+len(pairs)/2)
	for k, v := range m {
		c[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		c[pairs[i]] = pairs[i+1]
	}
	return c
}

// Reference returns a reference to an object as the real components write it.
func Reference(o api.Object) *api.ObjectReference {
	m, t := o.Meta(), o.ObjectType()
	return &api.ObjectReference{APIVersion: t.APIVersion, Kind: t.Kind, Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
}

// Bound reports whether a volume is meant for a claim.
func Bound(v *api.PersistentVolume, c *api.PersistentVolumeClaim) bool {
	r := v.Spec.ClaimRef
	return r != nil && r.Name == c.Name && r.Namespace == c.Namespace && (r.UID == "" || r.UID == c.UID)
}
