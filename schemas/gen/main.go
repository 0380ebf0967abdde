// Command gen writes the JSON Schemas of the supported kinds from the OpenAPI v3
// documents of a real API server, without its prose. OpenAPI names few closed
// sets of values; enums.tsv holds them, taken from the constants of the API's Go
// types with -upstream. required.tsv holds what the server asks for beyond its
// OpenAPI. The kinds are those of the table that package api is generated from.
//
//	go run ./schemas/gen -openapi DIR
//	go run ./schemas/gen -upstream DIR   (a folder of module k8s.io/api)
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	openapi := flag.String("openapi", "", "folder of the OpenAPI v3 documents, one a group and version")
	upstream := flag.String("upstream", "", "folder of the API's Go types; writes enums.tsv and nothing else")
	kinds := flag.String("kinds", "core/api/gen/roots.tsv", "table of the kinds")
	out := flag.String("out", "schemas", "folder to write to; its gen/ holds the tables")
	flag.Parse()
	var text []byte
	var err error
	file := filepath.Join(*out, "kubernetes.json")
	if *upstream != "" {
		file = filepath.Join(*out, "gen", "enums.tsv")
		text, err = Enums(*upstream)
	} else {
		text, err = Generate(*openapi, *kinds, filepath.Join(*out, "gen"))
	}
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// schema is the part of OpenAPI that matters here.
type schema struct {
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Ref        string             `json:"$ref"`
	AllOf      []schema           `json:"allOf"`
	OneOf      []schema           `json:"oneOf"`
	Items      *schema            `json:"items"`
	Additional *schema            `json:"additionalProperties"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Enum       []any              `json:"enum"`
}

type generator struct {
	types    map[string]*schema
	enums    map[string][]string // by "type field"
	required map[string][]string // by type
	done     map[string]any
	todo     []string
}

// Kind is an entry of the table of kinds in the output.
type Kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Definition string `json:"definition"`
}

// Generate returns the bundle: the kinds and the definitions they need.
func Generate(openapi, kinds, tables string) ([]byte, error) {
	g := &generator{types: map[string]*schema{}, done: map[string]any{}}
	if err := g.load(openapi, tables); err != nil {
		return nil, err
	}
	rows, err := readTable(kinds, 8)
	if err != nil {
		return nil, err
	}
	var list []Kind
	for _, r := range rows {
		k := Kind{APIVersion: strings.TrimPrefix(r[1]+"/"+r[2], "/"), Kind: r[3], Definition: short(r[0])}
		list = append(list, k)
		g.todo = append(g.todo, r[0])
	}
	for len(g.todo) > 0 {
		name := g.todo[0]
		g.todo = g.todo[1:]
		if err := g.define(name); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"kinds": list, "definitions": g.done}, "", " ")
	return append(text, '\n'), err
}

func (g *generator) load(openapi, tables string) error {
	docs, err := filepath.Glob(filepath.Join(openapi, "*.json"))
	if err != nil || len(docs) == 0 {
		return fmt.Errorf("no OpenAPI documents in %q", openapi)
	}
	for _, f := range docs {
		raw, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		var doc struct {
			Schemas map[string]*schema `json:"schemas"`
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		for k, v := range doc.Schemas {
			g.types[k] = v
		}
	}
	if g.enums, err = lists(3, filepath.Join(tables, "enums.tsv"), filepath.Join(tables, "words.tsv")); err != nil {
		return err
	}
	g.required, err = lists(2, filepath.Join(tables, "required.tsv"))
	return err
}

// define writes the schema of a named type.
func (g *generator) define(name string) error {
	if _, ok := g.done[short(name)]; ok {
		return nil
	}
	s := g.types[name]
	if s == nil {
		return fmt.Errorf("no type %s", name)
	}
	g.done[short(name)] = nil // recursion ends here
	for field := range s.Properties {
		if words := g.enums[short(name)+"\t"+field]; words != nil {
			s.Properties[field] = closed(s.Properties[field], words)
		}
	}
	s.Required = merge(s.Required, g.required[short(name)])
	d := g.convert(s)
	if d["type"] == "object" && s.Additional == nil && len(s.Properties) > 0 {
		d["additionalProperties"] = false
	}
	g.done[short(name)] = d
	return nil
}

// closed returns the schema of a string or of a list of strings from a set.
func closed(s *schema, words []string) *schema {
	c := *s
	if s.Type == "array" {
		c.Items = closed(s.Items, words)
		return &c
	}
	for _, w := range words {
		c.Enum = append(c.Enum, w)
	}
	return &c
}

func (g *generator) convert(s *schema) map[string]any {
	ref := s.Ref
	if len(s.AllOf) == 1 {
		ref = s.AllOf[0].Ref
	}
	if ref != "" {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		g.todo = append(g.todo, name)
		sort.Strings(g.todo)
		return map[string]any{"$ref": "#/definitions/" + short(name)}
	}
	d := map[string]any{}
	if s.Type != "" {
		d["type"] = s.Type
	}
	if s.Format == "date-time" {
		d["format"] = s.Format
	}
	if s.OneOf != nil {
		scalar(d, s)
	}
	if s.Items != nil {
		d["items"] = g.convert(s.Items)
	}
	if s.Additional != nil {
		d["additionalProperties"] = g.convert(s.Additional)
	}
	if len(s.Properties) > 0 {
		fields := map[string]any{}
		for name, f := range s.Properties {
			fields[name] = g.convert(f)
		}
		d["properties"] = fields
	}
	if len(s.Required) > 0 {
		d["required"] = s.Required
	}
	if len(s.Enum) > 0 {
		d["enum"] = s.Enum
	}
	return d
}

// quantity is what a resource.Quantity may look like as a string
// (apimachinery/pkg/api/resource/quantity.go).
const quantity = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`

// scalar writes the types that are a number or a string: IntOrString, Quantity.
func scalar(d map[string]any, s *schema) {
	var types []string
	for _, o := range s.OneOf {
		types = append(types, o.Type)
	}
	sort.Strings(types)
	d["type"] = types
	if s.Format != "int-or-string" {
		d["pattern"] = quantity
	}
}

// short is the name of a type without what all have in common.
func short(name string) string {
	for _, p := range []string{"io.k8s.api.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.apis."} {
		name = strings.TrimPrefix(name, p)
	}
	return name
}

// merge returns the words of all lists, sorted, each once.
func merge(lists ...[]string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range lists {
		for _, w := range l {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	sort.Strings(out)
	return out
}

// lists reads tables whose last column is a list separated by commas; the other
// columns, joined by tabs, are its key.
func lists(columns int, files ...string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, file := range files {
		rows, err := readTable(file, columns)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[strings.Join(r[:columns-1], "\t")] = strings.Split(r[columns-1], ",")
		}
	}
	return out, nil
}

func readTable(file string, columns int) ([][]string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for i, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != columns {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", file, i+1, len(cells), columns)
		}
		rows = append(rows, cells)
	}
	return rows, nil
}
