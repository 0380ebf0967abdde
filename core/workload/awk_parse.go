package workload

import (
	"strconv"
	"strings"
)

type awkToken struct {
	kind byte // n number, s string, r regexp, w word, o operator, ; end of statement, 0 end
	text string
}

// awkParser reads a program. fault names the first thing it does not know.
type awkParser struct {
	toks  []awkToken
	at    int
	fault string
	depth int
	noGt  bool // inside print, > would be a redirection
}

func (p *awkParser) lex(s string) {
	operand := false // the last token ends an operand: a slash divides
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n' || c == ';':
			p.add(';', string(rune(c)))
			operand = false
			i++
		case isSpace(c):
			i++
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i += 2
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '"':
			n := delimited(s[i:], '"')
			text, _ := escapes(s[i+1:i+n-1], true)
			p.add('s', strings.ReplaceAll(text, `\/`, "/"))
			operand = true
			i += n
		case c == '/' && !operand:
			n := delimited(s[i:], '/')
			p.add('r', strings.ReplaceAll(s[i+1:i+n-1], `\/`, "/"))
			operand = true
			i += n
		case isDigit(c) || c == '.' && i+1 < len(s) && isDigit(s[i+1]):
			j := i
			for j < len(s) && (isDigit(s[j]) || s[j] == '.' || s[j] == 'e' && j+1 < len(s) && isDigit(s[j+1])) {
				j++
			}
			p.add('n', s[i:j])
			operand = true
			i = j
		case isAlpha(c) || c == '_':
			j := i
			for j < len(s) && isWordByte(s[j]) {
				j++
			}
			p.add('w', s[i:j])
			operand = true
			i = j
		default:
			n := 1
			if i+1 < len(s) && strings.Contains(" && || == != <= >= ++ -- += -= *= /= %= !~ ", " "+s[i:i+2]+" ") {
				n = 2
			}
			op := s[i : i+n]
			p.add('o', op)
			operand = op == ")" || op == "]" || op == "$" || op == "++" || op == "--"
			i += n
		}
		if len(p.toks) > 5000 {
			p.fail("program too long")
			return
		}
	}
	p.add(0, "")
}

// delimited returns the length of a quoted text with both its delimiters.
func delimited(s string, delim byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delim:
			return i + 1
		}
	}
	return max(len(s), 2)
}

func (p *awkParser) add(kind byte, text string) { p.toks = append(p.toks, awkToken{kind, text}) }

func (p *awkParser) fail(text string) {
	if p.fault == "" {
		p.fault = text
	}
}

func (p *awkParser) peek() awkToken { return p.toks[min(p.at, len(p.toks)-1)] }

func (p *awkParser) is(text string) bool {
	t := p.peek()
	return (t.kind == 'o' || t.kind == 'w') && t.text == text
}

func (p *awkParser) got(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *awkParser) want(text string) {
	if !p.got(text) {
		p.fail("expected " + text + " before " + strconv.Quote(p.peek().text))
	}
}

func (p *awkParser) skip() {
	for p.peek().kind == ';' && p.fault == "" {
		p.at++
	}
}

func (p *awkParser) program() []awkRule {
	var rules []awkRule
	for p.skip(); p.peek().kind != 0 && p.fault == ""; p.skip() {
		r := awkRule{begin: p.got("BEGIN")}
		r.end = !r.begin && p.got("END")
		if !r.begin && !r.end && !p.is("{") {
			if p.is("function") || p.is("func") {
				p.fail("function")
			}
			r.pattern = p.expr()
			if p.got(",") {
				r.until = p.expr()
			}
		}
		if p.is("{") {
			r.action = p.block()
		}
		rules = append(rules, r)
	}
	return rules
}

func (p *awkParser) block() *awkNode {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested too deep")
	}
	p.want("{")
	n := &awkNode{op: "{"}
	for p.skip(); !p.is("}") && p.peek().kind != 0 && p.fault == ""; p.skip() {
		n.kids = append(n.kids, p.statement())
	}
	p.want("}")
	p.depth--
	return n
}

