package workload

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const maxArith = 64

// arith evaluates an arithmetic expression in 64 bits.
func (e *expander) arith(x syntax.ArithmExpr) int64 {
	if !e.ok() || x == nil {
		return 0
	}
	if e.depth++; e.depth > maxArith*8 {
		e.fail("expression recursion level exceeded")
	}
	defer func() { e.depth-- }()
	switch x := x.(type) {
	case *syntax.Word:
		return e.number(x)
	case *syntax.ParenArithm:
		return e.arith(x.X)
	case *syntax.UnaryArithm:
		return e.unary(x)
	case *syntax.BinaryArithm:
		return e.binary(x)
	}
	e.fail("arithmetic syntax error")
	return 0
}

// number evaluates a word: a constant, a variable or text that expands to them.
func (e *expander) number(w *syntax.Word) int64 {
	if name, index, ok := arithTarget(w); ok {
		if index != nil {
			text, _ := e.element(name, index)
			return e.parse(text)
		}
		text, set := e.r.special(name)
		if !set && e.s.has(optUnset) {
			e.unset(name)
			return 0
		}
		return e.parse(text)
	}
	return e.parse(e.text(w))
}

// arithTarget returns the variable that a word names without a dollar.
func arithTarget(x syntax.ArithmExpr) (name string, index syntax.ArithmExpr, ok bool) {
	w, isWord := x.(*syntax.Word)
	if !isWord {
		return "", nil, false
	}
	if lit := w.Lit(); isName(lit) {
		return lit, nil, true
	}
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && p.Short && p.Index != nil && !p.Dollar.IsValid() && p.Param != nil {
			return p.Param.Value, p.Index, true
		}
	}
	return "", nil, false
}

// parse turns the value of a variable into a number; it may be an expression.
func (e *expander) parse(text string) int64 {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	if n, ok := parseNumber(text); ok {
		return n
	}
	if isName(text) {
		if e.s.dialect == dash {
			e.fail("Illegal number: " + text)
			return 0
		}
		if e.depth++; e.depth > maxArith {
			e.fail(text + ": expression recursion level exceeded")
			return 0
		}
		value, _ := e.r.special(text)
		n := e.parse(value)
		e.depth--
		return n
	}
	return e.reparse(text)
}

func (e *expander) reparse(text string) int64 {
	if len(text) > 4096 || nesting(text) > 50 {
		e.fail("arithmetic syntax error")
		return 0
	}
	if e.depth++; e.depth > maxArith {
		e.fail("expression recursion level exceeded")
		return 0
	}
	defer func() { e.depth-- }()
	x, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Arithmetic(strings.NewReader(text))
	if err != nil || x == nil {
		e.arithError(text)
		return 0
	}
	if w, ok := x.(*syntax.Word); ok && w.Lit() == text {
		e.arithError(text)
		return 0
	}
	return e.arith(x)
}

func (e *expander) arithError(text string) {
	switch e.s.dialect {
	case bash:
		e.fail(text + `: syntax error: invalid arithmetic operator (error token is "` + text + `")`)
	case dash:
		e.fail(`arithmetic expression: expecting EOF: "` + text + `"`)
	default:
		e.fail("arithmetic syntax error")
	}
}

