package workload

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stepAttempt runs (( )), [[ ]], let and declarations.
func (r *runner) stepAttempt(f *frame) {
	s := r.t.sh
	status := 0
	ok := r.attempt(f, func(e *expander) {
		s.substed = 0
		switch c := f.node.(type) {
		case *syntax.ArithmCmd:
			status = boolStatus(e.arith(c.X) != 0)
		case *syntax.LetClause:
			for _, x := range c.Exprs {
				status = boolStatus(e.arith(x) != 0)
			}
		case *syntax.TestClause:
			status = boolStatus(e.test(c.X))
		case *syntax.DeclClause:
			if s.dialect == bash || c.Variant.Value == "export" || c.Variant.Value == "readonly" || c.Variant.Value == "local" {
				e.declare(c)
				status = s.substed
			} else {
				r.complain(c.Variant.Value + ": not found")
				status = 127
			}
		}
	})
	if !ok {
		return
	}
	r.t.began = r.now
	if top := s.top(); top.op == opAttempt {
		r.pop()
	}
	s.status = status
	r.charge()
}

// test evaluates [[ ]].
func (e *expander) test(x syntax.TestExpr) bool {
	if !e.ok() {
		return false
	}
	switch x := x.(type) {
	case *syntax.Word:
		return e.text(x) != ""
	case *syntax.ParenTest:
		return e.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return !e.test(x.X)
		}
		w, ok := x.X.(*syntax.Word)
		if !ok {
			return false
		}
		return e.r.unaryTest(x.Op.String(), e.text(w))
	case *syntax.BinaryTest:
		return e.binaryTest(x)
	}
	return false
}

func (e *expander) binaryTest(x *syntax.BinaryTest) bool {
	switch x.Op {
	case syntax.AndTest:
		return e.test(x.X) && e.test(x.Y)
	case syntax.OrTest:
		return e.test(x.X) || e.test(x.Y)
	}
	a, okA := x.X.(*syntax.Word)
	b, okB := x.Y.(*syntax.Word)
	if !okA || !okB {
		return false
	}
	left := e.text(a)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort:
		return match(e.pattern(b), left)
	case syntax.TsNoMatch:
		return !match(e.pattern(b), left)
	case syntax.TsReMatch:
		return e.regexMatch(left, b)
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return compareNumbers(x.Op.String(), e.parse(left), e.parse(e.text(b)))
	}
	ok, _ := e.r.binaryWords(left, x.Op.String(), e.text(b))
	return ok
}

