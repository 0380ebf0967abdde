package workload

import (
	"slices"
	"strconv"
	"strings"
)

func textApplet(name string) applet {
	switch name {
	case "grep", "egrep", "fgrep":
		return cmdGrep
	case "head":
		return cmdHead
	case "tail":
		return cmdTail
	case "wc":
		return cmdWc
	case "sort":
		return cmdSort
	case "uniq":
		return cmdUniq
	case "cut":
		return cmdCut
	case "tr":
		return cmdTr
	case "tee":
		return cmdTee
	case "rev":
		return cmdRev
	case "tac":
		return cmdTac
	case "nl":
		return cmdNl
	case "seq":
		return cmdSeq
	case "yes":
		return cmdYes
	case "sed":
		return cmdSed
	case "awk", "gawk", "mawk":
		return cmdAwk
	case "base64":
		return cmdBase64
	case "xargs":
		return cmdXargs
	case "expr":
		return cmdExpr
	case "basename":
		return cmdBasename
	case "dirname":
		return cmdDirname
	case "cmp", "diff":
		return cmdDiff
	case "more", "less":
		return cmdCat
	}
	return nil
}

// countOption reads -n 5, -5, -n +5 and -c 100 of head and tail.
func (c *call) countOption(spec string) (o options, n int64, sign byte, bytes bool, ok bool) {
	args := slices.Clone(c.args)
	for i, a := range args {
		if len(a) > 1 && (a[0] == '-' || a[0] == '+' && c.name == "tail") && isDigit(a[1]) && (i == 0 || args[i-1] != "-n" && args[i-1] != "-c") {
			args[i] = "-n" + strings.TrimPrefix(a, "-")
		}
	}
	inner := *c
	inner.args = args
	o = inner.options(spec)
	text := "10"
	if v, has := o.value['n']; has {
		text = v
	}
	if v, has := o.value['c']; has {
		text, bytes = v, true
	}
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign, text = text[0], text[1:]
	}
	n, ok = parseBlock(text)
	if !ok {
		c.errorf("invalid number '" + text + "'")
	}
	return o, n, sign, bytes, ok
}

func cmdHead(c *call) (int, bool) {
	o, n, sign, bytes, ok := c.countOption("n:c:qv")
	if !ok {
		return 1, true
	}
	if o.bad != "" {
		return c.unknown(o)
	}
	if sign == '-' {
		text, ok := c.gather(o.rest)
		if !ok {
			return 0, false
		}
		lines := strings.SplitAfter(text, "\n")
		lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
		c.print(strings.Join(lines[:max(0, len(lines)-int(n))], ""))
		return c.failed(), true
	}
	many := len(o.rest) > 1 && !o.flags['q']
	done := c.scan(o.rest, func(line string, whole bool) bool {
		if c.st.phase != c.st.index+1 {
			if many {
				c.print(map[bool]string{true: "\n"}[c.st.phase > 0] + "==> " + o.rest[c.st.index] + " <==\n")
			}
			c.st.phase, c.st.n = c.st.index+1, 0
		}
		if whole {
			line += "\n"
		}
		if !bytes {
			if c.st.n >= n {
				return many
			}
			c.st.n++
			return c.print(line) && (c.st.n < n || many)
		}
		line = line[:min(int64(len(line)), n-c.st.n)]
		c.st.n += int64(len(line))
		return c.print(line) && (c.st.n < n || many)
	})
	return c.failed(), done
}

func cmdWc(c *call) (int, bool) {
	o := c.options("lwcmL")
	if o.bad != "" {
		return c.unknown(o)
	}
	if len(c.st.list) == 0 {
		c.st.list = []string{"", "", ""}
	}
	print := func(name string) {
		if c.st.phase == 0 {
			return
		}
		c.wcLine(o, name)
		c.st.phase = 0
	}
	counts := func(line string, whole bool) bool {
		if c.st.phase != c.st.index+1 {
			if c.st.phase > 0 {
				print(nameOf(o.rest, c.st.phase-1))
			}
			c.st.phase, c.st.n, c.st.m, c.st.until = c.st.index+1, 0, 0, 0
		}
		c.st.m += int64(len(strings.Fields(line)))
		c.st.until += simTime(len(line))
		if whole {
			c.st.n++
			c.st.until++
		}
		return true
	}
	if !c.scan(o.rest, counts) {
		return 0, false
	}
	if c.st.phase == 0 && !c.st.bad {
		c.st.phase = max(len(o.rest), 1)
	}
	print(nameOf(o.rest, c.st.phase-1))
	return c.failed(), true
}

func nameOf(files []string, i int) string {
	if i < 0 || i >= len(files) {
		return ""
	}
	return files[i]
}

