package describe

import (
	"slices"
	"strings"
	"unicode"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// generic describes a kind that has no describer of its own: all of its fields.
func (p *page) generic(o api.Object) {
	m := o.Meta()
	p.named(m)
	p.meta(m)
	if tree, ok := codec.ToValue(o).(map[string]any); ok {
		p.fields(0, tree, "")
	}
}

var shownAbove = []string{".metadata.managedFields", ".metadata.name", ".metadata.namespace", ".metadata.labels", ".metadata.annotations"}

func (p *page) fields(level int, m map[string]any, path string) {
	for _, k := range sortedKeys(m) {
		at := path + "." + k
		if slices.Contains(shownAbove, at) {
			continue
		}
		switch v := m[k].(type) {
		case map[string]any:
			p.put(level, label(k), ":\n")
			p.fields(level+1, v, at)
		case []any:
			p.put(level, label(k), ":\n")
			for _, e := range v {
				if inner, ok := e.(map[string]any); ok {
					p.fields(level+1, inner, at)
				} else {
					p.put(level+1, plainText(e), "\n")
				}
			}
		default:
			p.field(level, label(k), plainText(v))
		}
	}
}

func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case string:
		return v
	}
	return string(codec.ToJSON(v))
}

// label turns a field name into words: creationTimestamp is Creation Timestamp. A
// name with other characters than letters and dashes stays as it is.
func label(field string) string {
	if strings.IndexFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) >= 0 {
		return field
	}
	var words []string
	for _, part := range mergeCapitals(camelParts(field)) {
		switch upper := strings.ToUpper(part); {
		case slices.Contains([]string{"API", "URL", "UID", "GUID"}, upper):
			part = upper
		case strings.ToLower(part) == part:
			part = title(part)
		}
		words = append(words, part)
	}
	return strings.Join(words, " ")
}

func title(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToTitle(r[0])
	}
	return string(r)
}

// camelParts splits at changes of case, as in podIP and pod, IP or HTTPGet and HTTP,
// Get (github.com/fatih/camelcase).
func camelParts(s string) []string {
	class := func(r rune) int {
		switch {
		case unicode.IsLower(r):
			return 1
		case unicode.IsUpper(r):
			return 2
		}
		return 3
	}
	var runs [][]rune
	last := 0
	for _, r := range s {
		if c := class(r); c != last || len(runs) == 0 {
			runs, last = append(runs, nil), c
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], r)
	}
	for i := 0; i+1 < len(runs); i++ {
		if a := runs[i]; unicode.IsUpper(a[0]) && unicode.IsLower(runs[i+1][0]) {
			runs[i+1] = append([]rune{a[len(a)-1]}, runs[i+1]...)
			runs[i] = a[:len(a)-1]
		}
	}
	var out []string
	for _, r := range runs {
		if len(r) > 0 {
			out = append(out, string(r))
		}
	}
	return out
}

// mergeCapitals joins a part of capitals with a part that begins with one.
func mergeCapitals(parts []string) []string {
	var out []string
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		if i+1 < len(parts) && len(part) >= 2 && strings.ToUpper(part) == part && unicode.IsUpper(rune(parts[i+1][0])) {
			part += parts[i+1]
			i++
		}
		out = append(out, part)
	}
	return out
}
