package workload

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func cmdPrintf(c *call) (int, bool) {
	args := c.args
	into := ""
	if len(args) > 1 && args[0] == "-v" && c.dialect() == bash {
		into, args = args[1], args[2:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.usage("usage: printf format [arguments]")
	}
	f := &formatter{c: c, format: args[0], args: args[1:]}
	f.run()
	if into != "" {
		c.t.sh.assign(into, f.out.String())
	} else {
		c.print(f.out.String())
	}
	return f.code, true
}

// formatter is one run of printf, whose format is used again while arguments are
// left.
type formatter struct {
	c      *call
	format string
	args   []string
	out    bytes.Buffer
	code   int
	silent bool // bad numbers are zero without a word
}

func (f *formatter) run() {
	for {
		before := len(f.args)
		if f.once() {
			return
		}
		if len(f.args) == 0 || len(f.args) == before || f.out.Len() > maxVariable {
			return
		}
	}
}

func (f *formatter) next() string {
	if len(f.args) == 0 {
		return ""
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a
}

// once goes through the format. It reports whether \c ended the output.
func (f *formatter) once() bool {
	s := f.format
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\':
			n := escapeLen(s[i:])
			text, stop := escapes(s[i:i+n], true)
			if s[i:i+n] == `\c` {
				stop = true
			}
			if stop {
				return true
			}
			f.out.WriteString(text)
			i += n
		case s[i] == '%' && i+1 < len(s):
			n, stop := f.verb(s[i:])
			if stop {
				return true
			}
			i += n
		default:
			f.out.WriteByte(s[i])
			i++
		}
	}
	return false
}

func escapeLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch c := s[1]; {
	case c >= '0' && c <= '7':
		n, _ := digits(s[1:], 3, 8)
		return 1 + n
	case c == 'x':
		n, _ := digits(s[2:], 2, 16)
		return 2 + n
	case c == 'u':
		n, _ := digits(s[2:], 4, 16)
		return 2 + n
	}
	return 2
}

func (f *formatter) verb(s string) (n int, stop bool) {
	i := 1
	flags := ""
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		flags += s[i : i+1]
		i++
	}
	number := func() int {
		if i < len(s) && s[i] == '*' {
			i++
			v, _ := strconv.Atoi(f.next())
			return min(v, 4096)
		}
		j := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == j {
			return 0
		}
		v, _ := strconv.Atoi(s[j:i])
		return min(v, 4096)
	}
	width, precision := number(), -1
	if i < len(s) && s[i] == '.' {
		i++
		precision = number()
	}
	if width < 0 {
		flags, width = flags+"-", -width
	}
	if i >= len(s) {
		f.out.WriteString(s)
		return len(s), false
	}
	text := ""
	if s[i] == '(' && f.c.dialect() == bash {
		return f.time(s, i)
	}
	switch v := s[i]; v {
	case '%':
		text = "%"
	case 's':
		text = cut(f.next(), precision)
	case 'q':
		text = shellQuote(f.next())
	case 'b':
		text, stop = escapes(f.next(), false)
		text = cut(text, precision)
	case 'c':
		a := f.next()
		text = a[:runeLen(a)]
	case 'd', 'i', 'u', 'o', 'x', 'X':
		text = f.integer(v, flags, precision, width)
	case 'f', 'F', 'e', 'E', 'g', 'G':
		text = f.float(v, flags, precision, width)
	default:
		f.c.errorf("%" + string(v) + ": invalid directive")
		f.code = 1
		return len(s), true
	}
	pad := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if strings.Contains(flags, "-") {
		f.out.WriteString(text + pad)
	} else {
		f.out.WriteString(pad + text)
	}
	return i + 1, stop
}

// time handles %(format)T.
func (f *formatter) time(s string, i int) (int, bool) {
	layout, _, ok := strings.Cut(s[i+1:], ")T")
	if !ok {
		f.out.WriteString(s)
		return len(s), false
	}
	at := f.c.wall().UTC()
	if a := f.next(); a != "" && a != "-1" {
		n, _ := strconv.ParseInt(a, 10, 64)
		at = time.Unix(n, 0).UTC()
	}
	f.out.WriteString(strftime(layout, at))
	return i + 1 + len(layout) + 2, false
}

// shellQuote quotes with backslashes, as %q of bash does.
func shellQuote(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x80 && !isWordByte(c) && strings.IndexByte("-./:=+%@", c) < 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func cut(s string, n int) string {
	if n >= 0 && n < len(s) {
		return s[:n]
	}
	return s
}

func (f *formatter) integer(v byte, flags string, precision, width int) string {
	a := f.next()
	var n int64
	if len(a) > 1 && (a[0] == '\'' || a[0] == '"') {
		c, _ := utf8.DecodeRuneInString(a[1:])
		n = int64(c)
	} else if a != "" {
		var ok bool
		if n, ok = parseNumber(strings.TrimSpace(a) + ""); !ok {
			f.badNumber(a)
			n = leadingNumber(a)
		}
	}
	text := ""
	switch v {
	case 'o':
		text = strconv.FormatUint(uint64(n), 8)
	case 'x', 'X':
		text = strconv.FormatUint(uint64(n), 16)
		if v == 'X' {
			text = strings.ToUpper(text)
		}
	case 'u':
		text = strconv.FormatUint(uint64(n), 10)
	default:
		text = strconv.FormatInt(n, 10)
	}
	return zeroPad(text, flags, max(precision, 0), width, precision >= 0)
}

func (f *formatter) badNumber(a string) {
	if f.silent {
		return
	}
	switch {
	case f.c.dialect() == bash:
		f.c.errorf(a + ": invalid number")
	case f.c.dialect() == dash:
		f.c.errorf(a + ": expected numeric value")
	default:
		f.c.errorf("invalid number '" + a + "'")
	}
	f.code = 1
}

func leadingNumber(s string) int64 {
	i := 0
	for i < len(s) && (isDigit(s[i]) || i == 0 && s[i] == '-') {
		i++
	}
	n, _ := strconv.ParseInt(s[:i], 10, 64)
	return n
}

func zeroPad(text, flags string, digits, width int, precise bool) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	} else if strings.Contains(flags, "+") {
		sign = "+"
	} else if strings.Contains(flags, " ") {
		sign = " "
	}
	if strings.Contains(flags, "0") && !strings.Contains(flags, "-") && !precise {
		digits = width - len(sign)
	}
	return sign + strings.Repeat("0", max(0, digits-len(text))) + text
}

func (f *formatter) float(v byte, flags string, precision, width int) string {
	a := f.next()
	n, err := strconv.ParseFloat(a, 64)
	if err != nil && a != "" {
		f.badNumber(a)
	}
	if precision < 0 {
		precision = 6
	}
	kind := v | 0x20
	text := strconv.FormatFloat(n, kind, precision, 64)
	return zeroPad(text, flags, 0, width, false)
}
