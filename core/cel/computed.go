package cel

import (
	"errors"
	"reflect"
	"sort"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// computed is the value of variables: each is computed once, when it is first used
// (apiserver/pkg/cel/lazy).
type computed struct {
	a     *activation
	known map[string]ref.Val
}

var computedType = cel.ObjectType(variablesName, traits.IndexerType|traits.FieldTesterType|traits.IterableType)

var _ traits.Mapper = (*computed)(nil)

func (c *computed) Type() ref.Type { return computedType }
func (c *computed) Value() any     { return types.NoSuchOverloadErr() }
func (c *computed) Size() ref.Val  { return types.Int(len(c.a.program.variables)) }

func (c *computed) ConvertToNative(t reflect.Type) (any, error) {
	return nil, errors.New(`disallowed conversion from "` + variablesName + `" to "` + t.Name() + `"`)
}

func (c *computed) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case computedType:
		return c
	case types.TypeType:
		return computedType
	}
	return types.NewErr("disallowed conversion from %q to %q", variablesName, t.TypeName())
}

func (c *computed) Equal(other ref.Val) ref.Val {
	o, ok := other.(*computed)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(c == o)
}

func (c *computed) Contains(key ref.Val) ref.Val {
	v, found := c.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

func (c *computed) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	if v, ok := c.known[string(name)]; ok {
		return v, true
	}
	expr, ok := c.a.program.variables[string(name)]
	if !ok {
		return nil, false
	}
	v := c.a.variable(string(name), expr)
	c.known[string(name)] = v
	return v, true
}

func (c *computed) Get(key ref.Val) ref.Val {
	if v, found := c.Find(key); found {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (c *computed) Iterator() traits.Iterator {
	names := make([]string, 0, len(c.a.program.variables))
	for n := range c.a.program.variables {
		names = append(names, n)
	}
	sort.Strings(names)
	return types.NewStringList(types.DefaultTypeAdapter, names).Iterator()
}
