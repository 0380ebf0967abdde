package cel

import (
	"errors"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// opaque is a value that only its functions read: an IP address, a quantity, a
// version, the authorizer.
type opaque[T any] struct {
	typ   *types.Type
	is    T
	equal func(a, b T) bool
	text  func(T) string
	size  func(T) int
}

func (o *opaque[T]) Type() ref.Type { return o.typ }
func (o *opaque[T]) Value() any     { return o }

func (o *opaque[T]) ConvertToNative(t reflect.Type) (any, error) {
	if o.text != nil && t.Kind() == reflect.String {
		return o.text(o.is), nil
	}
	return nil, errors.New("type conversion error from '" + o.typ.TypeName() + "' to '" + t.String() + "'")
}

func (o *opaque[T]) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t == types.TypeType:
		return o.typ
	case t.TypeName() == o.typ.TypeName():
		return o
	case t == types.StringType && o.size != nil:
		return types.String(o.text(o.is))
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.typ, t)
}

func (o *opaque[T]) Equal(other ref.Val) ref.Val {
	x, ok := other.(*opaque[T])
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(o.equal(o.is, x.is))
}

// Size is what comparing the value costs.
func (o *opaque[T]) Size() ref.Val {
	if o.size == nil {
		return types.IntOne
	}
	return types.Int(o.size(o.is))
}

// unary binds a function of an opaque value.
func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		x, ok := v.(*opaque[T])
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x.is)
	})
}

// binary binds a function of two opaque values of a type.
func binary[T any](f func(a, b T) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		x, ok := v.(*opaque[T])
		y, fits := w.(*opaque[T])
		if !ok || !fits {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x.is, y.is)
	})
}

// fromText binds a function of a string.
func fromText(f func(string) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		s, ok := v.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(string(s))
	})
}

// global declares the overloads of a function with one overload.
func global(id string, args []*cel.Type, result *cel.Type, bind cel.OverloadOpt) []cel.FunctionOpt {
	return []cel.FunctionOpt{cel.Overload(id, args, result, bind)}
}

func member(id string, args []*cel.Type, result *cel.Type, bind cel.OverloadOpt) []cel.FunctionOpt {
	return []cel.FunctionOpt{cel.MemberOverload(id, args, result, bind)}
}

func args(t ...*cel.Type) []*cel.Type { return t }
