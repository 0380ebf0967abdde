package workload

import (
	"encoding/base64"
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/sim"
)

func simTime(n int) sim.Time { return sim.Time(n) }

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (c *call) printLines(lines []string) {
	if len(lines) > 0 {
		c.print(strings.Join(lines, "\n") + "\n")
	}
}

func cmdSort(c *call) (int, bool) {
	o := c.options("rnufk:t:hVbso:c")
	if o.bad != "" {
		return c.unknown(o)
	}
	text, ok := c.gather(o.rest)
	if !ok {
		return 0, false
	}
	key, _ := strconv.Atoi(strings.TrimRight(strings.SplitN(o.value['k'], ",", 2)[0], "nrbfhV"))
	numeric := o.flags['n'] || o.flags['h'] || strings.Contains(o.value['k'], "n")
	reverse := o.flags['r'] || strings.Contains(o.value['k'], "r")
	field := func(s string) string {
		if key < 1 {
			return s
		}
		parts := strings.Fields(s)
		if sep := o.value['t']; sep != "" {
			parts = strings.Split(s, sep)
		}
		return strings.Join(parts[min(key-1, len(parts)):], " ")
	}
	compare := func(a, b string) int {
		x, y := field(a), field(b)
		n := strings.Compare(x, y)
		if o.flags['f'] {
			n = strings.Compare(strings.ToLower(x), strings.ToLower(y))
		}
		if numeric {
			p, q := leadingFloat(x), leadingFloat(y)
			switch {
			case p < q:
				n = -1
			case p > q:
				n = 1
			case !o.flags['u']:
				n = strings.Compare(a, b)
			default:
				n = 0
			}
		}
		if reverse {
			n = -n
		}
		return n
	}
	lines := splitLines(text)
	sort.SliceStable(lines, func(i, j int) bool { return compare(lines[i], lines[j]) < 0 })
	if o.flags['u'] {
		kept := lines[:0]
		for _, l := range lines {
			if len(kept) == 0 || compare(kept[len(kept)-1], l) != 0 {
				kept = append(kept, l)
			}
		}
		lines = kept
	}
	c.printLines(lines)
	return c.failed(), true
}

func leadingFloat(s string) float64 {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '.' || i == 0 && (s[i] == '-' || s[i] == '+')) {
		i++
	}
	f, _ := strconv.ParseFloat(s[:i], 64)
	return f
}

func cmdUniq(c *call) (int, bool) {
	o := c.options("cdui")
	if o.bad != "" {
		return c.unknown(o)
	}
	text, ok := c.gather(o.rest)
	if !ok {
		return 0, false
	}
	lines := splitLines(text)
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && (lines[j] == lines[i] || o.flags['i'] && strings.EqualFold(lines[j], lines[i])) {
			j++
		}
		n := strconv.Itoa(j - i)
		switch {
		case o.flags['d'] && j-i < 2, o.flags['u'] && j-i > 1:
		case o.flags['c']:
			c.print(strings.Repeat(" ", max(0, 7-len(n))) + n + " " + lines[i] + "\n")
		default:
			c.print(lines[i] + "\n")
		}
		i = j
	}
	return c.failed(), true
}

func cmdTac(c *call) (int, bool) {
	text, ok := c.gather(c.args)
	if !ok {
		return 0, false
	}
	lines := splitLines(text)
	slices.Reverse(lines)
	c.printLines(lines)
	return c.failed(), true
}

func cmdRev(c *call) (int, bool) {
	done := c.scan(c.args, func(line string, whole bool) bool {
		runes := []rune(line)
		slices.Reverse(runes)
		text := string(runes)
		if whole {
			text += "\n"
		}
		return c.print(text)
	})
	return c.failed(), done
}

func cmdNl(c *call) (int, bool) {
	done := c.scan(c.options("bw:s:").rest, func(line string, _ bool) bool {
		if line == "" {
			return c.print("       \n")
		}
		c.st.n++
		n := strconv.FormatInt(c.st.n, 10)
		return c.print(strings.Repeat(" ", max(0, 6-len(n))) + n + "\t" + line + "\n")
	})
	return c.failed(), done
}

func cmdSeq(c *call) (int, bool) {
	args, sep, width := c.args, "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && !isDigit(args[0][1]) && args[0][1] != '.' {
		switch {
		case args[0] == "-w":
			width = true
		case args[0] == "-s" && len(args) > 1:
			sep, args = args[1], args[1:]
		case strings.HasPrefix(args[0], "-s"):
			sep = args[0][2:]
		default:
			return c.lacks("option " + args[0])
		}
		args = args[1:]
	}
	nums := []float64{1, 1, 1}
	digits := 0
	for i, a := range args {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil || i > 2 {
			c.errorf("invalid number '" + a + "'")
			return 1, true
		}
		if _, frac, ok := strings.Cut(a, "."); ok {
			digits = max(digits, len(frac))
		}
		nums[i] = f
	}
	first, step, last := 1.0, 1.0, nums[0]
	switch len(args) {
	case 0:
		c.errorf("missing operand")
		return 1, true
	case 2:
		first, last = nums[0], nums[1]
	case 3:
		first, step, last = nums[0], nums[1], nums[2]
	}
	return c.sequence(first, step, last, digits, sep, width)
}

