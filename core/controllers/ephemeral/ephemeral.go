// Package ephemeral is the controller that makes the claims of generic ephemeral
// volumes, one for each such volume of a pod (pkg/controller/volume/ephemeral).
package ephemeral

import (
	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const claims = "PersistentVolumeClaim"

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "ephemeral-volume-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names new pods with such volumes, and claims of theirs that go.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Pod", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if p, ok := ch.New.(*api.Pod); ok && ch.Type == store.Added && needs(p) {
				return []sim.Key{{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}}
			}
			return nil
		}},
		{Kind: claims, Map: func(view store.Snapshot, ch store.Change) (keys []sim.Key) {
			if ch.Type != store.Deleted {
				return nil
			}
			c := ch.Old.(*api.PersistentVolumeClaim)
			for _, p := range claim.Pods(view, claim.Key(c)) {
				if needs(p) {
					keys = append(keys, sim.Key{Kind: "Pod", Namespace: p.Namespace, Name: p.Name})
				}
			}
			return keys
		}},
	}
}

func needs(p *api.Pod) bool {
	for i := range p.Spec.Volumes {
		if p.Spec.Volumes[i].Ephemeral != nil {
			return p.DeletionTimestamp == nil
		}
	}
	return false
}

// Reconcile looks at a pod.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	p := c.Pod(key.Namespace, key.Name)
	if p == nil || p.DeletionTimestamp != nil {
		k.failures.Forget(id)
		return actor.Result{}
	}
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if why := k.volume(c, p, v); why != "" {
			c.Event(actor.Event{Regarding: p, Type: "Warning", Reason: "FailedBinding", Component: "ephemeral_volume",
				Message: "ephemeral volume " + v.Name + ": " + why})
			return actor.At(c.Now() + k.failures.After(id))
		}
	}
	k.failures.Forget(id)
	return actor.Result{}
}

// volume makes the claim of a volume, and returns why it cannot.
func (k *Controller) volume(c *actor.Ctx, p *api.Pod, v *api.Volume) string {
	if v.Ephemeral == nil || v.Ephemeral.VolumeClaimTemplate == nil {
		return ""
	}
	name := claim.Name(p, v)
	if old, ok := c.Read.Get(claims, p.Namespace, name).(*api.PersistentVolumeClaim); ok {
		if claim.MadeFor(p, old) {
			return ""
		}
		return "PVC " + claim.Key(old) + " was not created for pod " + p.Namespace + "/" + p.Name + " (pod is not owner)"
	}
	yes, t := true, v.Ephemeral.VolumeClaimTemplate
	made := &api.PersistentVolumeClaim{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: claims}, Spec: t.Spec,
		ObjectMeta: api.ObjectMeta{Namespace: p.Namespace, Name: name, Annotations: t.Annotations, Labels: t.Labels,
			OwnerReferences: []api.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: &yes, BlockOwnerDeletion: &yes}}}}
	if r := c.Create(made); r.Failed() {
		return "create PVC " + name + ": " + r.Status.Message
	}
	return ""
}