// regexMatch is =~; the groups go to BASH_REMATCH.
func (e *expander) regexMatch(left string, w *syntax.Word) bool {
	var b strings.Builder
	for _, p := range e.pieces(w) {
		if p.quoted && !strings.HasPrefix(p.text, `\`) {
			b.WriteString(regexp.QuoteMeta(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	re, err := compileRegex(b.String(), true, false)
	if err != nil {
		e.r.w.NotSimulated("shell: regular expression " + b.String())
		return false
	}
	groups := re.FindStringSubmatch(left)
	if e.s.dialect == bash {
		e.put("BASH_REMATCH", variable{set: true, isList: true, list: groups})
	}
	return groups != nil
}

// unaryTest evaluates -e file, -z text and the like.
func (r *runner) unaryTest(op, arg string) bool {
	switch op {
	case "-z":
		return arg == ""
	case "-n":
		return arg != ""
	case "-t":
		return r.p.spec.TTY
	case "-v":
		_, ok := r.t.sh.get(arg)
		return ok
	case "-o":
		for _, o := range optionLetters {
			if o.name == arg {
				return r.t.sh.has(o.bit)
			}
		}
		return false
	}
	if arg == "" {
		return false
	}
	r.p.idle.read = true
	return r.fileTest(op, r.abs(arg))
}

func (r *runner) fileTest(op, path string) bool {
	if isDevice(path) {
		return op == "-e" || op == "-c" || op == "-r" || op == "-w"
	}
	info, err := r.w.Stat(path)
	if op == "-L" || op == "-h" {
		info, err = r.w.Lstat(path)
		return err == nil && info.Mode&modeType == ModeLink
	}
	if err != nil {
		return false
	}
	switch op {
	case "-e", "-a":
		return true
	case "-f":
		return info.Mode&modeType == ModeRegular
	case "-d":
		return info.IsDir()
	case "-s":
		return info.Size > 0
	case "-r":
		return r.w.Access(path, 4) == nil
	case "-w":
		return r.w.Access(path, 2) == nil
	case "-x":
		return r.w.Access(path, 1) == nil
	case "-O":
		return info.UID == r.p.spec.UID
	case "-G":
		return info.GID == r.p.spec.GID
	case "-u":
		return info.Mode&0o4000 != 0
	case "-g":
		return info.Mode&0o2000 != 0
	case "-k":
		return info.Mode&0o1000 != 0
	}
	return false
}

func isDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

func compareNumbers(op string, a, b int64) bool {
	switch op {
	case "-eq":
		return a == b
	case "-ne":
		return a != b
	case "-le":
		return a <= b
	case "-ge":
		return a >= b
	case "-lt":
		return a < b
	}
	return a > b
}

// binaryWords evaluates a = b, a -eq b, a -nt b. fault is the word that is no
// number, "" if all is well.
func (r *runner) binaryWords(a, op, b string) (ok bool, fault string) {
	switch op {
	case "=", "==":
		return a == b, ""
	case "!=":
		return a != b, ""
	case "<":
		return a < b, ""
	case ">":
		return a > b, ""
	case "-nt", "-ot", "-ef":
		ia, errA := r.w.Stat(r.abs(a))
		ib, errB := r.w.Stat(r.abs(b))
		switch op {
		case "-nt":
			return errA == nil && (errB != nil || ia.ModTime > ib.ModTime), ""
		case "-ot":
			return errB == nil && (errA != nil || ia.ModTime < ib.ModTime), ""
		}
		return errA == nil && r.abs(a) == r.abs(b), ""
	}
	x, err := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
	if err != nil {
		return false, a
	}
	y, err := strconv.ParseInt(strings.TrimSpace(b), 10, 64)
	if err != nil {
		return false, b
	}
	return compareNumbers(op, x, y), ""
}

// testWords is the test builtin: expr by the number of words, as POSIX says.
type testWords struct {
	r     *runner
	words []string
	fault string
	depth int
}

func cmdTest(c *call) (int, bool) {
	words := c.args
	if c.name == "[" || c.name == "[[" {
		closing := "]"
		if c.name == "[[" {
			closing = "]]"
		}
		if len(words) == 0 || words[len(words)-1] != closing {
			return c.usage("missing " + closing)
		}
		words = words[:len(words)-1]
	}
	t := &testWords{r: c.runner, words: words}
	ok := len(words) > 0 && t.or()
	if t.fault == "" && len(t.words) > 0 {
		t.fault = t.words[0] + ": unknown operand"
		if len(t.words) == 1 && isBinaryTest(t.words[0]) {
			t.fault = t.words[0] + ": argument expected"
		}
		if c.dialect() == bash {
			t.fault = "too many arguments"
		} else if c.dialect() == dash {
			t.fault = t.words[0] + ": unexpected operator"
		}
	}
	if t.fault != "" {
		return c.usage(t.fault)
	}
	return boolStatus(ok), true
}

func (t *testWords) next() string {
	w := t.words[0]
	t.words = t.words[1:]
	return w
}

func (t *testWords) or() bool {
	ok := t.and()
	for len(t.words) > 0 && t.words[0] == "-o" && t.fault == "" {
		t.next()
		ok = t.and() || ok
	}
	return ok
}

func (t *testWords) and() bool {
	ok := t.not()
	for len(t.words) > 0 && t.words[0] == "-a" && t.fault == "" {
		t.next()
		ok = t.not() && ok
	}
	return ok
}

func (t *testWords) not() bool {
	if len(t.words) > 1 && t.words[0] == "!" && !(len(t.words) == 3 && isBinaryTest(t.words[1])) {
		if t.depth++; t.depth > maxNesting {
			t.fault = "too many arguments"
			return false
		}
		t.next()
		return !t.not()
	}
	return t.primary()
}

func (t *testWords) primary() bool {
	if len(t.words) == 0 {
		t.fault = "argument expected"
		return false
	}
	if len(t.words) >= 3 && isBinaryTest(t.words[1]) {
		a, op, b := t.next(), t.next(), t.next()
		ok, bad := t.r.binaryWords(a, op, b)
		if bad != "" || a == "" && strings.HasPrefix(op, "-") && op != "-nt" && op != "-ot" && op != "-ef" {
			t.fault = badNumber(t.r, bad)
		}
		return ok
	}
	w := t.next()
	switch {
	case w == "(" && len(t.words) > 0:
		if t.depth++; t.depth > maxNesting {
			t.fault = "too many arguments"
			return false
		}
		ok := t.or()
		if len(t.words) == 0 || t.next() != ")" {
			t.fault = "closing paren expected"
		}
		return ok
	case isUnaryTest(w) && len(t.words) > 0 && t.words[0] != "-a" && t.words[0] != "-o" || isUnaryTest(w) && len(t.words) == 1:
		return t.r.unaryTest(w, t.next())
	}
	return w != ""
}

func badNumber(r *runner, word string) string {
	if r.t.sh != nil {
		switch r.t.sh.dialect {
		case bash:
			return word + ": integer expression expected"
		case dash:
			return "Illegal number: " + word
		}
	}
	return word + ": bad number"
}

func isBinaryTest(s string) bool {
	switch s {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func isUnaryTest(s string) bool {
	return len(s) == 2 && s[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzLGOSN", s[1]) >= 0
}
