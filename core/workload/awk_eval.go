package workload

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// eval evaluates an expression.
func (a *awkRun) eval(n *awkNode) string {
	if a.steps++; a.steps > maxAwkSteps {
		a.fault = "more than a million steps"
	}
	if n == nil || a.fault != "" {
		return ""
	}
	switch n.op {
	case "num":
		return numberText(n.num)
	case "str":
		return n.text
	case "re":
		return boolText(len(a.fields) > 0 && n.re.MatchString(a.fields[0]))
	case "var":
		return a.vars[n.text]
	case "$":
		if i := int(number(a.eval(n.kids[0]))); i >= 0 && i < len(a.fields) {
			return a.fields[i]
		}
		return ""
	case "[]":
		return a.arrays[n.text][a.key(n)]
	case "call":
		return a.call(n)
	case "=", "+=", "-=", "*=", "/=", "%=":
		v := a.eval(n.kids[1])
		if n.op != "=" {
			v = arithmetic(n.op[:1], a.eval(n.kids[0]), v)
		}
		a.assign(n.kids[0], v)
		return v
	case "pre++", "pre--", "post++", "post--":
		old := number(a.eval(n.kids[0]))
		now := old + 1
		if strings.HasSuffix(n.op, "--") {
			now = old - 1
		}
		a.assign(n.kids[0], numberText(now))
		if strings.HasPrefix(n.op, "post") {
			return numberText(old)
		}
		return numberText(now)
	}
	return a.operator(n)
}

func boolText(ok bool) string {
	if ok {
		return "1"
	}
	return "0"
}

func (a *awkRun) operator(n *awkNode) string {
	switch n.op {
	case "&&":
		return boolText(a.truth(n.kids[0]) && a.truth(n.kids[1]))
	case "||":
		return boolText(a.truth(n.kids[0]) || a.truth(n.kids[1]))
	case "!":
		return boolText(!a.truth(n.kids[0]))
	case "?":
		if a.truth(n.kids[0]) {
			return a.eval(n.kids[1])
		}
		return a.eval(n.kids[2])
	case "~", "!~":
		return boolText(a.matches(n.kids[0], n.kids[1]) == (n.op == "~"))
	case "isin":
		_, ok := a.arrays[n.kids[1].text][a.eval(n.kids[0])]
		return boolText(ok)
	case "neg":
		return numberText(-number(a.eval(n.kids[0])))
	case "cat":
		x, y := a.eval(n.kids[0]), a.eval(n.kids[1])
		if len(x)+len(y) > maxVariable {
			a.fault = "a string of more than 1 MiB"
			return ""
		}
		a.steps += len(x) >> 6
		return x + y
	case "<", "<=", ">", ">=", "==", "!=":
		return boolText(a.compare(n))
	}
	return arithmetic(n.op, a.eval(n.kids[0]), a.eval(n.kids[1]))
}

func arithmetic(op, x, y string) string {
	p, q := number(x), number(y)
	switch op {
	case "+":
		p += q
	case "-":
		p -= q
	case "*":
		p *= q
	case "/":
		p /= q
	case "%":
		p = math.Mod(p, q)
	case "^":
		p = math.Pow(p, q)
	}
	return numberText(p)
}

func (a *awkRun) compare(n *awkNode) bool {
	x, y := a.eval(n.kids[0]), a.eval(n.kids[1])
	c := strings.Compare(x, y)
	if n.kids[0].op != "str" && n.kids[1].op != "str" && (looksNumeric(x) || x == "") && (looksNumeric(y) || y == "") {
		p, q := number(x), number(y)
		c = int(truth(p > q) - truth(p < q))
	}
	switch n.op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "==":
		return c == 0
	}
	return c != 0
}

func (a *awkRun) matches(x, re *awkNode) bool {
	text := a.eval(x)
	if re.op == "re" {
		return re.re.MatchString(text)
	}
	r, err := compileRegex(a.eval(re), true, false)
	if err != nil {
		a.fault = "regular expression"
		return false
	}
	return r.MatchString(text)
}

func (a *awkRun) key(n *awkNode) string {
	var parts []string
	for _, k := range n.kids {
		parts = append(parts, a.eval(k))
	}
	return strings.Join(parts, a.vars["SUBSEP"])
}

func (a *awkRun) assign(n *awkNode, v string) {
	switch n.op {
	case "var":
		a.vars[n.text] = v
		if n.text == "NF" {
			want := min(max(int(number(v)), 0), maxFields)
			for len(a.fields) <= want {
				a.fields = append(a.fields, "")
			}
			a.fields = a.fields[:want+1]
			a.rebuild()
		}
	case "$":
		i := int(number(a.eval(n.kids[0])))
		switch {
		case i < 0 || i > maxFields:
			a.fault = "field number"
		case i == 0:
			a.record(v)
		default:
			for len(a.fields) <= i {
				a.fields = append(a.fields, "")
			}
			a.fields[i] = v
			a.vars["NF"] = strconv.Itoa(len(a.fields) - 1)
			a.rebuild()
		}
	case "[]":
		key := a.key(n)
		a.put(n.text, key, v)
	default:
		a.fault = "assignment"
	}
}

