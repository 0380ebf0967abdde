package codec

import (
	"reflect"
	"slices"
	"strings"

	"podwalk/core/api"
)

// shape is how a Go type looks in JSON.
type shape uint8

const (
	shapeString shape = iota
	shapeBool
	shapeInt
	shapeFloat
	shapeBytes
	shapeStruct
	shapePointer
	shapeList
	shapeMap
	shapeQuantity
	shapeTime
	shapeMicroTime
	shapeIntOrString
	shapeRaw
)

// typeInfo describes a type of package api.
type typeInfo struct {
	shape  shape
	rtype  reflect.Type
	elem   *typeInfo   // of a pointer, list or map
	fields []fieldInfo // of a struct, sorted by name
}

type fieldInfo struct {
	name   string
	prefix string // the name as JSON, with quotes and colon
	index  []int
	typ    *typeInfo
	omit   omission
	patch  patchMeta
}

type omission uint8

const (
	omitNever omission = iota
	omitEmpty
	omitZero
)

// types holds the types of all kinds. It is made at the start and never changed,
// so that it can be read from everywhere.
var types map[reflect.Type]*typeInfo

func init() { types = makeTypes() }

func makeTypes() map[reflect.Type]*typeInfo {
	m := typeTable{}
	for i := range api.Kinds {
		m.info(reflect.TypeOf(api.Kinds[i].New()).Elem())
	}
	for _, v := range []any{api.Status{}, api.Condition{}, metaOnly{}, api.Custom{}} {
		m.info(reflect.TypeOf(v))
	}
	return m
}

type typeTable map[reflect.Type]*typeInfo

var scalarShapes = map[reflect.Type]shape{
	reflect.TypeFor[api.Quantity]():    shapeQuantity,
	reflect.TypeFor[api.Time]():        shapeTime,
	reflect.TypeFor[api.MicroTime]():   shapeMicroTime,
	reflect.TypeFor[api.IntOrString](): shapeIntOrString,
	reflect.TypeFor[api.RawJSON]():     shapeRaw,
	reflect.TypeFor[[]byte]():          shapeBytes,
}

func (m typeTable) info(t reflect.Type) *typeInfo {
	if ti := types[t]; ti != nil {
		return ti
	}
	if ti := m[t]; ti != nil {
		return ti
	}
	ti := &typeInfo{rtype: t}
	m[t] = ti
	if s, ok := scalarShapes[t]; ok {
		ti.shape = s
		return ti
	}
	switch t.Kind() {
	case reflect.Bool:
		ti.shape = shapeBool
	case reflect.Int, reflect.Int32, reflect.Int64:
		ti.shape = shapeInt
	case reflect.Float64:
		ti.shape = shapeFloat
	case reflect.Struct:
		ti.shape = shapeStruct
		m.structFields(ti, t, nil)
		slices.SortFunc(ti.fields, func(a, b fieldInfo) int { return strings.Compare(a.name, b.name) })
	case reflect.Pointer:
		ti.shape, ti.elem = shapePointer, m.info(t.Elem())
	case reflect.Slice:
		ti.shape, ti.elem = shapeList, m.info(t.Elem())
	case reflect.Map:
		ti.shape, ti.elem = shapeMap, m.info(t.Elem())
	}
	return ti
}

// structFields adds the fields of t, those of embedded structs without a name too.
func (m typeTable) structFields(ti *typeInfo, t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" && sf.Anonymous {
			m.structFields(ti, sf.Type, at)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		f := fieldInfo{name: name, prefix: `"` + name + `":`, index: at, typ: m.info(sf.Type)}
		switch options {
		case "omitempty":
			f.omit = omitEmpty
		case "omitzero":
			f.omit = omitZero
		}
		f.patch = readPatchTag(sf.Tag.Get("patch"))
		ti.fields = append(ti.fields, f)
	}
}

// readPatchTag reads strategies and the merge key, as in "merge,retainKeys,name".
func readPatchTag(tag string) patchMeta {
	var m patchMeta
	for part := range strings.SplitSeq(tag, ",") {
		switch part {
		case directiveMerge, directiveRepl:
			m.strategy = part
		case "retainKeys":
			m.retain = true
		default:
			m.key = part
		}
	}
	return m
}

// field returns the field with that name, or nil.
func (ti *typeInfo) field(name string) *fieldInfo {
	i, found := slices.BinarySearchFunc(ti.fields, name, func(f fieldInfo, n string) int { return strings.Compare(f.name, n) })
	if !found {
		return nil
	}
	return &ti.fields[i]
}

// in returns the field of a struct's value.
func (f *fieldInfo) in(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		v = v.Field(i)
	}
	return v
}

// infoOf returns the description of a type outside the table too, such as a slice
// of objects.
func infoOf(t reflect.Type) *typeInfo { return typeTable{}.info(t) }
