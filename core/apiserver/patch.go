package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/apiserver/defaulting"
	"podwalk/core/codec"
	"podwalk/core/trace"
)

// The media types of patches.
const (
	StrategicMergePatch = "application/strategic-merge-patch+json"
	MergePatch          = "application/merge-patch+json"
	JSONPatch           = "application/json-patch+json"
	ApplyPatch          = "application/apply-patch+yaml"
)

func (c *call) patch() api.Response {
	old := c.current()
	if c.req.PatchType == ApplyPatch {
		return c.applyConfiguration(old)
	}
	if old == nil {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	base := old
	if c.req.Subresource == "scale" {
		return c.patchScale(old)
	}
	if k := c.req.Kind; k.Definition != nil && (c.req.PatchType == StrategicMergePatch || c.req.PatchType == "") {
		return c.refuse("apiserver", noStrategicPatch())
	}
	patched, st := c.patched(codec.ToValue(base))
	if st != nil {
		return c.refuse("apiserver", st)
	}
	n := codec.ToNode(patched)
	if n.Str("metadata", "name") != c.req.Name {
		return c.refuse("apiserver", api.NewBadRequest("the name of the object ("+n.Str("metadata", "name")+") does not match the name on the URL ("+c.req.Name+")"))
	}
	obj, st := c.decodeNode(&n)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	defaulting.Default(obj)
	if c.loud {
		c.record(trace.Record{Source: "apiserver", Stage: trace.Admitted, Verdict: trace.Changed, Reason: "Patched", Detail: changes(old, obj)})
	}
	return c.updateObject(obj, old)
}

// patched applies the request's patch to a generic value
// (apiserver/pkg/endpoints/handlers/patch.go).
func (c *call) patched(doc any) (any, *api.Status) {
	n, st := parse(c.req.Body)
	if st != nil {
		return nil, st
	}
	switch c.req.PatchType {
	case JSONPatch:
		v, err := codec.PatchJSON(doc, n)
		if err != nil {
			st := api.NewInvalid(c.req.Kind, c.req.Name, nil, "")
			st.Message, st.Details = "the server rejected our request due to an error in our request", &api.StatusDetails{}
			return nil, st
		}
		return v, nil
	case MergePatch, StrategicMergePatch, "":
		return c.merged(doc, n)
	}
	return nil, api.NewBadRequest("not simulated: patches of type " + c.req.PatchType)
}

func (c *call) merged(doc any, n *codec.Node) (any, *api.Status) {
	object, _ := doc.(map[string]any)
	change, ok := codec.ToValue(*n).(map[string]any)
	if !ok {
		return nil, api.NewBadRequest("json: cannot unmarshal array into Go value of type map[string]interface {}")
	}
	if c.req.PatchType == MergePatch {
		return codec.PatchMerge(object, change), nil
	}
	v, err := codec.PatchStrategic(object, change, c.req.Kind)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	return v, nil
}

// noStrategicPatch refuses patches that need a Go struct.
func noStrategicPatch() *api.Status {
	st := api.NewBadRequest("the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml")
	st.Code, st.Reason = 415, api.ReasonUnsupportedMediaType
	return st
}
