package workload

import (
	"slices"

	"podwalk/core/sim"
)

// task is one process inside a Process: a shell, or a program of its own.
type task struct {
	pid, ppid int
	name      string
	argv      []string
	env       []string // of a program; a shell has its variables
	cwd       string
	fds       []int  // index into Process.files, -1 is closed
	sh        *shell // nil: argv is the program
	prog      string // key of the running program, "" if none
	st        *state // what the running program remembers
	srv       *serverState
	moved     string // where an HTTP client was redirected to, with a ">" before it
	brief     bool   // a program of unknown effect that ends soon
	ignored   uint32 // signals ignored since before exec, by bit
	pending   uint32 // signals that wait for the shell to look
	wait      waitKind
	wake      sim.Time // for waitTime; also the deadline of another wait, 0 none
	on        int      // index of a file, or a pid
	have      int      // for waitInput: bytes that are there and are not enough
	status    int
	signal    int
	began     sim.Time // of the present command
	leaving   bool     // a program that is done and pays for its start
	ended     bool
	reaped    bool
	mem       memory
	hogs      int64 // processors that the program keeps busy
}

type waitKind uint8

const (
	waitNone    waitKind = iota
	waitTime             // until wake
	waitInput            // until file on has more data or is at its end
	waitOutput           // until the pipe behind file on has room
	waitEnd              // until nobody can write into the pipe behind file on
	waitChild            // until task on has ended
	waitAny              // until child on (0: any) ends or a signal comes
	waitForever          // until a signal comes
)

// state is what a program that was called remembers until it is called again.
type state struct {
	phase int
	until sim.Time
	n, m  int64
	text  string
	buf   []byte
	list  []string
	child int
	index int  // of the input that is being read
	file  int  // its open file + 1, 0 if it is not open
	bad   bool // something failed on the way
}

func (t *task) clone() *task {
	c := *t
	c.fds = slices.Clone(t.fds)
	if t.sh != nil {
		c.sh = t.sh.clone()
	}
	if t.st != nil {
		s := *t.st
		s.buf = slices.Clone(s.buf)
		s.list = slices.Clone(s.list)
		c.st = &s
	}
	if t.srv != nil {
		s := *t.srv
		c.srv = &s
	}
	return &c
}

// ready reports whether the task can go on now.
func (t *task) ready(r *runner) bool {
	if t.ended || r.p.stopped {
		return false
	}
	if t.wake != 0 && r.now >= t.wake {
		return true
	}
	switch t.wait {
	case waitNone:
		return true
	case waitInput:
		return r.p.readable(t.on, t.have)
	case waitOutput:
		return r.p.writable(t.on)
	case waitEnd:
		return r.p.pipes[r.p.files[t.on].pipe].writers == 0
	case waitChild:
		c := r.p.task(t.on)
		return c == nil || c.ended
	case waitAny:
		if t.pending != 0 {
			return true
		}
		return slices.ContainsFunc(r.p.tasks, func(c *task) bool {
			return c.ppid == t.pid && c.ended && !c.reaped && (t.on == 0 || t.on == c.pid)
		})
	}
	return false
}

// next is when the task goes on by itself.
func (t *task) next() sim.Time {
	switch {
	case t.ended, t.wake == 0:
		return sim.Never
	}
	return t.wake
}

// spawn makes a child task of the running one. It has no program yet.
func (r *runner) spawn(name string) (*task, bool) {
	p, t := r.p, r.t
	if len(p.tasks) >= maxTasks {
		r.dropZombies()
	}
	if len(p.tasks) >= maxTasks {
		return nil, false
	}
	p.lastPID++
	c := &task{pid: p.lastPID, ppid: t.pid, name: name, cwd: t.cwd, env: t.env, ignored: t.ignored}
	c.fds = slices.Clone(t.fds)
	for _, f := range c.fds {
		p.retain(f)
	}
	p.tasks = append(p.tasks, c)
	return c, true
}

// dropZombies forgets ended children for which nobody has waited.
func (r *runner) dropZombies() {
	r.p.tasks = slices.DeleteFunc(r.p.tasks, func(t *task) bool { return t.ended })
}

// collect takes the status of an ended child and lets it go.
func (r *runner) collect(pid int) (status int, ok bool) {
	c := r.p.task(pid)
	if c == nil {
		return 127, true
	}
	if !c.ended {
		return 0, false
	}
	c.reaped = true
	return c.status, true
}
