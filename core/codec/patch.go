package codec

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// errPatch is what a JSON patch fails with; the server shows none of it.
func errPatch(parts ...string) error { return errors.New(strings.Join(parts, "")) }

// maxCopied bounds how many values the copy operations of a JSON patch make.
const maxCopied = 1 << 20

// jsonPatch applies operations to a document.
type jsonPatch struct {
	doc    any
	copied int
}

// PatchJSON applies a JSON patch (RFC 6902) to a generic value, which stays as it
// is. It follows evanphx/json-patch v4, which the server uses: negative indices
// count from the end, and replace sets an absent field.
func PatchJSON(doc any, patch *Node) (any, error) {
	if patch.Kind != List {
		return nil, errPatch("json: cannot unmarshal ", kindWord(patch), " into Go value of type jsonpatch.Patch")
	}
	p := &jsonPatch{doc: deepCopyValue(doc)}
	for i := range patch.Items {
		op := &patch.Items[i]
		if op.Kind != Map {
			return nil, errPatch("json: cannot unmarshal ", kindWord(op), " into Go value of type jsonpatch.Operation")
		}
		if err := p.apply(op); err != nil {
			return nil, err
		}
	}
	return p.doc, nil
}

func (p *jsonPatch) apply(op *Node) error {
	kind := op.Str("op")
	path := op.Get("path")
	if kind == "" || path == nil || path.Kind != String {
		return errPatch("Unexpected kind: ", kind)
	}
	var value any
	if v := op.Get("value"); v != nil {
		value = v.Value()
	}
	switch kind {
	case "add":
		return p.add(path.Text, value)
	case "remove":
		_, err := p.remove(path.Text)
		return err
	case "replace":
		return p.replace(path.Text, value)
	case "test":
		return p.test(path.Text, value)
	case "move", "copy":
		from := op.Get("from")
		if from == nil || from.Kind != String {
			return errPatch("operation, missing from field: missing value")
		}
		if kind == "move" {
			v, err := p.remove(from.Text)
			if err != nil {
				return err
			}
			return p.add(path.Text, v)
		}
		return p.copy(from.Text, path.Text)
	}
	return errPatch("Unexpected kind: ", kind)
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// at calls change with the container that holds the last part of a path, and puts
// what it returns in the container's place.
func (p *jsonPatch) at(path string, change func(container any, key string) (any, error)) error {
	parts := strings.Split(path, "/")
	if len(parts) < 2 {
		return errPatch("doc is missing path: ", strconv.Quote(path), ": missing value")
	}
	doc, err := descend(p.doc, parts[1:], change)
	if err == nil {
		p.doc = doc
	}
	return err
}

func descend(v any, parts []string, change func(any, string) (any, error)) (any, error) {
	key := pointerEscapes.Replace(parts[0])
	if len(parts) == 1 {
		switch v.(type) {
		case map[string]any, []any:
			return change(v, key)
		}
		return nil, errPatch("doc is missing path: ", key, ": missing value")
	}
	switch c := v.(type) {
	case map[string]any:
		next, err := descend(c[key], parts[1:], change)
		if err == nil {
			c[key] = next
		}
		return c, err
	case []any:
		i, err := listIndex(c, key, len(c)-1)
		if err != nil {
			return nil, err
		}
		c[i], err = descend(c[i], parts[1:], change)
		return c, err
	}
	return nil, errPatch("doc is missing path: ", key, ": missing value")
}

// listIndex reads an index of at most last; negative ones count from there.
func listIndex(list []any, key string, last int) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += last + 1
	}
	if i < 0 || i > last {
		return 0, errPatch("Unable to access invalid index: ", key, ": invalid index referenced")
	}
	return i, nil
}

func (p *jsonPatch) add(path string, value any) error {
	return p.at(path, func(c any, key string) (any, error) {
		list, ok := c.([]any)
		if !ok {
			c.(map[string]any)[key] = value
			return c, nil
		}
		if key == "-" {
			return append(list, value), nil
		}
		i, err := listIndex(list, key, len(list))
		if err != nil {
			return nil, err
		}
		list = append(list, nil)
		copy(list[i+1:], list[i:])
		list[i] = value
		return list, nil
	})
}

func (p *jsonPatch) remove(path string) (removed any, err error) {
	err = p.at(path, func(c any, key string) (any, error) {
		m, ok := c.(map[string]any)
		if !ok {
			list := c.([]any)
			i, err := listIndex(list, key, len(list)-1)
			if err != nil {
				return nil, err
			}
			removed = list[i]
			return append(list[:i:i], list[i+1:]...), nil
		}
		if removed, ok = m[key]; !ok {
			return nil, errPatch("Unable to remove nonexistent key: ", key, ": missing value")
		}
		delete(m, key)
		return m, nil
	})
	return removed, err
}

func (p *jsonPatch) replace(path string, value any) error {
	if path == "" {
		switch value.(type) {
		case map[string]any, []any:
			p.doc = value
			return nil
		}
		return errPatch("replace operation value must be object or array")
	}
	return p.at(path, func(c any, key string) (any, error) {
		if list, ok := c.([]any); ok {
			i, err := listIndex(list, key, len(list)-1)
			if err != nil {
				return nil, err
			}
			list[i] = value
			return list, nil
		}
		c.(map[string]any)[key] = value
		return c, nil
	})
}

func (p *jsonPatch) get(path string) (value any, err error) {
	err = p.at(path, func(c any, key string) (any, error) {
		if m, ok := c.(map[string]any); ok {
			value = m[key]
			return c, nil
		}
		list := c.([]any)
		i, err := listIndex(list, key, len(list)-1)
		if err == nil {
			value = list[i]
		}
		return c, err
	})
	return value, err
}

func (p *jsonPatch) test(path string, value any) error {
	have := p.doc
	if path != "" {
		var err error
		if have, err = p.get(path); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(have, value) {
		return errPatch("testing value ", path, " failed: test failed")
	}
	return nil
}

func (p *jsonPatch) copy(from, to string) error {
	v, err := p.get(from)
	if err != nil {
		return err
	}
	p.copied += countValues(v)
	if p.copied > maxCopied {
		return errPatch("Unable to complete the copy, the accumulated size increase of copy is exceeding the limit")
	}
	return p.add(to, deepCopyValue(v))
}

func countValues(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			n += countValues(e)
		}
	case []any:
		for _, e := range x {
			n += countValues(e)
		}
	}
	return n
}

func deepCopyValue(v any) any {
	switch x := v.(type) {
	case map[string]any:
		return copyMap(x)
	case []any:
		if x == nil {
			return x
		}
		c := make([]any, len(x))
		for i := range x {
			c[i] = deepCopyValue(x[i])
		}
		return c
	}
	return v
}

func copyMap(m map[string]any) map[string]any {
	c := make(map[string]any, len(m))
	for k, v := range m {
		c[k] = deepCopyValue(v)
	}
	return c
}
