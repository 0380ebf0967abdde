package workload

import (
	"regexp"
	"strconv"
	"strings"
)

// sedCommand is one command of a sed script: an address, a letter, arguments.
type sedCommand struct {
	from, to sedAddress
	negate   bool
	letter   byte
	re       *regexp.Regexp
	with     string
	global   bool
	print    bool
	nth      int
	text     string
}

type sedAddress struct {
	kind byte // 0 none, n line, $ last, / pattern
	line int
	re   *regexp.Regexp
}

// sedParser reads a script; fault is set at the first thing that is not simulated.
type sedParser struct {
	s        string
	extended bool
	fault    string
}

func (p *sedParser) parse() []sedCommand {
	var list []sedCommand
	for p.fault == "" {
		p.s = strings.TrimLeft(p.s, " \t\n;")
		if p.s == "" || p.s[0] == '#' {
			return list
		}
		list = append(list, p.command())
	}
	return list
}

func (p *sedParser) command() (c sedCommand) {
	c.from = p.address()
	if strings.HasPrefix(p.s, ",") {
		p.s = p.s[1:]
		c.to = p.address()
	}
	p.s = strings.TrimLeft(p.s, " \t")
	if strings.HasPrefix(p.s, "!") {
		c.negate = true
		p.s = strings.TrimLeft(p.s[1:], " \t")
	}
	if p.s == "" {
		p.fault = "missing command"
		return c
	}
	c.letter = p.s[0]
	p.s = p.s[1:]
	switch c.letter {
	case 's':
		p.substitute(&c)
	case 'd', 'p', 'q', '=', 'D', 'n':
	case 'a', 'i', 'c':
		p.text(&c)
	case 'y':
		p.transliterate(&c)
	default:
		p.fault = "command " + string(rune(c.letter))
	}
	return c
}

func (p *sedParser) text(c *sedCommand) {
	rest := strings.TrimLeft(p.s, " \t")
	if r, ok := strings.CutPrefix(rest, "\\"); ok {
		rest = strings.TrimPrefix(r, "\n")
	}
	c.text, p.s, _ = strings.Cut(rest, "\n")
}

func (p *sedParser) address() (a sedAddress) {
	switch {
	case p.s == "":
	case p.s[0] == '$':
		a.kind, p.s = '$', p.s[1:]
	case isDigit(p.s[0]):
		n := 0
		for n < len(p.s) && isDigit(p.s[n]) {
			n++
		}
		a.kind = 'n'
		a.line, _ = strconv.Atoi(p.s[:n])
		p.s = p.s[n:]
	case p.s[0] == '/':
		p.s = p.s[1:]
		a.kind, a.re = '/', p.regex(p.until('/'), false)
	}
	return a
}

// until takes the text up to an unescaped delimiter.
func (p *sedParser) until(delim byte) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(p.s); i++ {
		c := p.s[i]
		switch {
		case c == '\\' && i+1 < len(p.s):
			if p.s[i+1] != delim {
				b.WriteByte(c)
			}
			i++
			c = p.s[i]
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == delim && !class || c == delim && delim != '/':
			p.s = p.s[i+1:]
			return b.String()
		}
		b.WriteByte(c)
	}
	p.fault = "unterminated command"
	p.s = ""
	return ""
}

func (p *sedParser) regex(text string, fold bool) *regexp.Regexp {
	re, err := compileRegex(text, p.extended, fold)
	if err != nil && p.fault == "" {
		p.fault = "regular expression " + text
	}
	return re
}

func (p *sedParser) substitute(c *sedCommand) {
	if p.s == "" {
		p.fault = "unterminated s"
		return
	}
	delim := p.s[0]
	p.s = p.s[1:]
	pattern := p.until(delim)
	c.with = p.replacement(delim)
	fold := false
	for p.s != "" {
		f := p.s[0]
		switch {
		case f == 'g':
			c.global = true
		case f == 'p':
			c.print = true
		case f == 'i' || f == 'I':
			fold = true
		case isDigit(f):
			c.nth = int(f - '0')
		default:
			c.re = p.regex(pattern, fold)
			return
		}
		p.s = p.s[1:]
	}
	c.re = p.regex(pattern, fold)
}

