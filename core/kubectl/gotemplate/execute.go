package gotemplate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// missing is the value of a key that is not there.
type missing struct{}

// failure ends an execution.
type failure struct{ text string }

func (e failure) Error() string { return e.text }

// errBreak and errContinue leave the turn of a loop.
var errBreak, errContinue = failure{"break"}, failure{"continue"}

// maxOutput bounds what a template may print, in bytes, maxDepth how deep templates
// may call each other, and maxTurns how often their loops may turn.
const (
	maxOutput = 16 << 20
	maxDepth  = 1000
	maxTurns  = 1 << 20
)

type variable struct {
	name  string
	value any
}

type state struct {
	t         *Template
	name      string
	out       *strings.Builder
	variables []variable
	depth     int
}

// Execute prints the template with data: maps, lists, strings, float64, int64, bools
// and nil. What was printed before an error is returned with it.
func (t *Template) Execute(data any) (string, error) {
	t.turns = 0
	s := &state{t: t, name: t.name, out: &strings.Builder{}, variables: []variable{{"$", data}}}
	err := s.walk(t.list, data)
	return s.out.String(), err
}

func (s *state) fail(o *operand, message string) error {
	before := s.t.text[:o.pos]
	column := o.pos - (strings.LastIndexByte(before, '\n') + 1)
	return failure{"template: " + s.t.name + ":" + strconv.Itoa(1+strings.Count(before, "\n")) + ":" + strconv.Itoa(column) +
		": executing " + strconv.Quote(s.name) + " at <" + o.source + ">: " + message}
}

func (s *state) walk(list []node, dot any) error {
	for i := range list {
		if s.out.Len() > maxOutput {
			return failure{"not simulated: a template that prints more than 16 MiB"}
		}
		if err := s.node(&list[i], dot); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) node(n *node, dot any) error {
	switch n.kind {
	case textNode:
		s.out.WriteString(n.text)
		return nil
	case actionNode:
		v, err := s.pipe(n.pipe, dot)
		if err == nil && len(n.pipe.variables) == 0 {
			s.out.WriteString(printed(v))
		}
		return err
	case rangeNode:
		return s.loop(n, dot)
	case templateNode:
		return s.call(n, dot)
	case breakNode:
		return errBreak
	case continueNode:
		return errContinue
	}
	defer s.forget(len(s.variables))
	v, err := s.pipe(n.pipe, dot)
	switch {
	case err != nil:
		return err
	case !truth(v):
		return s.walk(n.alt, dot)
	case n.kind == withNode:
		return s.walk(n.list, v)
	}
	return s.walk(n.list, dot)
}

func (s *state) forget(n int) { s.variables = s.variables[:n] }

func (s *state) call(n *node, dot any) error {
	list, ok := s.t.defined[n.text]
	if !ok {
		return failure{"template: " + s.t.name + ": template " + strconv.Quote(n.text) + " not defined"}
	}
	if s.depth >= maxDepth {
		return failure{"exceeded maximum template depth (" + strconv.Itoa(maxDepth) + ")"}
	}
	var data any
	if n.pipe != nil {
		var err error
		if data, err = s.pipe(n.pipe, dot); err != nil {
			return err
		}
	}
	inner := &state{t: s.t, name: n.text, out: s.out, variables: []variable{{"$", data}}, depth: s.depth + 1}
	return inner.walk(list, data)
}

// loop runs over a list, the sorted keys of a map or the numbers below a whole one.
func (s *state) loop(n *node, dot any) error {
	defer s.forget(len(s.variables))
	v, err := s.pipe(n.pipe, dot)
	if err != nil {
		return err
	}
	var keys, values []any
	switch v := v.(type) {
	case []any:
		for i := range v {
			keys = append(keys, int64(i))
		}
		values = v
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			keys, values = append(keys, k), append(values, v[k])
		}
	case int64:
		for i := range min(v, maxOutput) {
			keys, values = append(keys, i), append(values, i)
		}
	case missing, nil:
	default:
		return s.fail(&n.pipe.commands[0][0], "range can't iterate over "+printed(v))
	}
	if len(values) == 0 {
		return s.walk(n.alt, dot)
	}
	mark := len(s.variables)
	for i := range values {
		if s.t.turns++; s.t.turns > maxTurns {
			return failure{"not simulated: a template whose loops turn more than a million times"}
		}
		s.assign(n.pipe, keys[i], values[i])
		err := s.walk(n.list, values[i])
		s.variables = s.variables[:mark]
		if err == errBreak {
			return nil
		}
		if err != nil && err != errContinue {
			return err
		}
	}
	return nil
}

