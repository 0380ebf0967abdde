package workload

import (
	"strconv"
	"strings"

	"podwalk/core/sim"
)

// cmdTimeout runs a command and ends it when its time is over.
func cmdTimeout(c *call) (int, bool) {
	args, sig, keep := c.args, SIGTERM, false
	kill := sim.Never
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		a := args[0]
		args = args[1:]
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !has && (name == "s" || name == "k" || name == "signal" || name == "kill-after" || name == "t") && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch name {
		case "s", "signal":
			sig = SignalNumber(value)
		case "k", "kill-after":
			kill, _ = sleepTime([]string{value})
		case "preserve-status":
			keep = true
		case "foreground", "v":
		case "t":
			args = append([]string{value}, args...)
		default:
			return c.lacks("option " + a)
		}
	}
	if len(args) < 2 {
		return c.usage("missing operand")
	}
	limit, bad := sleepTime(args[:1])
	if bad != "" || sig < 0 {
		c.errorf("invalid time interval '" + bad + "'")
		return 125, true
	}
	if c.st.child == 0 {
		if code, ok := c.launch(args[1:], c.environment()); !ok {
			return code, true
		}
		c.st.until = sim.Never
		if limit > 0 && limit < sim.Never-c.now {
			c.st.until = c.now + limit
		}
	}
	status, done := c.join()
	if done {
		if c.st.phase > 0 && !keep {
			if c.gnu() && c.st.phase == 1 && sig != SIGKILL {
				status = 124
			}
			if !c.gnu() {
				c.reportSignal(status - 128)
			}
		}
		return status, true
	}
	if c.now >= c.st.until {
		child := c.p.task(c.st.child)
		if c.st.phase++; c.st.phase > 1 {
			sig = SIGKILL
		}
		c.st.until = sim.Never
		if kill < sim.Never-c.now {
			c.st.until = c.now + kill
		}
		c.signal(child, sig)
		return cmdTimeoutAgain(c)
	}
	c.t.wake = c.st.until
	if c.t.wake == sim.Never {
		c.t.wake = 0
	}
	return 0, false
}

// cmdTimeoutAgain waits for the child after a signal.
func cmdTimeoutAgain(c *call) (int, bool) {
	c.t.wait, c.t.on, c.t.wake = waitChild, c.st.child, 0
	if c.st.until != sim.Never {
		c.t.wake = c.st.until
	}
	return 0, false
}

// cmdPrefix is for programs that run another one: nohup, nice, setsid, ...
func cmdPrefix(c *call) (int, bool) {
	if c.st.child != 0 {
		return c.join()
	}
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if takesValue(c.name, args[0]) {
			args = args[1:]
		}
		args = args[min(1, len(args)):]
	}
	if c.name == "gosu" || c.name == "su-exec" {
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return 0, true
	}
	return c.runChild(args, c.environment())
}

func takesValue(name, option string) bool {
	switch name {
	case "nice":
		return option == "-n"
	case "ionice":
		return option == "-c" || option == "-n"
	case "stdbuf":
		return len(option) == 2
	}
	return false
}

// cmdWatch runs a command every two seconds.
func cmdWatch(c *call) (int, bool) {
	args, every := c.args, 2*sim.Second
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if strings.HasPrefix(args[0], "-n") {
			v := args[0][2:]
			if v == "" && len(args) > 1 {
				v, args = args[1], args[1:]
			}
			if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0.1 {
				every = secondsToTime(f)
			}
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c.usage("missing command")
	}
	for {
		if c.st.child != 0 {
			if _, done := c.join(); !done {
				return 0, false
			}
			c.st.until = c.now + every
		}
		if !c.pause(c.st.until) {
			return 0, false
		}
		if code, ok := c.launch([]string{"sh", "-c", strings.Join(args, " ")}, c.environment()); !ok {
			return code, true
		}
	}
}

