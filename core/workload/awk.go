package workload

import (
	"regexp"
	"strconv"
	"strings"
)

// awkNode is a node of a parsed program: an operator with its operands.
type awkNode struct {
	op   string // "num", "str", "re", "var", "$", "[]", "call", or the operator
	text string
	num  float64
	re   *regexp.Regexp
	kids []*awkNode
}

// awkRule is pattern { action }.
type awkRule struct {
	pattern, until *awkNode
	action         *awkNode // nil prints the record
	begin, end     bool
}

// awkRun is a program that runs over its input. A value is a string; numbers are
// made from it and to it as needed.
type awkRun struct {
	rules  []awkRule
	active []bool
	vars   map[string]string
	arrays map[string]map[string]string
	order  map[string][]string // keys of an array in order of their making
	fields []string            // fields[0] is the record
	out    strings.Builder
	steps  int
	fault  string
	jump   string // next, exit, break, continue
	code   int
}

const maxAwkSteps = 1_000_000

// cmdAwk runs programs over their whole input. Functions, getline, printing into
// files and pipes are not simulated.
func cmdAwk(c *call) (int, bool) {
	a := &awkRun{vars: map[string]string{"FS": " ", "OFS": " ", "ORS": "\n", "RS": "\n", "SUBSEP": "\x1c"}, arrays: map[string]map[string]string{}, order: map[string][]string{}}
	args := c.args
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		opt := args[0]
		args = args[1:]
		if opt == "--" {
			break
		}
		value := opt[2:]
		if value == "" && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch opt[1] {
		case 'F':
			a.vars["FS"], _ = escapes(value, true)
		case 'v':
			name, text, _ := strings.Cut(value, "=")
			a.vars[name], _ = escapes(text, true)
		default:
			return c.lacks("option " + opt)
		}
	}
	if len(args) == 0 {
		return c.usage("no program")
	}
	p := &awkParser{}
	p.lex(args[0])
	a.rules = p.program()
	if p.fault != "" {
		return c.lacks("awk program: " + p.fault)
	}
	a.active = make([]bool, len(a.rules))
	return c.awk(a, args[1:])
}

func (c *call) awk(a *awkRun, files []string) (int, bool) {
	reads := false
	for _, r := range a.rules {
		reads = reads || !r.begin
	}
	text := ""
	if reads {
		var ok bool
		if text, ok = c.gather(files); !ok {
			return 0, false
		}
	}
	a.phase(true, false)
	if reads && a.jump == "" {
		for i, line := range splitLines(text) {
			a.vars["NR"], a.vars["FNR"] = strconv.Itoa(i+1), strconv.Itoa(i+1)
			a.record(line)
			a.phase(false, false)
			if a.jump == "exit" || a.fault != "" {
				break
			}
			a.jump = ""
		}
	}
	a.jump = ""
	a.phase(false, true)
	c.print(a.out.String())
	if a.fault != "" {
		return c.lacks("awk: " + a.fault)
	}
	if a.code != 0 {
		return a.code, true
	}
	return c.failed(), true
}

func (a *awkRun) phase(begin, end bool) {
	for i := range a.rules {
		r := &a.rules[i]
		if r.begin != begin || r.end != end || a.jump != "" || a.fault != "" {
			continue
		}
		if !begin && !end && !a.selected(i) {
			continue
		}
		if r.action == nil {
			a.write(a.fields[0] + a.vars["ORS"])
			continue
		}
		a.exec(r.action)
	}
}

func (a *awkRun) write(s string) {
	if a.out.Len()+len(s) > maxVariable {
		a.fault = "more than 1 MiB of output"
		return
	}
	a.out.WriteString(s)
}

func (a *awkRun) selected(i int) bool {
	r := &a.rules[i]
	switch {
	case r.pattern == nil:
		return true
	case r.until == nil:
		return a.truth(r.pattern)
	case !a.active[i]:
		if !a.truth(r.pattern) {
			return false
		}
		a.active[i] = true
	}
	if a.truth(r.until) {
		a.active[i] = false
	}
	return true
}

// record splits a line into fields.
func (a *awkRun) record(line string) {
	a.fields = append([]string{line}, a.split(line, a.vars["FS"])...)
	a.vars["NF"] = strconv.Itoa(len(a.fields) - 1)
}

