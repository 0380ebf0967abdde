package workload

import (
	"strings"
	"time"

	"podwalk/core/sim"
)

// call is one call of a program or builtin. A function of type applet is called
// again and again until it reports done; before it returns undone it has set the
// wait of the task. What it must remember is in state.
type call struct {
	*runner
	name string
	args []string // without the name
	st   *state
}

type applet func(c *call) (code int, done bool)

// call runs the program with a key once.
func (r *runner) call(program string, argv []string) (int, bool) {
	c := &call{runner: r, name: argv[0], args: argv[1:], st: r.t.st}
	if name, ok := strings.CutPrefix(program, "builtin:"); ok {
		c.name = name
		return builtin(name)(c)
	}
	if rest, ok := strings.CutPrefix(program, shellPrefix); ok {
		return c.startShell(rest)
	}
	if rest, ok := strings.CutPrefix(program, serverPrefix); ok {
		return c.serve(rest)
	}
	if text, ok := strings.CutPrefix(program, failPrefix); ok {
		c.stderr(text + "\n")
		return 255, true
	}
	if program == assumedProgram {
		return c.assumed()
	}
	c.name = program
	if f := lookupApplet(program); f != nil {
		return f(c)
	}
	r.w.NotSimulated("program " + program)
	c.errorf("not simulated: " + program)
	return 1, true
}

func (c *call) dialect() dialect {
	if c.t.sh != nil {
		return c.t.sh.dialect
	}
	return ash
}

// gnu reports whether the tools of the image are GNU's rather than busybox's.
func (r *runner) gnu() bool { return r.p.spec.Image.tools.gnu }

// print writes to standard output. It reports false when nobody reads any more.
func (c *call) print(s string) bool { return c.put(1, []byte(s)) }

func (c *call) put(fd int, data []byte) bool {
	err, broken := c.write(c.fd(fd), data)
	switch {
	case broken:
		c.kill(c.t, SIGPIPE)
		return false
	case err == errTooLong:
		c.p.limit = "1 MiB in a command substitution"
		c.w.NotSimulated("a command substitution of more than 1 MiB")
		c.kill(c.t, SIGPIPE)
		return false
	case err != nil && fd == 1:
		c.stderr(c.name + ": write error: " + err.Error() + "\n")
		c.st.bad = true
		return false
	}
	return err == nil
}

// errorf prints "name: text" to standard error.
func (c *call) errorf(text string) {
	if c.t.sh != nil && c.isBuiltin(c.name) {
		if c.dialect() != ash {
			text = c.name + ": " + text
		}
		c.complain(text)
		return
	}
	c.stderr(c.name + ": " + text + "\n")
}

// usage is the end of a call with wrong arguments.
func (c *call) usage(text string) (int, bool) {
	c.errorf(text)
	if c.dialect() == bash && c.name != "[" && c.name != "test" {
		return 1, true
	}
	return 2, true
}

// lacks says that an option is not simulated.
func (c *call) lacks(what string) (int, bool) {
	c.w.NotSimulated(c.name + " " + what)
	c.stderr(c.name + ": not simulated: " + what + "\n")
	return 1, true
}

// pause waits until an instant. It reports true when that has come.
func (c *call) pause(until sim.Time) bool {
	if c.now >= until {
		return true
	}
	c.t.wait, c.t.wake = waitTime, until
	return false
}

// pauseFor waits for a span that begins with the first call.
func (c *call) pauseFor(d time.Duration) bool {
	if c.st.until == 0 {
		c.st.until = c.now.Add(d)
	}
	return c.pause(c.st.until)
}

// forever waits until a signal comes.
func (c *call) forever() (int, bool) {
	c.t.wait = waitForever
	return 0, false
}

// await waits for more data than there is on an open file.
func (c *call) await(file int) (int, bool) {
	data, _ := c.peek(file)
	c.t.wait, c.t.on, c.t.have = waitInput, file, len(data)
	return 0, false
}

// drained waits until the reader of standard output has caught up.
func (c *call) drained() bool {
	f := c.fd(1)
	if c.p.writable(f) {
		return true
	}
	c.t.wait, c.t.on = waitOutput, f
	return false
}

// wall is the wall clock.
func (r *runner) wall() time.Time {
	r.p.idle.clock = true
	return r.epoch().Add(time.Duration(r.now))
}

// fileError words an error about a file as the tools of the image do.
func (c *call) fileError(path string, err error) string {
	text := err.Error()
	if c.gnu() {
		switch c.name {
		case "cat", "head", "grep", "wc", "sort", "cut", "tail", "sed", "awk":
			if c.name == "head" || c.name == "tail" {
				return "cannot open '" + path + "' for reading: " + text
			}
			if c.name == "sed" {
				return "can't read " + path + ": " + text
			}
			return path + ": " + text
		}
		return path + ": " + text
	}
	switch c.name {
	case "cat", "head", "tail", "sort", "cut", "wc", "sed", "od", "awk", "tac", "rev", "base64", "md5sum", "sha256sum":
		return "can't open '" + path + "': " + text
	}
	return path + ": " + text
}

// launch starts a command as a child of the running task.
func (c *call) launch(argv, env []string) (code int, ok bool) {
	to := c.resolve(argv[0])
	if to.err != nil {
		text := to.err.Error()
		if c.gnu() && to.err == ENOENT && c.name != "timeout" {
			text = "No such file or directory"
		}
		if c.gnu() {
			c.stderr(c.name + ": '" + argv[0] + "': " + text + "\n")
		} else {
			c.stderr(c.name + ": can't execute '" + argv[0] + "': " + text + "\n")
		}
		if to.err == ENOENT {
			return 127, false
		}
		return 126, false
	}
	child, ok := c.spawn(argv[0])
	if !ok {
		c.stderr(c.name + ": can't fork: Resource temporarily unavailable\n")
		return 1, false
	}
	c.become(child, to, argv, env)
	c.st.child = child.pid
	return 0, true
}

// join waits for the child of launch and returns its status.
func (c *call) join() (int, bool) {
	status, ended := c.collect(c.st.child)
	if !ended {
		c.t.wait, c.t.on = waitChild, c.st.child
		return 0, false
	}
	c.st.child = 0
	return status, true
}
