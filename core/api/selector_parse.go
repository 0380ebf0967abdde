package api

import (
	"errors"
	"slices"
	"strings"
)

// ParseSelector reads a label selector such as "a=b,c in (d,e),!f". Its errors
// are the real ones (apimachinery/pkg/labels/selector.go).
func ParseSelector(s string) (Selector, error) {
	p := &selectorParser{tokens: lexSelector(s)}
	var list []Requirement
	for {
		t := p.peek()
		switch {
		case t.isWord() || t.kind == '!':
			r, err := p.requirement()
			if err != nil {
				return Selector{}, errors.New("unable to parse requirement: " + err.Error())
			}
			list = append(list, r)
		case t.kind == selectorEnd:
			return newSelector(list), nil
		default:
			return Selector{}, errors.New("found '" + t.text + "', expected: !, identifier, or 'end of string'")
		}
		switch t = p.next(); t.kind {
		case selectorEnd:
			return newSelector(list), nil
		case ',':
			if t = p.peek(); !t.isWord() && t.kind != '!' {
				return Selector{}, errors.New("found '" + t.text + "', expected: identifier after ','")
			}
		default:
			return Selector{}, errors.New("found '" + t.text + "', expected: ',' or 'end of string'")
		}
	}
}

// selectorToken is a word ("in" and "notin" too) or an operator. Its kind is the
// operator's character, '=' for the longer ones.
type selectorToken struct {
	kind byte
	text string
}

const (
	selectorEnd   = 0
	selectorWord  = 'w'
	selectorError = 'e'
)

func (t selectorToken) isWord() bool { return t.kind == selectorWord }

func lexSelector(s string) []selectorToken {
	var out []selectorToken
	s, _, _ = strings.Cut(s, "\x00")
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return append(out, selectorToken{})
		}
		n := strings.IndexAny(s, "=!(),<> \t\r\n")
		switch {
		case n < 0:
			n = len(s)
			fallthrough
		case n > 0:
			out = append(out, selectorToken{selectorWord, s[:n]})
		case strings.HasPrefix(s, "==") || strings.HasPrefix(s, "!="):
			n = 2
			out = append(out, selectorToken{'=', s[:2]})
		default:
			n = 1
			out = append(out, selectorToken{s[0], s[:1]})
		}
		s = s[n:]
	}
}

type selectorParser struct {
	tokens []selectorToken
	at     int
}

func (p *selectorParser) peek() selectorToken {
	return p.tokens[min(p.at, len(p.tokens)-1)]
}

func (p *selectorParser) next() selectorToken {
	t := p.peek()
	p.at++
	return t
}

func (p *selectorParser) requirement() (Requirement, error) {
	t := p.next()
	absent := t.text == "!"
	if absent {
		t = p.next()
	}
	if !t.isWord() {
		return Requirement{}, errors.New("found '" + t.text + "', expected: identifier")
	}
	if e := badLabelKey(t.text, nil); e != nil {
		return Requirement{}, e
	}
	if absent {
		return NewRequirement(t.text, OpDoesNotExist, []string{}, nil)
	}
	if n := p.peek(); n.kind == selectorEnd || n.kind == ',' {
		return NewRequirement(t.text, OpExists, []string{}, nil)
	}
	op, err := p.operator()
	if err != nil {
		return Requirement{}, err
	}
	var values []string
	if op == OpIn || op == OpNotIn {
		values, err = p.values()
	} else {
		values, err = p.value()
	}
	if err != nil {
		return Requirement{}, err
	}
	return NewRequirement(t.text, op, values, nil)
}

func (p *selectorParser) operator() (Operator, error) {
	switch t := p.next(); t.text {
	case "in", "notin", "=", "==", "!=":
		return Operator(t.text), nil
	case ">":
		return OpGreaterThan, nil
	case "<":
		return OpLessThan, nil
	default:
		return "", errors.New("found '" + t.text + "', expected: in, notin, =, ==, !=, gt, lt")
	}
}

func (p *selectorParser) value() ([]string, error) {
	t := p.peek()
	if t.kind == selectorEnd || t.kind == ',' {
		return []string{""}, nil
	}
	if p.next(); t.isWord() {
		return []string{t.text}, nil
	}
	return nil, errors.New("found '" + t.text + "', expected: identifier")
}

func (p *selectorParser) values() ([]string, error) {
	if t := p.next(); t.kind != '(' {
		return nil, errors.New("found '" + t.text + "' expected: '('")
	}
	first := p.peek()
	switch {
	case first.kind == ')':
		p.next()
		return []string{""}, nil
	case !first.isWord() && first.kind != ',':
		return nil, errors.New("found '" + first.text + "', expected: ',', ')' or identifier")
	}
	var list []string
	for {
		t := p.next()
		switch {
		case t.isWord():
			list = append(list, t.text)
			if n := p.peek(); n.kind != ',' && n.kind != ')' {
				return nil, errors.New("found '" + n.text + "', expected: ',' or ')'")
			}
		case t.kind == ',':
			if n := p.peek(); len(list) == 0 || n.kind == ')' || n.kind == ',' {
				list = append(list, "")
			}
		default:
			return nil, errors.New("found '" + t.text + "', expected: ',', or identifier")
		}
		if p.peek().kind == ')' {
			p.next()
			slices.Sort(list)
			return slices.Compact(list), nil
		}
	}
}
