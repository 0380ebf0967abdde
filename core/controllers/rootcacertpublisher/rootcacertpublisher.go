// Package rootcacertpublisher is the controller that keeps the ConfigMap
// kube-root-ca.crt with the cluster's certificate in each namespace
// (pkg/controller/certificates/rootcacertpublisher).
package rootcacertpublisher

import (
	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const name = "kube-root-ca.crt"

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "root-ca-cert-publisher" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names namespaces, and changes of what was published.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Namespace", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if ch.New == nil {
				return nil
			}
			return []sim.Key{{Kind: "Namespace", Name: ch.New.Meta().Name}}
		}},
		{Kind: "ConfigMap", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if m := ch.Object().Meta(); m.Name == name && ch.Type != store.Added {
				return []sim.Key{{Kind: "Namespace", Name: m.Namespace}}
			}
			return nil
		}},
	}
}

// Reconcile looks at a namespace.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	ns, _ := c.Read.Get("Namespace", "", key.Name).(*api.Namespace)
	if ns == nil || ns.Status.Phase != "Active" || !k.publish(c, ns.Name).Failed() {
		k.failures.Forget(key.Name)
		return actor.Result{}
	}
	return actor.At(c.Now() + k.failures.After(key.Name))
}

// publish returns the answer to the write that was needed.
func (k *Controller) publish(c *actor.Ctx, namespace string) api.Response {
	want := apiserver.RootCertificate(namespace)
	want.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	old, _ := c.Read.Get("ConfigMap", namespace, name).(*api.ConfigMap)
	if old == nil {
		r := c.Create(want)
		if r.Failed() && (r.Status.Reason == api.ReasonForbidden || r.Status.Reason == api.ReasonAlreadyExists) {
			return api.Response{}
		}
		return r
	}
	const note = "kubernetes.io/description"
	if api.Equal(&old.Data, &want.Data) && old.Annotations[note] != "" {
		return api.Response{}
	}
	now := *old
	now.Data, now.Annotations = want.Data, map[string]string{}
	for k, v := range old.Annotations {
		now.Annotations[k] = v
	}
	now.Annotations[note] = want.Annotations[note]
	return c.Update(&now)
}
