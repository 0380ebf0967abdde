package workload

import (
	"strconv"
	"strings"
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
