package storagedriver

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// resizeTime is what a driver needs to enlarge a volume.
const resizeTime = 2 * sim.Second

// Resizer is the actor that enlarges the volumes of the drivers with a CSIDriver
// object (kubernetes-csi/external-resizer). It takes the drivers for ones whose
// nodes have nothing to do; a record says so.
type Resizer struct {
	failures retry.Queue
	due      map[sim.Key]sim.Time
}

var _ actor.Actor = (*Resizer)(nil)

// NewResizer returns a resizer that has enlarged nothing yet.
func NewResizer() actor.Actor { return &Resizer{due: map[sim.Key]sim.Time{}} }

// Name returns the resizer's account.
func (*Resizer) Name() string { return "external-resizer" }

// Clone returns an independent resizer.
func (k *Resizer) Clone() actor.Actor {
	return &Resizer{failures: k.failures.Clone(), due: maps.Clone(k.due)}
}

// Watches names bound claims that ask for more than they have.
func (*Resizer) Watches() []actor.Watch {
	return []actor.Watch{{Kind: claims, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		c, _ := ch.New.(*api.PersistentVolumeClaim)
		if c == nil || !wants(c) {
			return nil
		}
		return []sim.Key{{Kind: claims, Namespace: c.Namespace, Name: c.Name}}
	}}}
}

func wants(c *api.PersistentVolumeClaim) bool {
	return c.Status.Phase == "Bound" && c.Spec.Resources.Requests["storage"].Cmp(c.Status.Capacity["storage"]) > 0
}

// Reconcile looks at a claim.
func (k *Resizer) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	pvc, _ := c.Read.Get(claims, key.Namespace, key.Name).(*api.PersistentVolumeClaim)
	if pvc == nil || !wants(pvc) {
		delete(k.due, key)
		k.failures.Forget(id)
		return actor.Result{}
	}
	v, _ := c.Read.Get(volumes, "", pvc.Spec.VolumeName).(*api.PersistentVolume)
	if v == nil || v.Spec.CSI == nil || c.Read.Get("CSIDriver", "", v.Spec.CSI.Driver) == nil {
		return actor.Result{}
	}
	due, started := k.due[key]
	if !started {
		due = c.Now() + resizeTime
		k.due[key] = due
		k.event(c, pvc, v, "Resizing", "External resizer is resizing volume "+v.Name)
		c.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(pvc), Verdict: trace.Assumed, Reason: "Resizer",
			Message: v.Spec.CSI.Driver + " enlarges volumes by itself: no file system is resized on the node"})
	}
	if c.Now() < due {
		return actor.At(due)
	}
	if k.resize(c, pvc, v).Failed() {
		return actor.At(c.Now() + k.failures.After(id))
	}
	delete(k.due, key)
	k.failures.Forget(id)
	k.event(c, pvc, v, "VolumeResizeSuccessful", "Resize volume succeeded")
	return actor.Result{}
}

// resize writes the new size into the volume and then into the claim's status.
func (k *Resizer) resize(c *actor.Ctx, pvc *api.PersistentVolumeClaim, v *api.PersistentVolume) api.Response {
	size := pvc.Spec.Resources.Requests["storage"]
	if v.Spec.Capacity["storage"].Cmp(size) < 0 {
		now := *v
		now.Spec.Capacity = map[string]api.Quantity{"storage": size}
		if r := c.Update(&now); r.Failed() {
			return r
		}
	}
	now := *pvc
	now.Status.Capacity = map[string]api.Quantity{"storage": size}
	now.Status.AllocatedResources = map[string]api.Quantity{"storage": size}
	return c.UpdateStatus(&now)
}

func (k *Resizer) event(c *actor.Ctx, pvc *api.PersistentVolumeClaim, v *api.PersistentVolume, reason, message string) {
	c.Event(actor.Event{Regarding: pvc, Type: "Normal", Reason: reason, Message: message, Component: "external-resizer " + v.Spec.CSI.Driver})
}
