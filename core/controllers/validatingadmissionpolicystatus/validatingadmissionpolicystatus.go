// Package validatingadmissionpolicystatus is the controller that says of a
// ValidatingAdmissionPolicy that it has been looked at
// (pkg/controller/validatingadmissionpolicystatus). The real one compares the types
// in the expressions with the schemas and warns; that is not simulated, and a
// record says so.
package validatingadmissionpolicystatus

import (
	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const kind = "ValidatingAdmissionPolicy"

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "validatingadmissionpolicy-status-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names policies.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: kind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		if ch.New == nil {
			return nil
		}
		return []sim.Key{{Kind: kind, Name: ch.New.Meta().Name}}
	}}}
}

// Reconcile looks at a policy.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	p, _ := c.Read.Get(kind, "", key.Name).(*api.ValidatingAdmissionPolicy)
	if p == nil || p.Status.ObservedGeneration == p.Generation && p.Status.TypeChecking != nil {
		k.failures.Forget(key.Name)
		return actor.Result{}
	}
	now := *p
	now.Status.ObservedGeneration, now.Status.TypeChecking = p.Generation, &api.TypeChecking{}
	if c.UpdateStatus(&now).Failed() {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	c.Record(trace.Record{Ref: actor.RefOf(p), Verdict: trace.NotSimulated, Reason: "TypeChecking",
		Message: "not simulated: the types in the policy's expressions are not compared with the schemas, so no warning is given"})
	return actor.Result{}
}
