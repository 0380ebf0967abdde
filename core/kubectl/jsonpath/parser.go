package jsonpath

import (
	"errors"
	"strconv"
	"strings"
)

// maxDepth bounds nested ranges and filters.
const maxDepth = 64

type parser struct {
	text  string
	at    int
	depth int
}

// nodes reads up to the end of the text, or of a range.
func (p *parser) nodes(inRange bool) ([]node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("template is nested too deeply")
	}
	defer func() { p.depth-- }()
	var out []node
	for p.at < len(p.text) {
		open := strings.IndexByte(p.text[p.at:], '{')
		if open < 0 {
			out = append(out, node{text: p.text[p.at:]})
			p.at = len(p.text)
			break
		}
		if open > 0 {
			out = append(out, node{text: p.text[p.at : p.at+open]})
		}
		p.at += open + 1
		n, end, err := p.action()
		if err != nil {
			return nil, err
		}
		if end {
			if !inRange {
				return nil, errors.New("not in range, nothing to end")
			}
			return out, nil
		}
		out = append(out, n...)
	}
	if inRange {
		return nil, errors.New("unclosed range")
	}
	return out, nil
}

// action reads what stands in braces.
func (p *parser) action() (out []node, end bool, err error) {
	inner, err := p.braces()
	if err != nil {
		return nil, false, err
	}
	inner = strings.TrimSpace(inner)
	switch {
	case inner == "end":
		return nil, true, nil
	case strings.HasPrefix(inner, "range ") || inner == "range":
		path, err := parsePath(strings.TrimSpace(inner[len("range"):]), 0)
		if err != nil {
			return nil, false, err
		}
		body, err := p.nodes(true)
		return []node{{path: path, loop: true, body: body}}, false, err
	case strings.HasPrefix(inner, `"`) || strings.HasPrefix(inner, "'"):
		s, err := unquote(inner)
		return []node{{text: s}}, false, err
	}
	path, err := parsePath(inner, 0)
	return []node{{path: path}}, false, err
}

// braces returns the text up to the closing brace, which may stand in quotes.
func (p *parser) braces() (string, error) {
	quote := byte(0)
	for i := p.at; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '}':
			inner := p.text[p.at:i]
			p.at = i + 1
			return inner, nil
		}
	}
	return "", errors.New("unclosed action")
}

func unquote(s string) (string, error) {
	if len(s) < 2 || s[len(s)-1] != s[0] {
		return "", errors.New("unterminated quoted string")
	}
	if s[0] == '\'' {
		inner := strings.ReplaceAll(s[1:len(s)-1], `\'`, `'`)
		s = `"` + strings.ReplaceAll(inner, `"`, `\"`) + `"`
	}
	out, err := strconv.Unquote(s)
	if err != nil {
		return "", errors.New("unquote error " + err.Error())
	}
	return out, nil
}

// parsePath reads an expression such as .spec.containers[0]['name'] or $..image.
func parsePath(s string, depth int) ([]step, error) {
	if depth > maxDepth {
		return nil, errors.New("expression is nested too deeply")
	}
	var out []step
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ':
			i++
		case c == '$':
			out, i = append(out, step{kind: root}), i+1
		case c == '@':
			i++
		case strings.HasPrefix(s[i:], ".."):
			out, i = append(out, step{kind: descend}), i+2
			if i < len(s) && s[i] != '[' && s[i] != '.' {
				st, n := fieldStep(s[i:])
				out, i = append(out, st), i+n
			}
		case c == '.':
			if i+1 < len(s) && s[i+1] == '[' {
				i++
				continue
			}
			st, n := fieldStep(s[i+1:])
			out, i = append(out, st), i+1+n
		case c == '[':
			inner, n, err := brackets(s[i:])
			if err != nil {
				return nil, err
			}
			st, err := bracketStep(inner, depth)
			if err != nil {
				return nil, err
			}
			out, i = append(out, st), i+n
		case c == '*':
			out, i = append(out, step{kind: wildcard}), i+1
		default:
			st, n := fieldStep(s[i:])
			if n == 0 {
				return nil, errors.New("unrecognized character in action: " + strconv.QuoteRune(rune(c)))
			}
			if len(out) == 0 && st.name != "" && !strings.HasPrefix(s, ".") && i == 0 && isIdentifier(st.name) {
				return nil, errors.New("unrecognized identifier " + st.name)
			}
			out, i = append(out, st), i+n
		}
	}
	if out == nil {
		out = []step{{kind: field}}
	}
	return out, nil
}