func (a *awkRun) split(s, sep string) []string {
	switch {
	case s == "":
		return nil
	case sep == " ":
		return strings.Fields(s)
	case len(sep) == 1:
		return strings.Split(s, sep)
	}
	re, err := compileRegex(sep, true, false)
	if err != nil {
		a.fault = "field separator " + sep
		return nil
	}
	return re.Split(s, -1)
}

func (a *awkRun) rebuild() {
	if len(a.fields) > 0 {
		a.fields[0] = strings.Join(a.fields[1:], a.vars["OFS"])
	}
}

func (a *awkRun) exec(n *awkNode) {
	if a.steps++; a.steps > maxAwkSteps {
		a.fault = "more than a million steps"
	}
	if n == nil || a.fault != "" || a.jump != "" {
		return
	}
	switch n.op {
	case "{":
		for _, k := range n.kids {
			a.exec(k)
		}
	case "print":
		a.print(n)
	case "printf":
		a.printf(n)
	case "if":
		if a.truth(n.kids[0]) {
			a.exec(n.kids[1])
		} else {
			a.exec(n.kids[2])
		}
	case "for":
		a.eval(n.kids[0])
		for (n.kids[1] == nil || a.truth(n.kids[1])) && a.fault == "" {
			if a.exec(n.kids[3]); a.stop() {
				break
			}
			a.eval(n.kids[2])
		}
	case "do":
		for ok := true; ok && a.fault == ""; ok = a.truth(n.kids[1]) {
			if a.exec(n.kids[0]); a.stop() {
				break
			}
		}
	case "in":
		for _, key := range append([]string(nil), a.order[n.kids[1].text]...) {
			if _, ok := a.arrays[n.kids[1].text][key]; !ok {
				continue
			}
			a.vars[n.kids[0].text] = key
			if a.exec(n.kids[2]); a.stop() {
				break
			}
		}
	case "next", "break", "continue":
		a.jump = n.op
	case "exit":
		a.jump = "exit"
		if len(n.kids) > 0 {
			a.code = int(number(a.eval(n.kids[0]))) & 255
		}
	case "delete":
		a.remove(n)
	default:
		a.eval(n)
	}
}

// stop ends a loop at break and at everything that leaves the rule.
func (a *awkRun) stop() bool {
	switch a.jump {
	case "break":
		a.jump = ""
		return true
	case "continue":
		a.jump = ""
	}
	return a.jump != "" || a.fault != ""
}

func (a *awkRun) remove(n *awkNode) {
	t := n.kids[0]
	if t.op == "var" {
		delete(a.arrays, t.text)
		delete(a.order, t.text)
	} else if t.op == "[]" {
		delete(a.arrays[t.text], a.key(t))
	}
}

func (a *awkRun) print(n *awkNode) {
	text := ""
	if len(n.kids) == 0 {
		if len(a.fields) > 0 {
			text = a.fields[0]
		}
	}
	for i, k := range n.kids {
		if i > 0 {
			text += a.vars["OFS"]
		}
		text += a.eval(k)
	}
	a.write(text + a.vars["ORS"])
}

func (a *awkRun) printf(n *awkNode) {
	if len(n.kids) == 0 {
		return
	}
	a.write(a.format(n.kids))
}

func (a *awkRun) format(kids []*awkNode) string {
	f := &formatter{c: &call{runner: &runner{t: &task{}}, name: "awk"}, format: strings.ReplaceAll(a.eval(kids[0]), `\`, `\\`)}
	for _, k := range kids[1:] {
		f.args = append(f.args, a.eval(k))
	}
	f.silent = true
	f.once()
	return f.out.String()
}

func (a *awkRun) truth(n *awkNode) bool {
	if n == nil {
		return false
	}
	v := a.eval(n)
	if n.op == "str" || v != "" && !looksNumeric(v) {
		return v != ""
	}
	return number(v) != 0
}

func looksNumeric(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil
}

func number(s string) float64 {
	s = strings.TrimSpace(s)
	if f, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "xXpPiInN") {
		return f
	}
	return leadingFloat(s)
}

func numberText(f float64) string {
	if f == float64(int64(f)) && f < 1e16 && f > -1e16 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}
