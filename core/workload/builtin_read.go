package workload

import (
	"bytes"
	"strconv"
	"strings"
)

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
	for _, line := range bytes.SplitAfter(data, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if trim {
			line = bytes.TrimSuffix(line, []byte("\n"))
		}
		list = append(list, string(line))
	}
	c.t.sh.store(name, variable{set: true, isList: true, list: list})
	return 0, true
}
