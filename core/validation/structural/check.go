package structural

import (
	"regexp"
	"slices"
	"sort"

	"podwalk/core/api/field"
)

// Check returns why a schema cannot be that of a custom kind: where it is not
// structural, where its defaults do not fit, and what the server does not support
// (pkg/apiserver/schema/validation.go, pkg/apis/apiextensions/validation).
func Check(s *Schema, at *field.Path) (errs field.ErrorList) {
	c := checker{}
	if !s.any(func(x *Schema) bool { return x.Ref != "" }) { // else there is no structure to look at
		c.invariants(s, atRoot, at)
		c.complete(s, s, at, at)
		errs = c.errs
		sort.Slice(errs, func(i, j int) bool { return errs[i].Error() < errs[j].Error() })
		if c = (checker{}); len(errs) == 0 {
			c.defaults(s, at)
			errs = c.errs
		}
	}
	c = checker{}
	c.supported(s, at)
	return append(errs, c.errs...)
}

type checker struct{ errs field.ErrorList }

func (c *checker) add(errs ...*field.Error) { c.errs = append(c.errs, errs...) }

type level int

const (
	atRoot level = iota
	atItem
	atField
)

// invariants checks that types are given, and what may stand at the root.
func (c *checker) invariants(s *Schema, l level, at *field.Path) {
	if s == nil {
		return
	}
	if s.Type == "array" && s.Items == nil {
		c.add(field.Required(at.Child("items"), "must be specified"))
	}
	c.invariants(s.Items, atItem, at.Child("items"))
	for _, name := range s.Names() {
		c.invariants(s.Properties[name], atField, at.Child("properties").Key(name))
	}
	if s.Map || s.Closed {
		if l == atRoot {
			c.add(field.Forbidden(at.Child("additionalProperties"), "must not be used at the root"))
		}
		c.invariants(s.Additional, atField, at.Child("additionalProperties"))
	}
	c.extensions(s, at)
	c.nested(s, at)
	switch {
	case s.Embedded && s.Type == "":
		c.add(field.Required(at.Child("type"), "must be object if x-kubernetes-embedded-resource is true"))
	case s.Embedded && s.Type != "object":
		c.add(field.Invalid(at.Child("type"), s.Type, "must be object if x-kubernetes-embedded-resource is true"))
	case s.Type == "" && !s.IntOrString && !s.keeps():
		c.add(field.Required(at.Child("type"), "must not be empty "+[]string{"at the root", "for specified array items", "for specified object fields"}[l]))
	}
	if l == atRoot && s.Type != "" && s.Type != "object" {
		c.add(field.Invalid(at.Child("type"), s.Type, "must be object at the root"))
	}
	if l == atRoot || s.Embedded {
		c.metadata(s, l, at)
	}
	if s.Embedded && !s.keeps() && len(s.Properties) == 0 {
		c.add(field.Required(at.Child("properties"), "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"))
	}
}

