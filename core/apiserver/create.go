package apiserver

import (
	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/apiserver/defaulting"
	"podwalk/core/trace"
	"podwalk/core/validation"
)

func (c *call) create() api.Response {
	switch c.req.Subresource {
	case "":
	case "binding":
		return c.bind()
	case "eviction":
		return c.evict()
	case "exec":
		return c.exec()
	case "token":
		return c.token()
	default:
		return c.refuse("apiserver", noSubresource())
	}
	if st := c.createsWhileTerminating(); st != nil {
		return c.refuse("apiserver", st)
	}
	obj, st := c.incoming()
	if st != nil {
		return c.refuse("apiserver", st)
	}
	c.req.Name = obj.Meta().Name
	if st := c.matchNamespace(obj.Meta()); st != nil {
		return c.refuse("apiserver", st)
	}
	c.defaults(obj)
	return c.createObject(obj)
}

// createObject goes on with an object that is complete as to its form.
func (c *call) createObject(obj api.Object) api.Response {
	a := c.attributes(admission.Create, obj, nil)
	if st := c.mutate(a); st != nil {
		return api.Response{Status: st}
	}
	c.fill(obj)
	c.req.Name = obj.Meta().Name
	a.Name = c.req.Name
	if st := c.allocate(obj, nil); st != nil {
		return c.refuse("apiserver", st)
	}
	c.prepareCreate(obj)
	if st := c.validate(obj, nil); st != nil {
		return c.refuse("validation", st)
	}
	c.passAdmission("validation")
	if st := c.admit(a); st != nil {
		return api.Response{Status: st}
	}
	if old := c.current(); old != nil {
		return c.refuse("etcd", api.NewAlreadyExists(c.req.Kind, c.req.Name))
	}
	c.warnings = append(c.warnings, validation.Warnings(obj, nil)...)
	if j, ok := obj.(*api.Job); ok && len(j.Labels) == 0 {
		j.Labels = j.Spec.Template.Labels // as every read completes it
	}
	return c.commit(obj, 0, a.Writes)
}

// incoming returns the object of the request, which the server may change.
func (c *call) incoming() (api.Object, *api.Status) {
	if c.req.Object == nil {
		return c.decode(c.req.Body)
	}
	obj := api.DeepCopy(c.req.Object)
	t := obj.ObjectType()
	t.APIVersion, t.Kind = c.req.Kind.APIVersion(), c.req.Kind.Kind
	return obj, nil
}

// defaults completes the object and shows what was added.
func (c *call) defaults(obj api.Object) {
	before := c.snapshot(obj)
	defaulting.Default(obj)
	if !c.loud || c.brief {
		return
	}
	r := trace.Record{Source: "apiserver", Stage: trace.Admitted, Verdict: trace.Passed, Reason: "Defaulted"}
	if before != nil {
		if r.Detail = changes(before, obj); len(r.Detail) > 0 {
			r.Verdict = trace.Changed
		}
	}
	c.record(r)
}