// assign gives a turn's key and value to the variables of a loop.
func (s *state) assign(p *pipe, key, value any) {
	list := []any{value}
	if len(p.variables) == 2 {
		list = []any{key, value}
	}
	for i, name := range p.variables {
		s.set(p, name, list[i])
	}
}

func (s *state) set(p *pipe, name string, value any) {
	if p.declares {
		s.variables = append(s.variables, variable{name, value})
		return
	}
	for i := len(s.variables) - 1; i >= 0; i-- {
		if s.variables[i].name == name {
			s.variables[i].value = value
			return
		}
	}
}

func (s *state) pipe(p *pipe, dot any) (any, error) {
	var v any
	for i, c := range p.commands {
		var final []any
		if i > 0 {
			final = []any{v}
		}
		var err error
		if v, err = s.command(c, dot, final); err != nil {
			return nil, err
		}
	}
	if len(p.variables) == 1 {
		s.set(p, p.variables[0], v)
	}
	return v, nil
}

// command is a function with its arguments, or a value alone.
func (s *state) command(c []operand, dot any, final []any) (any, error) {
	first := &c[0]
	if first.kind != functionOperand {
		switch {
		case first.kind == nilOperand:
			return nil, s.fail(first, "nil is not a command")
		case (len(c) > 1 || final != nil) && len(first.fields) > 0:
			return nil, s.fail(first, first.fields[len(first.fields)-1]+" is not a method but has arguments")
		case len(c) > 1 || final != nil:
			return nil, s.fail(first, "can't give argument to non-function "+first.source)
		}
		return s.value(first, dot)
	}
	if first.name == "and" || first.name == "or" {
		return s.shortCircuit(c, dot, final)
	}
	var args []any
	for i := 1; i < len(c); i++ {
		v, err := s.value(&c[i], dot)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	v, text := apply(first.name, append(args, final...))
	if text != "" {
		at := *first
		for _, o := range c[1:] {
			at.source += " " + o.source
		}
		return nil, s.fail(&at, text)
	}
	return s.fields(first, v)
}

// shortCircuit stops at the first argument that settles and, or.
func (s *state) shortCircuit(c []operand, dot any, final []any) (v any, err error) {
	for i := 1; i < len(c); i++ {
		if v, err = s.value(&c[i], dot); err != nil || truth(v) == (c[0].name == "or") {
			return v, err
		}
	}
	if final != nil {
		return final[0], nil
	}
	if len(c) == 1 {
		return nil, s.fail(&c[0], "wrong number of args for "+c[0].name+": want at least 1 got 0")
	}
	return v, nil
}

func (s *state) value(o *operand, dot any) (any, error) {
	switch o.kind {
	case dotOperand, fieldOperand:
		return s.fields(o, dot)
	case variableOperand:
		for i := len(s.variables) - 1; i >= 0; i-- {
			if s.variables[i].name == o.name {
				return s.fields(o, s.variables[i].value)
			}
		}
	case functionOperand:
		return s.command([]operand{*o}, dot, nil)
	case pipeOperand:
		v, err := s.pipe(o.pipe, dot)
		if err != nil {
			return nil, err
		}
		return s.fields(o, v)
	case literalOperand:
		return o.value, nil
	}
	return nil, nil
}

func (s *state) fields(o *operand, v any) (any, error) {
	for _, f := range o.fields {
		switch m := v.(type) {
		case map[string]any:
			next, ok := m[f]
			switch {
			case ok:
				v = next
			case s.t.MissingKeyIsError:
				return nil, s.fail(o, "map has no entry for key "+strconv.Quote(f))
			default:
				v = missing{}
			}
		case missing:
		case nil:
			return nil, s.fail(o, "nil pointer evaluating interface {}."+f)
		default:
			return nil, s.fail(o, "can't evaluate field "+f+" in type interface {}")
		}
	}
	return v, nil
}

// truth is whether a value counts as true.
func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}
