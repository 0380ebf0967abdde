package apiserver

import (
	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/store"
)

func (c *call) delete() api.Response {
	if c.req.Subresource != "" {
		return c.refuse("apiserver", noSubresource())
	}
	old := c.current()
	if old == nil {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	if st := c.preconditions(old.Meta()); st != nil {
		return c.refuse("etcd", st)
	}
	a := c.attributes(admission.Delete, nil, old)
	if st := c.mutate(a); st != nil {
		return api.Response{Status: st}
	}
	if st := c.admit(a); st != nil {
		return api.Response{Status: st}
	}
	if ns, ok := old.(*api.Namespace); ok {
		switch {
		case ns.DeletionTimestamp == nil:
			return c.terminate(ns)
		case len(ns.Spec.Finalizers) > 0:
			return api.Response{Object: old, Rev: c.read.Rev()}
		}
	}
	if d, ok := old.(*api.CustomResourceDefinition); ok && d.DeletionTimestamp == nil {
		return c.deleteDefinition(d)
	}
	return c.deleteObject(old)
}

func (c *call) preconditions(m *api.ObjectMeta) *api.Status {
	k := &api.Kind{Group: c.req.Kind.Group, Plural: c.req.Kind.Kind}
	switch {
	case c.req.PreconditionUID != "" && c.req.PreconditionUID != m.UID:
		return api.NewConflict(k, m.Name, "the UID in the precondition ("+c.req.PreconditionUID+") does not match the UID in record ("+
			m.UID+"). The object might have been deleted and then recreated")
	case c.req.PreconditionRev != "" && c.req.PreconditionRev != m.ResourceVersion:
		return api.NewConflict(k, m.Name, "the ResourceVersion in the precondition ("+c.req.PreconditionRev+
			") does not match the ResourceVersion in record ("+m.ResourceVersion+"). The object might have been modified")
	}
	return nil
}

// deleteObject removes an object, or marks it where somebody must act first: the
// kubelet of a pod, the owner of a finalizer
// (apiserver/pkg/registry/generic/registry/store.go, rest/delete.go).
func (c *call) deleteObject(old api.Object) api.Response {
	obj := old.Copy()
	m := obj.Meta()
	graceful, pending := c.mark(obj)
	if pending {
		return api.Response{Object: old, Rev: c.read.Rev()}
	}
	m.Finalizers = c.finalizers(m.Finalizers)
	switch {
	case !graceful && len(m.Finalizers) == 0:
		return c.remove(old)
	case !graceful:
		c.markNow(m)
	}
	if c.req.DryRun {
		return api.Response{Object: obj, Rev: c.read.Rev(), Deleted: *m.DeletionGracePeriodSeconds == 0}
	}
	res := c.replaceMarked(obj, old)
	if len(m.Finalizers) > 0 || *m.DeletionGracePeriodSeconds > 0 {
		return res
	}
	return c.remove(res.Object)
}

// replaceMarked stores an object that is being deleted.
func (c *call) replaceMarked(obj, old api.Object) api.Response {
	if samePart(obj, old, "ObjectMeta") {
		return api.Response{Object: old, Rev: c.read.Rev()}
	}
	return c.commit(obj, store.RevOf(old), nil)
}

// mark sets the deletion time of a pod. pending says that an earlier deletion
// with a period as short is under way.
func (c *call) mark(obj api.Object) (graceful, pending bool) {
	pod, ok := obj.(*api.Pod)
	if !ok {
		return false, false
	}
	m := &pod.ObjectMeta
	if m.DeletionTimestamp == nil {
		grace := c.grace(pod)
		at := c.time() + api.Time(grace)
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
		if m.Generation > 0 {
			m.Generation++
		}
		return true, false
	}
	if m.DeletionGracePeriodSeconds == nil || *m.DeletionGracePeriodSeconds == 0 {
		return false, false
	}
	asked := c.req.GracePeriodSeconds
	if asked == nil {
		return false, true
	}
	grace := *asked
	if grace < 0 {
		grace = 1
	}
	if grace >= *m.DeletionGracePeriodSeconds {
		return false, true
	}
	c.shorten(m, grace)
	return true, false
}

// shorten moves the deletion time back, but not into the past.
func (c *call) shorten(m *api.ObjectMeta, grace int64) {
	at := *m.DeletionTimestamp - api.Time(*m.DeletionGracePeriodSeconds) + api.Time(grace)
	if now := c.time(); at < now {
		at = now
		if grace != 0 {
			grace = 1
		}
	}
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
}

// grace is the period that a pod gets: what was asked for, else its own, but none
// where nothing runs (pkg/registry/core/pod/strategy.go CheckGracefulDelete).
func (c *call) grace(p *api.Pod) int64 {
	period := int64(0)
	switch {
	case p.Spec.NodeName == "" || p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded":
	case c.req.GracePeriodSeconds != nil:
		period = *c.req.GracePeriodSeconds
	case p.Spec.TerminationGracePeriodSeconds != nil:
		period = *p.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		return 1
	}
	return period
}

// markNow marks an object that only waits for its finalizers.
func (c *call) markNow(m *api.ObjectMeta) {
	now, none := c.time(), int64(0)
	if m.DeletionTimestamp == nil && m.Generation > 0 {
		m.Generation++
	}
	if m.DeletionTimestamp == nil || *m.DeletionTimestamp > now {
		m.DeletionTimestamp = &now
	}
	m.DeletionGracePeriodSeconds = &none
}

const (
	orphan     = "orphan"
	foreground = "foregroundDeletion"
)

// finalizers adds and removes those by which the garbage collector learns what
// shall become of the dependents.
func (c *call) finalizers(list []string) []string {
	policy := c.req.Propagation
	if policy == "" {
		return list
	}
	var out []string
	for _, f := range list {
		if f != orphan && f != foreground {
			out = append(out, f)
		}
	}
	switch policy {
	case "Orphan":
		out = append(out, orphan)
	case "Foreground":
		out = append(out, foreground)
	}
	return out
}

// terminate begins the end of a namespace: its controller empties it
// (pkg/registry/core/namespace/storage/storage.go).
func (c *call) terminate(old *api.Namespace) api.Response {
	ns := *old
	now := c.time()
	ns.DeletionTimestamp = &now
	ns.Status.Phase = "Terminating"
	ns.Finalizers = c.finalizers(ns.Finalizers)
	return c.commit(&ns, store.RevOf(old), nil)
}

// deleteCollection deletes what the request's selectors choose.
func (c *call) deleteCollection() api.Response {
	items, st := c.selected()
	if st != nil {
		return c.refuse("apiserver", st)
	}
	res := api.Response{}
	for _, o := range items {
		one := *c
		one.req.Verb, one.req.Name, one.req.Namespace = api.Delete, o.Meta().Name, o.Meta().Namespace
		r := one.delete()
		c.read = c.s.store.Latest()
		if r.Status != nil && r.Status.Reason != api.ReasonNotFound {
			return r
		}
		res.Items, res.Record = append(res.Items, o), r.Record
	}
	res.Rev = c.read.Rev()
	return res
}
