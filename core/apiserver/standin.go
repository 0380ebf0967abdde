package apiserver

import (
	"podwalk/core/admission/resourcequota"
	"podwalk/core/api"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// furnish puts into a new namespace what its controllers would within moments:
// the default ServiceAccount, without which no pod is admitted, and the cluster's
// certificate. It does nothing where the controllers are simulated, but for the
// namespaces of a new cluster, which have been there for a while.
func (c *call) furnish(ns *api.Namespace) {
	if c.s.simulated["ServiceAccount"] && c.req.User.Name != systemUser.Name {
		return
	}
	if c.loud {
		c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "apiserver", Ref: refOf(ns), Verdict: trace.Info, Reason: "NamespaceFurnished",
			Message: "the ServiceAccount default and the ConfigMap kube-root-ca.crt are there at once: their controllers are not simulated"})
	}
	for _, o := range []api.Object{&api.ServiceAccount{ObjectMeta: api.ObjectMeta{Name: "default"}}, RootCertificate(ns.Name)} {
		k := kindOfGo(o)
		one := *c
		one.loud = false
		one.req = api.Request{Verb: api.Create, Kind: k, Namespace: ns.Name, Name: o.Meta().Name, User: systemUser}
		m, t := o.Meta(), o.ObjectType()
		m.Namespace = ns.Name
		t.APIVersion, t.Kind = k.APIVersion(), k.Kind
		one.fill(o)
		one.put(o, 0)
	}
	c.read = c.s.store.Latest()
}

// countQuota fills in the status of a quota where its controller is not
// simulated.
func (c *call) countQuota(q *api.ResourceQuota) {
	if !c.s.simulated["ResourceQuota"] {
		q.Status = api.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: resourcequota.Used(c.s.store.Latest(), q)}
	}
}

// recount counts the quotas of a namespace again, after something went that they
// may have counted.
func (c *call) recount(namespace string) {
	if namespace == "" || c.s.simulated["ResourceQuota"] {
		return
	}
	var changed []*api.ResourceQuota
	c.s.store.Latest().Each("ResourceQuota", namespace, func(o api.Object) bool {
		q := *o.(*api.ResourceQuota)
		if c.countQuota(&q); !api.Equal(&q, o) {
			changed = append(changed, &q)
		}
		return true
	})
	for _, q := range changed {
		one := *c
		one.loud = false
		one.put(q, store.AnyRev)
	}
	c.read = c.s.store.Latest()
}
