package structural

import "strconv"

// junctors checks anyOf, oneOf, allOf and not (kube-openapi/pkg/validation/validate
// schema_props.go).
func (c *judge) junctors(s *Schema, v any, old prior, at string) (r result) {
	if len(s.AnyOf) > 0 {
		valid, first, best := c.try(s.AnyOf, v, old, at, true)
		if valid == 0 {
			r.whole(c, strconv.Quote(at)+" must validate at least one schema (anyOf)")
			r.merge(best)
		} else {
			r.merge(first)
		}
	}
	if len(s.OneOf) > 0 {
		valid, first, best := c.try(s.OneOf, v, old, at, false)
		switch valid {
		case 0:
			r.whole(c, strconv.Quote(at)+" must validate one and only one schema (oneOf). Found none valid")
			r.merge(best)
		case 1:
			r.merge(first)
		default:
			r.whole(c, strconv.Quote(at)+" must validate one and only one schema (oneOf). Found "+strconv.Itoa(valid)+" valid alternatives")
		}
	}
	if len(s.AllOf) > 0 {
		valid := 0
		for _, a := range s.AllOf {
			one := c.value(a, v, old, at)
			if len(one.errs) == 0 {
				valid++
			}
			r.merge(one)
		}
		if valid < len(s.AllOf) {
			none := ""
			if valid == 0 {
				none = ". None validated"
			}
			r.whole(c, strconv.Quote(at)+" must validate all the schemas (allOf)"+none)
		}
	}
	if s.Not != nil && len(c.value(s.Not, v, old, at).errs) == 0 {
		r.whole(c, strconv.Quote(at)+" must not validate the schema (not)")
	}
	r.matches++
	return r
}

// try asks alternatives: how many hold, the first that does, and of the others the one
// that passed the most checks.
func (c *judge) try(list []*Schema, v any, old prior, at string, once bool) (valid int, first, best result) {
	failed := false
	for _, a := range list {
		one := c.value(a, v, old, at)
		switch {
		case len(one.errs) == 0:
			if valid++; valid == 1 {
				first = one
			}
			if once {
				return valid, first, best
			}
		case !failed || one.matches > best.matches:
			failed, best = true, one
		}
	}
	return valid, first, best
}
