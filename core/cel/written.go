package cel

import (
	"sort"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// written is a map that an expression makes. It is walked in the order of its
// keys: the real server's order is that of a Go map, another one each time, and a run
// must be the same each time.
type written struct{ traits.Mapper }

func (m written) Iterator() traits.Iterator {
	var keys []ref.Val
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	sort.SliceStable(keys, func(i, j int) bool { return before(keys[i], keys[j]) })
	return types.NewRefValList(types.DefaultTypeAdapter, keys).Iterator()
}

// before compares keys of one type by value, others by the names of their types.
func before(a, b ref.Val) bool {
	if a.Type() != b.Type() {
		return a.Type().TypeName() < b.Type().TypeName()
	}
	c, ok := a.(traits.Comparer)
	return ok && c.Compare(b) == types.IntNegOne
}

func inOrder(v ref.Val) ref.Val {
	switch m := v.(type) {
	case *mapping, written, traits.MutableMapper:
		return v
	case traits.Mapper:
		if m.Type() == types.MapType {
			return written{m}
		}
	}
	return v
}

// made is an instruction that may make such a map: a literal has its own type, a
// comprehension none that could be told.
type made struct{ interpreter.InterpretableV2 }

func (m made) Eval(vars interpreter.Activation) ref.Val {
	return inOrder(m.InterpretableV2.Eval(vars))
}

func (m made) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return inOrder(m.InterpretableV2.Exec(frame))
}

// literal is a list, map or object that is written out.
type literal struct {
	interpreter.InterpretableConstructor
	made
}

func (l literal) ID() int64                                      { return l.made.ID() }
func (l literal) Eval(vars interpreter.Activation) ref.Val       { return l.made.Eval(vars) }
func (l literal) Exec(frame *interpreter.ExecutionFrame) ref.Val { return l.made.Exec(frame) }

// orderMaps puts order into the maps of a program, folded constants included.
func orderMaps(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch x := i.(type) {
	case interpreter.InterpretableConst:
		return interpreter.NewConstValue(x.ID(), inOrder(x.Value())), nil
	case interpreter.InterpretableConstructor:
		return literal{x, made{x}}, nil
	case interpreter.InterpretableAttribute, interpreter.InterpretableCall:
		return i, nil
	}
	return made{i}, nil
}