func (c *checker) extensions(s *Schema, at *field.Path) {
	if s.IntOrString && s.keeps() {
		c.add(field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields"), true, "must be false if x-kubernetes-int-or-string is true"))
	}
	if s.IntOrString && s.Embedded {
		c.add(field.Invalid(at.Child("x-kubernetes-embedded-resource"), true, "must be false if x-kubernetes-int-or-string is true"))
	}
	if s.Embedded && (s.Map || s.Closed) {
		c.add(field.Forbidden(at.Child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"))
	}
}

// metadata checks the fields that every object has: of metadata only the names may be
// restricted.
func (c *checker) metadata(s *Schema, l level, at *field.Path) {
	for _, name := range []string{"kind", "apiVersion"} {
		if f := s.Properties[name]; f != nil && f.Type != "string" {
			c.add(field.Invalid(at.Child("properties").Key(name).Child("type"), f.Type, "must be string"))
		}
	}
	m := s.Properties["metadata"]
	if m == nil {
		return
	}
	at = at.Child("properties").Key("metadata")
	if m.Type != "object" {
		c.add(field.Invalid(at.Child("type"), m.Type, "must be object"))
	}
	more := len(m.Required)+len(m.AllOf)+len(m.AnyOf)+len(m.OneOf) > 0 || m.Map || m.Description != "" || m.keeps()
	for _, name := range m.Names() {
		more = more || name != "name" && name != "generateName"
	}
	if l == atRoot && more {
		c.add(field.Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified"))
	}
}

// nested checks the pattern, and what stands under anyOf and the like.
func (c *checker) nested(s *Schema, at *field.Path) {
	skip := s.IntOrString && isIntOrString(s.AnyOf)
	for i, a := range s.AnyOf {
		if !skip {
			c.value(a, false, at.Child("anyOf").Index(i))
		}
	}
	for i, a := range s.AllOf {
		c.value(a, i == 0 && isIntOrString(a.AnyOf), at.Child("allOf").Index(i))
	}
	for i, a := range s.OneOf {
		c.value(a, false, at.Child("oneOf").Index(i))
	}
	if s.Not != nil {
		c.value(s.Not, false, at.Child("not"))
	}
	if s.Pattern != "" {
		if _, err := regexp.Compile(s.Pattern); err != nil {
			c.add(field.Invalid(at.Child("pattern"), s.Pattern, "must be a valid regular expression, but isn't: "+err.Error()))
		}
	}
}

func isIntOrString(list []*Schema) bool {
	return len(list) == 2 && list[0].Type == "integer" && list[1].Type == "string"
}

// value checks a schema that only judges: it names no types.
func (c *checker) value(s *Schema, skipAnyOf bool, at *field.Path) {
	if skipAnyOf {
		rest := *s
		rest.AnyOf = nil
		s = &rest
	}
	c.nested(s, at)
	if s.Items != nil {
		c.value(s.Items, false, at.Child("items"))
	}
	for _, name := range s.Names() {
		c.value(s.Properties[name], false, at.Child("properties").Key(name))
	}
	not := func(set bool, name, text string) {
		if set {
			c.add(field.Forbidden(at.Child(name), text+" to be structural"))
		}
	}
	not(s.Type != "", "type", "must be empty")
	not(s.Map || s.Closed, "additionalProperties", "must be undefined")
	not(s.Default != nil, "default", "must be undefined")
	not(s.Title != "", "title", "must be empty")
	not(s.Description != "", "description", "must be empty")
	not(s.Nullable, "nullable", "must be false")
	not(s.keeps(), "x-kubernetes-preserve-unknown-fields", "must be false")
	not(s.Embedded, "x-kubernetes-embedded-resource", "must be false")
	not(s.IntOrString, "x-kubernetes-int-or-string", "must be false")
	not(len(s.ListKeys) > 0, "x-kubernetes-list-map-keys", "must be empty")
	not(s.ListType != "", "x-kubernetes-list-type", "must be undefined")
	not(s.MapType != "", "x-kubernetes-map-type", "must be undefined")
	not(len(s.Rules) > 0, "x-kubernetes-validations", "must be empty")
	if s.Properties["metadata"] != nil {
		c.add(field.Forbidden(at.Child("properties").Key("metadata"), "must not be specified in a nested context"))
	}
}

// complete checks that what the root judges under anyOf and the like is specified
// outside; what is nested deeper is not looked at (pkg/apiserver/schema/complete.go).
func (c *checker) complete(s, judge *Schema, outside, at *field.Path) {
	if judge.Not != nil {
		c.covered(s, judge.Not, outside, at.Child("not"))
	}
	for _, list := range []struct {
		name    string
		schemas []*Schema
	}{{"allOf", judge.AllOf}, {"anyOf", judge.AnyOf}, {"oneOf", judge.OneOf}} {
		for i, a := range list.schemas {
			c.covered(s, a, outside, at.Child(list.name).Index(i))
		}
	}
}

// covered checks that a schema which judges names no more than the one outside.
func (c *checker) covered(s, judge *Schema, outside, at *field.Path) {
	if s == nil {
		c.add(field.Required(outside, "because it is defined in "+at.String()))
		return
	}
	c.complete(s, judge, outside, at)
	if judge.Items != nil {
		c.covered(s.Items, judge.Items, outside.Child("items"), at.Child("items"))
	}
	for _, name := range judge.Names() {
		c.covered(s.Properties[name], judge.Properties[name], outside.Child("properties").Key(name), at.Child("properties").Key(name))
	}
}

// defaults checks that defaults are valid values (pkg/apiserver/schema/defaulting).
func (c *checker) defaults(s *Schema, at *field.Path) {
	if s == nil {
		return
	}
	if s.Default != nil {
		p := at.Child("default")
		value := Copy(s.Default)
		plain := pruner{}
		if plain.prune(value, s, ""); len(plain.gone) > 0 {
			c.add(field.Invalid(p, s.Default, "must not have unknown fields"))
		} else {
			for _, e := range Validate(s, value, nil, false, "") {
				e.Field = p.String()
				c.add(e)
			}
		}
	}
	c.defaults(s.Items, at.Child("items"))
	c.defaults(s.Additional, at.Child("additionalProperties"))
	for _, name := range s.Names() {
		c.defaults(s.Properties[name], at.Child("properties").Key(name))
	}
}

var typeNames = []string{"array", "boolean", "integer", "number", "object", "string"}

// supported checks what the server does not support in any schema
// (ValidateCustomResourceDefinitionOpenAPISchema).
func (c *checker) supported(s *Schema, at *field.Path) {
	if s == nil {
		return
	}
	if s.Type != "" && !slices.Contains(typeNames, s.Type) {
		c.add(field.NotSupported(at.Child("type"), s.Type, typeNames))
	}
	if s.Ref != "" {
		c.add(field.Forbidden(at.Child("$ref"), "$ref is not supported"))
	}
	if s.UniqueItems {
		c.add(field.Forbidden(at.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if len(s.Properties) > 0 && (s.Closed || s.Additional != nil) {
		c.add(field.Forbidden(at.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
	}
	c.supported(s.Additional, at.Child("additionalProperties"))
	for _, name := range s.Names() {
		c.supported(s.Properties[name], at.Child("properties").Key(name))
	}
	c.supported(s.Items, at.Child("items"))
	if s.Preserve != nil && !*s.Preserve {
		c.add(field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"))
	}
	c.kinds(s, at)
	if s.ListType == "map" {
		c.keyed(s, at)
	}
}

// kinds checks the types of lists and maps.
func (c *checker) kinds(s *Schema, at *field.Path) {
	of := func(kind, want, key string) {
		switch {
		case kind == "" || s.Type == want:
		case s.Type == "":
			c.add(field.Required(at.Child("type"), "must be "+want+" if "+key+" is specified"))
		default:
			c.add(field.Invalid(at.Child("type"), s.Type, "must be "+want+" if "+key+" is specified"))
		}
	}
	maps, lists := []string{"atomic", "granular"}, []string{"atomic", "set", "map"}
	of(s.MapType, "object", "x-kubernetes-map-type")
	if s.MapType != "" && !slices.Contains(maps, s.MapType) {
		c.add(field.NotSupported(at.Child("x-kubernetes-map-type"), s.MapType, maps))
	}
	of(s.ListType, "array", "x-kubernetes-list-type")
	if s.ListType != "" && !slices.Contains(lists, s.ListType) {
		c.add(field.NotSupported(at.Child("x-kubernetes-list-type"), s.ListType, lists))
	}
	if p := at.Child("x-kubernetes-list-type"); len(s.ListKeys) > 0 && s.ListType != "map" {
		const text = "must be map if x-kubernetes-list-map-keys is non-empty"
		if s.ListType == "" {
			c.add(field.Required(p, text))
		} else {
			c.add(field.Invalid(p, s.ListType, text))
		}
	}
	if s.ListType != "set" || s.Items == nil {
		return
	}
	const atomic = "must be atomic as item of a list with x-kubernetes-list-type=set"
	if s.Items.Type == "array" && s.Items.ListType != "" && s.Items.ListType != "atomic" {
		c.add(field.Invalid(at.Child("items", "x-kubernetes-list-type"), s.Items.ListType, atomic))
	}
	if s.Items.Type == "object" && s.Items.MapType != "atomic" {
		c.add(field.Invalid(at.Child("items", "x-kubernetes-map-type"), nil, atomic))
	}
	if s.Items.Nullable {
		c.add(field.Forbidden(at.Child("items", "nullable"), "cannot be nullable when x-kubernetes-list-type is set"))
	}
}

// keyed checks a list with keys.
func (c *checker) keyed(s *Schema, at *field.Path) {
	p := at.Child("x-kubernetes-list-map-keys")
	if len(s.ListKeys) == 0 {
		c.add(field.Required(p, "must not be empty if x-kubernetes-list-type is map"))
	}
	switch {
	case s.Items == nil:
		c.add(field.Required(at.Child("items"), "must have a schema if x-kubernetes-list-type is map"))
		return
	case s.Items.Type != "object":
		c.add(field.Invalid(at.Child("items", "type"), s.Items.Type, "must be object if parent array's x-kubernetes-list-type is map"))
		return
	}
	for i, k := range s.ListKeys {
		switch f := s.Items.Properties[k]; {
		case f == nil:
			c.add(field.Invalid(p, s.ListKeys, "entries must all be names of item properties"))
		case f.Type == "array" || f.Type == "object":
			c.add(field.Invalid(at.Child("items", "properties").Key(k).Child("type"), s.Items.Type, "must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if slices.Contains(s.ListKeys[:i], k) {
			c.add(field.Invalid(p, s.ListKeys, "must not contain duplicate entries"))
		}
	}
	if s.Items.Nullable {
		c.add(field.Forbidden(at.Child("items", "nullable"), "cannot be nullable when x-kubernetes-list-type is map"))
	}
	for _, k := range s.ListKeys {
		f := s.Items.Properties[k]
		if f == nil {
			continue
		}
		if f.Default == nil && !slices.Contains(s.Items.Required, k) {
			c.add(field.Required(at.Child("items", "properties").Key(k).Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if f.Nullable {
			c.add(field.Forbidden(at.Child("items", "properties").Key(k).Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
}
