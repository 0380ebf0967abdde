package apiserver

import (
	"podwalk/core/api"
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
