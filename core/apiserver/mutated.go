package apiserver

import (
	"reflect"

	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/apiserver/defaulting"
	"podwalk/core/codec"
)

var _ admission.Server = (*call)(nil)

// options is what the request says beside its object, as policies see it.
func (c *call) options() map[string]any {
	if c.s.cfg.Expressions == nil {
		return nil
	}
	m := map[string]any{}
	if c.req.FieldManager != "" {
		m["fieldManager"] = c.req.FieldManager
	}
	if c.req.FieldValidation != "" {
		m["fieldValidation"] = c.req.FieldValidation
	}
	if c.req.Verb == api.Delete {
		m = map[string]any{}
		if g := c.req.GracePeriodSeconds; g != nil {
			m["gracePeriodSeconds"] = *g
		}
		if c.req.Propagation != "" {
			m["propagationPolicy"] = c.req.Propagation
		}
	}
	if c.req.DryRun {
		m["dryRun"] = []any{"All"}
	}
	return m
}

// Replace makes an object what a mutating policy made of it
// (policy/mutating/dispatcher.go dispatchOne).
func (c *call) Replace(o api.Object, value map[string]any) string {
	n := codec.ToNode(value)
	v := reflect.ValueOf(o).Elem()
	fresh := reflect.New(v.Type())
	if r := codec.Decode(&n, fresh.Interface()); r != nil {
		return r.Error()
	}
	v.Set(fresh.Elem())
	defaulting.Default(o)
	return ""
}

// KindFor returns a kind that is served, one of the API's or one that a definition
// makes, or nil.
func (c *call) KindFor(apiVersion, kind string) *api.Kind { return c.read.KindFor(apiVersion, kind) }

// Allows answers expressions that ask the authorizer.
func (c *call) Allows(q expression.Check) (bool, string) {
	for _, g := range q.User.Groups {
		if g == "system:masters" {
			return true, ""
		}
	}
	other := *c
	other.req.User = q.User
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	reason, ok := other.allowed(question{verb: q.Verb, group: q.Group, resource: resource, name: q.Name, namespace: q.Namespace, path: q.Path})
	return ok, reason
}
