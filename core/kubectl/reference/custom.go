package reference

import (
	"slices"
	"strings"

	"podwalk/core/validation/structural"
)

// The fields that every object has, in the words of the API.
const (
	aboutVersion = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"
	aboutKind    = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"
	aboutMeta    = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)

// Custom prepares the page of a custom kind. What its metadata holds is known only
// where the texts of the API are there.
func Custom(s *structural.Schema) *Page {
	p := &Page{types: map[string]*object{}}
	if full, ok := Kind("ConfigMap"); ok {
		p.types = full.types
	}
	if s == nil {
		s = &structural.Schema{}
	}
	p.root = "custom"
	p.add(p.root, s)
	root := p.types[p.root]
	var fields []property
	for _, f := range root.fields {
		if f.name != "apiVersion" && f.name != "kind" && f.name != "metadata" {
			fields = append(fields, f)
		}
	}
	root.fields = append(fields, property{name: "apiVersion", shown: "string", description: aboutVersion}, property{name: "kind", shown: "string", description: aboutKind},
		property{name: "metadata", shown: "ObjectMeta", ref: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", description: aboutMeta})
	slices.SortFunc(root.fields, func(a, b property) int { return strings.Compare(a.name, b.name) })
	return p
}

// add enters a schema, and those within it, as the type of that name.
func (p *Page) add(name string, s *structural.Schema) {
	o := &object{}
	if name == p.root {
		o.description = s.Description
	}
	p.types[name] = o
	for _, key := range s.Names() {
		f := s.Properties[key]
		d := property{name: key, shown: guess(f), ref: name + "." + key, description: f.Description}
		for _, e := range f.Enum {
			if text, ok := e.(string); ok {
				d.enum = append(d.enum, text)
			}
		}
		for _, r := range s.Required {
			d.required = d.required || r == key
		}
		in, about := f, ""
		for in.Items != nil || in.Additional != nil {
			if in = in.Items; in == nil {
				in = f.Additional
			}
			about, f = in.Description, in
		}
		p.add(d.ref, in)
		p.types[d.ref].description = strings.TrimSpace(about)
		o.fields = append(o.fields, d)
	}
}

// guess names the type of a schema, such as []Object.
func guess(s *structural.Schema) string {
	switch {
	case s.Items != nil:
		return "[]" + guess(s.Items)
	case s.Additional != nil:
		return "map[string]" + guess(s.Additional)
	case len(s.AllOf) == 1 && len(s.Properties) == 0:
		return guess(s.AllOf[0])
	case s.Type == "" || s.Type == "object":
		return "Object"
	}
	return s.Type
}
