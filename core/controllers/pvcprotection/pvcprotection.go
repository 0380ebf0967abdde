// Package pvcprotection is the controller that keeps a claim while a pod uses it,
// and says in the claim's status whether one does
// (pkg/controller/volume/pvcprotection). Start reading at (*Controller).Reconcile.
package pvcprotection

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	claimKind = "PersistentVolumeClaim"
	finalizer = "kubernetes.io/pvc-protection"
)

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "pvc-protection-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names claims, and pods that begin or cease to use some.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: claimKind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.New == nil {
				return nil
			}
			return []sim.Key{{Kind: claimKind, Namespace: ch.New.Meta().Namespace, Name: ch.New.Meta().Name}}
		}},
		{Kind: "Pod", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			p := ch.Object().(*api.Pod)
			if len(p.Spec.Volumes) == 0 || !matters(ch) {
				return nil
			}
			var keys []sim.Key
			for i := range p.Spec.Volumes {
				if n := claim.Name(p, &p.Spec.Volumes[i]); n != "" {
					keys = append(keys, sim.Key{Kind: claimKind, Namespace: p.Namespace, Name: n})
				}
			}
			return keys
		}},
	}
}

// matters reports whether a change of a pod can change what uses a claim.
func matters(ch store.Change) bool {
	old, ok := ch.Old.(*api.Pod)
	now, ok2 := ch.New.(*api.Pod)
	return !ok || !ok2 || old.UID != now.UID || old.Spec.NodeName != now.Spec.NodeName ||
		claim.Terminated(old) != claim.Terminated(now) || shutDown(old) != shutDown(now)
}

// Reconcile looks at a claim.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	pvc, _ := c.Read.Get(claimKind, key.Namespace, key.Name).(*api.PersistentVolumeClaim)
	if pvc != nil && k.sync(c, pvc).Failed() {
		return actor.At(c.Now() + k.failures.After(id))
	}
	k.failures.Forget(id)
	return actor.Result{}
}

// sync returns the answer to the write that was needed.
func (k *Controller) sync(c *actor.Ctx, pvc *api.PersistentVolumeClaim) api.Response {
	switch protected := slices.Contains(pvc.Finalizers, finalizer); {
	case pvc.DeletionTimestamp == nil && !protected:
		now := *pvc
		now.Finalizers = append(slices.Clone(pvc.Finalizers), finalizer)
		return c.Update(&now)
	case pvc.DeletionTimestamp == nil && pvc.Status.Phase == "Bound":
		return k.showUse(c, pvc)
	case pvc.DeletionTimestamp != nil && protected && k.user(c, pvc, holds) == "":
		now := *pvc
		now.Finalizers = slices.DeleteFunc(slices.Clone(pvc.Finalizers), func(f string) bool { return f == finalizer })
		return c.Update(&now)
	case pvc.DeletionTimestamp != nil && protected:
		c.Record(trace.Record{Ref: actor.RefOf(pvc), Verdict: trace.Waiting, Reason: "InUse",
			Message: "stays until pod " + k.user(c, pvc, holds) + ", which uses it, is gone"})
	}
	return api.Response{}
}

// user returns the name of a pod that uses a claim, in the cache or else now.
func (k *Controller) user(c *actor.Ctx, pvc *api.PersistentVolumeClaim, uses func(*api.Pod, *api.Volume, *api.PersistentVolumeClaim) bool) string {
	for _, read := range []store.Snapshot{c.Read, c.Host.Latest()} {
		for _, p := range claim.Pods(read, claim.Key(pvc)) {
			for i := range p.Spec.Volumes {
				v := &p.Spec.Volumes[i]
				if claim.Name(p, v) == pvc.Name && uses(p, v, pvc) {
					return p.Name
				}
			}
		}
	}
	return ""
}

// holds tells which pods keep a claim from being deleted (podUsesPVCForDeletion).
func holds(p *api.Pod, v *api.Volume, pvc *api.PersistentVolumeClaim) bool {
	return p.Spec.NodeName != "" && (v.Ephemeral == nil || !shutDown(p) && claim.MadeFor(p, pvc))
}

// refers tells which pods count as users (podUsesPVCForUnusedSince).
func refers(p *api.Pod, v *api.Volume, pvc *api.PersistentVolumeClaim) bool {
	return !claim.Terminated(p) && (v.Ephemeral == nil || claim.MadeFor(p, pvc))
}

func shutDown(p *api.Pod) bool {
	return p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 0
}

// showUse keeps the condition Unused.
func (k *Controller) showUse(c *actor.Ctx, pvc *api.PersistentVolumeClaim) api.Response {
	want := api.PersistentVolumeClaimCondition{Type: "Unused", Status: "True", LastTransitionTime: c.Time(),
		Reason: "NoPodsUsingPVC", Message: "No pods are currently referencing this PVC"}
	if k.user(c, pvc, refers) != "" {
		want.Status, want.Reason, want.Message = "False", "PodUsingPVC", "A pod is currently referencing this PVC"
	}
	list := slices.Clone(pvc.Status.Conditions)
	i := slices.IndexFunc(list, func(x api.PersistentVolumeClaimCondition) bool { return x.Type == "Unused" })
	switch {
	case i < 0:
		list = append(list, want)
	case list[i].Status == want.Status:
		return api.Response{}
	default:
		list[i] = want
	}
	now := *pvc
	now.Status.Conditions = list
	return c.UpdateStatus(&now)
}
