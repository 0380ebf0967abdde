package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// named is a type under the name that it has in the ids of overloads.
type named struct {
	name string
	typ  *cel.Type
	zero ref.Val // where values can be summed
}

var ordered = []named{
	{"int", cel.IntType, types.Int(0)}, {"uint", cel.UintType, types.Uint(0)}, {"double", cel.DoubleType, types.Double(0)},
	{"bool", cel.BoolType, nil}, {"duration", cel.DurationType, types.Duration{}}, {"timestamp", cel.TimestampType, nil},
	{"string", cel.StringType, nil}, {"bytes", cel.BytesType, nil},
}

// listFunctions is the library lists (apiserver/pkg/cel/library/lists.go).
func listFunctions(version int) map[string][]cel.FunctionOpt {
	a := cel.TypeParamType("A")
	out := map[string][]cel.FunctionOpt{
		"indexOf":     member("list_a_index_of_int", args(cel.ListType(a), a), cel.IntType, cel.BinaryBinding(indexOf)),
		"lastIndexOf": member("list_a_last_index_of_int", args(cel.ListType(a), a), cel.IntType, cel.BinaryBinding(lastIndexOf)),
	}
	for _, t := range ordered {
		of := args(cel.ListType(t.typ))
		out["isSorted"] = append(out["isSorted"], cel.MemberOverload("list_"+t.name+"_is_sorted_bool", of, cel.BoolType, cel.UnaryBinding(isSorted)))
		out["max"] = append(out["max"], cel.MemberOverload("list_"+t.name+"_max_"+t.name, of, t.typ, cel.UnaryBinding(extreme("max", types.IntNegOne))))
		out["min"] = append(out["min"], cel.MemberOverload("list_"+t.name+"_min_"+t.name, of, t.typ, cel.UnaryBinding(extreme("min", types.IntOne))))
		if t.zero != nil {
			out["sum"] = append(out["sum"], cel.MemberOverload("list_"+t.name+"_sum_"+t.name, of, t.typ, cel.UnaryBinding(sum(t.zero))))
		}
	}
	if version > 0 {
		out["includes"] = member("list_includes_dyn_dyn", args(cel.DynType, cel.DynType), cel.BoolType, cel.BinaryBinding(includes))
	}
	return out
}

// each calls f for the elements until it returns a value.
func each(v ref.Val, f func(ref.Val) ref.Val) ref.Val {
	l, ok := v.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	for it := l.Iterator(); it.HasNext() == types.True; {
		if r := f(it.Next()); r != nil {
			return r
		}
	}
	return nil
}

func isSorted(v ref.Val) ref.Val {
	var last traits.Comparer
	r := each(v, func(x ref.Val) ref.Val {
		c, ok := x.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(x)
		}
		if last != nil && last.Compare(x) == types.IntOne {
			return types.False
		}
		last = c
		return nil
	})
	if r != nil {
		return r
	}
	return types.True
}

func sum(zero ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		total := zero
		if r := each(v, func(x ref.Val) ref.Val {
			a, ok := total.(traits.Adder)
			if !ok {
				return types.MaybeNoSuchOverloadErr(total)
			}
			total = a.Add(x)
			if types.IsUnknownOrError(total) {
				return types.MaybeNoSuchOverloadErr(total)
			}
			return nil
		}); r != nil {
			return r
		}
		return total
	}
}

// extreme finds the element that replaces the best so far where the comparison
// gives what is wanted.
func extreme(name string, wanted ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		var best traits.Comparer
		if r := each(v, func(x ref.Val) ref.Val {
			c, ok := x.(traits.Comparer)
			if !ok {
				return types.MaybeNoSuchOverloadErr(x)
			}
			if best == nil || best.Compare(x) == wanted {
				best = c
			}
			return nil
		}); r != nil {
			return r
		}
		if best == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return best.(ref.Val)
	}
}

func indexOf(v, item ref.Val) ref.Val {
	l, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	n := l.Size().(types.Int)
	for i := types.Int(0); i < n; i++ {
		if types.Equal(l.Get(i), item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func lastIndexOf(v, item ref.Val) ref.Val {
	l, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	for i := l.Size().(types.Int) - 1; i >= 0; i-- {
		if types.Equal(l.Get(i), item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func includes(v, item ref.Val) ref.Val {
	l, ok := v.(traits.Lister)
	if !ok {
		return types.Bool(types.Equal(v, item) == types.True)
	}
	for it := l.Iterator(); it.HasNext() == types.True; {
		if types.Equal(it.Next(), item) == types.True {
			return types.True
		}
	}
	return types.False
}