func (p *awkParser) statement() *awkNode {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested too deep")
	}
	defer func() { p.depth-- }()
	if p.fault != "" {
		return nil
	}
	switch {
	case p.is("{"):
		return p.block()
	case p.got("if"):
		p.want("(")
		cond := p.expr()
		p.want(")")
		p.skip()
		then := p.statement()
		mark := p.at
		p.skip()
		if p.got("else") {
			p.skip()
			return &awkNode{op: "if", kids: []*awkNode{cond, then, p.statement()}}
		}
		p.at = mark
		return &awkNode{op: "if", kids: []*awkNode{cond, then, nil}}
	case p.got("while"):
		p.want("(")
		cond := p.expr()
		p.want(")")
		p.skip()
		return &awkNode{op: "for", kids: []*awkNode{nil, cond, nil, p.statement()}}
	case p.got("do"):
		p.skip()
		body := p.statement()
		p.skip()
		p.want("while")
		p.want("(")
		cond := p.expr()
		p.want(")")
		return &awkNode{op: "do", kids: []*awkNode{body, cond}}
	case p.got("for"):
		return p.loop()
	}
	for _, word := range []string{"next", "break", "continue"} {
		if p.got(word) {
			return &awkNode{op: word}
		}
	}
	return p.simple()
}

func (p *awkParser) simple() *awkNode {
	ends := func() bool { return p.peek().kind == ';' || p.peek().kind == 0 || p.is("}") }
	switch {
	case p.got("exit"):
		n := &awkNode{op: "exit"}
		if !ends() {
			n.kids = []*awkNode{p.expr()}
		}
		return n
	case p.got("delete"):
		return &awkNode{op: "delete", kids: []*awkNode{p.primary()}}
	case p.is("print"), p.is("printf"):
		n := &awkNode{op: p.peek().text}
		p.at++
		p.noGt = true
		for !ends() && !p.is(">") && !p.is("|") && p.fault == "" {
			if p.is("(") && p.grouped() {
				p.want("(")
				n.kids = append(n.kids, p.list(")")...)
				continue
			}
			n.kids = append(n.kids, p.expr())
			if !p.got(",") {
				break
			}
		}
		p.noGt = false
		if p.is(">") || p.is("|") {
			p.fail("print into " + p.peek().text)
		}
		return n
	}
	return p.expr()
}

// grouped reports whether the parenthesis here holds the whole list of print.
func (p *awkParser) grouped() bool {
	depth := 0
	for i := p.at; i < len(p.toks); i++ {
		switch t := p.toks[i]; {
		case t.kind == 'o' && t.text == "(":
			depth++
		case t.kind == 'o' && t.text == ")":
			if depth--; depth == 0 {
				next := p.toks[min(i+1, len(p.toks)-1)]
				return next.kind == ';' || next.kind == 0 || next.text == "}"
			}
		case t.kind == 0:
			return false
		}
	}
	return false
}

func (p *awkParser) list(end string) []*awkNode {
	var out []*awkNode
	for !p.is(end) && p.peek().kind != 0 && p.fault == "" {
		out = append(out, p.expr())
		if !p.got(",") {
			break
		}
	}
	p.want(end)
	return out
}

func (p *awkParser) loop() *awkNode {
	p.want("(")
	if p.peek().kind == 'w' && p.toks[min(p.at+1, len(p.toks)-1)].text == "in" {
		name := p.primary()
		p.want("in")
		array := p.primary()
		p.want(")")
		p.skip()
		return &awkNode{op: "in", kids: []*awkNode{name, array, p.statement()}}
	}
	part := func(end func() bool) *awkNode {
		if end() {
			return nil
		}
		return p.expr()
	}
	semi := func() bool { return p.peek().kind == ';' }
	init := part(semi)
	p.at++
	cond := part(semi)
	p.at++
	post := part(func() bool { return p.is(")") })
	p.want(")")
	p.skip()
	return &awkNode{op: "for", kids: []*awkNode{init, cond, post, p.statement()}}
}
