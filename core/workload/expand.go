package workload

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expander expands words in one attempt. Its methods go on with empty text after
// a failure; the caller looks at need and fault at the end.
type expander struct {
	r     *runner
	s     *shell
	memo  []string // outputs of the command substitutions that have run
	used  int
	need  *syntax.CmdSubst // a substitution that has to run first
	fault string
	code  int
	raw   bool // fault is the whole message
	undo  []savedVar
	size  int // bytes made, against blow-up
	depth int // of nested arithmetic
}

func (e *expander) ok() bool { return e.need == nil && e.fault == "" }

func (e *expander) fail(text string) {
	if e.ok() {
		e.fault, e.code = text, 1
	}
}

func (e *expander) grow(n int) {
	e.r.work(n >> 10)
	if e.size += n; e.size > 4*maxVariable {
		e.fail("words of more than 4 MiB: not simulated")
	}
}

func (e *expander) set(name, text string) {
	if !e.ok() {
		return
	}
	v, ok := e.s.vars[name]
	e.undo = append(e.undo, savedVar{name, v, ok})
	if err := e.s.assign(name, text); err != nil {
		e.fail(err.Error())
	}
}

func (e *expander) put(name string, v variable) {
	old, ok := e.s.vars[name]
	e.undo = append(e.undo, savedVar{name, old, ok})
	e.s.store(name, v)
}

// rollback undoes the assignments of an attempt that has to be made again.
func (e *expander) rollback() {
	for i := len(e.undo) - 1; i >= 0; i-- {
		if u := e.undo[i]; u.ok {
			e.s.store(u.name, u.v)
		} else {
			delete(e.s.vars, u.name)
		}
	}
}

// piece is a part of a field: text, and whether it was quoted.
type piece struct {
	text   string
	quoted bool
}

// fieldList collects fields; the last one is still open.
type fieldList struct {
	done [][]piece
	cur  []piece
	open bool // cur counts even if it is empty
}

func (l *fieldList) add(text string, quoted bool) {
	if text != "" || quoted {
		l.cur = append(l.cur, piece{text, quoted})
		l.open = true
	}
}

func (l *fieldList) close() {
	if l.open {
		l.done = append(l.done, l.cur)
	}
	l.cur, l.open = nil, false
}

// fields expands words with splitting and path names.
func (e *expander) fields(words []*syntax.Word) []string {
	var out []string
	for _, w := range words {
		if e.s.dialect == bash && hasBrace(w) {
			for _, b := range e.braces(w) {
				out = e.field(out, b)
			}
			continue
		}
		out = e.field(out, w)
		if !e.ok() {
			return nil
		}
	}
	return out
}

func (e *expander) field(out []string, w *syntax.Word) []string {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && plain(lit.Value) {
			return append(out, lit.Value)
		}
	}
	l := &fieldList{}
	e.parts(l, w.Parts)
	l.close()
	for _, f := range l.done {
		out = e.glob(out, f)
		if len(out) > maxFields {
			e.fail("more than 100000 words: not simulated")
			return nil
		}
	}
	return out
}

// plain reports whether a literal stands for itself.
func plain(s string) bool { return !strings.ContainsAny(s, `\*?[~`) }

func (e *expander) parts(l *fieldList, parts []syntax.WordPart) {
	for i, part := range parts {
		if !e.ok() {
			return
		}
		switch p := part.(type) {
		case *syntax.Lit:
			e.literal(l, p.Value, i == 0, len(parts) == 1)
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			l.add(text, true)
		case *syntax.DblQuoted:
			e.double(l, p)
		case *syntax.ParamExp:
			e.param(l, p)
		case *syntax.CmdSubst:
			e.split(l, e.command(p))
		case *syntax.ArithmExp:
			e.split(l, strconv.FormatInt(e.arith(p.X), 10))
		case *syntax.ExtGlob:
			l.add(p.Op.String()+p.Pattern.Value+")", false)
		case *syntax.ProcSubst:
			l.add(e.process(p), true)
		}
	}
}

// literal adds unquoted text: backslashes quote, a tilde may be a home.
func (e *expander) literal(l *fieldList, s string, first, alone bool) {
	if first && strings.HasPrefix(s, "~") {
		user, rest, slash := strings.Cut(s[1:], "/")
		if home, ok := e.home(user); ok && (slash || alone) {
			l.add(home, true)
			if s = ""; slash {
				s = "/" + rest
			}
		}
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			l.add(s, false)
			return
		}
		l.add(s[:i], false)
		if i+1 >= len(s) {
			l.add(`\`, true)
			return
		}
		n := i + 1 + runeLen(s[i+1:])
		if s[i+1] != '\n' {
			l.add(s[i+1:n], true)
		}
		s = s[n:]
	}
}

func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

func (e *expander) home(user string) (string, bool) {
	switch user {
	case "":
		if h, ok := e.s.get("HOME"); ok {
			return h.first(), true
		}
		return "", false
	case "+":
		return e.r.t.cwd, true
	}
	return homeOf(e.r.w, user)
}

func (e *expander) double(l *fieldList, q *syntax.DblQuoted) {
	if len(q.Parts) == 0 {
		l.add("", true)
		return
	}
	for _, part := range q.Parts {
		if p, ok := part.(*syntax.ParamExp); ok {
			if items, ok := e.spread(p); ok {
				for i, item := range items {
					if i > 0 {
						l.close()
					}
					l.add(item, true)
				}
				continue
			}
		}
		var b strings.Builder
		e.quoted(&b, []syntax.WordPart{part}, quoteDouble)
		l.add(b.String(), true)
	}
}

type quoting uint8

const (
	quoteDouble quoting = iota
	quoteDoc
)

// quoted appends the expansion of parts inside double quotes.
func (e *expander) quoted(b *strings.Builder, parts []syntax.WordPart, q quoting) {
	for _, part := range parts {
		if !e.ok() {
			return
		}
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescapeQuoted(p.Value, q))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansiC(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			e.quoted(b, p.Parts, quoteDouble)
		case *syntax.ParamExp:
			b.WriteString(e.paramText(p, true))
		case *syntax.CmdSubst:
			b.WriteString(e.command(p))
		case *syntax.ArithmExp:
			b.WriteString(strconv.FormatInt(e.arith(p.X), 10))
		}
		e.grow(b.Len() / 8)
	}
}

// unescapeQuoted takes the backslashes away that quote something inside double
// quotes or a here-document.
func unescapeQuoted(s string, q quoting) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch c := s[i+1]; {
			case c == '\n':
				i++
				continue
			case c == '$', c == '`', c == '\\', c == '"' && q == quoteDouble:
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// text expands a word to one string, without splitting and path names.
func (e *expander) text(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	return joinPieces(e.pieces(w))
}

func joinPieces(list []piece) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.text)
	}
	return b.String()
}

