package codec

import (
	"errors"
	"sort"
	"strconv"
)

// The directives of strategic merge patches.
const (
	directiveKey    = "$patch"
	retainKeys      = "$retainKeys"
	deletePrefix    = "$deleteFromPrimitiveList"
	orderPrefix     = "$setElementOrder"
	directiveMerge  = "merge"
	directiveRepl   = "replace"
	directiveDelete = "delete"
)

var (
	errListOfLists  = errors.New("lists of lists are not supported")
	errDeleteFormat = errors.New("invalid patch format of primitive list")
	errRetainFormat = errors.New("invalid patch format of retainKeys")
	errOrderFormat  = errors.New("invalid patch format of setElementOrder list")
)

func errNoMergeKey(m map[string]any, key string) error {
	return errors.New("map: " + string(ToJSON(m)) + " does not contain declared merge key: " + key)
}

func errBadType(want string, v any) error {
	return errors.New("expected a " + want + ", but received a " + valueType(v))
}

// valueType is the name of the Go type that the real library prints.
func valueType(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map[string]interface {}"
	case []any:
		return "[]interface {}"
	case string:
		return "string"
	case int64:
		return "int64"
	case float64:
		return "float64"
	case bool:
		return "bool"
	}
	return "%!s(<nil>)"
}

// scalarText prints a scalar as Go's %v does.
func scalarText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	case nil:
		return "<nil>"
	}
	return string(ToJSON(v))
}

// same reports whether two scalars are equal; maps and lists never are.
func same(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// elementType is the one type of all elements; it is an error to mix them.
func elementType(lists ...[]any) (string, error) {
	typ := ""
	for _, l := range lists {
		for _, v := range l {
			t := valueType(v)
			switch {
			case typ == "" && t == valueType([]any{}):
				return "", errListOfLists
			case typ == "":
				typ = t
			case typ != t:
				return "", errors.New("list element types are not identical: " + string(ToJSON(lists[0])))
			}
		}
	}
	if typ == "" {
		return "", errors.New("no elements in any of the given slices")
	}
	return typ, nil
}

const mapType = "map[string]interface {}"

// byText sorts values by what text prints; upstream's order of equal ones depends
// on the algorithm and on "not greater" in place of "less".
type byText struct {
	list []any
	text func(any) string
}

func (b byText) Len() int           { return len(b.list) }
func (b byText) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b byText) Less(i, j int) bool { return b.text(b.list[i]) <= b.text(b.list[j]) }

func sortScalars(list []any) []any {
	sort.Sort(byText{list, scalarText})
	return list
}

func sortMaps(list []any, key string) []any {
	list = append([]any{}, list...)
	sort.Sort(byText{list, func(v any) string { return scalarText(v.(map[string]any)[key]) }})
	return list
}

// dedupe removes equal scalars, filling their places from the end.
func dedupe(list []any) []any {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			if same(list[i], list[j]) {
				list[j] = list[len(list)-1]
				list = list[:len(list)-1]
				j--
			}
		}
	}
	return list
}

// place finds v in a list, by its merge key where there is one; -1 is absent.
func place(list []any, v any, key string) int {
	of := func(v any) any {
		if key == "" {
			return v
		}
		m, _ := v.(map[string]any)
		return m[key]
	}
	want := of(v)
	for i := range list {
		if same(want, of(list[i])) {
			return i
		}
	}
	return -1
}

// keyed checks that all elements are maps with the merge key.
func keyed(key string, lists ...[]any) error {
	for _, l := range lists {
		for _, v := range l {
			m, ok := v.(map[string]any)
			if !ok {
				return errBadType(mapType, v)
			}
			if _, ok := m[key]; !ok {
				return errNoMergeKey(m, key)
			}
		}
	}
	return nil
}

// splitDeletes separates the elements that are deletions.
func splitDeletes(list []any) (keep, deletes []any, err error) {
	for _, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, nil, errBadType(mapType, v)
		}
		if m[directiveKey] == directiveDelete {
			deletes = append(deletes, v)
		} else {
			keep = append(keep, v)
		}
	}
	return keep, deletes, nil
}

// inOrder sorts elements as in order, deletions last. For elements of maps key is
// the merge key.
func inOrder(list, order []any, key string, maps bool) ([]any, error) {
	var deletes []any
	if maps {
		err := keyed(key, list, order)
		if err == nil {
			list, deletes, err = splitDeletes(list)
		}
		if err != nil {
			return nil, err
		}
	} else {
		key = ""
	}
	sort.SliceStable(list, func(i, j int) bool {
		x, y := place(order, list[i], key), place(order, list[j], key)
		return x < 0 || y < 0 || x < y
	})
	return append(list, deletes...), nil
}

// weave joins the elements that only the server has with those of the patch, so
// that the server's order is kept where it says something.
func weave(server, patch, serverOrder []any, key string, maps bool) []any {
	if !maps {
		key = ""
	}
	out := make([]any, 0, len(server)+len(patch))
	for len(server) > 0 && len(patch) > 0 {
		x, y := place(serverOrder, server[0], key), place(serverOrder, patch[0], key)
		if x >= 0 && y >= 0 && x < y {
			out, server = append(out, server[0]), server[1:]
		} else {
			out, patch = append(out, patch[0]), patch[1:]
		}
	}
	return append(append(out, server...), patch...)
}

// normalOrder brings the result of a merge into the order of patchOrder, with what
// only the server has in its own order.
func normalOrder(patch, server, patchOrder, serverOrder []any, key string, maps bool) ([]any, error) {
	patch, err := inOrder(patch, patchOrder, key, maps)
	if err != nil {
		return nil, err
	}
	if server, err = inOrder(server, serverOrder, key, maps); err != nil {
		return nil, err
	}
	return weave(server, patch, serverOrder, key, maps), nil
}

// partition separates the elements that are also in by from the others.
func partition(list, by []any, key string) (in, out []any, err error) {
	in, out = []any{}, []any{}
	if key != "" {
		if err := keyed(key, list); err != nil {
			return nil, nil, err
		}
	}
	for _, v := range list {
		if place(by, v, key) >= 0 {
			in = append(in, v)
		} else {
			out = append(out, v)
		}
	}
	return in, out, nil
}
