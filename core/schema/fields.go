package schema

import (
	"strconv"
	"strings"
)

// Field is one field that may stand at a place, for completion.
type Field struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string, integer, boolean, number, object, list, map, or several with " | "
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
}

// Fields lists the fields at a path of a kind, such as "spec.containers[0]", in
// alphabetical order, required ones first. At a scalar with a closed set it is one
// field with an empty name that holds the set. It is empty where the schema knows
// nothing.
func (s *Set) Fields(apiVersion, name, path string) []Field {
	k, ok := s.kinds[apiVersion+" "+name]
	if !ok {
		return nil
	}
	d := s.at(k.Definition, stepsOf(path))
	if d.Items != nil {
		d = s.resolve(d.Items)
	}
	if len(d.Enum) > 0 {
		return []Field{{Type: s.typeOf(d), Enum: words(d)}}
	}
	var first, rest []Field
	for _, n := range names(d) {
		p := s.resolve(d.Properties[n])
		f := Field{Name: n, Type: s.typeOf(p), Enum: words(p), Required: has(d.Required, n) || path == "" && has(typeMeta, n)}
		if f.Required {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}

// typeMeta is what every document needs and its schema does not ask for, since
// parts of other documents are of the same type.
var typeMeta = []string{"apiVersion", "kind", "metadata"}

// words is the closed set of a scalar or of the items of a list.
func words(d *definition) []string {
	if d.Items != nil {
		d = d.Items
	}
	var out []string
	for _, w := range d.Enum {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

func (s *Set) typeOf(d *definition) string {
	if d == nil {
		return "object"
	}
	var out []string
	for _, t := range d.Type {
		switch {
		case t == "array":
			t = "list"
		case t == "object" && d.Additional != nil && d.Additional.values != nil:
			t = "map"
		}
		out = append(out, t)
	}
	return strings.Join(out, " | ")
}

func has(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// stepsOf takes a path apart; an index is a step.
func stepsOf(path string) []string {
	var steps []string
	for _, part := range strings.Split(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name != "" {
			steps = append(steps, name)
		}
		for indexed {
			var index string
			index, rest, _ = strings.Cut(rest, "]")
			if _, err := strconv.Atoi(index); err != nil {
				index = "0"
			}
			steps = append(steps, index)
			_, rest, indexed = strings.Cut(rest, "[")
		}
	}
	return steps
}
