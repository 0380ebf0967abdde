package apiserver

import (
	"bytes"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/trace"
	"podwalk/core/validation/structural"
)

// decode reads the object of a request strictly, loosely or with warnings, as its
// fieldValidation says (apiserver/pkg/endpoints/handlers/create.go).
func (c *call) decode(body []byte) (api.Object, *api.Status) {
	if c.body != nil {
		return c.decodeNode(c.body)
	}
	n, st := parse(body)
	if st != nil {
		return nil, st
	}
	return c.decodeNode(n)
}

func parse(body []byte) (*codec.Node, *api.Status) {
	if text := bytes.TrimLeft(body, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		n, err := codec.ParseJSON(body)
		if err != nil {
			return nil, api.NewBadRequest("the object provided is unrecognized (must be of type Object): " + err.Error())
		}
		return &n, nil
	}
	nodes, err := codec.Read(body)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	if len(nodes) != 1 {
		return nil, api.NewBadRequest("the body must hold one object, it holds " + strconv.Itoa(len(nodes)))
	}
	return &nodes[0], nil
}

func (c *call) decodeNode(n *codec.Node) (api.Object, *api.Status) {
	k := c.req.Kind
	version, kind := n.Str("apiVersion"), n.Str("kind")
	if st := c.checkType(version, kind); st != nil {
		return nil, st
	}
	obj := k.New()
	report := codec.Decode(n, obj)
	if o, ok := obj.(*api.Custom); ok {
		report = withUnknown(report, c.coerce(o, k))
	}
	if d, ok := obj.(*api.CustomResourceDefinition); ok {
		report = withUnknown(report, unknownInSchemas(d))
	}
	if report == nil {
		c.decoded(nil)
		return obj, nil
	}
	if report.Type != nil || c.req.FieldValidation == "Strict" {
		return nil, api.NewBadRequest(kind + ` in version "` + k.Version + `" cannot be handled as a ` + k.Name() + ": " + report.Error())
	}
	c.decoded(report.Strict)
	return obj, nil
}

// checkType refuses a body of another type than the request's path.
func (c *call) checkType(version, kind string) *api.Status {
	k := c.req.Kind
	switch {
	case version != k.APIVersion():
		return api.NewBadRequest("the API version in the data (" + version + ") does not match the expected API version (" + k.APIVersion() + ")")
	case kind != k.Name():
		return api.NewBadRequest(kind + ` in version "` + k.Version + `" cannot be handled as a ` + k.Name() + `: no kind "` + kind +
			`" is registered for version "` + version + `" in scheme "pkg/runtime/scheme.go:111"`)
	}
	return nil
}

// decoded records that the body was read, and warns of what was overlooked.
func (c *call) decoded(unknown []codec.Issue) {
	var d []trace.Detail
	for _, i := range unknown {
		d = append(d, trace.Detail{Name: i.Path, Value: i.Message})
		if c.req.FieldValidation != "Ignore" {
			c.warnings = append(c.warnings, i.Message)
		}
	}
	if c.loud {
		c.record(trace.Record{Source: "apiserver", Stage: trace.Admitted, Verdict: trace.Passed, Reason: "Decoded", Detail: d})
	}
}

// withUnknown adds the fields that a schema does not name to what was found wrong.
func withUnknown(r *codec.Report, unknown []string) *codec.Report {
	if len(unknown) == 0 || r != nil && r.Type != nil {
		return r
	}
	if r == nil {
		r = &codec.Report{}
	}
	for _, path := range unknown {
		r.Strict = append(r.Strict, codec.Issue{Path: path, Message: "unknown field " + strconv.Quote(path)})
	}
	return r
}

// unknownInSchemas lists the fields of a definition's schemas that no schema has.
func unknownInSchemas(d *api.CustomResourceDefinition) (paths []string) {
	for i := range d.Spec.Versions {
		if s := d.Spec.Versions[i].Schema; s != nil && s.OpenAPIV3Schema != nil {
			paths = append(paths, structural.Unknown(*s.OpenAPIV3Schema, "spec.versions["+strconv.Itoa(i)+"].schema.openAPIV3Schema")...)
		}
	}
	return paths
}
