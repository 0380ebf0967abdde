package apiserver

import (
	"encoding/json"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/trace"
)

// changes lists the fields that differ between two states of an object, as
// "old→new" under the path of the field; what is not set is empty.
func changes(before, after api.Object) []trace.Detail {
	var d differ
	d.compare("", reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
	return d.found
}

type differ struct{ found []trace.Detail }

func (d *differ) compare(path string, a, b reflect.Value) {
	switch {
	case isLeaf(a):
		d.leaf(path, a, b)
	case a.Kind() == reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			d.leaf(path, a, b)
			return
		}
		d.compare(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct:
		d.fields(path, a, b)
	case a.Kind() == reflect.Slice:
		d.items(path, a, b)
	case a.Kind() == reflect.Map:
		d.entries(path, a, b)
	default:
		d.leaf(path, a, b)
	}
}

func (d *differ) fields(path string, a, b reflect.Value) {
	t := a.Type()
	for i := range t.NumField() {
		if alike(a.Field(i), b.Field(i)) {
			continue
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch {
		case name == "":
			d.compare(path, a.Field(i), b.Field(i))
		case path == "":
			d.compare(name, a.Field(i), b.Field(i))
		default:
			d.compare(path+"."+name, a.Field(i), b.Field(i))
		}
	}
}

// alike spares the way into what is the same; all but map entries have addresses.
func alike(a, b reflect.Value) bool {
	return a.CanAddr() && b.CanAddr() && api.Equal(a.Addr().Interface(), b.Addr().Interface())
}

func (d *differ) items(path string, a, b reflect.Value) {
	for i := range max(a.Len(), b.Len()) {
		if i < a.Len() && i < b.Len() && alike(a.Index(i), b.Index(i)) {
			continue
		}
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= a.Len():
			d.add(at, "", render(b.Index(i)))
		case i >= b.Len():
			d.add(at, render(a.Index(i)), "")
		default:
			d.compare(at, a.Index(i), b.Index(i))
		}
	}
}

func (d *differ) entries(path string, a, b reflect.Value) {
	for _, k := range keys(a, b) {
		at := path + "[" + k + "]"
		x, y := a.MapIndex(reflect.ValueOf(k)), b.MapIndex(reflect.ValueOf(k))
		switch {
		case !x.IsValid():
			d.add(at, "", render(y))
		case !y.IsValid():
			d.add(at, render(x), "")
		default:
			d.compare(at, x, y)
		}
	}
}

func keys(maps ...reflect.Value) []string {
	seen := map[string]bool{}
	for _, m := range maps {
		for _, k := range m.MapKeys() {
			seen[k.String()] = true
		}
	}
	list := make([]string, 0, len(seen))
	for k := range seen {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}

func (d *differ) leaf(path string, a, b reflect.Value) {
	if x, y := render(a), render(b); x != y {
		d.add(path, x, y)
	}
}

func (d *differ) add(path, old, new string) {
	d.found = append(d.found, trace.Detail{Name: path, Value: old + "→" + new})
}

// leaves are the types that are one value in JSON.
var leaves = []reflect.Type{reflect.TypeFor[api.Quantity](), reflect.TypeFor[api.IntOrString](), reflect.TypeFor[api.RawJSON](), reflect.TypeFor[[]byte]()}

func isLeaf(v reflect.Value) bool { return slices.Contains(leaves, v.Type()) }

// render prints a value; what is not set is empty.
func render(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	if v.Kind() == reflect.String {
		return v.String()
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(b), `"`)
}
