package workload

import (
	"regexp"
	"strconv"
	"strings"
)

// grepper is what a call of grep looks for.
type grepper struct {
	list   []*regexp.Regexp
	fixed  []string
	invert bool
	fold   bool
}

func (g *grepper) match(s string) bool {
	hit := false
	for _, re := range g.list {
		hit = hit || re.MatchString(s)
	}
	for _, f := range g.fixed {
		if g.fold {
			hit = hit || strings.Contains(strings.ToLower(s), strings.ToLower(f))
		} else {
			hit = hit || strings.Contains(s, f)
		}
	}
	return hit != g.invert
}

func (c *call) grepper(o options) (*grepper, string, bool) {
	pattern, ok := o.value['e']
	if !ok {
		if len(o.rest) == 0 {
			return nil, "missing pattern", false
		}
		pattern = o.rest[0]
	}
	g := &grepper{invert: o.flags['v'], fold: o.flags['i']}
	for _, p := range strings.Split(pattern, "\n") {
		if (o.flags['F'] || c.name == "fgrep") && !o.flags['w'] && !o.flags['x'] {
			g.fixed = append(g.fixed, p)
			continue
		}
		extended := o.flags['E'] || o.flags['P'] || c.name == "egrep"
		if o.flags['F'] || c.name == "fgrep" {
			p, extended = regexp.QuoteMeta(p), true
		}
		text, ok := translateRegex(p, extended)
		if !ok {
			return nil, "back references are not simulated", false
		}
		if o.flags['w'] {
			text = `\b(?:` + text + `)\b`
		}
		if o.flags['x'] {
			text = `^(?:` + text + `)$`
		}
		if o.flags['i'] {
			text = "(?i)" + text
		}
		re, err := regexp.Compile(text)
		if err != nil || len(p) > maxRegex {
			return nil, "bad regex '" + p + "'", false
		}
		re.Longest()
		g.list = append(g.list, re)
	}
	return g, "", true
}

func cmdGrep(c *call) (int, bool) {
	o := c.options("EFPivnclqosrRHhwxae:m:A:B:C:zI")
	if o.bad != "" {
		return c.unknown(o)
	}
	g, fault, ok := c.grepper(o)
	if !ok {
		c.errorf(fault)
		return 2, true
	}
	files := o.rest
	if _, ok := o.value['e']; !ok {
		files = files[1:]
	}
	if (o.flags['r'] || o.flags['R']) && len(c.st.list) == 0 {
		c.st.list = c.tree(files)
	}
	if len(c.st.list) > 0 {
		files = c.st.list
	}
	names := (len(files) > 1 || o.flags['r'] || o.flags['R'] || o.flags['H']) && !o.flags['h']
	p := &grepPrinter{c: c, o: o, g: g, names: names, files: files}
	p.after, _ = strconv.Atoi(o.value['A'])
	if n, err := strconv.Atoi(o.value['C']); err == nil {
		p.after = n
	}
	p.most, _ = strconv.ParseInt(o.value['m'], 10, 64)
	done := c.scan(files, p.line)
	if !done {
		return 0, false
	}
	p.summary()
	if c.st.bad && !o.flags['q'] {
		return 2, true
	}
	return boolStatus(c.st.m > 0), true
}

// grepPrinter prints the matches. state.m counts them all, state.n those of the
// file number state.phase-1, state.until the lines still to print after one.
type grepPrinter struct {
	c     *call
	o     options
	g     *grepper
	names bool
	files []string
	after int
	most  int64
}

func (p *grepPrinter) line(line string, _ bool) bool {
	c, st := p.c, p.c.st
	if st.phase != st.index+1 {
		if st.phase > 0 {
			p.summary()
		}
		st.phase, st.n, st.child = st.index+1, 0, 0
	}
	st.child++
	name := ""
	if p.names && len(p.files) > 0 {
		name = p.files[st.index] + ":"
	}
	number := ""
	if p.o.flags['n'] {
		number = strconv.Itoa(st.child) + ":"
	}
	if !p.g.match(line) {
		if st.until > 0 && !p.silent() {
			st.until--
			return c.print(line + "\n")
		}
		return true
	}
	st.n++
	st.m++
	switch {
	case p.o.flags['q']:
		return false
	case p.silent():
	case p.o.flags['o'] && len(p.g.list) > 0:
		for _, re := range p.g.list {
			for _, hit := range re.FindAllString(line, -1) {
				if hit != "" && !c.print(name+number+hit+"\n") {
					return false
				}
			}
		}
	default:
		st.until = 0
		for range p.after {
			st.until++
		}
		if !c.print(name + number + line + "\n") {
			return false
		}
	}
	return p.most == 0 || st.n < p.most
}

func (p *grepPrinter) silent() bool { return p.o.flags['c'] || p.o.flags['l'] || p.o.flags['q'] }

// summary ends a file: its count or its name.
func (p *grepPrinter) summary() {
	st := p.c.st
	if st.phase == 0 && !p.o.flags['c'] {
		return
	}
	name := "(standard input)"
	if i := st.phase - 1; i >= 0 && i < len(p.files) {
		name = p.files[i]
	}
	switch {
	case p.o.flags['c'] && p.names:
		p.c.print(name + ":" + strconv.FormatInt(st.n, 10) + "\n")
	case p.o.flags['c']:
		p.c.print(strconv.FormatInt(st.n, 10) + "\n")
	case p.o.flags['l'] && st.n > 0:
		p.c.print(name + "\n")
	}
	st.n = 0
}

// tree lists the plain files below directories.
func (c *call) tree(roots []string) []string {
	if len(roots) == 0 {
		roots = []string{"."}
	}
	q := &finder{c: c, max: maxTree, exec: []string{""}}
	q.tests = append(q.tests, func(_ string, i FileInfo) bool { return i.Mode&modeType == ModeRegular && i.Program == "" })
	for _, root := range roots {
		if info, err := c.w.Stat(c.abs(root)); err == nil {
			q.visit(root, info, 0)
		}
	}
	if len(q.found) == 0 {
		return []string{"/dev/null"}
	}
	return q.found
}