func (a *awkRun) put(name, key, v string) {
	m := a.arrays[name]
	if m == nil {
		m = map[string]string{}
		a.arrays[name] = m
	}
	if _, ok := m[key]; !ok {
		a.order[name] = append(a.order[name], key)
	}
	m[key] = v
	if len(m) > maxFields {
		a.fault = "an array of more than 100000 elements"
	}
}

// call evaluates the built-in functions.
func (a *awkRun) call(n *awkNode) string {
	arg := func(i int) string {
		if i < len(n.kids) {
			return a.eval(n.kids[i])
		}
		if i == 0 && len(a.fields) > 0 {
			return a.fields[0]
		}
		return ""
	}
	switch n.text {
	case "length":
		if len(n.kids) == 1 && n.kids[0].op == "var" && a.arrays[n.kids[0].text] != nil {
			return strconv.Itoa(len(a.arrays[n.kids[0].text]))
		}
		return strconv.Itoa(len([]rune(arg(0))))
	case "substr":
		return a.substr(n, arg)
	case "index":
		return strconv.Itoa(strings.Index(arg(0), arg(1)) + 1)
	case "toupper":
		return strings.ToUpper(arg(0))
	case "tolower":
		return strings.ToLower(arg(0))
	case "int":
		return numberText(math.Trunc(number(arg(0))))
	case "sqrt":
		return numberText(math.Sqrt(number(arg(0))))
	case "sprintf":
		if len(n.kids) == 0 {
			return ""
		}
		return a.format(n.kids)
	case "split":
		return a.splitCall(n, arg)
	case "sub", "gsub":
		return a.replace(n)
	case "match":
		return a.matchCall(n, arg)
	}
	a.fault = "function " + n.text
	return ""
}

func (a *awkRun) substr(n *awkNode, arg func(int) string) string {
	r := []rune(arg(0))
	from := int(math.Round(number(arg(1))))
	to := len(r) + 1
	if len(n.kids) > 2 {
		to = from + int(math.Round(math.Min(number(arg(2)), 1e9)))
	}
	from, to = max(from, 1), min(to, len(r)+1)
	if from >= to {
		return ""
	}
	return string(r[from-1 : to-1])
}

func (a *awkRun) splitCall(n *awkNode, arg func(int) string) string {
	if len(n.kids) < 2 {
		return "0"
	}
	sep := a.vars["FS"]
	if len(n.kids) > 2 {
		if sep = arg(2); n.kids[2].op == "re" {
			sep = n.kids[2].text
		}
	}
	parts := a.split(arg(0), sep)
	name := n.kids[1].text
	delete(a.arrays, name)
	delete(a.order, name)
	for i, p := range parts {
		a.put(name, strconv.Itoa(i+1), p)
	}
	return strconv.Itoa(len(parts))
}

func (a *awkRun) matchCall(n *awkNode, arg func(int) string) string {
	if len(n.kids) < 2 {
		return "0"
	}
	pattern := n.kids[1].text
	if n.kids[1].op != "re" {
		pattern = arg(1)
	}
	re, err := compileRegex(pattern, true, false)
	if err != nil {
		a.fault = "regular expression"
		return "0"
	}
	hit := re.FindStringIndex(arg(0))
	start, length := 0, -1
	if hit != nil {
		start, length = hit[0]+1, hit[1]-hit[0]
	}
	a.vars["RSTART"], a.vars["RLENGTH"] = strconv.Itoa(start), strconv.Itoa(length)
	return strconv.Itoa(start)
}

// replace is sub and gsub; the target is the record if none is named.
func (a *awkRun) replace(n *awkNode) string {
	if len(n.kids) < 2 {
		a.fault = n.text
		return "0"
	}
	target := &awkNode{op: "$", kids: []*awkNode{{op: "num"}}}
	if len(n.kids) > 2 {
		target = n.kids[2]
	}
	re := n.kids[0].re
	if re == nil {
		var err error
		if re, err = compileRegex(a.eval(n.kids[0]), true, false); err != nil {
			a.fault = "regular expression"
			return "0"
		}
	}
	with, text := a.eval(n.kids[1]), a.eval(target)
	limit := 1
	if n.text == "gsub" {
		limit = -1
	}
	hits := re.FindAllStringIndex(text, limit)
	if len(hits) == 0 {
		return "0"
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		b.WriteString(text[at:h[0]])
		b.WriteString(strings.NewReplacer(`\\&`, "&", `\&`, "&", "&", text[h[0]:h[1]]).Replace(with))
		if at = h[1]; b.Len() > maxVariable {
			a.fault = "a string of more than 1 MiB"
			return "0"
		}
	}
	b.WriteString(text[at:])
	a.assign(target, b.String())
	return strconv.Itoa(len(hits))
}

var awkFunctions = []string{"length", "substr", "index", "toupper", "tolower", "int", "sqrt", "sprintf", "split", "sub", "gsub", "match"}

func isAwkFunction(name string) bool { return slices.Contains(awkFunctions, name) }
