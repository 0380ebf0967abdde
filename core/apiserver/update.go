package apiserver

import (
	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/store"
	"podwalk/core/validation"
)

func (c *call) update() api.Response {
	old := c.current()
	if old == nil {
		if c.req.Subresource == "" && contains(createdByUpdate, c.req.Kind.Kind) {
			return c.create()
		}
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	if c.req.Subresource == "status" && c.req.Object != nil && c.req.Kind.Definition == nil {
		return c.quickStatus(old)
	}
	obj, st := c.incoming()
	if st != nil {
		return c.refuse("apiserver", st)
	}
	if name := obj.Meta().Name; name != c.req.Name {
		return c.refuse("apiserver", api.NewBadRequest("the name of the object ("+name+") does not match the name on the URL ("+c.req.Name+")"))
	}
	if st := c.matchNamespace(obj.Meta()); st != nil {
		return c.refuse("apiserver", st)
	}
	c.defaults(obj)
	return c.updateObject(obj, old)
}

// createdByUpdate lists the kinds that an update may create (AllowCreateOnUpdate
// of their strategies).
var createdByUpdate = []string{"Event", "Lease", "LimitRange", "Endpoints", "Service", "RuntimeClass", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

// updateObject goes on with a new state that is complete as to its form.
func (c *call) updateObject(obj, old api.Object) api.Response {
	switch c.req.Subresource {
	case "", "status", "resize", "ephemeralcontainers", "scale", "finalize", "approval":
	default:
		return c.refuse("apiserver", noSubresource())
	}
	if st := c.checkRev(obj.Meta(), old.Meta()); st != nil {
		return c.refuse("etcd", st)
	}
	a := c.attributes(admission.Update, obj, old)
	if st := c.mutate(a); st != nil {
		return api.Response{Status: st}
	}
	if st := c.allocate(obj, old); st != nil {
		return c.refuse("apiserver", st)
	}
	c.prepareUpdate(obj, old)
	if st := c.validate(obj, old); st != nil {
		return c.refuse("validation", st)
	}
	c.passAdmission("validation")
	if st := c.admit(a); st != nil {
		return api.Response{Status: st}
	}
	if c.req.Subresource == "" && c.req.Object == nil {
		c.warnings = append(c.warnings, validation.Warnings(obj, old)...)
	}
	return c.replace(obj, old, a.Writes)
}

// replace stores the new state unless nothing changed, and removes an object whose
// last finalizer went.
func (c *call) replace(obj, old api.Object, beside []api.Object) api.Response {
	m := obj.Meta()
	if m.DeletionTimestamp != nil && len(m.Finalizers) == 0 && (m.DeletionGracePeriodSeconds == nil || *m.DeletionGracePeriodSeconds == 0) && !awaitsFinalize(obj) {
		m.ResourceVersion = old.Meta().ResourceVersion
		res := c.remove(old)
		res.Object = obj
		return res
	}
	m.ResourceVersion = old.Meta().ResourceVersion
	if api.Equal(obj, old) && !c.gaveUp {
		c.pass("etcd", "", "nothing changed")
		return api.Response{Object: old, Rev: c.read.Rev()}
	}
	return c.commit(obj, store.RevOf(old), beside)
}

// awaitsFinalize holds for namespaces that the namespace controller has to empty.
func awaitsFinalize(obj api.Object) bool {
	ns, ok := obj.(*api.Namespace)
	return ok && len(ns.Spec.Finalizers) > 0
}

// prepareUpdate keeps what an update cannot change
// (apiserver/pkg/registry/rest/update.go).
func (c *call) prepareUpdate(obj, old api.Object) {
	m, o := obj.Meta(), old.Meta()
	m.UID, m.CreationTimestamp, m.SelfLink, m.Generation = o.UID, o.CreationTimestamp, "", o.Generation
	m.ManagedFields = nil
	if o.DeletionTimestamp != nil || m.DeletionTimestamp == nil || c.req.Subresource == "status" {
		m.DeletionTimestamp = o.DeletionTimestamp
	}
	if o.DeletionGracePeriodSeconds != nil || m.DeletionTimestamp == nil {
		m.DeletionGracePeriodSeconds = o.DeletionGracePeriodSeconds
	}
	if !c.needsRev() || m.ResourceVersion != "" {
		m.ResourceVersion = o.ResourceVersion
	}
	c.keep(obj, old)
	if c.req.Subresource != "status" && o.Generation > 0 && specChanged(obj, old) {
		m.Generation = o.Generation + 1
	}
}

// guarded lists the kinds whose updates must name the revision they replace
// (AllowUnconditionalUpdate of their strategies).
var guarded = []string{"PodDisruptionBudget", "RuntimeClass", "Lease", "CSIDriver", "CSINode", "VolumeAttachment",
	"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding",
	"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "CustomResourceDefinition"}

func (c *call) needsRev() bool {
	return c.req.Kind.Definition != nil || contains(guarded, c.req.Kind.Kind)
}

// quickStatus is the way of the components: the new status replaces the old one,
// and nothing else is looked at.
func (c *call) quickStatus(old api.Object) api.Response {
	given := c.req.Object
	if st := c.checkRev(given.Meta(), old.Meta()); st != nil {
		return c.refuse("etcd", st)
	}
	obj := old.Copy()
	if !mergeStatus(obj, given, old, c.time()) {
		return c.refuse("apiserver", noSubresource())
	}
	if samePart(obj, old, "Status") && samePart(obj, old, "ObjectMeta") {
		return api.Response{Object: old, Rev: c.read.Rev()}
	}
	return c.commit(obj, store.RevOf(old), nil)
}
