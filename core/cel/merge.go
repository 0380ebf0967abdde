package cel

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/codec"
)

// conform lists what does not fit the schema
// (sigs.k8s.io/structured-merge-diff/v6/typed/validate.go).
func (s *schema) conform(v any, t, at string) []string {
	if v == nil {
		return nil
	}
	n := s.read(t)
	switch n.letter {
	case '&', '{':
		m, ok := v.(map[string]any)
		if !ok {
			return []string{at + ": expected map, got " + plainText(v)}
		}
		return s.conformMap(m, n, at)
	case '[':
		l, ok := v.([]any)
		if !ok {
			return []string{at + ": expected list, got " + plainText(v)}
		}
		return s.conformList(l, n, at)
	}
	if why := badScalar(n.letter, v); why != "" {
		return []string{at + ": " + why}
	}
	return nil
}

func (s *schema) conformMap(m map[string]any, n notation, at string) (wrong []string) {
	for _, k := range sortedKeys(m) {
		t := n.elem
		if n.of != nil {
			if t = n.of.fields[k]; t == "" {
				wrong = append(wrong, at+"."+k+": field not declared in schema")
				continue
			}
		}
		wrong = append(wrong, s.conform(m[k], t, at+"."+k)...)
	}
	return wrong
}

func (s *schema) conformList(l []any, n notation, at string) (wrong []string) {
	seen := map[string]bool{}
	for i, v := range l {
		place := at + "[" + strconv.Itoa(i) + "]"
		if n.keys != nil || n.set {
			key, why := n.element(v)
			if why != "" {
				return append(wrong, at+": element "+strconv.Itoa(i)+": "+why)
			}
			if seen[key] {
				wrong = append(wrong, at+": duplicate entries for key "+key)
			}
			seen[key], place = true, at+key
		}
		wrong = append(wrong, s.conform(v, n.elem, place)...)
	}
	return wrong
}

// element is the path element of a list's element, by its keys or its value.
func (n *notation) element(v any) (key, problem string) {
	if n.set {
		switch v.(type) {
		case map[string]any:
			return "", "associative list without keys has an element that's a map type"
		case []any:
			return "", "not supported: associative list with lists as elements"
		case nil:
			return "", "associative list without keys has an element that's an explicit null"
		}
		return "[=" + string(codec.ToJSON(v)) + "]", ""
	}
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		return "", "associative list with keys may not have a null element"
	case !ok:
		return "", "associative list with keys may not have non-map elements"
	}
	var names, parts []string
	for _, k := range n.keys {
		name, def, hasDefault := strings.Cut(k, "=")
		names = append(names, name)
		if v, ok := m[name]; ok {
			parts = append(parts, name+"="+string(codec.ToJSON(v)))
		} else if hasDefault {
			parts = append(parts, name+"="+strconv.Quote(def))
		}
	}
	if len(parts) == 0 {
		return "", fmt.Sprintf("associative list with keys has an element that omits all key fields %q (and doesn't have default values for any key fields)", names)
	}
	sort.Strings(parts)
	return "[" + strings.Join(parts, ",") + "]", ""
}

func badScalar(letter byte, v any) string {
	switch letter {
	case 'i', 'n':
		switch v.(type) {
		case int64, float64:
			return ""
		}
		return fmt.Sprintf("expected numeric (int or float), got %T", v)
	case 's', 't', 'y':
		if _, ok := v.(string); !ok {
			return fmt.Sprintf("expected string, got &value.valueUnstructured{Value:%#v}", v)
		}
	case 'b':
		if _, ok := v.(bool); !ok {
			return "expected boolean, got " + plainText(v)
		}
	case 'q', 'x':
		switch v.(type) {
		case map[string]any, []any:
			return "expected any scalar, got " + plainText(v)
		}
	}
	return ""
}

// plainText prints a value as messages of a merge do.
func plainText(v any) string { return "&{" + fmt.Sprint(v) + "}" }

// atomics lists the places of a patch where all would be replaced.
func (s *schema) atomics(v any, t, at string) (found []string) {
	n := s.read(t)
	switch x := v.(type) {
	case map[string]any:
		if n.of == nil && n.letter != '{' {
			return nil
		}
		if n.atomic {
			found = append(found, at)
		}
		for _, k := range sortedKeys(x) {
			if n.of != nil && n.of.fields[k] != "" {
				found = append(found, s.atomics(x[k], n.of.fields[k], at+"."+k)...)
			}
		}
	case []any:
		if n.letter != '[' {
			return nil
		}
		if n.atomic {
			found = append(found, at)
		}
		for i := range x {
			found = append(found, s.atomics(x[i], n.elem, at+"["+strconv.Itoa(i)+"]")...)
		}
	}
	return found
}

// merge lays a patch over a live value (structured-merge-diff/v6/typed/merge.go).
func (s *schema) merge(live, patch any, t string) any {
	n := s.read(t)
	switch n.letter {
	case '&', '{':
		l, _ := live.(map[string]any)
		p, ok := patch.(map[string]any)
		if !n.atomic && ok && len(l)+len(p) > 0 {
			return s.mergeMap(l, p, n)
		}
	case '[':
		l, _ := live.([]any)
		p, ok := patch.([]any)
		if !n.atomic && ok && len(l)+len(p) > 0 {
			return s.mergeList(l, p, n)
		}
	}
	return patch
}

func (s *schema) mergeMap(live, patch map[string]any, n notation) any {
	out := make(map[string]any, len(live)+len(patch))
	for k, v := range live {
		out[k] = v
	}
	for k, v := range patch {
		t := n.elem
		if n.of != nil {
			t = n.of.fields[k]
		}
		if old, ok := live[k]; ok && t != "" {
			v = s.merge(old, v, t)
		}
		out[k] = v
	}
	return out
}

// mergeList keeps the order of both lists where they agree; what both have stands
// in the order of the patch.
func (s *schema) mergeList(live, patch []any, n notation) any {
	liveKeys, inLive := n.index(live)
	patchKeys, inPatch := n.index(patch)
	var shared []string
	for _, k := range patchKeys {
		if _, ok := inLive[k]; ok {
			shared = append(shared, k)
		}
	}
	var out []any
	take := func(k string) {
		v := patch[inPatch[k]]
		if i, ok := inLive[k]; ok {
			v = s.merge(live[i], v, n.elem)
			shared = shared[1:]
		}
		out = append(out, v)
	}
	merged := map[string]bool{}
	for l, p := 0, 0; l < len(live) || p < len(patch); {
		if l < len(live) {
			k := liveKeys[l]
			_, both := inPatch[k]
			switch {
			case !both:
				out = append(out, live[l])
				l++
				continue
			case p < len(patch) && k == patchKeys[p]:
				take(k)
				merged[k] = true
				l, p = l+1, p+1
				continue
			case p < len(patch) && len(shared) > 0 && shared[0] != k, merged[k]:
				l++
				continue
			}
		}
		if p < len(patch) {
			take(patchKeys[p])
			merged[patchKeys[p]] = true
			p++
		}
	}
	return out
}

// index lists the keys of the elements, and where the first of each stands.
func (n *notation) index(l []any) (keys []string, first map[string]int) {
	first = map[string]int{}
	for i, v := range l {
		k, _ := n.element(v)
		if _, ok := first[k]; !ok {
			first[k] = i
		}
		keys = append(keys, k)
	}
	return keys, first
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