func (c *call) sequence(first, step, last float64, digits int, sep string, width bool) (int, bool) {
	if step == 0 || (last-first)/step > 1e6 {
		return c.lacks("more than a million numbers")
	}
	var list []string
	most := 0
	for n := 0; ; n++ {
		v := first + float64(n)*step
		if step > 0 && v > last+1e-9 || step < 0 && v < last-1e-9 {
			break
		}
		text := strconv.FormatFloat(v, 'f', digits, 64)
		most = max(most, len(text))
		list = append(list, text)
	}
	for i := range list {
		if width {
			list[i] = zeroPad(list[i], "0", 0, most, false)
		}
	}
	if len(list) > 0 {
		c.print(strings.Join(list, sep) + "\n")
	}
	return 0, true
}

// cmdYes writes a chunk each millisecond, as long as somebody reads.
func cmdYes(c *call) (int, bool) {
	word := "y"
	if len(c.args) > 0 {
		word = strings.Join(c.args, " ")
	}
	if !c.drained() {
		return 0, false
	}
	chunk := strings.Repeat(word+"\n", max(1, 4096/(len(word)+1)))
	if c.print(chunk) {
		c.t.wait, c.t.wake = waitTime, c.now+sim.Millisecond
	}
	c.work(1)
	return 0, false
}

func cmdBase64(c *call) (int, bool) {
	o := c.options("dDw:i")
	text, ok := c.gather(o.rest)
	if !ok {
		return 0, false
	}
	if o.flags['d'] || o.flags['D'] {
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		c.print(string(data))
		if err != nil {
			c.errorf("invalid input")
			return 1, true
		}
		return c.failed(), true
	}
	out := base64.StdEncoding.EncodeToString([]byte(text))
	wrap := 76
	if v, ok := o.value['w']; ok {
		wrap, _ = strconv.Atoi(v)
	}
	for wrap > 0 && len(out) > wrap {
		c.print(out[:wrap] + "\n")
		out = out[wrap:]
	}
	if wrap > 0 && out != "" {
		out += "\n"
	}
	c.print(out)
	return c.failed(), true
}

// cmdXargs runs a command with words from standard input.
func cmdXargs(c *call) (int, bool) {
	o, command := c.xargsOptions()
	if o.bad != "" {
		return c.unknown(o)
	}
	if c.st.phase == 0 {
		text, ok := c.gather(nil)
		if !ok {
			return 0, false
		}
		c.st.phase = 1
		switch {
		case o.flags['0']:
			c.st.list = strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
		case o.flags['I']:
			c.st.list = splitLines(text)
		default:
			c.st.list = strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(text))
		}
		c.st.index, c.st.m = 0, 0
	}
	size := len(c.st.list)
	if n, err := strconv.Atoi(o.value['n']); err == nil && n > 0 {
		size = n
	}
	if len(c.st.list) == 0 && !o.flags['r'] && c.st.phase == 1 {
		c.st.phase = 2
		if code, ok := c.launch(command, c.environment()); !ok {
			return code, true
		}
	}
	for c.st.index < len(c.st.list) || c.st.child != 0 {
		if c.st.child != 0 {
			status, done := c.join()
			if !done {
				return 0, false
			}
			if status != 0 {
				c.st.m = 123
			}
			continue
		}
		var argv []string
		if place, ok := o.value['I']; ok {
			for _, a := range command {
				argv = append(argv, strings.ReplaceAll(a, place, c.st.list[c.st.index]))
			}
			c.st.index++
		} else {
			end := min(c.st.index+size, len(c.st.list))
			argv = slices.Concat(command, c.st.list[c.st.index:end])
			c.st.index = end
		}
		if code, ok := c.launch(argv, c.environment()); !ok {
			return code, true
		}
	}
	return int(c.st.m), true
}

func (c *call) xargsOptions() (options, []string) {
	i := 0
	for i < len(c.args) && strings.HasPrefix(c.args[i], "-") {
		if len(c.args[i]) == 2 && strings.IndexByte("nIPLsdE", c.args[i][1]) >= 0 {
			i++
		}
		i++
	}
	i = min(i, len(c.args))
	inner := *c
	inner.args = c.args[:i]
	command := c.args[i:]
	if len(command) == 0 {
		command = []string{"echo"}
	}
	return inner.options("n:I:P:L:0rtd:s:"), command
}

func cmdBasename(c *call) (int, bool) {
	args := c.args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		c.errorf("missing operand")
		return 1, true
	}
	name := strings.TrimRight(args[0], "/")
	if name == "" {
		name = "/"
	} else {
		name = baseName(name)
	}
	if len(args) > 1 && name != args[1] {
		name = strings.TrimSuffix(name, args[1])
	}
	c.print(name + "\n")
	return 0, true
}

func cmdDirname(c *call) (int, bool) {
	for _, a := range c.args {
		name := strings.TrimRight(a, "/")
		i := strings.LastIndexByte(name, '/')
		switch {
		case i < 0 && name != "":
			name = "."
		case i <= 0:
			name = "/"
		default:
			name = strings.TrimRight(name[:i], "/")
		}
		c.print(name + "\n")
	}
	return 0, true
}

// cmdDiff only tells whether two files differ.
func cmdDiff(c *call) (int, bool) {
	o := c.options("qsruNwbB")
	if len(o.rest) != 2 {
		return c.usage("two files are needed")
	}
	c.look()
	a, errA := c.w.ReadFile(c.abs(o.rest[0]))
	b, errB := c.w.ReadFile(c.abs(o.rest[1]))
	for i, err := range []error{errA, errB} {
		if err != nil {
			c.warn(c.fileError(o.rest[i], err))
			return 2, true
		}
	}
	if string(a) == string(b) {
		return 0, true
	}
	if c.name == "diff" && !o.flags['q'] {
		c.w.NotSimulated("diff: the differences")
	}
	c.print("Files " + o.rest[0] + " and " + o.rest[1] + " differ\n")
	return 1, true
}
