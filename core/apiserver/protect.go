package apiserver

import "podwalk/core/api"

// protections are the finalizers by which controllers keep what is in use.
var protections = map[string]string{
	"PersistentVolumeClaim": "kubernetes.io/pvc-protection",
	"PersistentVolume":      "kubernetes.io/pv-protection",
}

// unprotect takes the protection off a claim or volume that nothing uses, as its
// controller would.
func (c *call) unprotect(obj api.Object) {
	kind := c.kindOf(obj)
	name := protections[kind]
	if name == "" || c.s.simulated[kind] || c.inUse(obj) {
		return
	}
	m := obj.Meta()
	var rest []string
	for _, f := range m.Finalizers {
		if f != name {
			rest = append(rest, f)
		}
	}
	m.Finalizers = rest
}

func (c *call) inUse(obj api.Object) (used bool) {
	if v, ok := obj.(*api.PersistentVolume); ok {
		return v.Status.Phase == "Bound"
	}
	m := obj.Meta()
	c.s.store.Latest().Each("Pod", m.Namespace, func(o api.Object) bool {
		p := o.(*api.Pod)
		for i := range p.Spec.Volumes {
			if s := p.Spec.Volumes[i].PersistentVolumeClaim; s != nil && s.ClaimName == m.Name && p.Status.Phase != "Failed" && p.Status.Phase != "Succeeded" {
				used = true
			}
		}
		return !used
	})
	return used
}

// release deletes the claims of a namespace that only waited for the pod that
// went.
func (c *call) release(gone api.Object) {
	if _, ok := gone.(*api.Pod); !ok || c.s.simulated["PersistentVolumeClaim"] {
		return
	}
	var waiting []string
	c.s.store.Latest().Each("PersistentVolumeClaim", gone.Meta().Namespace, func(o api.Object) bool {
		if o.Meta().DeletionTimestamp != nil && !c.inUse(o) {
			waiting = append(waiting, o.Meta().Name)
		}
		return true
	})
	for _, name := range waiting {
		c.asController(api.Request{Verb: api.Delete, Kind: api.KindNamed("PersistentVolumeClaim"), Namespace: gone.Meta().Namespace, Name: name}).delete()
	}
}
