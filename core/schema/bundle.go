// Package schema gives the editor's hints: it checks a document against the JSON
// Schema of its kind with gojsonschema and lists the fields of a kind for
// completion. It never decides what the API server answers, which decodes and
// validates by its own rules; and for its size only programs of their own link
// it. Start reading at Check.
package schema

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/xeipuuv/gojsonschema"

	"podwalk/schemas"
)

// kind names a schema of a bundle.
type kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Definition string `json:"definition"`
}

// definition is the part of a JSON Schema that the hints read themselves.
type definition struct {
	Ref        string                 `json:"$ref"`
	Type       types                  `json:"type"`
	Format     string                 `json:"format"`
	Enum       []string               `json:"enum"`
	Required   []string               `json:"required"`
	Properties map[string]*definition `json:"properties"`
	Items      *definition            `json:"items"`
	Additional *additional            `json:"additionalProperties"`
}

// types is one type or a list of them.
type types []string

// UnmarshalJSON reads both forms.
func (t *types) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = types{""}
	return json.Unmarshal(b, &(*t)[0])
}

// additional is the schema of the values of a map; nil inside means false.
type additional struct{ values *definition }

// UnmarshalJSON reads false and a schema.
func (a *additional) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	return json.Unmarshal(b, &a.values)
}

// Set holds the schemas, each compiled when it is first needed. It is not safe
// for use by several goroutines.
type Set struct {
	kinds       map[string]kind // by apiVersion and kind
	raw         map[string]json.RawMessage
	definitions map[string]*definition
	compiled    map[string]*gojsonschema.Schema
}

// New reads the embedded bundles. It panics if they are broken, which the tests
// of this package exclude.
func New() *Set {
	s := &Set{kinds: map[string]kind{}, raw: map[string]json.RawMessage{},
		definitions: map[string]*definition{}, compiled: map[string]*gojsonschema.Schema{}}
	files, err := schemas.Files.ReadDir(".")
	for _, f := range files {
		if err == nil {
			err = s.add(f.Name())
		}
	}
	if err != nil {
		panic(fmt.Errorf("schema: %w", err))
	}
	return s
}

func (s *Set) add(name string) error {
	text, err := schemas.Files.ReadFile(name)
	if err != nil {
		return err
	}
	var b struct {
		Kinds       []kind                     `json:"kinds"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, k := range b.Kinds {
		s.kinds[k.APIVersion+" "+k.Kind] = k
	}
	for n, d := range b.Definitions {
		s.raw[n] = d
	}
	return nil
}

// definition returns a named definition, or nil.
func (s *Set) definition(name string) *definition {
	if d, ok := s.definitions[name]; ok {
		return d
	}
	raw, ok := s.raw[name]
	if !ok {
		return nil
	}
	d := &definition{}
	if err := json.Unmarshal(raw, d); err != nil {
		panic(fmt.Errorf("schema: %s: %w", name, err))
	}
	s.definitions[name] = d
	return d
}

// resolve follows a reference.
func (s *Set) resolve(d *definition) *definition {
	if d == nil || d.Ref == "" {
		return d
	}
	return s.definition(strings.TrimPrefix(d.Ref, refPrefix))
}

const refPrefix = "#/definitions/"

// schema returns the compiled schema of a kind, of only the definitions that it
// needs.
func (s *Set) schema(k kind) *gojsonschema.Schema {
	if c := s.compiled[k.Definition]; c != nil {
		return c
	}
	need := map[string]json.RawMessage{}
	s.collect(k.Definition, need)
	text, err := json.Marshal(map[string]any{"$ref": refPrefix + k.Definition, "definitions": need})
	if err != nil {
		panic(fmt.Errorf("schema: %s: %w", k.Definition, err))
	}
	c, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	if err != nil {
		panic(fmt.Errorf("schema: %s: %w", k.Definition, err))
	}
	s.compiled[k.Definition] = c
	return c
}

// collect adds a definition and all that it refers to.
func (s *Set) collect(name string, into map[string]json.RawMessage) {
	if _, ok := into[name]; ok {
		return
	}
	into[name] = s.raw[name]
	s.refs(s.definition(name), into)
}

func (s *Set) refs(d *definition, into map[string]json.RawMessage) {
	switch {
	case d == nil:
		return
	case d.Ref != "":
		s.collect(strings.TrimPrefix(d.Ref, refPrefix), into)
	}
	for _, p := range d.Properties {
		s.refs(p, into)
	}
	s.refs(d.Items, into)
	if d.Additional != nil {
		s.refs(d.Additional.values, into)
	}
}

// Known lists the kinds as "apiVersion kind", sorted.
func (s *Set) Known() []string {
	out := make([]string, 0, len(s.kinds))
	for k := range s.kinds {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
