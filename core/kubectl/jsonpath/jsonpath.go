// Package jsonpath evaluates the templates of kubectl -o jsonpath and the field
// expressions of --sort-by and custom-columns on generic values. Errors are those of
// client-go/util/jsonpath. Start at Parse.
package jsonpath

import (
	"errors"
	"strconv"
	"strings"
)

// Template is a parsed template.
type Template struct {
	nodes []node
	// AllowMissing makes a key that is absent yield nothing, which is what kubectl
	// wants everywhere.
	AllowMissing bool
}

// node is one piece: text, an expression, or a range with its body.
type node struct {
	text string
	path []step
	loop bool
	body []node
}

// step is one move of an expression.
type step struct {
	kind  stepKind
	name  string
	slice [3]bound
	union [][]step
	where *filter
}

type bound struct {
	set bool
	n   int
}

type stepKind uint8

const (
	root stepKind = iota
	field
	wildcard
	descend
	array
	union
	where
)

type filter struct {
	left, right operand
	op          string
}

type operand struct {
	path  []step
	value any
	lit   bool
}

// Relaxed puts braces and a dot around an expression that lacks them, as custom
// columns and --sort-by may (kubectl/pkg/cmd/get RelaxedJSONPathExpression).
func Relaxed(expr string) (string, error) {
	if expr == "" {
		return "", nil
	}
	inner := expr
	if strings.HasPrefix(expr, "{") {
		if !strings.HasSuffix(expr, "}") {
			return "", unexpected(expr)
		}
		inner = expr[1 : len(expr)-1]
	} else if strings.HasSuffix(expr, "}") {
		return "", unexpected(expr)
	}
	if strings.ContainsAny(inner, "{}") {
		return "", unexpected(expr)
	}
	return "{." + strings.TrimPrefix(inner, ".") + "}", nil
}

func unexpected(expr string) error {
	return errors.New("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")
}

// Parse reads a template.
func Parse(text string) (*Template, error) {
	p := parser{text: text}
	nodes, err := p.nodes(false)
	if err != nil {
		return nil, err
	}
	return &Template{nodes: nodes, AllowMissing: true}, nil
}

// Find returns what each expression of the template yields.
func (t *Template) Find(doc any) ([][]any, error) {
	e := evaluator{root: doc, missing: t.AllowMissing}
	var out [][]any
	for _, n := range t.nodes {
		if n.path == nil {
			continue
		}
		values, err := e.path(n.path, []any{doc})
		if err != nil {
			return nil, err
		}
		out = append(out, values)
	}
	return out, nil
}

// Execute prints the template for a document; format turns a value into text.
func (t *Template) Execute(doc any, format func(any) string) (string, error) {
	e := evaluator{root: doc, missing: t.AllowMissing, format: format}
	var b strings.Builder
	err := e.write(&b, t.nodes, doc)
	return b.String(), err
}

type evaluator struct {
	root    any
	missing bool
	format  func(any) string
}

func (e *evaluator) write(b *strings.Builder, nodes []node, at any) error {
	for _, n := range nodes {
		if n.path == nil {
			b.WriteString(n.text)
			continue
		}
		values, err := e.path(n.path, []any{at})
		if err != nil {
			return err
		}
		for i, v := range values {
			if n.loop {
				if err := e.write(b, n.body, v); err != nil {
					return err
				}
				continue
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(e.format(v))
		}
	}
	return nil
}

func (e *evaluator) path(steps []step, values []any) ([]any, error) {
	for _, s := range steps {
		var next []any
		var err error
		switch s.kind {
		case root:
			next = []any{e.root}
		case descend:
			for _, v := range values {
				next = append(next, everyNode(v)...)
			}
		default:
			for _, v := range values {
				var found []any
				if found, err = e.step(s, v); err != nil {
					return nil, err
				}
				next = append(next, found...)
			}
		}
		values = next
	}
	return values, nil
}

func (e *evaluator) step(s step, v any) ([]any, error) {
	switch s.kind {
	case field:
		return e.field(s.name, v)
	case wildcard:
		return children(v), nil
	case array:
		return e.slice(s, v)
	case union:
		var out []any
		for _, path := range s.union {
			found, err := e.path(path, []any{v})
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	case where:
		return e.filter(s.where, v)
	}
	return nil, nil
}

func (e *evaluator) field(name string, v any) ([]any, error) {
	if name == "" {
		return []any{v}, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, nil
	}
	if value, ok := m[name]; ok {
		return []any{value}, nil
	}
	if e.missing {
		return nil, nil
	}
	return nil, errors.New(name + " is not found")
}

func (e *evaluator) slice(s step, v any) ([]any, error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("is not array or slice")
	}
	from, to, by := s.slice[0], s.slice[1], s.slice[2]
	start, end, stride := 0, len(list), 1
	if from.set {
		start = from.n
	}
	if to.set {
		end = to.n
	}
	if by.set {
		stride = by.n
	}
	if start < 0 {
		start += len(list)
	}
	if end < 0 {
		end += len(list)
	}
	if s.name == "one" {
		if start < 0 || start >= len(list) {
			return nil, errors.New("array index out of bounds: index " + strconv.Itoa(from.n) + ", length " + strconv.Itoa(len(list)))
		}
		return list[start : start+1], nil
	}
	start, end = max(start, 0), min(end, len(list))
	if stride <= 0 {
		return nil, errors.New("step must be > 0")
	}
	var out []any
	for i := start; i < end; i += stride {
		out = append(out, list[i])
	}
	return out, nil
}

func (e *evaluator) filter(f *filter, v any) ([]any, error) {
	var out []any
	for _, item := range children(v) {
		left, err := e.operand(f.left, item)
		if err != nil {
			return nil, err
		}
		if f.op == "exists" {
			if len(left) > 0 {
				out = append(out, item)
			}
			continue
		}
		right, err := e.operand(f.right, item)
		if err != nil {
			return nil, err
		}
		if len(left) == 0 || len(right) == 0 {
			continue
		}
		if len(left) > 1 || len(right) > 1 {
			return nil, errors.New("can only compare one element at a time")
		}
		if compare(f.op, left[0], right[0]) {
			out = append(out, item)
		}
	}
	return out, nil
}

func (e *evaluator) operand(o operand, item any) ([]any, error) {
	if o.lit {
		return []any{o.value}, nil
	}
	return e.path(o.path, []any{item})
}