// parseNumber reads decimal, octal, hexadecimal and base#digits.
func parseNumber(s string) (int64, bool) {
	neg := false
	if s[0] == '-' || s[0] == '+' {
		neg = s[0] == '-'
		s = s[1:]
	}
	base, digits := 10, s
	switch b, d, ok := strings.Cut(s, "#"); {
	case ok:
		n, err := strconv.Atoi(b)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, digits = n, d
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		base, digits = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	if digits == "" || !isAlnum(digits[0]) || strings.Contains(digits, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil && !strings.HasSuffix(err.Error(), "out of range") {
		return 0, false
	}
	if neg {
		return -int64(n), true
	}
	return int64(n), true
}

func (e *expander) unary(x *syntax.UnaryArithm) int64 {
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		if e.s.dialect == dash {
			e.fail("arithmetic expression: expecting primary")
			return 0
		}
		old := e.arith(x.X)
		n := old + 1
		if x.Op == syntax.Dec {
			n = old - 1
		}
		e.storeArith(x.X, n)
		if x.Post {
			return old
		}
		return n
	}
	n := e.arith(x.X)
	switch x.Op {
	case syntax.Not:
		return truth(n == 0)
	case syntax.BitNegation:
		return ^n
	case syntax.Minus:
		return -n
	}
	return n
}

func truth(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}

func (e *expander) storeArith(x syntax.ArithmExpr, n int64) {
	name, index, ok := arithTarget(x)
	if !ok {
		e.fail("attempted assignment to non-variable")
		return
	}
	text := strconv.FormatInt(n, 10)
	if index != nil {
		e.setElement(name, index, text)
		return
	}
	e.set(name, text)
}

func (e *expander) binary(x *syntax.BinaryArithm) int64 {
	switch x.Op {
	case syntax.AndArit:
		return truth(e.arith(x.X) != 0 && e.arith(x.Y) != 0)
	case syntax.OrArit:
		return truth(e.arith(x.X) != 0 || e.arith(x.Y) != 0)
	case syntax.TernQuest:
		branch, ok := x.Y.(*syntax.BinaryArithm)
		if !ok {
			e.fail("arithmetic syntax error")
			return 0
		}
		if e.arith(x.X) != 0 {
			return e.arith(branch.X)
		}
		return e.arith(branch.Y)
	case syntax.Comma:
		e.arith(x.X)
		return e.arith(x.Y)
	case syntax.Assgn:
		n := e.arith(x.Y)
		e.storeArith(x.X, n)
		return n
	}
	if op, ok := compound(x.Op); ok {
		n := e.operate(op, e.arith(x.X), e.arith(x.Y))
		e.storeArith(x.X, n)
		return n
	}
	return e.operate(x.Op, e.arith(x.X), e.arith(x.Y))
}

func compound(op syntax.BinAritOperator) (syntax.BinAritOperator, bool) {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add, true
	case syntax.SubAssgn:
		return syntax.Sub, true
	case syntax.MulAssgn:
		return syntax.Mul, true
	case syntax.QuoAssgn:
		return syntax.Quo, true
	case syntax.RemAssgn:
		return syntax.Rem, true
	case syntax.AndAssgn:
		return syntax.And, true
	case syntax.OrAssgn:
		return syntax.Or, true
	case syntax.XorAssgn:
		return syntax.Xor, true
	case syntax.ShlAssgn:
		return syntax.Shl, true
	case syntax.ShrAssgn:
		return syntax.Shr, true
	}
	return op, false
}

func (e *expander) operate(op syntax.BinAritOperator, a, b int64) int64 {
	switch op {
	case syntax.Add:
		return a + b
	case syntax.Sub:
		return a - b
	case syntax.Mul:
		return a * b
	case syntax.Quo, syntax.Rem:
		return e.divide(op, a, b)
	case syntax.Pow:
		return power(a, b)
	case syntax.Eql:
		return truth(a == b)
	case syntax.Neq:
		return truth(a != b)
	case syntax.Gtr:
		return truth(a > b)
	case syntax.Lss:
		return truth(a < b)
	case syntax.Leq:
		return truth(a <= b)
	case syntax.Geq:
		return truth(a >= b)
	case syntax.And:
		return a & b
	case syntax.Or:
		return a | b
	case syntax.Xor:
		return a ^ b
	case syntax.Shl:
		return a << (uint64(b) & 63)
	case syntax.Shr:
		return a >> (uint64(b) & 63)
	}
	e.fail("arithmetic syntax error")
	return 0
}

func (e *expander) divide(op syntax.BinAritOperator, a, b int64) int64 {
	switch {
	case b == 0:
		switch e.s.dialect {
		case bash:
			e.fail("division by 0")
		case dash:
			e.fail("arithmetic expression: division by zero")
		default:
			e.fail("divide by zero")
		}
		return 0
	case op == syntax.Rem && b == -1:
		return 0
	case op == syntax.Rem:
		return a % b
	}
	return a / b
}

func power(a, b int64) int64 {
	n := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			n *= a
		}
		a *= a
	}
	return n
}
