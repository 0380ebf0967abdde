package cel

import (
	"errors"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// object is what Object{...} makes (apiserver/pkg/cel/mutation/dynamic/objects.go).
type object struct {
	typ    *types.Type
	fields map[string]ref.Val
}

var _ traits.Zeroer = (*object)(nil)

func (o *object) Type() ref.Type    { return o.typ }
func (o *object) IsZeroValue() bool { return len(o.fields) == 0 }

func (o *object) Value() any {
	v, err := o.generic()
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

func (o *object) ConvertToNative(t reflect.Type) (any, error) {
	return nil, errors.New("unable to convert to " + t.String())
}

func (o *object) ConvertToType(t ref.Type) ref.Val {
	switch {
	case o.typ.TypeName() == t.TypeName():
		return o
	case t == types.TypeType:
		return types.NewTypeTypeWithParam(o.typ)
	}
	return types.NewErr("unsupported conversion into %v", t)
}

func (o *object) Equal(other ref.Val) ref.Val {
	x, ok := other.(*object)
	if !ok || o.typ.TypeName() != x.typ.TypeName() || len(o.fields) != len(x.fields) {
		return types.False
	}
	for k, v := range o.fields {
		if w, ok := x.fields[k]; !ok || types.Equal(v, w) != types.True {
			return types.False
		}
	}
	return types.True
}

// Get and IsSet make the fields readable.
func (o *object) Get(index ref.Val) ref.Val {
	name, _ := index.Value().(string)
	if v, ok := o.fields[name]; ok {
		return v
	}
	return types.NewErr("no such key: %v", index)
}

// IsSet reports whether a field was given.
func (o *object) IsSet(field ref.Val) ref.Val {
	name, _ := field.Value().(string)
	_, ok := o.fields[name]
	return types.Bool(ok)
}

func (o *object) generic() (any, error) {
	out := make(map[string]any, len(o.fields))
	for k, f := range o.fields {
		v, err := generic(f)
		if err != nil {
			return nil, errors.New("fail to convert field " + strconv.Quote(k) + ": " + err.Error())
		}
		out[k] = v
	}
	return out, nil
}

// misnamed lists the types within a value whose names do not follow the fields in
// which they stand.
func misnamed(v ref.Val, path string) (wrong []string) {
	if o, ok := v.(*object); ok {
		if o.typ.TypeName() != path {
			wrong = append(wrong, "unexpected type name "+strconv.Quote(o.typ.TypeName())+", expected "+strconv.Quote(path)+
				", which matches field name path from root Object type")
		}
		for _, k := range sortedFields(o.fields) {
			wrong = append(wrong, misnamed(o.fields[k], path+"."+k)...)
		}
		return wrong
	}
	switch x := v.(type) {
	case *mapping, *list:
	case traits.Lister:
		for it := x.Iterator(); it.HasNext() == types.True; {
			wrong = append(wrong, misnamed(it.Next(), path)...)
		}
	case traits.Mapper:
		for it := x.Iterator(); it.HasNext() == types.True; {
			wrong = append(wrong, misnamed(x.Get(it.Next()), path)...)
		}
	}
	return wrong
}

func sortedFields(m map[string]ref.Val) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

const patchTypeName = "JSONPatch"

var patchType = types.NewObjectType(patchTypeName)

var patchFields = map[string]*types.Type{"op": cel.StringType, "path": cel.StringType, "from": cel.StringType, "value": cel.DynType}

// patch is what JSONPatch{...} makes (apiserver/pkg/cel/mutation/jsonpatch.go).
type patch struct {
	op, from, path string
	value          ref.Val
}

func newPatch(fields map[string]ref.Val) ref.Val {
	p := &patch{}
	texts := map[string]*string{"op": &p.op, "path": &p.path, "from": &p.from}
	for _, name := range sortedFields(fields) {
		v := fields[name]
		if name == "value" {
			p.value = v
			continue
		}
		to := texts[name]
		if to == nil {
			return types.NewErr("unexpected JSONPatchType field: %s", name)
		}
		s, ok := v.Value().(string)
		if !ok {
			return types.NewErr("unexpected type %T for JSONPatchType '"+name+"' field", v.Value())
		}
		*to = s
	}
	return p
}

func (p *patch) Type() ref.Type { return patchType }
func (p *patch) Value() any     { return p }

func (p *patch) ConvertToNative(t reflect.Type) (any, error) {
	return nil, errors.New("cannot convert to native type: " + t.String())
}

func (p *patch) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case patchType:
		return p
	case types.TypeType:
		return types.NewTypeTypeWithParam(patchType)
	}
	return types.NewErr("unsupported type: %s", t.TypeName())
}

func (p *patch) Equal(other ref.Val) ref.Val {
	o, ok := other.(*patch)
	if !ok || p.op != o.op || p.from != o.from || p.path != o.path || (p.value == nil) != (o.value == nil) {
		return types.False
	}
	if p.value == nil {
		return types.True
	}
	return types.Equal(p.value, o.value)
}

// Get reads a field.
func (p *patch) Get(index ref.Val) ref.Val {
	switch index.Value() {
	case "op":
		return types.String(p.op)
	case "path":
		return types.String(p.path)
	case "from":
		return types.String(p.from)
	case "value":
		return p.value
	}
	return types.NewErr("unsupported indexer: %s", index)
}

// operation is the patch as JSON has it.
func (p *patch) operation() (map[string]any, string) {
	out := map[string]any{"op": p.op, "path": p.path}
	if p.from != "" {
		out["from"] = p.from
	}
	if p.value == nil {
		return out, ""
	}
	if o, ok := p.value.(*object); ok {
		if wrong := misnamed(o, o.typ.TypeName()); len(wrong) > 0 {
			return nil, "type mismatch: " + strings.Join(wrong, "\n")
		}
	}
	v, err := generic(p.value)
	if err != nil {
		return nil, "JSONPath valueExpression evaluated to a type that could not marshal to JSON: " + err.Error()
	}
	out["value"] = v
	return out, ""
}

// jsonPatchFunctions is the library jsonpatch (apiserver/pkg/cel/library/jsonpatch.go).
func jsonPatchFunctions() map[string][]cel.FunctionOpt {
	escape := strings.NewReplacer("/", "~1", "~", "~0")
	return map[string][]cel.FunctionOpt{
		"jsonpatch.escapeKey": {cel.Overload("string_jsonpatch_escapeKey_string", []*cel.Type{cel.StringType}, cel.StringType,
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				s, ok := v.Value().(string)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				return types.String(escape.Replace(s))
			}))},
	}
}
