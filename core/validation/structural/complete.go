package structural

import (
	"slices"
	"strconv"
)

// Copy returns a value that shares nothing with v.
func Copy(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = Copy(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = Copy(x[i])
		}
		return out
	}
	return v
}

// Prune takes the fields out of a whole object that its schema does not name, and
// returns their paths, sorted (pkg/apiserver/schema/pruning).
func Prune(object map[string]any, s *Schema) []string {
	root := Schema{}
	if s != nil {
		root = *s
	}
	root.Embedded = true
	p := pruner{}
	p.prune(object, &root, "")
	slices.Sort(p.gone)
	return p.gone
}

type pruner struct{ gone []string }

func isMetaField(key string) bool { return key == "apiVersion" || key == "kind" || key == "metadata" }

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (p *pruner) prune(v any, s *Schema, path string) {
	switch x := v.(type) {
	case map[string]any:
		p.fields(x, s, path)
	case []any:
		var items *Schema
		if s != nil {
			if items = s.Items; s.keeps() && items == nil {
				return
			}
		}
		for i := range x {
			p.prune(x[i], items, path+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (p *pruner) fields(x map[string]any, s *Schema, path string) {
	for _, k := range sortedKeys(x) {
		switch {
		case s == nil:
			p.gone = append(p.gone, under(path, k))
			delete(x, k)
		case s.Embedded && isMetaField(k):
		case s.Properties[k] != nil:
			p.prune(x[k], s.Properties[k], under(path, k))
		case s.Map:
			p.prune(x[k], s.Additional, under(path, k))
		case !s.keeps():
			p.gone = append(p.gone, under(path, k))
			delete(x, k)
		}
	}
}

// DropNulls takes out what is null though it may not be and has no default
// (pkg/apiserver/schema/defaulting/prunenulls.go).
func DropNulls(v any, s *Schema) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			f := s.field(k)
			if e == nil && f != nil && !f.Nullable && f.Default == nil {
				delete(x, k)
				continue
			}
			DropNulls(e, f)
		}
	case []any:
		for i := range x {
			if s != nil {
				DropNulls(x[i], s.Items)
			}
		}
	}
}

// field is the schema of a field or of an entry of a map, or nil.
func (s *Schema) field(key string) *Schema {
	if s == nil {
		return nil
	}
	if f := s.Properties[key]; f != nil {
		return f
	}
	return s.Additional
}

// Complete sets the defaults (pkg/apiserver/schema/defaulting/algorithm.go).
func Complete(v any, s *Schema) {
	if s == nil {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		for name, f := range s.Properties {
			if f.Default == nil {
				continue
			}
			if have, ok := x[name]; !ok || have == nil && !f.Nullable {
				x[name] = Copy(f.Default)
			}
		}
		for k, e := range x {
			f := s.field(k)
			if e == nil && f != nil && !f.Nullable && f.Default != nil {
				x[k] = Copy(f.Default)
			}
			Complete(x[k], f)
		}
	case []any:
		for i := range x {
			if x[i] == nil && s.Items != nil && !s.Items.Nullable && s.Items.Default != nil {
				x[i] = Copy(s.Items.Default)
			}
			Complete(x[i], s.Items)
		}
	}
}
