// Package expand is the controller that hands claims which ask for more than their
// volume has to whoever can enlarge it (pkg/controller/volume/expand). Kubernetes
// itself enlarges nothing any more: a driver's resizer does.
package expand

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const kind = "PersistentVolumeClaim"

// Controller is the actor.
type Controller struct{}

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "expand-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return k }

// Watches names claims whose wish has grown.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: kind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		old, _ := ch.Old.(*api.PersistentVolumeClaim)
		now, _ := ch.New.(*api.PersistentVolumeClaim)
		if old == nil || now == nil || now.Spec.VolumeName == "" || now.Spec.Resources.Requests["storage"].Cmp(old.Spec.Resources.Requests["storage"]) <= 0 {
			return nil
		}
		return []sim.Key{{Kind: kind, Namespace: now.Namespace, Name: now.Name}}
	}}}
}

// Reconcile looks at a claim.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	pvc, _ := c.Read.Get(kind, key.Namespace, key.Name).(*api.PersistentVolumeClaim)
	if pvc == nil {
		return actor.Result{}
	}
	v, _ := c.Read.Get("PersistentVolume", "", pvc.Spec.VolumeName).(*api.PersistentVolume)
	if v == nil || v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID != pvc.UID ||
		pvc.Spec.Resources.Requests["storage"].Cmp(pvc.Status.Capacity["storage"]) <= 0 {
		return actor.Result{}
	}
	severity := "Warning"
	if v.Spec.CSI != nil || v.Spec.FlexVolume != nil {
		severity = "Normal"
	}
	c.Event(actor.Event{Regarding: pvc, Type: severity, Reason: "ExternalExpanding", Component: "volume_expand",
		Message: "waiting for an external controller to expand this PVC"})
	return actor.Result{}
}
