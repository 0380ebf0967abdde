// Package pvprotection is the controller that keeps a volume while it is bound to
// a claim (pkg/controller/volume/pvprotection).
package pvprotection

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	kind      = "PersistentVolume"
	finalizer = "kubernetes.io/pv-protection"
)

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "pv-protection-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names volumes that have something to protect, or to let go.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: kind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		if ch.New == nil || ch.New.Meta().DeletionTimestamp == nil && slices.Contains(ch.New.Meta().Finalizers, finalizer) {
			return nil
		}
		return []sim.Key{{Kind: kind, Name: ch.New.Meta().Name}}
	}}}
}

// Reconcile looks at a volume.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	v, _ := c.Read.Get(kind, "", key.Name).(*api.PersistentVolume)
	if v != nil && k.sync(c, v).Failed() {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	return actor.Result{}
}

func (k *Controller) sync(c *actor.Ctx, v *api.PersistentVolume) api.Response {
	now := *v
	switch protected := slices.Contains(v.Finalizers, finalizer); {
	case v.DeletionTimestamp == nil && !protected:
		now.Finalizers = append(slices.Clone(v.Finalizers), finalizer)
	case v.DeletionTimestamp != nil && protected && v.Status.Phase != "Bound":
		now.Finalizers = slices.DeleteFunc(slices.Clone(v.Finalizers), func(f string) bool { return f == finalizer })
	case v.DeletionTimestamp != nil && protected:
		c.Record(trace.Record{Ref: actor.RefOf(v), Verdict: trace.Waiting, Reason: "InUse", Message: "stays until its claim is gone"})
		return api.Response{}
	default:
		return api.Response{}
	}
	return c.Update(&now)
}
