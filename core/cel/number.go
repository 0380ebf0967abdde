package cel

import (
	"errors"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"podwalk/core/api"
)

var quantityType = cel.ObjectType("kubernetes.Quantity")

func newQuantity(q api.Quantity) ref.Val {
	return &opaque[api.Quantity]{typ: quantityType, is: q, equal: api.Quantity.Equal, text: api.Quantity.String}
}

// integer returns the units of a quantity if they are whole and fit.
func integer(q api.Quantity) (int64, bool) {
	v := q.Value()
	return v, q.Equal(api.NewQuantity(v, api.DecimalSI))
}

// quantityFunctions is the library quantity (apiserver/pkg/cel/library/quantity.go).
func quantityFunctions() map[string][]cel.FunctionOpt {
	two, sum := args(quantityType, quantityType), args(quantityType, cel.IntType)
	return map[string][]cel.FunctionOpt{
		"quantity": global("string_to_quantity", args(cel.StringType), quantityType, fromText(func(s string) ref.Val {
			q, err := api.ParseQuantity(s)
			if err != nil {
				return types.WrapErr(err)
			}
			return newQuantity(q)
		})),
		"isQuantity": global("is_quantity_string", args(cel.StringType), cel.BoolType, fromText(func(s string) ref.Val {
			_, err := api.ParseQuantity(s)
			return types.Bool(err == nil)
		})),
		"sign":          global("quantity_sign", args(quantityType), cel.IntType, unary(func(q api.Quantity) ref.Val { return types.Int(q.Sign()) })),
		"isGreaterThan": member("quantity_is_greater_than", two, cel.BoolType, binary(func(a, b api.Quantity) ref.Val { return types.Bool(a.Cmp(b) == 1) })),
		"isLessThan":    member("quantity_is_less_than", two, cel.BoolType, binary(func(a, b api.Quantity) ref.Val { return types.Bool(a.Cmp(b) == -1) })),
		"compareTo":     member("quantity_compare_to", two, cel.IntType, binary(func(a, b api.Quantity) ref.Val { return types.Int(a.Cmp(b)) })),
		"asApproximateFloat": member("quantity_get_float", args(quantityType), cel.DoubleType, unary(func(q api.Quantity) ref.Val {
			return types.Double(approximate(q))
		})),
		"asInteger": member("quantity_get_int", args(quantityType), cel.IntType, unary(func(q api.Quantity) ref.Val {
			v, ok := integer(q)
			if !ok {
				return types.WrapErr(errors.New("cannot convert value to integer"))
			}
			return types.Int(v)
		})),
		"isInteger": member("quantity_is_integer", args(quantityType), cel.BoolType, unary(func(q api.Quantity) ref.Val {
			_, ok := integer(q)
			return types.Bool(ok)
		})),
		"add": {
			cel.MemberOverload("quantity_add", two, quantityType, binary(func(a, b api.Quantity) ref.Val { return newQuantity(a.Add(b)) })),
			cel.MemberOverload("quantity_add_int", sum, quantityType, cel.BinaryBinding(func(a, n ref.Val) ref.Val { return withInteger(a, n, api.Quantity.Add) })),
		},
		"sub": {
			cel.MemberOverload("quantity_sub", two, quantityType, binary(func(a, b api.Quantity) ref.Val { return newQuantity(a.Sub(b)) })),
			cel.MemberOverload("quantity_sub_int", sum, quantityType, cel.BinaryBinding(func(a, n ref.Val) ref.Val { return withInteger(a, n, api.Quantity.Sub) })),
		},
	}
}

func withInteger(a, n ref.Val, f func(a, b api.Quantity) api.Quantity) ref.Val {
	q, ok := a.(*opaque[api.Quantity])
	i, fits := n.(types.Int)
	if !ok || !fits {
		return types.MaybeNoSuchOverloadErr(a)
	}
	return newQuantity(f(q.is, api.NewQuantity(int64(i), api.DecimalExponent)))
}

// approximate reads the quantity's decimal form, which is exact to 1e-9.
func approximate(q api.Quantity) float64 {
	n := q.Add(api.MustQuantity("0"))
	if f, err := strconv.ParseFloat(plain(n.String()), 64); err == nil {
		return f
	}
	return float64(q.Value())
}

// plain writes a suffix as an exponent where that is exact.
func plain(s string) string {
	for i, suffix := range []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"} {
		if suffix != "" && len(s) > 1 && s[len(s)-1:] == suffix {
			return s[:len(s)-1] + "e" + strconv.Itoa(3*i-9)
		}
	}
	return s
}
