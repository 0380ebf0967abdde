package workload

import (
	"strings"
)

// pythonText runs a program that uses a small part of the language (print, sys.exit,
// time.sleep, os.environ, if, while, for in range, assignments) by way of the
// shell. Every other program runs for ever.
func (c *call) pythonText(text string, args []string) (int, bool) {
	t := &pyTranslator{}
	script, ok := t.translate(text)
	if !ok {
		c.w.NotSimulated("python: " + t.unknown)
		return c.guest(c.name + " " + strings.Join(c.args, " "))
	}
	argv := append([]string{"sh", "-c", script, c.name}, args...)
	to := target{program: shellPrefix + "bash"}
	if c.t.sh == nil {
		c.become(c.t, to, argv, c.t.env)
		return 0, false
	}
	if c.st.child == 0 {
		child, ok := c.spawn(c.name)
		if !ok {
			return 1, true
		}
		c.become(child, to, argv, c.environment())
		c.st.child = child.pid
	}
	return c.join()
}

type pyLine struct {
	indent int
	text   string
}

// pyTranslator turns a program into a shell script. unknown is the first thing
// for which it has no shell form.
type pyTranslator struct {
	lines   []pyLine
	at      int
	out     strings.Builder
	unknown string
}

func (t *pyTranslator) translate(text string) (string, bool) {
	for _, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		for _, part := range strings.Split(line, ";") {
			body := strings.TrimSpace(part)
			if body == "" || body[0] == '#' {
				continue
			}
			word, _, _ := strings.Cut(body, " ")
			if i := strings.Index(body, ": "); i > 0 && (word == "if" || word == "while" || word == "for") {
				t.lines = append(t.lines, pyLine{indent, body[:i+1]}, pyLine{indent + 1, strings.TrimSpace(body[i+2:])})
				continue
			}
			t.lines = append(t.lines, pyLine{indent, body})
		}
	}
	t.block(0)
	return t.out.String(), t.unknown == "" && t.at == len(t.lines)
}

// block translates the lines of one indentation. A block without lines gets the
// shell's empty command.
func (t *pyTranslator) block(depth int) {
	t.out.WriteString(":\n")
	if t.at >= len(t.lines) || depth > 30 {
		return
	}
	for indent := t.lines[t.at].indent; t.at < len(t.lines) && t.lines[t.at].indent == indent && t.unknown == ""; {
		text := t.lines[t.at].text
		t.at++
		head, isBlock := strings.CutSuffix(text, ":")
		if !isBlock {
			t.statement(text)
			continue
		}
		end := "done"
		word, rest, _ := strings.Cut(head, " ")
		switch {
		case word == "if" || word == "elif":
			end = "fi"
			t.out.WriteString(word + " " + t.condition(rest) + "; then\n")
		case word == "else":
			t.out.WriteString("else\n")
			end = "fi"
		case word == "while":
			t.out.WriteString("while " + t.condition(rest) + "; do\n")
		case word == "for":
			t.forLoop(rest)
		default:
			t.fail(text)
		}
		if t.at < len(t.lines) && t.lines[t.at].indent > indent {
			t.block(depth + 1)
		} else {
			t.fail("an empty block")
		}
		if next := t.next(indent); end == "fi" && (strings.HasPrefix(next, "elif ") || next == "else:") {
			continue
		}
		t.out.WriteString(end + "\n")
	}
}

func (t *pyTranslator) next(indent int) string {
	if t.at < len(t.lines) && t.lines[t.at].indent == indent {
		return t.lines[t.at].text
	}
	return ""
}

func (t *pyTranslator) fail(s string) string {
	if t.unknown == "" {
		t.unknown = s
	}
	return "false"
}

func (t *pyTranslator) forLoop(rest string) {
	name, over, ok := strings.Cut(rest, " in ")
	args, isRange := strings.CutPrefix(over, "range(")
	args, closed := strings.CutSuffix(args, ")")
	from, to, two := strings.Cut(args, ",")
	if !two {
		from, to = "0", args
	}
	if !ok || !isRange || !closed || strings.Contains(to, ",") || !isName(name) {
		t.fail("for " + rest)
		return
	}
	t.out.WriteString("for " + name + " in $(seq " + t.number(from) + " $((" + t.number(to) + "-1))); do\n")
}

// statement translates a simple statement.
func (t *pyTranslator) statement(s string) {
	word, _, _ := strings.Cut(s, " ")
	name, value, isAssign := strings.Cut(s, "=")
	switch {
	case word == "import" || word == "from" || s == "pass" || strings.HasPrefix(s, "sys.stdout.flush"):
	case s == "break" || s == "continue":
		t.out.WriteString(s + "\n")
	case strings.HasPrefix(s, "print(") && strings.HasSuffix(s, ")"):
		t.print(s[6 : len(s)-1])
	case strings.HasPrefix(s, "time.sleep(") && strings.HasSuffix(s, ")"):
		t.out.WriteString("sleep " + t.text(s[11:len(s)-1]) + "\n")
	case strings.HasPrefix(s, "sleep(") && strings.HasSuffix(s, ")"):
		t.out.WriteString("sleep " + t.text(s[6:len(s)-1]) + "\n")
	case word == "raise":
		t.out.WriteString("echo 'Traceback (most recent call last):' >&2; echo " + quoteWord(strings.TrimSpace(s[5:])) + " >&2; exit 1\n")
	case s == "sys.exit()" || s == "exit()" || s == "quit()":
		t.out.WriteString("exit 0\n")
	case (strings.HasPrefix(s, "sys.exit(") || strings.HasPrefix(s, "exit(") || strings.HasPrefix(s, "os._exit(")) && strings.HasSuffix(s, ")"):
		t.out.WriteString("exit " + t.number(s[strings.IndexByte(s, '(')+1:len(s)-1]) + "\n")
	case isAssign && isName(strings.TrimSpace(name)) && !strings.HasPrefix(value, "="):
		t.out.WriteString(strings.TrimSpace(name) + "=" + t.text(value) + "\n")
	case isAssign && len(name) > 1 && strings.IndexByte("+-*", name[len(name)-1]) >= 0 && isName(strings.TrimSpace(name[:len(name)-1])):
		v := strings.TrimSpace(name[:len(name)-1])
		t.out.WriteString(v + "=$((" + v + name[len(name)-1:] + "(" + t.number(value) + ")))\n")
	default:
		t.fail(s)
	}
}