// cmdStress holds memory and processors as it is told.
func cmdStress(c *call) (int, bool) {
	o := map[string]string{}
	for i := 0; i < len(c.args); i++ {
		name, value, has := strings.Cut(strings.TrimLeft(c.args[i], "-"), "=")
		long := map[string]string{"m": "vm", "c": "cpu", "t": "timeout", "i": "io", "d": "hdd"}[name]
		if long != "" {
			name = long
		}
		switch name {
		case "verbose", "v", "quiet", "q", "vm-keep":
		default:
			if !has && i+1 < len(c.args) {
				i++
				value = c.args[i]
			}
		}
		o[name] = value
	}
	if c.st.phase == 0 {
		c.st.phase = 1
		workers := int64(atoi(o["vm"]))
		c.t.hogs = workers + int64(atoi(o["cpu"]))
		size, ok := parseBlock(strings.ToUpper(strings.TrimSuffix(o["vm-bytes"], "B")))
		if !ok {
			size = 256 << 20
		}
		c.print("stress: info: [" + itoa(c.t.pid) + "] dispatching hogs: " + itoa(atoi(o["cpu"])) + " cpu, " + itoa(atoi(o["io"])) + " io, " +
			itoa(atoi(o["vm"])) + " vm, " + itoa(atoi(o["hdd"])) + " hdd\n")
		if workers > 0 {
			c.t.mem = memory{from: c.now, to: c.now + sim.Time(size*workers/(2<<30)+1)*sim.Second/2, start: 1 << 20, end: size*workers + 1<<20}
		}
		c.st.until = sim.Never
		if limit, bad := sleepTime([]string{o["timeout"]}); bad == "" && o["timeout"] != "" && limit > 0 {
			c.st.until = c.now + limit
		}
	}
	if c.st.until == sim.Never {
		return c.forever()
	}
	if !c.pause(c.st.until) {
		return 0, false
	}
	c.t.mem, c.t.hogs = memory{}, 0
	c.print("stress: info: [" + itoa(c.t.pid) + "] successful run completed in " + strings.TrimSuffix(o["timeout"], "s") + "s\n")
	return 0, true
}

// cmdDd copies blocks. Zeros and random bytes are only counted.
func cmdDd(c *call) (int, bool) {
	o := map[string]string{"if": "/dev/stdin", "of": "/dev/stdout", "bs": "512"}
	for _, a := range c.args {
		name, value, _ := strings.Cut(a, "=")
		o[name] = value
	}
	block, ok := parseBlock(o["bs"])
	if !ok || block == 0 {
		c.errorf("invalid number '" + o["bs"] + "'")
		return 1, true
	}
	count := int64(-1)
	if v, has := o["count"]; has {
		if count, ok = parseBlock(v); !ok {
			c.errorf("invalid number '" + v + "'")
			return 1, true
		}
	}
	source := c.abs(o["if"])
	switch source {
	case "/dev/zero", "/dev/urandom", "/dev/random":
		return c.ddZeros(o, block, count)
	}
	return c.ddFile(o, block, count)
}

func (c *call) ddZeros(o map[string]string, block, count int64) (int, bool) {
	total := block * count
	if count < 0 || count > 1<<50/block {
		total = 100 << 30
	}
	if c.st.phase == 0 {
		c.st.phase = 1
		c.st.until = c.now + max(sim.Time(total)*sim.Second/(1<<30), sim.Millisecond)
		if total > 1<<33 {
			c.st.until = c.now + sim.Time(total>>30)*sim.Second
		}
		c.t.mem = memory{from: c.now, to: c.now + min(sim.Time(block)*sim.Second>>30, 10*sim.Second), end: block}
	}
	if !c.pause(c.st.until) {
		return 0, false
	}
	target := c.abs(o["of"])
	var err error
	switch target {
	case "/dev/null":
	case "/dev/stdout":
		c.print(strings.Repeat("\x00", int(min(total, 1<<16))))
	default:
		c.act()
		seek, _ := parseBlock(o["seek"])
		if o["seek"] != "" && seek > 0 {
			total += seek * block
		}
		err = c.w.WriteZeros(target, total, strings.Contains(o["oflag"], "append"))
	}
	if err != nil {
		c.warn("can't open '" + o["of"] + "': " + err.Error())
		return 1, true
	}
	c.ddReport(o, total, block)
	return 0, true
}

func (c *call) ddReport(o map[string]string, total, block int64) {
	if o["status"] == "none" {
		return
	}
	records := strconv.FormatInt(total/block, 10) + "+" + strconv.FormatInt(min(total%block, 1), 10)
	text := records + " records in\n" + records + " records out\n"
	if o["status"] != "noxfer" {
		seconds := max(float64(total)/(1<<30), 0.001)
		text += strconv.FormatInt(total, 10) + " bytes (" + humanSize(total) + "B) copied, " + strconv.FormatFloat(seconds, 'f', 6, 64) + " seconds, 1.0GB/s\n"
	}
	c.stderr(text)
}

func (c *call) ddFile(o map[string]string, block, count int64) (int, bool) {
	var files []string
	if o["if"] != "/dev/stdin" {
		files = []string{o["if"]}
	}
	text, ok := c.gather(files)
	if !ok {
		return 0, false
	}
	if c.st.bad {
		return 1, true
	}
	if skip, ok := parseBlock(o["skip"]); ok && o["skip"] != "" {
		text = text[min(skip*block, int64(len(text))):]
	}
	if count >= 0 && count*block < int64(len(text)) {
		text = text[:count*block]
	}
	if o["of"] == "/dev/stdout" {
		c.print(text)
	} else if file, err := c.openWrite(o["of"], false); err != nil {
		c.warn("can't open '" + o["of"] + "': " + err.Error())
		return 1, true
	} else {
		c.write(file, []byte(text))
		c.p.release(file)
	}
	c.ddReport(o, int64(len(text)), block)
	return 0, true
}
