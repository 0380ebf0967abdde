package api

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api/field"
)

// Operator is how a requirement compares (apimachinery/pkg/selection).
type Operator string

// The operators of label selectors.
const (
	OpIn           Operator = "in"
	OpNotIn        Operator = "notin"
	OpEquals       Operator = "="
	OpDoubleEquals Operator = "=="
	OpNotEquals    Operator = "!="
	OpGreaterThan  Operator = "gt"
	OpLessThan     Operator = "lt"
	OpExists       Operator = "exists"
	OpDoesNotExist Operator = "!"
)

var binaryOperators = []Operator{OpIn, OpNotIn, OpEquals, OpDoubleEquals, OpNotEquals, OpGreaterThan, OpLessThan}

// Requirement is one condition of a label selector. Make it with NewRequirement.
type Requirement struct {
	Key    string
	Op     Operator
	Values []string
}

// Selector selects by labels: all of its requirements must hold. The zero value
// selects everything (apimachinery/pkg/labels/selector.go).
type Selector struct {
	Requirements []Requirement // sorted by key
	Nothing      bool          // it selects nothing, whatever the requirements
}

// NewRequirement checks a requirement. Errors name the fields "key", "values" and
// "operator" below p, which may be nil.
func NewRequirement(key string, op Operator, values []string, p *field.Path) (Requirement, error) {
	var errs field.ErrorList
	if e := badLabelKey(key, p.Child("key")); e != nil {
		errs = append(errs, e)
	}
	at := p.Child("values")
	switch op {
	case OpIn, OpNotIn:
		if len(values) == 0 {
			errs = append(errs, field.Invalid(at, values, "for 'in', 'notin' operators, values set can't be empty"))
		}
	case OpEquals, OpDoubleEquals, OpNotEquals:
		if len(values) != 1 {
			errs = append(errs, field.Invalid(at, values, "exact-match compatibility requires one single value"))
		}
	case OpExists, OpDoesNotExist:
		if len(values) != 0 {
			errs = append(errs, field.Invalid(at, values, "values set must be empty for exists and does not exist"))
		}
	case OpGreaterThan, OpLessThan:
		errs = append(errs, badNumbers(values, at)...)
	default:
		errs = append(errs, field.NotSupported(p.Child("operator"), op, append(slices.Clone(binaryOperators), OpExists, OpDoesNotExist)))
	}
	for i, v := range values {
		if e := field.IsLabelValue(v); len(e) > 0 {
			errs = append(errs, field.Invalid(at.Index(i).Key(key), v, strings.Join(e, "; ")))
		}
	}
	return Requirement{key, op, values}, errs.ToAggregate()
}

func badNumbers(values []string, at *field.Path) (errs field.ErrorList) {
	if len(values) != 1 {
		errs = append(errs, field.Invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required"))
	}
	for i, v := range values {
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			errs = append(errs, field.Invalid(at.Index(i), v, "for 'Gt', 'Lt' operators, the value must be an integer"))
		}
	}
	return errs
}

func badLabelKey(key string, p *field.Path) *field.Error {
	if errs := field.IsLabelKey(key); len(errs) > 0 {
		return field.Invalid(p, key, strings.Join(errs, "; "))
	}
	return nil
}

// Matches reports whether labels meet the requirement.
func (r *Requirement) Matches(labels map[string]string) bool {
	value, has := labels[r.Key]
	switch r.Op {
	case OpIn, OpEquals, OpDoubleEquals:
		return has && slices.Contains(r.Values, value)
	case OpNotIn, OpNotEquals:
		return !has || !slices.Contains(r.Values, value)
	case OpExists:
		return has
	case OpDoesNotExist:
		return !has
	case OpGreaterThan, OpLessThan:
		if !has || len(r.Values) != 1 {
			return false
		}
		a, err1 := strconv.ParseInt(value, 10, 64)
		b, err2 := strconv.ParseInt(r.Values[0], 10, 64)
		return err1 == nil && err2 == nil && (r.Op == OpGreaterThan && a > b || r.Op == OpLessThan && a < b)
	}
	return false
}

// String prints the requirement as it is written; values are sorted.
func (r Requirement) String() string {
	values := slices.Clone(r.Values)
	slices.Sort(values)
	list := strings.Join(values, ",")
	switch r.Op {
	case OpExists:
		return r.Key
	case OpDoesNotExist:
		return "!" + r.Key
	case OpIn, OpNotIn:
		return r.Key + " " + string(r.Op) + " (" + list + ")"
	case OpGreaterThan:
		return r.Key + ">" + list
	case OpLessThan:
		return r.Key + "<" + list
	}
	return r.Key + string(r.Op) + list
}

// Matches reports whether the selector selects an object with these labels.
func (s Selector) Matches(labels map[string]string) bool {
	if s.Nothing {
		return false
	}
	for i := range s.Requirements {
		if !s.Requirements[i].Matches(labels) {
			return false
		}
	}
	return true
}

// Empty reports whether the selector selects everything.
func (s Selector) Empty() bool { return !s.Nothing && len(s.Requirements) == 0 }

// String prints the requirements with commas between; Nothing is "".
func (s Selector) String() string {
	if s.Nothing {
		return ""
	}
	parts := make([]string, len(s.Requirements))
	for i, r := range s.Requirements {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}

func newSelector(list []Requirement) Selector {
	slices.SortStableFunc(list, func(a, b Requirement) int { return cmp.Compare(a.Key, b.Key) })
	return Selector{Requirements: list}
}

// SelectorFromSet selects what has all these labels; they are not checked.
func SelectorFromSet(labels map[string]string) Selector {
	list := make([]Requirement, 0, len(labels))
	for k, v := range labels {
		list = append(list, Requirement{k, OpEquals, []string{v}})
	}
	return newSelector(list)
}

// AsSelector turns the selector of an API object into one that matches: nil
// selects nothing, an empty one everything
// (apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector).
func (l *LabelSelector) AsSelector() (Selector, error) {
	if l == nil {
		return Selector{Nothing: true}, nil
	}
	list := SelectorFromSet(l.MatchLabels).Requirements
	for _, r := range list {
		if _, err := NewRequirement(r.Key, r.Op, r.Values, nil); err != nil {
			return Selector{}, err
		}
	}
	for _, e := range l.MatchExpressions {
		op := expressionOperators[e.Operator]
		if op == "" {
			return Selector{}, errors.New(strconv.Quote(e.Operator) + " is not a valid label selector operator")
		}
		r, err := NewRequirement(e.Key, op, append([]string(nil), e.Values...), nil)
		if err != nil {
			return Selector{}, err
		}
		list = append(list, r)
	}
	return newSelector(list), nil
}

var expressionOperators = map[string]Operator{"In": OpIn, "NotIn": OpNotIn, "Exists": OpExists, "DoesNotExist": OpDoesNotExist}

// FormatLabelSelector prints a selector as describe and get -o wide do: "<none>"
// for one that is empty or nil, "<error>" for a wrong one.
func FormatLabelSelector(l *LabelSelector) string {
	s, err := l.AsSelector()
	if err != nil {
		return "<error>"
	}
	if text := s.String(); text != "" {
		return text
	}
	return "<none>"
}