func (t *pyTranslator) print(args string) {
	var words []string
	for _, a := range splitArgs(args) {
		if name, _, ok := strings.Cut(a, "="); ok && isName(name) && (name == "flush" || name == "file") {
			if strings.Contains(a, "stderr") {
				defer t.out.WriteString(" >&2\n")
			}
			continue
		}
		words = append(words, t.text(a))
	}
	t.out.WriteString("echo " + strings.Join(words, " ") + "\n")
}

// splitArgs cuts at commas outside of quotes and brackets.
func splitArgs(s string) []string {
	var out []string
	depth, start := 0, 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// text translates an expression to a shell word.
func (t *pyTranslator) text(s string) string {
	s = strings.TrimSpace(s)
	format := strings.HasPrefix(s, `f"`) || strings.HasPrefix(s, "f'")
	if format {
		s = s[1:]
	}
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && strings.IndexByte(s[1:], s[0]) == len(s)-2 {
		if body := s[1 : len(s)-1]; format {
			return t.formatted(body)
		}
		return "$" + quoteWord(s[1:len(s)-1])
	}
	if v, ok := environment(s); ok {
		return `"` + v + `"`
	}
	if inner, ok := strings.CutPrefix(s, "str("); ok && strings.HasSuffix(inner, ")") {
		return t.text(inner[:len(inner)-1])
	}
	if isName(s) {
		return `"$` + s + `"`
	}
	if only(s, func(c byte) bool { return isDigit(c) || c == '.' }) && s != "" {
		return s
	}
	return "$((" + t.number(s) + "))"
}

// formatted translates the inside of an f-string.
func (t *pyTranslator) formatted(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			b.WriteString("$" + quoteWord(s[:i]))
		}
		if s = s[i:]; s == "" {
			break
		}
		inner, rest, ok := strings.Cut(s[1:], "}")
		if !ok || strings.Contains(inner, ":") {
			return t.fail("format " + s)
		}
		b.WriteString(t.text(inner))
		s = rest
	}
	return b.String()
}

// environment translates os.environ["X"], os.environ.get("X", "d") and os.getenv.
func environment(s string) (string, bool) {
	for _, prefix := range []string{"os.environ.get(", "os.getenv(", "os.environ["} {
		inner, ok := strings.CutPrefix(s, prefix)
		if !ok || inner == "" {
			continue
		}
		args := splitArgs(inner[:len(inner)-1])
		for i := range args {
			args[i] = strings.Trim(args[i], `"'`)
		}
		if len(args) == 0 || !isName(args[0]) {
			return "", false
		}
		otherwise := "None"
		if len(args) > 1 {
			otherwise = args[1]
		}
		return "${" + args[0] + "-" + otherwise + "}", only(otherwise, func(c byte) bool { return isWordByte(c) || c == '.' || c == '-' })
	}
	return "", false
}

// number translates arithmetic over whole numbers, names and int(...).
func (t *pyTranslator) number(s string) string {
	s = strings.TrimSpace(s)
	if v, ok := environment(s); ok {
		return v
	}
	if inner, ok := strings.CutPrefix(s, "int("); ok {
		depth := 1
		for i := range len(inner) {
			switch inner[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				return "(" + t.number(inner[:i]) + ")" + t.tail(inner[i+1:])
			}
		}
	}
	s = strings.ReplaceAll(s, "//", "/")
	if s == "" || !only(s, func(c byte) bool { return isWordByte(c) || strings.IndexByte(" +-*/%()", c) >= 0 }) {
		return t.fail(s)
	}
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !isWordByte(byte(r)) }) {
		if strings.Contains(s, f+"(") {
			return t.fail(s)
		}
	}
	return s
}

func (t *pyTranslator) tail(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	op := s[:1]
	if !strings.Contains("+-*/%", op) {
		return t.fail(s)
	}
	return op + "(" + t.number(strings.TrimLeft(s, "+-*/%")) + ")"
}

// condition translates a comparison to a test.
func (t *pyTranslator) condition(s string) string {
	s = strings.TrimSpace(s)
	switch s {
	case "True", "1":
		return "true"
	case "False", "0":
		return "false"
	}
	if rest, ok := strings.CutPrefix(s, "not "); ok {
		return "! " + t.condition(rest)
	}
	for _, op := range [][2]string{{"==", "-eq"}, {"!=", "-ne"}, {"<=", "-le"}, {">=", "-ge"}, {"<", "-lt"}, {">", "-gt"}} {
		a, b, ok := strings.Cut(s, op[0])
		if !ok {
			continue
		}
		if strings.ContainsAny(a+b, `"'`) && !strings.Contains(a, "int(") {
			word := map[string]string{"==": "=", "!=": "!="}[op[0]]
			if word == "" {
				return t.fail(s)
			}
			return "[ " + t.text(a) + " " + word + " " + t.text(b) + " ]"
		}
		return "[ $((" + t.number(a) + ")) " + op[1] + " $((" + t.number(b) + ")) ]"
	}
	if isName(s) {
		return `[ -n "$` + s + `" ]`
	}
	return t.fail(s)
}
