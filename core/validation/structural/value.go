package structural

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"podwalk/core/api/field"
)

// Validate returns what is wrong with a value. The messages name fields from the
// value on; base, if any, is where the value stands in its object. old, where was is
// true, is the value before: what did not change is not judged again
// (apiextensions-apiserver/pkg/apiserver/validation).
func Validate(s *Schema, v, old any, was bool, base string) field.ErrorList {
	if s == nil {
		return nil
	}
	c := judge{base: base}
	return c.value(s, v, prior{old, was}, "").errs
}

// judge checks values; base stands before the paths of its errors.
type judge struct{ base string }

// prior is the value before an update, where there is one that corresponds.
type prior struct {
	value any
	known bool
}

// result is what a check found, and how many checks were passed: of alternatives, the
// one that passed the most tells its errors.
type result struct {
	errs    field.ErrorList
	matches int
}

func (r *result) merge(o result) {
	r.errs = append(r.errs, o.errs...)
	r.matches += o.matches
}

func (c *judge) path(at string) *field.Path {
	at = strings.TrimPrefix(at, ".")
	switch {
	case c.base == "" && at == "":
		return nil
	case c.base == "":
		return field.NewPath(at)
	case at == "":
		return field.NewPath(c.base)
	}
	return field.NewPath(c.base, at)
}

func (r *result) invalid(c *judge, at string, value any, detail string) {
	if value == nil {
		value = ""
	}
	r.errs = append(r.errs, field.Invalid(c.path(at), value, at+" in body "+detail))
}

// whole reports what concerns no single field.
func (r *result) whole(c *judge, message string) {
	r.errs = append(r.errs, field.Invalid(c.path(""), "", message))
}

// value checks a value against all that a schema says, in the server's order.
func (c *judge) value(s *Schema, v any, old prior, at string) (r result) {
	if old.known && reflect.DeepEqual(v, old.value) {
		return result{matches: 1}
	}
	r.merge(c.kind(s, v, at))
	if v == nil {
		c.enum(s, v, at, &r)
		return r
	}
	if s.Type != "" || s.IntOrString || s.format() != "" {
		r.matches++
	}
	r.merge(c.junctors(s, v, old, at))
	r.matches++
	switch x := v.(type) {
	case string:
		c.text(s, x, at, &r)
		r.matches++
		if f := s.format(); f != "" && knownFormat(f) {
			if !validFormat(f, x) {
				r.errs = append(r.errs, field.TypeInvalid(c.path(at), x, at+" in body must be of type "+f+": "+strconv.Quote(x)))
			}
			r.matches++
		}
	case int64, float64:
		r.matches++
		c.number(s, v, at, &r)
		r.matches++
	case []any:
		r.matches++
		c.items(s, x, old, at, &r)
		r.matches++
	}
	c.enum(s, v, at, &r)
	r.matches++
	if x, ok := v.(map[string]any); ok {
		c.object(s, x, old, at, &r)
		r.matches++
	}
	r.matches++
	return r
}

// typeOf names the type of a value, and its format.
func typeOf(v any) (name, format string) {
	switch v.(type) {
	case nil:
		return "null", ""
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

// types are those that a schema allows.
func (s *Schema) types() []string {
	switch {
	case s.IntOrString:
		return []string{"integer", "string"}
	case s.Type != "":
		return []string{s.Type}
	}
	return nil
}

// kind checks the type.
func (c *judge) kind(s *Schema, v any, at string) (r result) {
	types, format := s.types(), s.format()
	if len(types) == 0 && format == "" {
		return result{}
	}
	name, have := typeOf(v)
	wrong := func(want, got string) result {
		return result{errs: field.ErrorList{field.TypeInvalid(c.path(at), got, at+" in body must be of type "+want+": "+strconv.Quote(got))}}
	}
	if v == nil {
		if len(types) > 0 && !s.Nullable {
			return wrong(strings.Join(types, ","), "null")
		}
		return result{matches: 1}
	}
	number := slices.Contains(types, "number") || slices.Contains(types, "integer")
	f, isFloat := v.(float64)
	fits := slices.Contains(types, name) || isFloat && f == math.Trunc(f) && slices.Contains(types, "integer") ||
		name == "integer" && slices.Contains(types, "number")
	plain := name != "string" && name != "array"
	switch {
	case plain && format != "" && !fits && have != format:
		return wrong(format, have)
	case !number && format != "" && !plain:
	case !fits:
		return wrong(strings.Join(types, ","), name)
	}
	return result{matches: 1}
}

func (c *judge) text(s *Schema, v, at string, r *result) {
	n := int64(utf8.RuneCountInString(v))
	switch {
	case s.MaxLength != nil && n > *s.MaxLength:
		r.errs = append(r.errs, field.TooLong(c.path(at), "", int(*s.MaxLength)))
	case s.MinLength != nil && n < *s.MinLength:
		r.invalid(c, at, v, "should be at least "+strconv.FormatInt(*s.MinLength, 10)+" chars long")
	case s.Pattern != "":
		re, err := regexp.Compile(s.Pattern)
		switch {
		case err != nil:
			r.invalid(c, at, v, "should match '"+s.Pattern+", but pattern is invalid: "+err.Error()+"'")
		case !re.MatchString(v):
			r.invalid(c, at, v, "should match '"+s.Pattern+"'")
		}
	}
}

func (c *judge) enum(s *Schema, v any, at string, r *result) {
	if len(s.Enum) == 0 {
		return
	}
	valid := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		if sameScalar(e, v) {
			return
		}
		valid[i] = plainText(e)
	}
	r.errs = append(r.errs, field.NotSupported(c.path(at), v, valid))
}

func sameScalar(a, b any) bool {
	x, xok := asFloat(a)
	y, yok := asFloat(b)
	return xok && yok && x == y || a != nil && reflect.DeepEqual(a, b)
}

func asFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
