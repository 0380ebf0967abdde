package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/store"
	"podwalk/core/trace"
	"podwalk/core/validation/structural"
)

// schemas remembers what the schemas of definitions were read into. It is no state: it
// can be made again at any time.
type schemas map[string]schemaOf

type schemaOf struct {
	definition *api.CustomResourceDefinition
	schema     *structural.Schema
}

// schema is the schema of a version of a custom kind.
func (s *Server) schema(k *api.Kind) *structural.Schema {
	key := k.Definition.Name + "/" + k.Version
	if have, ok := s.schemas[key]; ok && have.definition == k.Definition {
		return have.schema
	}
	var read *structural.Schema
	if v := k.Custom(); v != nil && v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		read = structural.Parse(*v.Schema.OpenAPIV3Schema)
	}
	if s.schemas == nil || len(s.schemas) > 500 {
		s.schemas = schemas{}
	}
	s.schemas[key] = schemaOf{k.Definition, read}
	return read
}

// discover answers which kinds definitions have made.
func (c *call) discover() api.Response {
	return api.Response{Kinds: c.read.CustomKinds(), Rev: c.read.Rev()}
}

// serveCustom makes sure that a custom kind is served still, and goes on with it as
// its definition is now.
func (c *call) serveCustom() *api.Status {
	for _, k := range c.read.CustomKinds() {
		if k.Kind == c.req.Kind.Kind && k.Version == c.req.Kind.Version {
			c.req.Kind = k
			if v := k.Custom(); v.Deprecated && !isComponent(c.req.User) {
				text := v.DeprecationWarning
				if text == "" {
					text = k.APIVersion() + " " + k.Name() + " is deprecated"
					if newer := newerThan(k, c.read.CustomKinds()); newer != "" {
						text += "; use " + newer
					}
				}
				c.warnings = append(c.warnings, text)
			}
			return nil
		}
	}
	return noSubresource()
}

// newerThan names the preferred version of a kind that is not deprecated.
func newerThan(k *api.Kind, all []*api.Kind) string {
	for _, o := range all {
		if o.Kind == k.Kind && !o.Custom().Deprecated {
			if o.Version == k.Version {
				return ""
			}
			return o.APIVersion() + " " + o.Name()
		}
	}
	return ""
}

// coerce takes out what the schema does not name, completes the rest, and returns the
// paths of what went (apiextensions-apiserver/pkg/apiserver/customresource_handler.go).
func (c *call) coerce(o *api.Custom, k *api.Kind) []string {
	o.Kind = k.Kind
	object, _ := codec.ToValue(o).(map[string]any)
	schema := c.s.schema(k)
	var gone []string
	if !k.Definition.Spec.PreserveUnknownFields {
		gone = structural.Prune(object, schema)
		structural.DropNulls(object, schema)
	}
	structural.Complete(object, schema)
	setContent(o, object)
	return gone
}

// setContent takes over all of a generic object but its type and metadata.
func setContent(o *api.Custom, object map[string]any) {
	rest := make(map[string]any, len(object))
	for k, v := range object {
		if k != "apiVersion" && k != "kind" && k != "metadata" {
			rest[k] = v
		}
	}
	o.Content = codec.ToJSON(rest)
}

// contentOf reads the fields of a custom object.
func contentOf(o *api.Custom) map[string]any {
	m, _ := structural.ParseValue(o.Content).(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	return m
}

// inVersion is a custom object in the version of a kind.
func (c *call) inVersion(o api.Object, k *api.Kind) api.Object {
	x, ok := o.(*api.Custom)
	if !ok || k == nil || k.Definition == nil {
		return o
	}
	now := *x
	now.APIVersion = k.APIVersion()
	c.coerce(&now, k)
	return &now
}

// storedVersion is the kind of the version in which objects are stored.
func storedVersion(k *api.Kind) *api.Kind {
	for i := range k.Definition.Spec.Versions {
		if v := &k.Definition.Spec.Versions[i]; v.Storage && v.Name != k.Version {
			other := *k
			other.Version = v.Name
			return &other
		}
	}
	return k
}

// subresources are those that the version of a custom kind has.
func subresources(k *api.Kind) api.CustomResourceSubresources {
	if v := k.Custom(); v != nil && v.Subresources != nil {
		return *v.Subresources
	}
	return api.CustomResourceSubresources{}
}

// hasSubresource reports whether a kind serves a subresource; of the API's own kinds
// others know.
func hasSubresource(k *api.Kind, name string) bool {
	if k.Definition == nil {
		return true
	}
	s := subresources(k)
	return name == "" || name == "status" && s.Status != nil || name == "scale" && s.Scale != nil
}

// prepareCustom is what the server does to a new custom object
// (pkg/registry/customresource/strategy.go).
func (c *call) prepareCustom(o *api.Custom) {
	o.Generation = 1
	if subresources(c.req.Kind).Status != nil {
		content := contentOf(o)
		delete(content, "status")
		setContent(o, content)
	}
}

// keepCustom keeps what an update may not change, and counts the generation.
func (c *call) keepCustom(o, old *api.Custom) {
	content, was := contentOf(o), contentOf(old)
	status, had := was["status"]
	switch {
	case c.req.Subresource == "status":
		status, had = content["status"]
		content = was
		managed := o.ManagedFields
		o.ObjectMeta = old.ObjectMeta
		o.ManagedFields = managed
	case subresources(c.req.Kind).Status == nil:
		status, had = content["status"]
	}
	if had {
		content["status"] = status
	} else {
		delete(content, "status")
	}
	setContent(o, content)
	if c.req.Subresource != "status" && !api.Equal(o.Content, old.Content) {
		o.Generation = old.Generation + 1
	}
}

// createsWhileTerminating refuses new objects of a kind whose definition goes.
func (c *call) createsWhileTerminating() *api.Status {
	if d := c.req.Kind.Definition; d != nil && d.DeletionTimestamp != nil {
		st := api.NewMethodNotSupported(c.req.Kind, "create")
		st.Message = "create not allowed while custom resource definition is terminating"
		return st
	}
	return nil
}

// noteCustom says of a new custom object what does not happen to it.
func (c *call) noteCustom(obj api.Object) {
	c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "apiserver", Ref: refOf(obj), Verdict: trace.NotSimulated,
		Reason: "NoController", Message: "no controller for " + c.req.Kind.Name() + " is simulated: the object is stored, and nothing acts on it"})
}

// deleteDefinition marks a definition: its controller removes the objects of the kind
// first (pkg/registry/customresourcedefinition/etcd.go).
func (c *call) deleteDefinition(old *api.CustomResourceDefinition) api.Response {
	d, now := *old, c.time()
	d.DeletionTimestamp = &now
	if !contains(d.Finalizers, CustomCleanup) {
		d.Finalizers = append(d.Finalizers[:len(d.Finalizers):len(d.Finalizers)], CustomCleanup)
	}
	d.Status.Conditions = append(d.Status.Conditions[:len(d.Status.Conditions):len(d.Status.Conditions)], api.CustomResourceDefinitionCondition{
		Type: "Terminating", Status: "True", LastTransitionTime: &now, Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"})
	return c.commit(&d, store.RevOf(old), nil)
}

// CustomCleanup is the finalizer of definitions that are being deleted.
const CustomCleanup = "customresourcecleanup.apiextensions.k8s.io"
