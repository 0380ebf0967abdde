// Command gen writes the plain structs of package api from the OpenAPI v3
// documents of a real API server. What OpenAPI cannot tell (is a field a
// pointer, is it always printed, what is it called in Go) stands in fields.tsv,
// one exception a line; roots.tsv lists the kinds. Behaviour is written by hand
// beside the generated files, never in them.
//
//	go run ./core/api/gen -openapi DIR -out core/api
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type schema struct {
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Ref        string             `json:"$ref"`
	AllOf      []schema           `json:"allOf"`
	OneOf      []schema           `json:"oneOf"`
	Items      *schema            `json:"items"`
	Additional *schema            `json:"additionalProperties"`
	Properties map[string]*schema `json:"properties"`
	Default    json.RawMessage    `json:"default"`
	MergeKey   string             `json:"x-kubernetes-patch-merge-key"`
	Strategy   string             `json:"x-kubernetes-patch-strategy"`
}

func main() {
	openapi := flag.String("openapi", "", "folder of the OpenAPI v3 documents, one a group and version")
	out := flag.String("out", "core/api", "folder to write to")
	here := flag.String("tables", "core/api/gen", "folder of fields.tsv and roots.tsv")
	flag.Parse()
	files, err := Generate(*openapi, *here)
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*out, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// Generate returns the generated files by name.
func Generate(openapi, tables string) (map[string][]byte, error) {
	g := &generator{types: map[string]*schema{}, done: map[string]bool{}, out: map[string]*strings.Builder{}}
	if err := g.load(openapi, tables); err != nil {
		return nil, err
	}
	for _, r := range g.roots {
		g.need(r.schema)
	}
	for len(g.todo) > 0 {
		name := g.todo[0]
		g.todo = g.todo[1:]
		g.structType(name)
	}
	g.kinds()
	res := map[string][]byte{}
	for name, b := range g.out {
		text, err := format.Source([]byte(b.String()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		res[name] = text
	}
	return res, nil
}

type root struct {
	schema, plural, short string
	group, version, kind  string
	namespaced            bool
	categories            string
}

type generator struct {
	types map[string]*schema
	facts map[string]fact // by type and field
	names map[string]string
	roots []root
	done  map[string]bool
	todo  []string
	out   map[string]*strings.Builder
}

// fact is what OpenAPI does not tell of a field.
type fact struct{ goName, flags string }

func (g *generator) load(openapi, tables string) error {
	docs, err := filepath.Glob(filepath.Join(openapi, "*.json"))
	if err != nil || len(docs) == 0 {
		return fmt.Errorf("no OpenAPI documents in %s", openapi)
	}
	sort.Strings(docs)
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
	return g.loadTables(tables)
}

func (g *generator) loadTables(dir string) error {
	g.facts, g.names = map[string]fact{}, map[string]string{}
	rows, err := readTable(filepath.Join(dir, "fields.tsv"), 4)
	if err != nil {
		return err
	}
	for _, r := range rows {
		g.facts[r[0]+"."+r[1]] = fact{r[2], r[3]}
	}
	if rows, err = readTable(filepath.Join(dir, "names.tsv"), 2); err != nil {
		return err
	}
	for _, r := range rows {
		g.names[r[0]] = r[1]
	}
	if rows, err = readTable(filepath.Join(dir, "roots.tsv"), 8); err != nil {
		return err
	}
	for _, r := range rows {
		g.roots = append(g.roots, root{schema: r[0], group: r[1], version: r[2], kind: r[3], plural: r[4],
			short: r[5], namespaced: r[6] == "true", categories: r[7]})
	}
	return nil
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
