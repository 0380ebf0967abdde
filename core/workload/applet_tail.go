package workload

import (
	"strings"

	"podwalk/core/sim"
)

// cmdTail prints the end of files, and with -f what is added to them.
func cmdTail(c *call) (int, bool) {
	o, n, sign, bytes, ok := c.countOption("n:c:fFqvs:r")
	if !ok {
		return 1, true
	}
	if o.bad != "" {
		return c.unknown(o)
	}
	follow := o.flags['f'] || o.flags['F']
	if len(o.rest) > 0 && isDevice(c.abs(o.rest[0])) {
		return c.tailDevice(c.abs(o.rest[0]), follow)
	}
	if c.st.phase == 0 {
		if follow && len(o.rest) > 0 {
			return c.startFollow(o, n, sign, bytes)
		}
		text, ok := c.gather(o.rest)
		if !ok {
			return 0, false
		}
		c.print(lastPart(text, n, sign, bytes))
		return c.failed(), true
	}
	return c.follow(o)
}

// tailDevice waits for ever on /dev/null; on /dev/zero, which has no end of line,
// it holds more and more.
func (c *call) tailDevice(path string, follow bool) (int, bool) {
	switch {
	case path == "/dev/zero":
		if c.st.phase == 0 {
			c.st.phase = 1
			c.t.mem = memory{from: c.now, to: c.now + 100*sim.Second, start: 1 << 20, end: 100 << 30}
		}
		return c.forever()
	case follow:
		return c.forever()
	}
	return 0, true
}

func lastPart(text string, n int64, sign byte, bytes bool) string {
	if bytes {
		if sign == '+' {
			return text[min(max(n-1, 0), int64(len(text))):]
		}
		return text[max(0, int64(len(text))-n):]
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from := max(0, int64(len(lines))-n)
	if sign == '+' {
		from = min(max(n-1, 0), int64(len(lines)))
	}
	return strings.Join(lines[from:], "")
}

// startFollow prints the ends and remembers in state.list how far each file was
// read.
func (c *call) startFollow(o options, n int64, sign byte, bytes bool) (int, bool) {
	c.st.phase = 1
	found := 0
	for _, f := range o.rest {
		c.look()
		data, err := c.w.ReadFile(c.abs(f))
		if err != nil {
			if c.gnu() {
				c.warn("cannot open '" + f + "' for reading: " + err.Error())
			} else {
				c.warn("can't open '" + f + "': " + err.Error())
			}
			c.st.list = append(c.st.list, "-1")
			continue
		}
		found++
		if len(o.rest) > 1 && !o.flags['q'] {
			c.print("==> " + f + " <==\n")
		}
		c.print(lastPart(string(data), n, sign, bytes))
		c.st.list = append(c.st.list, itoa(len(data)))
	}
	if found == 0 && !o.flags['F'] {
		if c.gnu() {
			c.stderr("tail: no files remaining\n")
		} else {
			c.stderr("tail: no files\n")
		}
		return 1, true
	}
	c.t.wait, c.t.wake = waitTime, c.now+sim.Second
	return 0, false
}

// follow looks once a second, as tail does, at what was added.
func (c *call) follow(o options) (int, bool) {
	for i, f := range o.rest {
		c.look()
		seen := atoi(c.st.list[i])
		if seen < 0 && !o.flags['F'] {
			continue
		}
		data, err := c.w.ReadFile(c.abs(f))
		if err != nil {
			if o.flags['F'] && seen >= 0 {
				c.st.list[i] = "-1"
				c.stderr("tail: '" + f + "' has become inaccessible: " + err.Error() + "\n")
			}
			continue
		}
		if seen < 0 {
			c.stderr("tail: '" + f + "' has appeared;  following new file\n")
			seen = 0
		}
		if len(data) < seen {
			c.stderr("tail: " + f + ": file truncated\n")
			seen = 0
		}
		if len(data) > seen {
			c.print(string(data[seen:]))
		}
		c.st.list[i] = itoa(len(data))
	}
	if c.t.ended {
		return 0, false
	}
	c.t.wait, c.t.wake = waitTime, c.now+sim.Second
	return 0, false
}
