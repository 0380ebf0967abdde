// Package serviceaccount is the controller that gives each namespace its
// ServiceAccount "default", and a new one when it is deleted
// (pkg/controller/serviceaccount/serviceaccounts_controller.go).
package serviceaccount

import (
	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "service-account-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names namespaces, and the accounts that go.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Namespace", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.New == nil {
				return nil
			}
			return []sim.Key{{Kind: "Namespace", Name: ch.New.Meta().Name}}
		}},
		{Kind: "ServiceAccount", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.Type != store.Deleted || ch.Old.Meta().Name != "default" {
				return nil
			}
			return []sim.Key{{Kind: "Namespace", Name: ch.Old.Meta().Namespace}}
		}},
	}
}

// Reconcile looks at a namespace.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	ns, _ := c.Read.Get("Namespace", "", key.Name).(*api.Namespace)
	if ns == nil || ns.Status.Phase != "Active" || c.Read.Get("ServiceAccount", ns.Name, "default") != nil {
		k.failures.Forget(key.Name)
		return actor.Result{}
	}
	account := &api.ServiceAccount{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: api.ObjectMeta{Namespace: ns.Name, Name: "default"}}
	if r := c.Create(account); r.Failed() && !expected(r.Status) {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	return actor.Result{}
}

// expected holds for the refusals of a namespace that goes, or has the account.
func expected(st *api.Status) bool {
	return st.Reason == api.ReasonAlreadyExists || st.Reason == api.ReasonForbidden || st.Reason == api.ReasonNotFound
}
