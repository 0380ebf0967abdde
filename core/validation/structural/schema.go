// Package structural is the schemas of custom kinds: it reads them, checks values
// against them in the server's words, completes values, and takes out what they do not
// name (apiextensions-apiserver/pkg/apiserver/schema, kube-openapi/pkg/validation).
// Values are generic: map[string]any, []any, string, int64, float64, bool and nil.
// Where the server visits a map in any order, here it is that of the keys. Start at
// Parse.
package structural

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Schema is one node of an OpenAPI v3 schema, with the extensions of Kubernetes.
type Schema struct {
	Type, Format, Title, Description, Pattern, Ref string

	Nullable, UniqueItems, ExclusiveMaximum, ExclusiveMinimum bool
	Maximum, Minimum, MultipleOf                              *float64

	MaxLength, MinLength, MaxItems, MinItems, MaxProperties, MinProperties *int64

	Properties map[string]*Schema
	Additional *Schema // of additionalProperties
	Map        bool    // additionalProperties is given, and not false
	Closed     bool    // additionalProperties is false
	Items      *Schema
	Required   []string
	Enum       []any
	Default    any // nil: there is none

	AllOf, OneOf, AnyOf []*Schema
	Not                 *Schema

	Preserve          *bool
	Embedded          bool
	IntOrString       bool
	ListType, MapType string
	ListKeys          []string
	Rules             []any // x-kubernetes-validations
}

// ParseValue reads JSON as the server does: whole numbers are int64, others float64.
// It is nil where the text is no JSON.
func ParseValue(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return numbers(v)
}

func numbers(v any) any {
	switch x := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return i
		}
		f, _ := strconv.ParseFloat(string(x), 64)
		return f
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = numbers(x[k])
		}
	}
	return v
}

// Parse reads the JSON of a schema; nil where there is none.
func Parse(text []byte) *Schema { return parse(ParseValue(text)) }

func parse(v any) *Schema {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	s := &Schema{Type: text(m, "type"), Format: text(m, "format"), Title: text(m, "title"), Description: text(m, "description"), Pattern: text(m, "pattern"), Ref: text(m, "$ref"),
		Nullable: flag(m, "nullable"), UniqueItems: flag(m, "uniqueItems"), ExclusiveMaximum: flag(m, "exclusiveMaximum"), ExclusiveMinimum: flag(m, "exclusiveMinimum"),
		Maximum: float(m, "maximum"), Minimum: float(m, "minimum"), MultipleOf: float(m, "multipleOf"),
		MaxLength: whole(m, "maxLength"), MinLength: whole(m, "minLength"), MaxItems: whole(m, "maxItems"), MinItems: whole(m, "minItems"),
		MaxProperties: whole(m, "maxProperties"), MinProperties: whole(m, "minProperties"),
		Items: parse(m["items"]), Required: texts(m, "required"), Default: m["default"], Not: parse(m["not"]),
		AllOf: list(m, "allOf"), OneOf: list(m, "oneOf"), AnyOf: list(m, "anyOf"),
		Embedded: flag(m, "x-kubernetes-embedded-resource"), IntOrString: flag(m, "x-kubernetes-int-or-string"),
		ListType: text(m, "x-kubernetes-list-type"), MapType: text(m, "x-kubernetes-map-type"), ListKeys: texts(m, "x-kubernetes-list-map-keys")}
	s.Enum, _ = m["enum"].([]any)
	s.Rules, _ = m["x-kubernetes-validations"].([]any)
	if b, ok := m["x-kubernetes-preserve-unknown-fields"].(bool); ok {
		s.Preserve = &b
	}
	if properties, ok := m["properties"].(map[string]any); ok {
		s.Properties = map[string]*Schema{}
		for name, p := range properties {
			if s.Properties[name] = parse(p); s.Properties[name] == nil {
				s.Properties[name] = &Schema{}
			}
		}
	}
	switch a := m["additionalProperties"].(type) {
	case bool:
		s.Map, s.Closed = a, !a
	case map[string]any:
		s.Map, s.Additional = true, parse(a)
	}
	return s
}

// keeps reports whether unknown fields stay.
func (s *Schema) keeps() bool { return s.Preserve != nil && *s.Preserve }

// Names are the names of the properties, sorted.
func (s *Schema) Names() []string { return sortedKeys(s.Properties) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func flag(m map[string]any, key string) bool {
	b, _ := m[key].(bool)
	return b
}

func float(m map[string]any, key string) *float64 {
	switch n := m[key].(type) {
	case int64:
		f := float64(n)
		return &f
	case float64:
		return &n
	}
	return nil
}

func whole(m map[string]any, key string) *int64 {
	if n, ok := m[key].(int64); ok {
		return &n
	}
	return nil
}

func texts(m map[string]any, key string) (out []string) {
	items, _ := m[key].([]any)
	for _, i := range items {
		s, _ := i.(string)
		out = append(out, s)
	}
	return out
}

func list(m map[string]any, key string) (out []*Schema) {
	items, _ := m[key].([]any)
	for _, i := range items {
		if s := parse(i); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// HasRules reports whether the schema, or one within it, has rules in CEL.
func (s *Schema) HasRules() bool { return s.any(func(x *Schema) bool { return len(x.Rules) > 0 }) }

// any reports whether a test holds for the schema or one that describes a part of it.
func (s *Schema) any(test func(*Schema) bool) bool {
	if s == nil {
		return false
	}
	found := test(s) || s.Items.any(test) || s.Additional.any(test)
	for _, p := range s.Properties {
		found = found || p.any(test)
	}
	return found
}

// UnknownFormats lists the formats that the server does not know for their types,
// sorted.
func (s *Schema) UnknownFormats() (list []string) {
	s.any(func(x *Schema) bool {
		if x.Format != "" && x.format() == "" && !slices.Contains(list, x.Format) {
			list = append(list, x.Format)
		}
		return false
	})
	slices.Sort(list)
	return list
}

// words are the fields of a schema (apis/apiextensions/v1 JSONSchemaProps).
const words = " id $schema $ref description type format title default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems" +
	" uniqueItems multipleOf enum maxProperties minProperties required items allOf oneOf anyOf not properties additionalProperties patternProperties dependencies" +
	" additionalItems definitions externalDocs example nullable x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-int-or-string" +
	" x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-validations "

// Unknown lists the paths of fields that no schema has.
func Unknown(text []byte, path string) []string {
	u := unknown{}
	u.schema(ParseValue(text), path)
	return u.list
}

type unknown struct{ list []string }

func (u *unknown) schema(v any, path string) {
	m, _ := v.(map[string]any)
	for _, k := range sortedKeys(m) {
		at := path + "." + k
		switch k {
		case "properties", "patternProperties", "definitions":
			inner, _ := m[k].(map[string]any)
			for _, name := range sortedKeys(inner) {
				u.schema(inner[name], at+"."+name)
			}
		case "items", "additionalProperties", "not", "additionalItems":
			u.schema(m[k], at)
		case "allOf", "oneOf", "anyOf":
			list, _ := m[k].([]any)
			for i := range list {
				u.schema(list[i], at+"["+strconv.Itoa(i)+"]")
			}
		default:
			if !strings.Contains(words, " "+k+" ") {
				u.list = append(u.list, at)
			}
		}
	}
}
