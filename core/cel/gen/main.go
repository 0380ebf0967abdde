// Command gen writes core/cel/schema.txt: of each type of the API its fields, their
// types and how lists and maps merge. Run it from the root of the module:
//
//	go run ./core/cel/gen -openapi DIR -out core/cel/schema.txt
//
// DIR holds the OpenAPI v3 documents of a kube-apiserver, one a group and version.
// The form is explained in core/cel/schema.go.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type schema struct {
	Ref        string             `json:"$ref"`
	AllOf      []schema           `json:"allOf"`
	OneOf      []schema           `json:"oneOf"`
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Items      *schema            `json:"items"`
	Properties map[string]*schema `json:"properties"`
	Additional *schema            `json:"additionalProperties"`
	ListType   any                `json:"x-kubernetes-list-type"`
	MapType    any                `json:"x-kubernetes-map-type"`
	Keys       any                `json:"x-kubernetes-list-map-keys"`
	Default    any                `json:"default"`
	Kinds      []kind             `json:"x-kubernetes-group-version-kind"`
}

type kind struct{ Group, Version, Kind string }

type generator struct {
	all  map[string]*schema
	seen map[string]bool
	out  []string
}

func main() {
	dir := flag.String("openapi", "", "folder of the OpenAPI v3 documents")
	out := flag.String("out", "core/cel/schema.txt", "the file to write")
	flag.Parse()
	g := generator{all: map[string]*schema{}, seen: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(*dir, "*.json"))
	if err != nil || len(files) == 0 {
		log.Fatal("no documents in ", *dir, err)
	}
	for _, f := range files {
		g.read(f)
	}
	if err := os.WriteFile(*out, []byte(g.text()), 0o644); err != nil {
		log.Fatal(err)
	}
}

func (g *generator) read(file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var doc struct{ Schemas map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &doc); err != nil {
		log.Fatal(file, ": ", err)
	}
	for name, body := range doc.Schemas {
		s := &schema{}
		if err := json.Unmarshal(body, s); err == nil {
			g.all[name] = s
		}
	}
}

// text writes the kinds and what they are made of.
func (g *generator) text() string {
	var kinds []string
	for name, s := range g.all {
		if len(s.Kinds) != 1 || s.Properties["metadata"] == nil || strings.HasSuffix(name, "List") {
			continue
		}
		k := s.Kinds[0]
		kinds = append(kinds, "="+k.Kind+"\t"+strings.TrimPrefix(k.Group+"/"+k.Version, "/")+"\t"+short(name))
		g.reach(name)
	}
	sort.Strings(kinds)
	sort.Strings(g.out)
	return strings.Join(kinds, "\n") + "\n" + strings.Join(g.out, "\n") + "\n"
}

func short(name string) string {
	name = strings.TrimPrefix(name, "io.k8s.api.")
	name = strings.TrimPrefix(name, "io.k8s.apimachinery.pkg.apis.")
	return strings.TrimPrefix(name, "io.k8s.")
}

func (g *generator) reach(name string) {
	if g.seen[name] {
		return
	}
	g.seen[name] = true
	s := g.all[name]
	line := short(name)
	if s.MapType == "atomic" {
		line += "!"
	}
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		line += "\t" + n + ":" + g.typ(s.Properties[n])
	}
	g.out = append(g.out, line)
}

func (g *generator) typ(s *schema) string {
	if s.Ref == "" && len(s.AllOf) == 1 {
		outer := s
		s = &s.AllOf[0]
		if outer.MapType == "atomic" {
			return "!" + g.typ(s)
		}
	}
	if s.Ref != "" {
		name := strings.TrimPrefix(s.Ref, "#/components/schemas/")
		return g.named(name)
	}
	switch s.Type {
	case "array":
		return g.list(s) + g.typ(s.Items)
	case "object":
		if s.Additional == nil {
			return "o"
		}
		if s.MapType == "atomic" {
			return "!{" + g.typ(s.Additional)
		}
		return "{" + g.typ(s.Additional)
	}
	return scalar(s)
}

func (g *generator) named(name string) string {
	switch {
	case strings.HasSuffix(name, ".resource.Quantity"):
		return "q"
	case strings.HasSuffix(name, ".IntOrString"):
		return "x"
	case strings.HasSuffix(name, ".v1.Time"), strings.HasSuffix(name, ".v1.MicroTime"):
		return "t"
	case g.all[name] == nil:
		return "o"
	case len(g.all[name].Properties) == 0:
		if g.all[name].Type == "object" || g.all[name].Type == "" {
			return "o"
		}
		return scalar(g.all[name])
	}
	g.reach(name)
	return "&" + short(name)
}

func (g *generator) list(s *schema) string {
	switch s.ListType {
	case "map":
		var keys []string
		for _, k := range s.Keys.([]any) {
			keys = append(keys, g.key(s.Items, k.(string)))
		}
		return "[(" + strings.Join(keys, ",") + ")"
	case "set":
		return "[="
	}
	return "["
}

// key writes a key of a list's elements, with its default.
func (g *generator) key(items *schema, key string) string {
	ref := items.Ref
	if len(items.AllOf) == 1 {
		ref = items.AllOf[0].Ref
	}
	t := g.all[strings.TrimPrefix(ref, "#/components/schemas/")]
	if t == nil || t.Properties[key] == nil {
		return key
	}
	if d, ok := t.Properties[key].Default.(string); ok {
		return key + "=" + d
	}
	return key
}

func scalar(s *schema) string {
	switch {
	case s.Format == "date-time":
		return "t"
	case s.Format == "byte":
		return "y"
	case s.Format == "int-or-string":
		return "x"
	}
	switch s.Type {
	case "string":
		return "s"
	case "integer":
		return "i"
	case "boolean":
		return "b"
	case "number":
		return "n"
	}
	return "o"
}
