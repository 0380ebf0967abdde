package workload

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func cmdEcho(c *call) (int, bool) {
	args := c.args
	newline, escape := true, c.t.sh != nil && c.t.sh.dialect == dash
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		letters := args[0][1:]
		if c.t.sh != nil && c.t.sh.dialect == dash {
			if letters != "n" {
				break
			}
		} else if strings.Trim(letters, "neE") != "" {
			break
		}
		for _, l := range letters {
			switch l {
			case 'n':
				newline = false
			case 'e':
				escape = true
			case 'E':
				escape = false
			}
		}
		args = args[1:]
		if c.t.sh != nil && c.t.sh.dialect == dash {
			break
		}
	}
	text := strings.Join(args, " ")
	if escape {
		var stop bool
		if text, stop = escapes(text, false); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	if !c.print(text) {
		return 1, true
	}
	return 0, true
}

// escapes decodes backslash escapes, as echo -e does; ansi takes \nnn without a
// leading zero and \' too, as $'..' does. stop says that \c cut the text.
func escapes(s string, ansi bool) (text string, stop bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte("abefnrtv\\", s[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[j])
			continue
		}
		switch c := s[i]; {
		case c == 'c' && !ansi:
			return b.String(), true
		case c == 'E':
			b.WriteByte(27)
		case c == '0' && !ansi:
			n, v := digits(s[i+1:], 3, 8)
			b.WriteByte(byte(v))
			i += n
		case c >= '0' && c <= '7' && ansi:
			n, v := digits(s[i:], 3, 8)
			b.WriteByte(byte(v))
			i += n - 1
		case c == 'x':
			n, v := digits(s[i+1:], 2, 16)
			if n == 0 {
				b.WriteString(`\x`)
			} else {
				b.WriteByte(byte(v))
			}
			i += n
		case c == 'u' || c == 'U':
			n, v := digits(s[i+1:], map[byte]int{'u': 4, 'U': 8}[c], 16)
			b.WriteRune(rune(v))
			i += n
		case ansi && (c == '\'' || c == '"' || c == '?'):
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

func digits(s string, most, base int) (n, v int) {
	for n < most && n < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] < 'A' {
			d = int(s[n]) - '0'
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return n, v
}

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

// cmdRead reads one line into variables.
func cmdRead(c *call) (int, bool) {
	raw, file, names, o := c.readOptions()
	if o.bad != "" {
		return c.usage(o.bad)
	}
	if file < 0 {
		return c.usage("read error: Bad file descriptor")
	}
	line, ended, ok := c.readLine(file, o.delim, o.count, raw)
	if !ok {
		if o.timeout > 0 && c.pauseUntil(o.timeout) {
			return boolStatus(false), true
		}
		wake := c.t.wake
		c.await(file)
		c.t.wake = wake
		return 0, false
	}
	c.storeFields(line, names, raw, o)
	return boolStatus(!ended), true
}

type readOptions struct {
	delim   byte
	count   int
	timeout float64
	array   string
	bad     string
}

func (c *call) readOptions() (raw bool, file int, names []string, o readOptions) {
	o.delim, file = '\n', c.fd(0)
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && len(args[0]) > 1 {
		a := args[0][1:]
		args = args[1:]
		for i := 0; i < len(a); i++ {
			if a[i] == 'r' || a[i] == 's' || a[i] == 'e' {
				raw = raw || a[i] == 'r'
				continue
			}
			value := a[i+1:]
			if value == "" && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			switch a[i] {
			case 'p', 'i':
			case 'd':
				if o.delim = 0; value != "" {
					o.delim = value[0]
				}
			case 'n', 'N':
				o.count, _ = strconv.Atoi(value)
			case 't':
				o.timeout, _ = strconv.ParseFloat(value, 64)
			case 'u':
				n, _ := strconv.Atoi(value)
				file = c.fd(n)
			case 'a':
				o.array = value
			default:
				o.bad = "illegal option -" + a[i:i+1]
			}
			break
		}
	}
	return raw, file, args, o
}

// pauseUntil waits a number of seconds besides another wait; true when over.
func (c *call) pauseUntil(seconds float64) bool {
	if c.st.until == 0 {
		c.st.until = c.now + secondsToTime(seconds)
	}
	if c.now >= c.st.until {
		return true
	}
	c.t.wake = c.st.until
	return false
}

// readLine takes a line. ended: the input was over before the delimiter. ok is
// false if more input has to come first.
func (c *call) readLine(file int, delim byte, count int, raw bool) (line string, ended, ok bool) {
	data, more := c.peek(file)
	for i := 0; ; {
		j := bytes.IndexByte(data[i:], delim)
		if count > 0 && (j < 0 && len(data) >= count || j >= count) {
			c.take(file, count)
			return string(data[:count]), false, true
		}
		if j < 0 {
			if more && len(data) <= maxVariable {
				return "", false, false
			}
			line = string(data)
			c.take(file, len(data))
			return line, true, true
		}
		end := i + j
		if !raw && escapedAt(data, end) {
			i = end + 1
			continue
		}
		line = string(data[:end])
		c.take(file, end+1)
		return line, false, true
	}
}

func escapedAt(data []byte, end int) bool {
	n := 0
	for end-n > 0 && data[end-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// storeFields splits a line at IFS; the last variable takes the rest.
func (c *call) storeFields(line string, names []string, raw bool, o readOptions) {
	s := c.t.sh
	if len(names) == 0 && o.array == "" {
		names = []string{"REPLY"}
		if raw {
			s.assign("REPLY", line)
			return
		}
	}
	ifs, _ := c.dynamic("IFS")
	limit := len(names)
	if o.array != "" {
		limit = maxFields
	}
	fields := splitRead(line, ifs, limit, raw)
	if o.array != "" {
		s.store(o.array, variable{set: true, isList: true, list: fields})
		return
	}
	for i, name := range names {
		text := ""
		if i < len(fields) {
			text = fields[i]
		}
		if !isName(name) {
			c.complain("read: " + name + ": bad variable name")
			continue
		}
		s.assign(name, text)
	}
}

func splitRead(line, ifs string, limit int, raw bool) []string {
	isSep := func(b byte) bool { return strings.IndexByte(ifs, b) >= 0 }
	isBlank := func(b byte) bool { return isSep(b) && (b == ' ' || b == '\t' || b == '\n') }
	var fields []string
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	for i < len(line) {
		var b []byte
		last := len(fields) == limit-1
		end := 0
		for i < len(line) && (last || !isSep(line[i])) {
			escaped := line[i] == '\\' && !raw && i+1 < len(line)
			if escaped {
				i++
			}
			b = append(b, line[i])
			if escaped || !isBlank(line[i]) {
				end = len(b)
			}
			i++
		}
		if last {
			if b = b[:end]; len(b) > 0 && isSep(b[len(b)-1]) && !isBlank(b[len(b)-1]) && bytes.IndexFunc(b[:len(b)-1], func(r rune) bool { return r < 128 && isSep(byte(r)) }) < 0 {
				b = b[:len(b)-1]
			}
		}
		fields = append(fields, string(b))
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i < len(line) && isSep(line[i]) && !last {
			i++
			for i < len(line) && isBlank(line[i]) {
				i++
			}
		}
	}
	return fields
}

func cmdMapfile(c *call) (int, bool) {
	name, trim := "MAPFILE", false
	for _, a := range c.args {
		if a == "-t" {
			trim = true
		} else if !strings.HasPrefix(a, "-") {
			name = a
		}
	}
	data, more := c.peek(c.fd(0))
	if more && len(data) <= maxVariable {
		c.t.wait, c.t.on = waitEnd, c.fd(0)
		return 0, false
	}
	c.take(c.fd(0), len(data))
	var list []string
	for line := range bytes.Lines(data) {
		if trim {
			line = bytes.TrimSuffix(line, []byte("\n"))
		}
		list = append(list, string(line))
	}
	c.t.sh.store(name, variable{set: true, isList: true, list: list})
	return 0, true
}

func cmdGetopts(c *call) (int, bool) {
	s := c.t.sh
	if len(c.args) < 2 {
		return c.usage("usage: getopts optstring name [arg]")
	}
	spec, name := c.args[0], c.args[1]
	args := s.args
	if len(c.args) > 2 {
		args = c.args[2:]
	}
	text, _ := c.dynamic("OPTIND")
	ind, _ := strconv.Atoi(text)
	ind = max(ind, 1)
	if ind > len(args) || len(args[ind-1]) < 2 || args[ind-1][0] != '-' || args[ind-1] == "--" {
		if ind <= len(args) && args[ind-1] == "--" {
			s.assign("OPTIND", strconv.Itoa(ind+1))
		}
		s.assign(name, "?")
		s.optPos = 0
		return 1, true
	}
	word := args[ind-1]
	pos := max(s.optPos, 1)
	letter := word[pos : pos+1]
	i := strings.Index(spec, letter)
	takes := i >= 0 && letter != ":" && i+1 < len(spec) && spec[i+1] == ':'
	s.optPos = pos + 1
	if s.optPos >= len(word) || takes {
		s.optPos = 0
		ind++
	}
	silent := strings.HasPrefix(spec, ":")
	switch {
	case i < 0 || letter == ":":
		if !silent {
			c.complain("Illegal option -" + letter)
			letter = ""
		}
		s.assign("OPTARG", letter)
		s.assign(name, "?")
	case takes:
		value := word[pos+1:]
		if value == "" && ind <= len(args) {
			value = args[ind-1]
			ind++
		} else if value == "" {
			s.assign(name, map[bool]string{true: ":", false: "?"}[silent])
			s.assign("OPTARG", letter)
			if !silent {
				c.complain("No arg for -" + letter + " option")
			}
			s.assign("OPTIND", strconv.Itoa(ind))
			return 0, true
		}
		s.assign("OPTARG", value)
		s.assign(name, letter)
	default:
		s.assign(name, letter)
	}
	s.assign("OPTIND", strconv.Itoa(ind))
	return 0, true
}

// cmdKill sends signals to processes of the container.
func cmdKill(c *call) (int, bool) {
	sig, args := SIGTERM, c.args
	if len(args) > 0 && args[0] == "-l" {
		c.print(strings.Join(signalNames[1:], " ") + "\n")
		return 0, true
	}
	if len(args) > 1 && (args[0] == "-s" || args[0] == "-n") {
		args = append([]string{"-" + args[1]}, args[2:]...)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		if sig = SignalNumber(args[0][1:]); sig < 0 {
			return c.usage("invalid signal " + strconv.Quote(args[0][1:]))
		}
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.usage("you need to specify whom to kill")
	}
	code := 0
	for _, a := range args {
		if !c.killArg(a, sig) {
			code = 1
		}
	}
	return code, true
}

func (c *call) killArg(arg string, sig int) bool {
	pid, err := strconv.Atoi(strings.TrimPrefix(arg, "%"))
	switch {
	case strings.HasPrefix(arg, "%") && c.t.sh != nil:
		pid = c.t.sh.lastBG
	case err != nil:
		c.errorf("invalid number '" + arg + "'")
		return false
	}
	if pid < -1 || pid == 0 {
		pid = max(-pid, 1)
	}
	if t := c.p.task(pid); t != nil && !t.ended {
		c.signal(t, sig)
		return true
	}
	if c.w.Kill(pid, sig) {
		return true
	}
	switch {
	case c.dialect() == bash:
		c.complain("kill: (" + arg + ") - No such process")
	case c.dialect() == dash:
		c.complain("kill: No such process")
	default:
		c.errorf("can't kill pid " + arg + ": No such process")
	}
	return false
}