func isIdentifier(s string) bool { return !strings.ContainsAny(s, "-/") }

// fieldStep reads a name up to a delimiter; a backslash takes the next character as
// it is.
func fieldStep(s string) (step, int) {
	if strings.HasPrefix(s, "*") {
		return step{kind: wildcard}, 1
	}
	var b strings.Builder
	i := 0
	for ; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			b.WriteByte(s[i])
			continue
		}
		if strings.IndexByte(". []{}|$@'\"\n\r,", s[i]) >= 0 {
			break
		}
		b.WriteByte(s[i])
	}
	return step{kind: field, name: b.String()}, i
}

// brackets returns what stands between a bracket and its partner.
func brackets(s string) (inner string, used int, err error) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return s[1:i], i + 1, nil
			}
		}
	}
	return "", 0, errors.New("unterminated array")
}

func bracketStep(inner string, depth int) (step, error) {
	inner = strings.TrimSpace(inner)
	switch {
	case inner == "*":
		return step{kind: wildcard}, nil
	case strings.HasPrefix(inner, "?("):
		f, err := parseFilter(strings.TrimSuffix(inner[2:], ")"), depth+1)
		return step{kind: where, where: f}, err
	}
	parts := splitOutsideQuotes(inner, ',')
	if len(parts) == 1 {
		return oneBracket(inner)
	}
	u := step{kind: union}
	for _, part := range parts {
		s, err := oneBracket(strings.TrimSpace(part))
		if err != nil {
			return step{}, err
		}
		u.union = append(u.union, []step{s})
	}
	return u, nil
}

func oneBracket(s string) (step, error) {
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		name, err := unquote(s)
		return step{kind: field, name: name}, err
	}
	parts := strings.Split(s, ":")
	st := step{kind: array}
	if len(parts) == 1 {
		st.name = "one"
	}
	if len(parts) > 3 {
		return step{}, errors.New("invalid array index " + s)
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" && len(parts) > 1 {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return step{}, errors.New("invalid array index " + s)
		}
		st.slice[i] = bound{true, n}
	}
	return st, nil
}

func splitOutsideQuotes(s string, by byte) []string {
	var out []string
	quote, from := byte(0), 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == by:
			out, from = append(out, s[from:i]), i+1
		}
	}
	return append(out, s[from:])
}

func parseFilter(s string, depth int) (*filter, error) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if quote != 0 {
			if c == quote {
				quote = 0
			}
			continue
		}
		if c == '"' || c == '\'' {
			quote = c
			continue
		}
		for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
			if strings.HasPrefix(s[i:], op) {
				return comparison(s[:i], op, s[i+len(op):], depth)
			}
		}
	}
	left, err := parseOperand(s, depth)
	return &filter{left: left, op: "exists"}, err
}

func comparison(left, op, right string, depth int) (*filter, error) {
	l, err := parseOperand(left, depth)
	if err != nil {
		return nil, err
	}
	r, err := parseOperand(right, depth)
	return &filter{l, r, op}, err
}

func parseOperand(s string, depth int) (operand, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "true" || s == "false":
		return operand{lit: true, value: s == "true"}, nil
	case s != "" && (s[0] == '"' || s[0] == '\''):
		text, err := unquote(s)
		return operand{lit: true, value: text}, err
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return operand{lit: true, value: n}, nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return operand{lit: true, value: f}, nil
	}
	path, err := parsePath(s, depth+1)
	return operand{path: path}, err
}
