package workload

import (
	"strconv"
	"strings"
)

// exprWords evaluates the words of expr by recursive descent.
type exprWords struct {
	words []string
	fault string
	depth int
}

func cmdExpr(c *call) (int, bool) {
	if len(c.args) == 0 {
		c.errorf("missing operand")
		return 2, true
	}
	e := &exprWords{words: c.args}
	v := e.or()
	if e.fault == "" && len(e.words) > 0 {
		e.fault = "syntax error"
	}
	if e.fault != "" {
		c.errorf(e.fault)
		return 2, true
	}
	c.print(v + "\n")
	return boolStatus(v != "" && v != "0"), true
}

func (e *exprWords) peek() string {
	if len(e.words) == 0 {
		return ""
	}
	return e.words[0]
}

func (e *exprWords) next() string {
	w := e.peek()
	if len(e.words) > 0 {
		e.words = e.words[1:]
	}
	return w
}

func (e *exprWords) or() string {
	a := e.and()
	for e.peek() == "|" {
		e.next()
		if b := e.and(); a == "" || a == "0" {
			a = b
		}
	}
	return a
}

func (e *exprWords) and() string {
	a := e.compare()
	for e.peek() == "&" {
		e.next()
		if b := e.compare(); a == "" || a == "0" || b == "" || b == "0" {
			a = "0"
		}
	}
	return a
}

func (e *exprWords) compare() string {
	a := e.sum()
	for {
		op := e.peek()
		switch op {
		case "=", "==", "!=", "<", "<=", ">", ">=":
		default:
			return a
		}
		e.next()
		b := e.sum()
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		n := strings.Compare(a, b)
		if errX == nil && errY == nil {
			n = map[bool]int{true: 1, false: 0}[x > y] - map[bool]int{true: 1, false: 0}[x < y]
		}
		ok := false
		switch op {
		case "=", "==":
			ok = n == 0
		case "!=":
			ok = n != 0
		case "<":
			ok = n < 0
		case "<=":
			ok = n <= 0
		case ">":
			ok = n > 0
		case ">=":
			ok = n >= 0
		}
		a = strconv.FormatInt(truth(ok), 10)
	}
}

func (e *exprWords) sum() string {
	a := e.product()
	for e.peek() == "+" || e.peek() == "-" {
		op := e.next()
		a = e.calculate(op, a, e.product())
	}
	return a
}

func (e *exprWords) product() string {
	a := e.match()
	for e.peek() == "*" || e.peek() == "/" || e.peek() == "%" {
		op := e.next()
		a = e.calculate(op, a, e.match())
	}
	return a
}

func (e *exprWords) calculate(op, a, b string) string {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX != nil || errY != nil {
		e.fault = "non-integer argument"
		return ""
	}
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	default:
		if y == 0 {
			e.fault = "division by zero"
			return ""
		}
		if op == "/" {
			x /= y
		} else {
			x %= y
		}
	}
	return strconv.FormatInt(x, 10)
}

func (e *exprWords) match() string {
	a := e.primary()
	for e.peek() == ":" {
		e.next()
		a = matchRegex(a, e.primary())
	}
	return a
}

func matchRegex(s, pattern string) string {
	re, err := compileRegex("^"+pattern, false, false)
	if err != nil {
		return "0"
	}
	m := re.FindStringSubmatch(s)
	switch {
	case len(m) > 1:
		return m[1]
	case re.NumSubexp() > 0:
		return ""
	case m == nil:
		return "0"
	}
	return strconv.Itoa(len([]rune(m[0])))
}

func (e *exprWords) primary() string {
	if e.depth++; e.depth > maxNesting || len(e.words) == 0 {
		e.fault = "syntax error"
		return ""
	}
	defer func() { e.depth-- }()
	switch w := e.next(); w {
	case "(":
		v := e.or()
		if e.next() != ")" {
			e.fault = "syntax error"
		}
		return v
	case "length":
		if len(e.words) > 0 {
			return strconv.Itoa(len([]rune(e.next())))
		}
		return w
	case "match":
		if len(e.words) > 1 {
			a := e.next()
			return matchRegex(a, e.next())
		}
		return w
	case "substr":
		if len(e.words) > 2 {
			return substr(e.next(), e.next(), e.next())
		}
		return w
	case "index":
		if len(e.words) > 1 {
			return strconv.Itoa(strings.IndexAny(e.next(), e.next()) + 1)
		}
		return w
	default:
		return w
	}
}

func substr(s, from, count string) string {
	a, errA := strconv.Atoi(from)
	n, errN := strconv.Atoi(count)
	if errA != nil || errN != nil || a < 1 || n < 1 || a > len(s) {
		return ""
	}
	return s[a-1 : min(a-1+n, len(s))]
}
