package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/trace"
)

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

// empty deletes what is in a namespace that is being deleted, as its controller
// would; pods end gracefully.
func (c *call) empty(namespace string) {
	if c.s.simulated["Namespace"] {
		return
	}
	c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "apiserver", Ref: trace.Ref{Kind: "Namespace", Name: namespace}, Verdict: trace.Info,
		Reason: "NamespaceEmptied", Message: "what the namespace holds is deleted at once: its controller is not simulated"})
	for i := range api.Kinds {
		k := &api.Kinds[i]
		if !k.Namespaced {
			continue
		}
		var names []string
		c.s.store.Latest().Each(k.Kind, namespace, func(o api.Object) bool {
			names = append(names, o.Meta().Name)
			return true
		})
		for _, name := range names {
			c.asController(api.Request{Verb: api.Delete, Kind: k, Namespace: namespace, Name: name}).delete()
		}
	}
	c.vanish(namespace)
	c.read = c.s.store.Latest()
}

// vanish removes a namespace that is being deleted once nothing is left in it.
func (c *call) vanish(namespace string) {
	ns, ok := c.s.store.Latest().Get("Namespace", "", namespace).(*api.Namespace)
	if !ok || ns.Status.Phase != "Terminating" || c.s.simulated["Namespace"] || len(ns.Finalizers) > 0 || c.holdsAny(namespace) {
		return
	}
	one := c.asController(api.Request{Verb: api.Delete, Kind: api.KindNamed("Namespace"), Name: namespace})
	one.remove(ns)
	c.read = c.s.store.Latest()
}

func (c *call) holdsAny(namespace string) (any bool) {
	for i := range api.Kinds {
		if k := &api.Kinds[i]; k.Namespaced {
			c.s.store.Latest().Each(k.Kind, namespace, func(api.Object) bool {
				any = true
				return false
			})
		}
	}
	return any
}
