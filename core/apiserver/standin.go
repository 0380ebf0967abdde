package apiserver

import "podwalk/core/api"

// furnish puts into a namespace of a new cluster what its controllers did long ago:
// the default ServiceAccount, without which no pod is admitted, and the cluster's
// certificate.
func (c *call) furnish(ns *api.Namespace) {
	if c.req.User.Name != systemUser.Name {
		return
	}
	for _, o := range []api.Object{&api.ServiceAccount{ObjectMeta: api.ObjectMeta{Name: "default"}}, RootCertificate(ns.Name)} {
		k := kindOfGo(o)
		if c.read.Get(k.Kind, ns.Name, o.Meta().Name) != nil {
			continue
		}
		one := c.asController(api.Request{Verb: api.Create, Kind: k, Namespace: ns.Name, Name: o.Meta().Name})
		m, t := o.Meta(), o.ObjectType()
		m.Namespace = ns.Name
		t.APIVersion, t.Kind = k.APIVersion(), k.Kind
		one.fill(o)
		one.put(o, 0)
	}
	c.read = c.s.store.Latest()
}

// asController returns a request that a controller would make because of this
// one.
func (c *call) asController(req api.Request) *call {
	req.User = systemUser
	return &call{s: c.s, now: c.now, cause: c.cause, log: c.log, read: c.s.store.Latest(), req: req}
}
