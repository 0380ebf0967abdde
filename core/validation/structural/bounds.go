package structural

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"podwalk/core/api/field"
)

// number checks bounds. An integer is compared with bounds cut to whole numbers, as
// the server does.
func (c *judge) number(s *Schema, v any, at string, r *result) {
	n, isInt := v.(int64)
	f, _ := asFloat(v)
	c.fits(s, v, at, r)
	if m := s.MultipleOf; m != nil {
		off, factor := false, *m
		switch {
		case isInt && int64(factor) == 0: // cut to a whole number, as bounds are
			r.errs = append(r.errs, field.Invalid(c.path(at), int64(0), "factor MultipleOf declared for "+at+" must be positive: 0"))
		case factor <= 0:
			r.errs = append(r.errs, field.Invalid(c.path(at), factor, "factor MultipleOf declared for "+at+" must be positive: "+number(factor)))
		case isInt && factor == math.Trunc(factor):
			off = n%int64(factor) != 0
		case factor < 1:
			off = !isWhole(1 / factor * f)
		default:
			off = !isWhole(f / factor)
		}
		if off {
			r.invalid(c, at, v, "should be a multiple of "+number(factor))
		}
	}
	if m := s.Minimum; m != nil {
		low := bound(*m, isInt)
		if f < low || s.ExclusiveMinimum && f == low {
			r.invalid(c, at, v, "should be greater than "+orEqual(!s.ExclusiveMinimum)+number(low))
		}
	}
	if m := s.Maximum; m != nil {
		high := bound(*m, isInt)
		if f > high || s.ExclusiveMaximum && f == high {
			r.invalid(c, at, v, "should be less than "+orEqual(!s.ExclusiveMaximum)+number(high))
		}
	}
}

// fits checks that the number is in the range of its format.
func (c *judge) fits(s *Schema, v any, at string, r *result) {
	f, _ := asFloat(v)
	_, isInt := v.(int64)
	switch {
	case s.Type == "integer" && (s.Format == "int32" && (f > math.MaxInt32 || f < math.MinInt32) || !isInt && (f != math.Trunc(f) || math.Abs(f) >= 1<<63)):
		with := " (default format)"
		if s.Format != "" {
			with = " with format " + s.Format
		}
		r.whole(c, "Checked value must be of type integer"+with+" in "+at)
	case s.Type == "number" && s.Format == "float" && math.Abs(f) > math.MaxFloat32:
		r.whole(c, "Checked value must be of type number with format float in "+at)
	}
}

func bound(m float64, isInt bool) float64 {
	if isInt {
		return math.Trunc(m)
	}
	return m
}

func orEqual(yes bool) string {
	if yes {
		return "or equal to "
	}
	return ""
}

func isWhole(f float64) bool { return math.Abs(f-math.Round(f)) < 1e-9 }

// number prints a bound as Go's %v does.
func number(f float64) string {
	if a := math.Abs(f); a == 0 || a >= 1e-4 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

// plainText prints an allowed value: texts as they are, others as JSON.
func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func (c *judge) items(s *Schema, list []any, old prior, at string, r *result) {
	if s.Items != nil {
		was := s.priorItems(old)
		for i := range list {
			r.merge(c.value(s.Items, list[i], was(list[i]), at+"["+strconv.Itoa(i)+"]"))
		}
	}
	n := int64(len(list))
	if s.MinItems != nil && n < *s.MinItems {
		r.invalid(c, at, n, "should have at least "+strconv.FormatInt(*s.MinItems, 10)+" items")
	}
	if s.MaxItems != nil && n > *s.MaxItems {
		r.errs = append(r.errs, field.TooMany(c.path(at), int(n), int(*s.MaxItems)))
	}
	r.matches++
}

// priorItems finds for an item of a list the one that it was before; only the items of
// lists with keys correspond.
func (s *Schema) priorItems(old prior) func(item any) prior {
	list, _ := old.value.([]any)
	if !old.known || s.ListType != "map" || len(s.ListKeys) == 0 {
		return func(any) prior { return prior{} }
	}
	return func(item any) prior {
		m, _ := item.(map[string]any)
		for _, o := range list {
			if was, ok := o.(map[string]any); ok && m != nil && sameKeys(m, was, s.ListKeys) {
				return prior{was, true}
			}
		}
		return prior{}
	}
}

func sameKeys(a, b map[string]any, keys []string) bool {
	for _, k := range keys {
		if !reflect.DeepEqual(a[k], b[k]) {
			return false
		}
	}
	return true
}

func (c *judge) object(s *Schema, m map[string]any, old prior, at string, r *result) {
	n := int64(len(m))
	if s.MinProperties != nil && n < *s.MinProperties {
		r.invalid(c, at, n, "should have at least "+strconv.FormatInt(*s.MinProperties, 10)+" properties")
	}
	if s.MaxProperties != nil && n > *s.MaxProperties {
		r.errs = append(r.errs, field.TooMany(c.path(at), int(n), int(*s.MaxProperties)))
	}
	was, _ := old.value.(map[string]any)
	before := func(k string) prior {
		v, ok := was[k]
		return prior{v, ok && old.known && s.MapType != "atomic"}
	}
	for _, k := range sortedKeys(m) {
		if _, regular := s.Properties[k]; regular {
			continue
		}
		switch {
		case s.Closed:
			r.errs = append(r.errs, field.Invalid(c.path(at), k, at+"."+k+" in body is a forbidden property"))
		case s.Additional != nil:
			r.merge(c.value(s.Additional, m[k], before(k), at+"."+k))
		}
	}
	for _, k := range s.Names() {
		if v, ok := m[k]; ok {
			r.merge(c.value(s.Properties[k], v, before(k), under(at, k)))
		}
	}
	for _, k := range s.Required {
		if _, ok := m[k]; !ok {
			r.errs = append(r.errs, field.Required(c.path(at+"."+k), ""))
		}
	}
}
