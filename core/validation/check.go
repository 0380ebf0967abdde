package validation

import (
	"maps"
	"slices"

	"podwalk/core/api/field"
)

// check collects errors in the order in which the rules are asked. Those of the
// rules that the server generates from its types come last.
type check struct {
	errs, declared field.ErrorList
	updating       bool // a changed object is held to the rules of new ones
}

// last asks a rule that the server generates.
func (c *check) last(rule func()) {
	before := len(c.errs)
	rule()
	c.declared = append(c.declared, c.errs[before:]...)
	c.errs = c.errs[:before]
}

// lastOnCreate is last for fields that may not change: of a changed one the server
// tells no more than that, and the rule is asked in its place.
func (c *check) lastOnCreate(rule func()) {
	if c.updating {
		rule()
		return
	}
	c.last(rule)
}

// result is what was found, each once.
func (c *check) result() (list field.ErrorList) {
	if len(c.errs) < 2 {
		return append(c.errs, c.declared...)
	}
	seen := make(map[string]bool, len(c.errs))
	for _, e := range c.errs {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			list = append(list, e)
		}
	}
	return append(list, c.declared...)
}

func (c *check) add(errs ...*field.Error) { c.errs = append(c.errs, errs...) }

func (c *check) required(p *field.Path, detail string) { c.add(field.Required(p, detail)) }

func (c *check) invalid(p *field.Path, value any, detail string) {
	c.add(field.Invalid(p, value, detail))
}

func (c *check) forbidden(p *field.Path, detail string) { c.add(field.Forbidden(p, detail)) }

func (c *check) duplicate(p *field.Path, value any) { c.add(field.Duplicate(p, value)) }

func (c *check) notFound(p *field.Path, value any) { c.add(field.NotFound(p, value)) }

func (c *check) unsupported(p *field.Path, value any, valid ...string) {
	c.add(field.NotSupported(p, value, valid))
}

// each adds one error for each message about a value.
func (c *check) each(p *field.Path, value any, messages []string) {
	for _, m := range messages {
		c.invalid(p, value, m)
	}
}

// oneOf reports an empty value as missing and any other that is not valid.
func (c *check) oneOf(p *field.Path, value string, valid ...string) {
	switch {
	case slices.Contains(valid, value):
	case value == "":
		c.required(p, "")
	default:
		c.unsupported(p, value, valid...)
	}
}

// supported is oneOf for values that may not be empty either, but whose absence
// is reported like any other wrong value.
func (c *check) supported(p *field.Path, value string, valid ...string) {
	if !slices.Contains(valid, value) {
		c.unsupported(p, value, valid...)
	}
}

const (
	negativeText  = "must be greater than or equal to 0"
	immutableText = "field is immutable"
	positiveText  = "must be greater than zero"
)

func (c *check) nonNegative(p *field.Path, n int64) {
	if n < 0 {
		c.invalid(p, n, negativeText)
	}
}

func (c *check) positive(p *field.Path, n int64) {
	if n <= 0 {
		c.invalid(p, n, positiveText)
	}
}

// filled reports an empty text.
func (c *check) filled(p *field.Path, s string) {
	if s == "" {
		c.required(p, "")
	}
}

// name reports a missing name, or what is wrong with it.
func (c *check) name(p *field.Path, s string, rule func(string) []string) {
	if s == "" {
		c.required(p, "")
		return
	}
	c.each(p, s, rule(s))
}

// sorted returns the keys of a map in order: the real server reports them in any
// order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