// pattern expands a word to a pattern in which quoted text stands for itself.
func (e *expander) pattern(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range e.pieces(w) {
		if p.quoted {
			b.WriteString(quotePattern(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// pieces expands a word that is not split.
func (e *expander) pieces(w *syntax.Word) []piece {
	l := &fieldList{}
	for i, part := range w.Parts {
		if !e.ok() {
			return nil
		}
		switch p := part.(type) {
		case *syntax.ParamExp:
			l.add(e.paramText(p, false), false)
		case *syntax.CmdSubst:
			l.add(e.command(p), false)
		case *syntax.ArithmExp:
			l.add(strconv.FormatInt(e.arith(p.X), 10), false)
		case *syntax.DblQuoted:
			var b strings.Builder
			e.quoted(&b, p.Parts, quoteDouble)
			l.add(b.String(), true)
		case *syntax.Lit:
			e.literal(l, p.Value, i == 0, len(w.Parts) == 1)
		default:
			e.parts(l, w.Parts[i:i+1])
		}
	}
	return l.cur
}

// command returns the output of a command substitution, from the memo of the
// earlier attempts.
func (e *expander) command(c *syntax.CmdSubst) string {
	switch {
	case !e.ok():
		return ""
	case e.used < len(e.memo):
		e.used++
		e.grow(len(e.memo[e.used-1]))
		return e.memo[e.used-1]
	case len(c.Stmts) == 0:
		return ""
	}
	if s := c.Stmts[0]; len(c.Stmts) == 1 && s.Cmd == nil && len(s.Redirs) == 1 && s.Redirs[0].Op == syntax.RdrIn && e.s.dialect == bash {
		return e.slurp(e.text(s.Redirs[0].Word))
	}
	e.need = c
	return ""
}

// process runs the commands of <( ) first and gives their output as a file.
func (e *expander) process(p *syntax.ProcSubst) string {
	if p.Op != syntax.CmdIn {
		e.r.w.NotSimulated("shell: >( )")
		e.fail("not simulated: >( )")
		return ""
	}
	text := e.command(&syntax.CmdSubst{Stmts: p.Stmts})
	if !e.ok() {
		return ""
	}
	if text != "" {
		text += "\n"
	}
	fd := firstProcessFD
	for e.r.fd(fd) >= 0 {
		fd++
	}
	e.r.setFD(fd, e.r.p.addFile(openFile{kind: fileData, data: []byte(text)}))
	return "/dev/fd/" + strconv.Itoa(fd)
}

// firstProcessFD is the lowest descriptor of a process substitution. They are
// closed at the end of the command.
const firstProcessFD = 60

func (e *expander) slurp(path string) string {
	data, err := e.r.w.ReadFile(e.r.abs(path))
	if err != nil {
		e.r.complain(path + ": " + err.Error())
		e.s.substed = 1
		return ""
	}
	e.s.substed = 0
	return strings.TrimRight(string(data), "\n")
}

// split adds the text of an unquoted expansion, cut at the bytes of IFS.
func (e *expander) split(l *fieldList, s string) {
	e.grow(len(s))
	ifs, set := e.r.dynamic("IFS")
	if !set {
		ifs = " \t\n"
	}
	blank := func(c byte) bool { return strings.IndexByte(ifs, c) >= 0 && (c == ' ' || c == '\t' || c == '\n') }
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && strings.IndexByte(ifs, s[j]) < 0 {
			j++
		}
		l.add(s[i:j], false)
		if j == len(s) {
			return
		}
		for j < len(s) && blank(s[j]) {
			j++
		}
		if j < len(s) && strings.IndexByte(ifs, s[j]) >= 0 {
			l.open = true
			j++
			for j < len(s) && blank(s[j]) {
				j++
			}
		}
		l.close()
		if len(l.done) > maxFields {
			e.fail("more than 100000 words: not simulated")
			return
		}
		i = j
	}
}

func (e *expander) assigns(list []*syntax.Assign, keep bool) []string {
	var env []string
	for _, a := range list {
		if keep {
			e.assignment(a)
			continue
		}
		env = append(env, a.Name.Value+"="+e.value(a))
	}
	return env
}

// value expands the right side of an assignment.
func (e *expander) value(a *syntax.Assign) string {
	text := e.text(a.Value)
	if a.Append {
		text = e.s.text(a.Name.Value) + text
	}
	return text
}
