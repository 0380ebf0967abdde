package cel

import (
	"errors"
	"reflect"
	"sort"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// valueOf makes a generic value one of CEL. Maps are walked in the order of their
// keys, so that what an expression makes of them is always the same.
func valueOf(v any) ref.Val {
	switch x := v.(type) {
	case nil:
		return types.NullValue
	case bool:
		return types.Bool(x)
	case string:
		return types.String(x)
	case int64:
		return types.Int(x)
	case float64:
		return types.Double(x)
	case map[string]any:
		if x == nil {
			return types.NullValue
		}
		return &mapping{fields: x}
	case []any:
		return &list{items: x}
	}
	return types.NewErr("unsupported Go type for CEL: %T", v)
}

// mapping is an object or map of the API.
type mapping struct {
	fields map[string]any
	known  map[string]ref.Val
}

var _ traits.Mapper = (*mapping)(nil)

func (m *mapping) Type() ref.Type { return types.MapType }
func (m *mapping) Value() any     { return m.fields }
func (m *mapping) Size() ref.Val  { return types.Int(len(m.fields)) }

func (m *mapping) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(m.fields).AssignableTo(t) {
		return m.fields, nil
	}
	return nil, errors.New("type conversion error from 'map' to '" + t.String() + "'")
}

func (m *mapping) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return m
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", m.Type(), t.TypeName())
}

func (m *mapping) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != o.Size() {
		return types.False
	}
	for k := range m.fields {
		a, _ := m.Find(types.String(k))
		b, found := o.Find(types.String(k))
		if !found || types.Equal(a, b) != types.True {
			return types.False
		}
	}
	return types.True
}

func (m *mapping) Contains(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if v != nil && types.IsError(v) {
		return v
	}
	return types.Bool(found)
}

func (m *mapping) Find(key ref.Val) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return types.ValOrErr(key, "unsupported map key type: %T", key), false
	}
	if v := m.known[string(k)]; v != nil {
		return v, true
	}
	field, ok := m.fields[string(k)]
	if !ok {
		return nil, false
	}
	v := valueOf(field)
	if m.known == nil {
		m.known = map[string]ref.Val{}
	}
	m.known[string(k)] = v
	return v, true
}

func (m *mapping) Get(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if found || v != nil {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m *mapping) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, len(m.fields))
	for k := range m.fields {
		keys = append(keys, types.String(k))
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i].(types.String) < keys[j].(types.String) })
	return types.NewRefValList(types.DefaultTypeAdapter, keys).Iterator()
}

// list is a list of the API.
type list struct {
	items []any
	known []ref.Val
}

var _ traits.Lister = (*list)(nil)

func (l *list) Type() ref.Type { return types.ListType }
func (l *list) Value() any     { return l.items }
func (l *list) Size() ref.Val  { return types.Int(len(l.items)) }

func (l *list) ConvertToNative(t reflect.Type) (any, error) { return l.refs().ConvertToNative(t) }

func (l *list) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), t.TypeName())
}

// refs is the list with its values made.
func (l *list) refs() traits.Lister {
	for i := range l.items {
		l.at(i)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, l.known)
}

func (l *list) at(i int) ref.Val {
	if l.known == nil {
		l.known = make([]ref.Val, len(l.items))
	}
	if l.known[i] == nil {
		l.known[i] = valueOf(l.items[i])
	}
	return l.known[i]
}

func (l *list) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i := range l.items {
		if types.Equal(l.at(i), o.Get(types.Int(i))) != types.True {
			return types.False
		}
	}
	return types.True
}

func (l *list) Contains(v ref.Val) ref.Val {
	for i := range l.items {
		if types.Equal(l.at(i), v) == types.True {
			return types.True
		}
	}
	return types.False
}

func (l *list) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return l.refs().Add(o)
}

func (l *list) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index type: %T", index)
	}
	if i < 0 || int(i) >= len(l.items) {
		return types.NewErr("index out of bounds: %d", i)
	}
	return l.at(int(i))
}

func (l *list) Iterator() traits.Iterator { return l.refs().Iterator() }

// generic turns a value of CEL into a generic value.
func generic(v ref.Val) (any, error) {
	switch x := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool, types.Int, types.Double, types.String:
		return v.Value(), nil
	case types.Uint:
		return int64(x), nil
	case *object:
		return x.generic()
	case *types.Optional:
		if !x.HasValue() {
			return nil, nil
		}
		return generic(x.GetValue())
	case traits.Lister:
		return genericList(x)
	case traits.Mapper:
		return genericMap(x)
	}
	return foreign(v)
}

func genericList(l traits.Lister) (any, error) {
	out := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		v, err := generic(it.Next())
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func genericMap(m traits.Mapper) (any, error) {
	out := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		name, ok := k.Value().(string)
		if !ok {
			return nil, errors.New("map key " + quoteVal(k) + " is of type " + goType(k) + ", not string")
		}
		v, err := generic(m.Get(k))
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// foreign is a value of another type, as JSON writes it.
func foreign(v ref.Val) (any, error) {
	switch v.(type) {
	case types.Duration, types.Timestamp, types.Bytes:
		if s, ok := v.ConvertToType(types.StringType).(types.String); ok {
			return string(s), nil
		}
	}
	return nil, errors.New("type conversion error from '" + v.Type().TypeName() + "' to JSON")
}

func goType(v ref.Val) string { return reflect.TypeOf(v).String() }

func quoteVal(v ref.Val) string {
	if s, ok := v.ConvertToType(types.StringType).(types.String); ok {
		return string(s)
	}
	return v.Type().TypeName()
}