func (c *call) wcLine(o options, name string) {
	var cols []string
	all := !o.flags['l'] && !o.flags['w'] && !o.flags['c'] && !o.flags['m']
	for _, col := range []struct {
		flag byte
		n    int64
	}{{'l', c.st.n}, {'w', c.st.m}, {'c', int64(c.st.until)}} {
		if all || o.flags[col.flag] || col.flag == 'c' && o.flags['m'] {
			cols = append(cols, strconv.FormatInt(col.n, 10))
		}
	}
	if len(cols) > 1 {
		width := 9
		if c.gnu() {
			width = 7
		}
		for i := range cols {
			cols[i] = strings.Repeat(" ", max(0, width-len(cols[i]))) + cols[i]
		}
	}
	line := strings.Join(cols, " ")
	if name != "" && name != "-" {
		line += " " + name
	}
	c.print(line + "\n")
}

func cmdCut(c *call) (int, bool) {
	o := c.options("d:f:c:b:sn")
	if o.bad != "" {
		return c.unknown(o)
	}
	spec, fields := o.value['f'], true
	if v := o.value['c'] + o.value['b']; v != "" {
		spec, fields = v, false
	}
	delim := "\t"
	if d := o.value['d']; d != "" {
		delim = d
	}
	wanted, ok := parseRanges(spec)
	if !ok {
		c.errorf("invalid list '" + spec + "'")
		return 1, true
	}
	done := c.scan(o.rest, func(line string, _ bool) bool {
		if !fields {
			var b strings.Builder
			for i, r := range []rune(line) {
				if wanted(i + 1) {
					b.WriteRune(r)
				}
			}
			return c.print(b.String() + "\n")
		}
		if !strings.Contains(line, delim) {
			return o.flags['s'] || c.print(line+"\n")
		}
		var keep []string
		for i, f := range strings.Split(line, delim) {
			if wanted(i + 1) {
				keep = append(keep, f)
			}
		}
		return c.print(strings.Join(keep, delim) + "\n")
	})
	return c.failed(), done
}

// parseRanges reads 1,3-5,7-.
func parseRanges(spec string) (func(int) bool, bool) {
	type span struct{ low, high int }
	var list []span
	for _, part := range strings.Split(spec, ",") {
		low, high, dash := strings.Cut(part, "-")
		a, errA := strconv.Atoi(low)
		b, errB := strconv.Atoi(high)
		switch {
		case !dash && errA == nil:
			b = a
		case dash && high == "" && errA == nil:
			b = 1 << 30
		case dash && low == "" && errB == nil:
			a = 1
		case errA != nil || errB != nil:
			return nil, false
		}
		list = append(list, span{a, b})
	}
	return func(n int) bool {
		return slices.ContainsFunc(list, func(s span) bool { return s.low <= n && n <= s.high })
	}, true
}

func cmdTr(c *call) (int, bool) {
	o := c.options("dscC")
	if o.bad != "" || len(o.rest) == 0 {
		return c.unknown(o)
	}
	from := trSet(o.rest[0])
	if o.flags['c'] || o.flags['C'] {
		var rest []byte
		for b := range 256 {
			if !slices.Contains(from, byte(b)) {
				rest = append(rest, byte(b))
			}
		}
		from = rest
	}
	var to []byte
	if len(o.rest) > 1 {
		to = trSet(o.rest[1])
	}
	squeeze := from
	if len(to) > 0 {
		squeeze = to
	}
	last := c.st.m - 1
	done := c.scan(nil, func(line string, whole bool) bool {
		if whole {
			line += "\n"
		}
		out := make([]byte, 0, len(line))
		for i := 0; i < len(line); i++ {
			b := line[i]
			at := slices.Index(from, b)
			switch {
			case at >= 0 && o.flags['d']:
				continue
			case at >= 0 && len(to) > 0:
				b = to[min(at, len(to)-1)]
			}
			if o.flags['s'] && int64(b) == last && slices.Contains(squeeze, b) {
				continue
			}
			last = int64(b)
			out = append(out, b)
		}
		c.st.m = last + 1
		return c.print(string(out))
	})
	return 0, done
}

// trSet expands a-z, [:upper:] and escapes of tr.
func trSet(s string) []byte {
	s, _ = escapes(s, true)
	var out []byte
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "[:") {
			if e := strings.Index(s[i:], ":]"); e > 1 {
				for b := range 128 {
					if inClass(s[i+2:i+e], rune(b)) {
						out = append(out, byte(b))
					}
				}
				i += e + 1
				continue
			}
		}
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for b := int(s[i]); b <= int(s[i+2]); b++ {
				out = append(out, byte(b))
			}
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}

func cmdTee(c *call) (int, bool) {
	o := c.options("ai")
	if c.st.phase == 0 {
		c.st.phase = 1
		for _, f := range o.rest {
			file, err := c.openWrite(f, o.flags['a'])
			if err != nil {
				c.warn(f + ": " + err.Error())
				continue
			}
			c.p.release(file)
		}
	}
	done := c.scan(nil, func(line string, whole bool) bool {
		if whole {
			line += "\n"
		}
		for _, f := range o.rest {
			if file, err := c.openWrite(f, true); err == nil {
				c.write(file, []byte(line))
				c.p.release(file)
			}
		}
		return c.print(line)
	})
	return c.failed(), done
}
