package workload

import "strconv"

// awkLevels are the binary operators from the weakest to the strongest.
var awkLevels = [][]string{{"||"}, {"&&"}, {"in"}, {"~", "!~"}, {"<", "<=", ">", ">=", "==", "!="}, {"cat"}, {"+", "-"}, {"*", "/", "%"}}

func (p *awkParser) expr() *awkNode {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested too deep")
		return nil
	}
	defer func() { p.depth-- }()
	n := p.binary(0)
	if p.got("?") {
		yes := p.expr()
		p.want(":")
		return &awkNode{op: "?", kids: []*awkNode{n, yes, p.expr()}}
	}
	for _, op := range []string{"=", "+=", "-=", "*=", "/=", "%="} {
		if n != nil && (n.op == "var" || n.op == "$" || n.op == "[]") && p.got(op) {
			return &awkNode{op: op, kids: []*awkNode{n, p.expr()}}
		}
	}
	return n
}

func (p *awkParser) binary(level int) *awkNode {
	if level == len(awkLevels) {
		return p.unary()
	}
	n := p.binary(level + 1)
	for p.fault == "" {
		op := ""
		for _, o := range awkLevels[level] {
			if o == "cat" && p.startsOperand() || p.is(o) && !(o == ">" && p.noGt) {
				op = o
				break
			}
		}
		if op == "" {
			return n
		}
		if op != "cat" {
			p.at++
		}
		if op == "in" {
			op = "isin"
		}
		n = &awkNode{op: op, kids: []*awkNode{n, p.binary(level + 1)}}
	}
	return n
}

// startsOperand reports whether the next token begins an operand, which makes a
// concatenation.
func (p *awkParser) startsOperand() bool {
	t := p.peek()
	switch t.kind {
	case 'n', 's':
		return true
	case 'w':
		return t.text != "in" && t.text != "else" && t.text != "while"
	case 'o':
		return t.text == "$" || t.text == "("
	}
	return false
}

func (p *awkParser) unary() *awkNode {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested too deep")
		return nil
	}
	defer func() { p.depth-- }()
	switch {
	case p.got("!"):
		return &awkNode{op: "!", kids: []*awkNode{p.unary()}}
	case p.got("-"):
		return &awkNode{op: "neg", kids: []*awkNode{p.unary()}}
	case p.got("+"):
		return p.unary()
	case p.got("++"):
		return &awkNode{op: "pre++", kids: []*awkNode{p.unary()}}
	case p.got("--"):
		return &awkNode{op: "pre--", kids: []*awkNode{p.unary()}}
	}
	n := p.primary()
	if n != nil && (n.op == "var" || n.op == "$" || n.op == "[]") {
		switch {
		case p.got("++"):
			return &awkNode{op: "post++", kids: []*awkNode{n}}
		case p.got("--"):
			return &awkNode{op: "post--", kids: []*awkNode{n}}
		}
	}
	if p.got("^") {
		return &awkNode{op: "^", kids: []*awkNode{n, p.unary()}}
	}
	return n
}

func (p *awkParser) primary() *awkNode {
	t := p.peek()
	p.at++
	switch t.kind {
	case 'n':
		f, _ := strconv.ParseFloat(t.text, 64)
		return &awkNode{op: "num", num: f}
	case 's':
		return &awkNode{op: "str", text: t.text}
	case 'r':
		re, err := compileRegex(t.text, true, false)
		if err != nil {
			p.fail("regular expression " + t.text)
		}
		return &awkNode{op: "re", re: re, text: t.text}
	case 'w':
		return p.word(t.text)
	case 'o':
		switch t.text {
		case "(":
			gt := p.noGt
			p.noGt = false
			n := p.expr()
			p.noGt = gt
			p.want(")")
			return n
		case "$":
			if p.depth++; p.depth > maxNesting {
				p.fail("nested too deep")
				return nil
			}
			defer func() { p.depth-- }()
			return &awkNode{op: "$", kids: []*awkNode{p.primary()}}
		}
	}
	p.fail("unexpected " + strconv.Quote(t.text))
	return nil
}

func (p *awkParser) word(name string) *awkNode {
	switch {
	case isAwkFunction(name):
		n := &awkNode{op: "call", text: name}
		if p.got("(") {
			gt := p.noGt
			p.noGt = false
			n.kids = p.list(")")
			p.noGt = gt
		}
		return n
	case name == "getline" || p.is("("):
		p.fail("function " + name)
		return nil
	case p.got("["):
		return &awkNode{op: "[]", text: name, kids: p.list("]")}
	}
	return &awkNode{op: "var", text: name}
}