// replacement takes the text up to the delimiter and keeps its escapes.
func (p *sedParser) replacement(delim byte) string {
	for i := 0; i < len(p.s); i++ {
		switch p.s[i] {
		case '\\':
			i++
		case delim:
			text := p.s[:i]
			p.s = p.s[i+1:]
			if delim != '\\' && delim != '&' {
				text = strings.ReplaceAll(text, `\`+string(rune(delim)), string(rune(delim)))
			}
			return text
		}
	}
	p.fault = "unterminated s"
	p.s = ""
	return ""
}

func (p *sedParser) transliterate(c *sedCommand) {
	if p.s == "" {
		p.fault = "unterminated y"
		return
	}
	delim := p.s[0]
	p.s = p.s[1:]
	c.text, c.with = p.until(delim), p.until(delim)
	if len(c.text) != len(c.with) {
		p.fault = "y of unequal lengths"
	}
}

// sedRun is the state of a script over its lines.
type sedRun struct {
	commands []sedCommand
	active   []bool
	quiet    bool
	out      strings.Builder
	quit     bool
}

func (r *sedRun) line(n int, line string, last bool) {
	print := true
	var after string
	for i := range r.commands {
		c := &r.commands[i]
		if r.selected(i, n, line, last) == c.negate {
			continue
		}
		switch c.letter {
		case 's':
			text, hit := c.apply(line)
			line = text
			if hit && c.print {
				r.out.WriteString(line + "\n")
			}
		case 'd', 'D':
			r.out.WriteString(after)
			return
		case 'p':
			r.out.WriteString(line + "\n")
		case '=':
			r.out.WriteString(strconv.Itoa(n) + "\n")
		case 'q':
			r.quit = true
		case 'i':
			r.out.WriteString(c.text + "\n")
		case 'a':
			after += c.text + "\n"
		case 'c':
			r.out.WriteString(c.text + "\n")
			print = false
		case 'y':
			b := []byte(line)
			for k := range b {
				if at := strings.IndexByte(c.text, b[k]); at >= 0 {
					b[k] = c.with[at]
				}
			}
			line = string(b)
		}
		if r.quit || !print {
			break
		}
	}
	if print && !r.quiet {
		r.out.WriteString(line + "\n")
	}
	r.out.WriteString(after)
}

func (r *sedRun) selected(i, n int, line string, last bool) bool {
	c := &r.commands[i]
	hit := func(a sedAddress) bool {
		switch a.kind {
		case 'n':
			return a.line == n
		case '$':
			return last
		case '/':
			return a.re.MatchString(line)
		}
		return true
	}
	if c.to.kind == 0 {
		return hit(c.from)
	}
	if r.active[i] {
		if hit(c.to) || c.to.kind == 'n' && n >= c.to.line {
			r.active[i] = false
		}
		return true
	}
	if hit(c.from) {
		r.active[i] = !(c.to.kind == 'n' && c.to.line <= n)
		return true
	}
	return false
}

// apply replaces in a line.
func (c *sedCommand) apply(line string) (string, bool) {
	limit := -1
	if !c.global && c.nth <= 1 {
		limit = 1
	}
	hits := c.re.FindAllStringSubmatchIndex(line, limit)
	if len(hits) == 0 {
		return line, false
	}
	var b strings.Builder
	at, changed := 0, false
	for k, hit := range hits {
		b.WriteString(line[at:hit[0]])
		if c.nth > 1 && (k+1 < c.nth || k+1 > c.nth && !c.global) {
			b.WriteString(line[hit[0]:hit[1]])
		} else {
			sedExpand(&b, c.with, line, hit)
			changed = true
		}
		at = hit[1]
		if b.Len() > maxVariable {
			break
		}
	}
	b.WriteString(line[at:])
	return b.String(), changed
}

func sedExpand(b *strings.Builder, with, line string, hit []int) {
	group := func(n int) {
		if 2*n+1 < len(hit) && hit[2*n] >= 0 {
			b.WriteString(line[hit[2*n]:hit[2*n+1]])
		}
	}
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '&':
			group(0)
		case c == '\\' && i+1 < len(with):
			i++
			switch d := with[i]; {
			case isDigit(d):
				group(int(d - '0'))
			case d == 'n':
				b.WriteByte('\n')
			case d == 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(d)
			}
		default:
			b.WriteByte(c)
		}
	}
}

func cmdSed(c *call) (int, bool) {
	inPlace := false
	inner := *c
	inner.args = nil
	var scripts []string
	for i := 0; i < len(c.args); i++ {
		switch a := c.args[i]; {
		case strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place"):
			inPlace = true
		case a == "--":
		case (a == "-e" || a == "--expression" || a == "-f") && i+1 < len(c.args):
			i++
			text := c.args[i]
			if a == "-f" {
				data, err := c.w.ReadFile(c.abs(text))
				if err != nil {
					c.errorf("couldn't open file " + text + ": " + err.Error())
					return 1, true
				}
				text = string(data)
			}
			scripts = append(scripts, text)
		default:
			inner.args = append(inner.args, a)
		}
	}
	o := inner.options("nErsuzb")
	if o.bad != "" {
		return c.unknown(o)
	}
	if len(scripts) == 0 {
		if len(o.rest) == 0 {
			return c.usage("no script")
		}
		scripts, o.rest = o.rest[:1], o.rest[1:]
	}
	p := &sedParser{s: strings.Join(scripts, "\n"), extended: o.flags['E'] || o.flags['r']}
	commands := p.parse()
	switch {
	case strings.HasPrefix(p.fault, "unterminated"):
		if c.gnu() {
			c.errorf("-e expression #1, char " + strconv.Itoa(len(scripts[0])) + ": unterminated `s' command")
		} else {
			c.errorf("unmatched '/'")
		}
		return 1, true
	case p.fault != "":
		return c.lacks(p.fault)
	}
	r := &sedRun{commands: commands, active: make([]bool, len(commands)), quiet: o.flags['n']}
	if inPlace {
		return c.sedInPlace(r, o.rest)
	}
	return c.sedStream(r, o.rest)
}

// sedStream edits line by line unless an address needs what is before or behind.
func (c *call) sedStream(r *sedRun, files []string) (int, bool) {
	simple := true
	for _, cmd := range r.commands {
		simple = simple && cmd.from.kind != '$' && cmd.to.kind == 0
	}
	if !simple {
		text, ok := c.gather(files)
		if !ok {
			return 0, false
		}
		c.print(r.all(text))
		return c.failed(), true
	}
	done := c.scan(files, func(line string, whole bool) bool {
		c.st.n++
		r.out.Reset()
		r.line(int(c.st.n), line, false)
		text := r.out.String()
		if !whole {
			text = strings.TrimSuffix(text, "\n")
		}
		return c.print(text) && !r.quit
	})
	return c.failed(), done
}

func (r *sedRun) all(text string) string {
	lines := splitLines(text)
	r.out.Reset()
	for i, l := range lines {
		r.line(i+1, l, i == len(lines)-1)
		if r.quit {
			break
		}
	}
	return r.out.String()
}

func (c *call) sedInPlace(r *sedRun, files []string) (int, bool) {
	c.act()
	for _, f := range files {
		data, err := c.w.ReadFile(c.abs(f))
		if err == nil {
			err = c.w.WriteFile(c.abs(f), []byte(r.all(string(data))), false)
			if err == EROFS || err == EACCES {
				if c.gnu() {
					c.warn("couldn't open temporary file " + f[:strings.LastIndexByte(f, '/')+1] + "sedAbCdEf: " + err.Error())
					return 4, true
				}
			}
		}
		if err != nil {
			c.warn(c.fileError(f, err))
		}
	}
	return c.failed(), true
}
