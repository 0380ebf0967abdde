package schema

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/xeipuuv/gojsonschema"

	"podwalk/core/codec"
)

// Hint is something that the schema finds wrong, for people who type.
type Hint struct {
	Path    string // as in "spec.containers[0].image"; "" is the document
	Message string
	Mark    codec.Mark
	Warning bool // the API server would accept it
}

// Check returns what the schema of the document's kind finds wrong, in the order
// of the text. The items of a List are checked each. A document whose kind is not
// known yields one hint; one that is no map yields none, since that is no
// manifest yet.
func (s *Set) Check(doc *codec.Node) []Hint {
	var hints []Hint
	if doc.Kind != codec.Map {
		return nil
	}
	if doc.Str("kind") == "List" && doc.Str("apiVersion") == "v1" {
		if items := doc.Get("items"); items != nil {
			for i := range items.Items {
				hints = append(hints, s.Check(&items.Items[i])...)
			}
		}
		return hints
	}
	k, missing := s.kindOf(doc)
	if missing != nil {
		return missing
	}
	result, err := s.schema(k).Validate(gojsonschema.NewGoLoader(value(doc)))
	if err != nil {
		return []Hint{{Message: err.Error(), Mark: doc.Mark}}
	}
	if m := doc.Get("metadata"); k.APIVersion != simulation && (m == nil || m.Kind == codec.Null) {
		hints = append(hints, Hint{Path: "metadata", Message: "field metadata is required", Mark: doc.Mark})
	}
	for _, e := range result.Errors() {
		if h, ok := s.hint(k, doc, e); ok {
			hints = append(hints, h)
		}
	}
	sort.SliceStable(hints, func(i, j int) bool {
		a, b := hints[i].Mark, hints[j].Mark
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		return hints[i].Message < hints[j].Message
	})
	return hints
}

// simulation is the version of the documents that need no name.
const simulation = "sim.podwalk.dev/v1"

// kindOf returns the kind of a document, or why there is none.
func (s *Set) kindOf(doc *codec.Node) (kind, []Hint) {
	version, name := doc.Get("apiVersion"), doc.Get("kind")
	switch {
	case version == nil:
		return kind{}, []Hint{{Path: "apiVersion", Message: "apiVersion is missing", Mark: doc.Mark}}
	case name == nil:
		return kind{}, []Hint{{Path: "kind", Message: "kind is missing", Mark: doc.Mark}}
	}
	k, ok := s.kinds[version.Text+" "+name.Text]
	if ok {
		return k, nil
	}
	var others, names []string
	for _, key := range s.Known() {
		v, n, _ := strings.Cut(key, " ")
		names = append(names, n)
		if n == name.Text {
			others = append(others, v)
		}
	}
	if len(others) > 0 {
		return kind{}, []Hint{{Path: "apiVersion", Mark: version.Mark,
			Message: name.Text + " has apiVersion " + strings.Join(others, " or ") + ", not " + strconv.Quote(version.Text)}}
	}
	return kind{}, []Hint{{Path: "kind", Mark: name.Mark, Warning: true,
		Message: "no schema for kind " + strconv.Quote(name.Text) + suggest(name.Text, names)}}
}

// value turns a node into what gojsonschema reads. A null field is one that is
// not there, as for the API server.
func value(n *codec.Node) any {
	switch n.Kind {
	case codec.Map:
		m := make(map[string]any, len(n.Fields))
		for i := range n.Fields {
			if f := &n.Fields[i]; f.Value.Kind != codec.Null {
				m[f.Key] = value(&f.Value)
			}
		}
		return m
	case codec.List:
		l := make([]any, len(n.Items))
		for i := range n.Items {
			l[i] = value(&n.Items[i])
		}
		return l
	case codec.Number:
		return json.Number(n.Text)
	case codec.Bool:
		return n.Text == "true"
	case codec.Null:
		return nil
	}
	return n.Text
}

// separator cannot occur in the keys of a readable manifest.
const separator = "\x00"

// hint says an error of gojsonschema in a person's words, at its place. It is not
// ok for those that the API server does not mind.
func (s *Set) hint(k kind, doc *codec.Node, e gojsonschema.ResultError) (Hint, bool) {
	steps := strings.Split(e.Context().String(separator), separator)[1:]
	node := find(doc, steps)
	def := s.at(k.Definition, steps)
	h := Hint{Path: pathOf(steps), Mark: node.Mark}
	property, _ := e.Details()["property"].(string)
	switch e.Type() {
	case "required":
		h.Path = join(h.Path, property)
		h.Message = "field " + property + " is required"
	case "additional_property_not_allowed":
		h.Path = join(h.Path, property)
		h.Message = "unknown field " + strconv.Quote(property) + suggest(property, names(def))
		h.Mark = keyMark(node, property)
	case "invalid_type":
		h.Message = last(steps) + " must be " + described(def) + ", not " + shown(node)
	case "enum":
		h.Message = last(steps) + " must be " + oneOf(def.Enum) + suggest(node.Text, def.Enum)
		// An empty word is what a field is that is not there.
		return h, node.Text != ""
	case "pattern":
		h.Message = last(steps) + " must be a quantity such as 500m, 2 or 128Mi, not " + shown(node)
	case "format":
		h.Message = last(steps) + " must be a time such as 2026-01-31T12:00:00Z, not " + shown(node)
	default:
		h.Message = e.Description()
	}
	return h, true
}

// find returns the node at the steps, or the last one on the way.
func find(n *codec.Node, steps []string) *codec.Node {
	for _, step := range steps {
		var next *codec.Node
		if i, err := strconv.Atoi(step); err == nil && n.Kind == codec.List && i >= 0 && i < len(n.Items) {
			next = &n.Items[i]
		} else {
			next = n.Get(step)
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// keyMark is the place of a key.
func keyMark(n *codec.Node, key string) codec.Mark {
	for i := len(n.Fields) - 1; i >= 0; i-- {
		if n.Fields[i].Key == key {
			return n.Fields[i].Mark
		}
	}
	return n.Mark
}

// at returns the definition at the steps below a named one, never nil.
func (s *Set) at(name string, steps []string) *definition {
	d := s.definition(name)
	for _, step := range steps {
		if d = s.resolve(s.step(d, step)); d == nil {
			return &definition{}
		}
	}
	return d
}

// step returns the definition one step below d; the index of a list may be left
// out.
func (s *Set) step(d *definition, name string) *definition {
	if d.Items != nil {
		if _, err := strconv.Atoi(name); err == nil {
			return d.Items
		}
		d = s.resolve(d.Items)
	}
	switch {
	case d == nil:
		return nil
	case d.Properties[name] != nil:
		return d.Properties[name]
	case d.Additional != nil:
		return d.Additional.values
	}
	return nil
}

func pathOf(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// last is the name of what the steps lead to.
func last(steps []string) string {
	for i := len(steps) - 1; i >= 0; i-- {
		if _, err := strconv.Atoi(steps[i]); err != nil {
			if i < len(steps)-1 {
				return "an item of " + steps[i]
			}
			return steps[i]
		}
	}
	return "the document"
}
