// Package vacprotection is the controller that keeps a VolumeAttributesClass while
// a claim or volume names it (pkg/controller/volume/vacprotection).
package vacprotection

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const (
	kind      = "VolumeAttributesClass"
	finalizer = "kubernetes.io/vac-protection"
)

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "volumeattributesclass-protection-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names classes, and those of claims and volumes that change.
func (*Controller) Watches() []actor.Watch {
	of := func(names ...*string) (keys []sim.Key) {
		for _, n := range names {
			if n != nil {
				keys = append(keys, sim.Key{Kind: kind, Name: *n})
			}
		}
		return keys
	}
	return []actor.Watch{
		{Kind: kind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.New == nil {
				return nil
			}
			return []sim.Key{{Kind: kind, Name: ch.New.Meta().Name}}
		}},
		{Kind: "PersistentVolumeClaim", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if c, ok := ch.Old.(*api.PersistentVolumeClaim); ok {
				return of(c.Spec.VolumeAttributesClassName, c.Status.CurrentVolumeAttributesClassName)
			}
			return nil
		}},
		{Kind: "PersistentVolume", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if v, ok := ch.Old.(*api.PersistentVolume); ok {
				return of(v.Spec.VolumeAttributesClassName)
			}
			return nil
		}},
	}
}

// Reconcile looks at a class.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	class, _ := c.Read.Get(kind, "", key.Name).(*api.VolumeAttributesClass)
	if class != nil && k.sync(c, class).Failed() {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	return actor.Result{}
}

func (k *Controller) sync(c *actor.Ctx, class *api.VolumeAttributesClass) api.Response {
	now := *class
	switch protected := slices.Contains(class.Finalizers, finalizer); {
	case class.DeletionTimestamp == nil && !protected:
		now.Finalizers = append(slices.Clone(class.Finalizers), finalizer)
	case class.DeletionTimestamp != nil && protected && !used(c.Host.Latest(), class.Name):
		now.Finalizers = slices.DeleteFunc(slices.Clone(class.Finalizers), func(f string) bool { return f == finalizer })
	default:
		return api.Response{}
	}
	return c.Update(&now)
}

func used(read store.Snapshot, name string) (any bool) {
	is := func(n *string) bool { return n != nil && *n == name }
	read.Each("PersistentVolumeClaim", "", func(o api.Object) bool {
		c := o.(*api.PersistentVolumeClaim)
		any = is(c.Spec.VolumeAttributesClassName) || is(c.Status.CurrentVolumeAttributesClassName)
		return !any
	})
	read.Each("PersistentVolume", "", func(o api.Object) bool {
		any = any || is(o.(*api.PersistentVolume).Spec.VolumeAttributesClassName)
		return !any
	})
	return any
}
