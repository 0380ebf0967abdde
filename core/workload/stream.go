package workload

import (
	"bytes"
	"strings"
)

// scan feeds the lines of files, or of standard input where none is named, to
// each, which reports whether it wants more. It is called again while it returns
// false, and goes on where it was. Lines come without their newline; whole says
// that there was one.
func (c *call) scan(files []string, each func(line string, whole bool) bool) (finished bool) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	for c.st.index < len(files) && !c.t.ended {
		if !c.drained() {
			return false
		}
		if c.st.file == 0 && !c.openInput(files[c.st.index]) {
			c.st.index++
			continue
		}
		file := c.st.file - 1
		data, more := c.peek(file)
		used, stop := 0, false
		for used < len(data) && !stop && !c.t.ended {
			i := bytes.IndexByte(data[used:], '\n')
			if i < 0 {
				if more && len(data)-used < maxVariable {
					break
				}
				stop = !each(string(data[used:]), false)
				used = len(data)
				break
			}
			stop = !each(string(data[used:used+i]), true)
			used += i + 1
		}
		if c.t.ended {
			return false
		}
		c.take(file, used)
		switch {
		case stop:
			c.closeInput()
			c.st.index = len(files)
		case more:
			c.await(file)
			return false
		default:
			c.closeInput()
			c.st.index++
		}
	}
	return !c.t.ended
}

func (c *call) openInput(name string) bool {
	if name == "-" {
		file := c.fd(0)
		if file < 0 {
			return false
		}
		c.p.retain(file)
		c.st.file = file + 1
		return true
	}
	file, err := c.openRead(name)
	if err == nil {
		if info, e := c.w.Stat(c.abs(name)); e == nil && info.IsDir() {
			c.p.release(file)
			err = EISDIR
		}
	}
	if err != nil {
		c.stderr(c.name + ": " + c.fileError(name, err) + "\n")
		c.st.bad = true
		return false
	}
	c.st.file = file + 1
	return true
}

func (c *call) closeInput() {
	c.p.release(c.st.file - 1)
	c.st.file = 0
}

// gather returns all lines of the inputs once they are there.
func (c *call) gather(files []string) (text string, ok bool) {
	done := c.scan(files, func(line string, whole bool) bool {
		c.st.buf = append(c.st.buf, line...)
		if whole {
			c.st.buf = append(c.st.buf, '\n')
		}
		if len(c.st.buf) > maxLog {
			c.p.limit = "10 MiB held by " + c.name
			return false
		}
		return true
	})
	if !done {
		return "", false
	}
	return string(c.st.buf), true
}

// failed is the status of a tool that may have missed a file.
func (c *call) failed() int { return boolStatus(!c.st.bad) }

// options splits arguments into flags and operands. spec lists the letters; one
// followed by ":" takes a value. bad is the first letter that is unknown.
type options struct {
	flags map[byte]bool
	value map[byte]string
	rest  []string
	bad   string
}

func (c *call) options(spec string) options {
	o := options{flags: map[byte]bool{}, value: map[byte]string{}}
	args := c.args
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a == "--":
			o.rest = append(o.rest, args...)
			return o
		case len(a) < 2 || a[0] != '-':
			o.rest = append(o.rest, a)
			continue
		case strings.HasPrefix(a, "--"):
			args = o.long(spec, a[2:], args)
			continue
		}
		args = o.short(spec, a[1:], args)
	}
	return o
}

func (o *options) short(spec, letters string, args []string) []string {
	for i := 0; i < len(letters); i++ {
		at := strings.IndexByte(spec, letters[i])
		if at < 0 || letters[i] == ':' {
			if o.bad == "" {
				o.bad = "-" + letters[i:i+1]
			}
			continue
		}
		o.flags[letters[i]] = true
		if at+1 < len(spec) && spec[at+1] == ':' {
			value := letters[i+1:]
			if value == "" && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			o.value[letters[i]] = value
			return args
		}
	}
	return args
}

// longNames gives the letters of long options that manifests use.
var longNames = map[string]byte{"recursive": 'r', "force": 'f', "parents": 'p', "quiet": 'q', "silent": 'q', "lines": 'n', "bytes": 'c', "follow": 'f', "all": 'a',
	"human-readable": 'h', "ignore-case": 'i', "extended-regexp": 'E', "invert-match": 'v', "count": 'c', "line-number": 'n', "only-matching": 'o', "verbose": 'v',
	"decode": 'd', "delimiter": 'd', "fields": 'f', "reverse": 'r', "unique": 'u', "numeric-sort": 'n', "in-place": 'i', "expression": 'e', "symbolic": 's',
	"directory": 'd', "mode": 'm', "append": 'a', "signal": 's', "kill-after": 'k', "fixed-strings": 'F', "wrap": 'w', "utc": 'u', "date": 'd', "size": 's', "regexp": 'e',
	"word-regexp": 'w', "max-count": 'm', "no-messages": 's', "null": '0', "max-args": 'n', "no-run-if-empty": 'r', "key": 'k', "field-separator": 't', "delete": 'd',
	"quiet-mode": 'q', "interval": 'n', "no-clobber": 'n', "archive": 'a', "retry": 'F', "zero-terminated": 'z', "version": 'V', "iso-8601": 'I', "reference": 'r'}

func (o *options) long(spec, name string, args []string) []string {
	name, value, has := strings.Cut(name, "=")
	letter, ok := longNames[name]
	at := strings.IndexByte(spec, letter)
	if !ok || at < 0 {
		if o.bad == "" {
			o.bad = "--" + name
		}
		return args
	}
	o.flags[letter] = true
	if at+1 < len(spec) && spec[at+1] == ':' {
		if !has && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		o.value[letter] = value
	}
	return args
}

// unknown reports an option that is not simulated.
func (c *call) unknown(o options) (int, bool) { return c.lacks("option " + o.bad) }
