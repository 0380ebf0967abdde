package workload

import (
	"slices"
	"sort"
	"time"

	"podwalk/core/sim"
)

// Spec is what a process is started with. It is frozen after Start.
type Spec struct {
	Image      *Image
	Argv       []string // from Argv, for a container
	Env        []string // "K=V" in order, the image's first; a later one wins
	WorkingDir string   // "" is the image's, then "/"
	Ports      []int32  // declared container ports: what an assumed program listens on
	UID, GID   int64    // user; the same as the FS's
	PID        int      // 0 or 1: main process of the container; above: exec session, probe or hook
	Stdin      bool     // stdin stays open and silent, else it is at its end
	TTY        bool
	Epoch      time.Time // wall clock at sim.Time 0, for date; zero is 2026-01-01
	CPUs       int       // of the node, for nproc; 0 is 4
	Memory     int64     // limit in bytes: Run asks to be called when it is passed; 0: none
	Privileged bool
	Cache      *Cache // parsed scripts, shared by all processes of a run; nil: none
}

// StartError says why a container or an exec could not start. Message is the
// text of containerd and runc, without the gRPC prefix.
type StartError struct {
	Code    int // 128 for a container, 126 or 127 for an exec
	Message string
}

// Error returns the message.
func (e *StartError) Error() string { return e.Message }

// Bounds of one process.
const (
	maxCommands  = 5_000_000 // in all
	maxWindow    = 200_000   // in ten minutes
	window       = 10 * sim.Minute
	maxInstant   = 10_000 // in one instant
	maxTasks     = 256
	maxVariable  = 1 << 20
	maxLog       = 10 << 20
	maxCaptured  = 1 << 20 // output of an exec session, for each stream
	maxDepth     = 1000    // nested functions and scripts
	maxScript    = 256 << 10
	maxFields    = 100_000
	commandCosts = sim.Millisecond
)

// Process is a program with all its children. It is data: see Clone.
type Process struct {
	spec     *Spec
	tasks    []*task // alive, by pid; the first is the main one
	files    []openFile
	pipes    []pipe
	socks    []socket
	lastPID  int
	started  sim.Time
	commands int
	opened   sim.Time // the window of maxWindow
	recent   int      // commands in it
	stopped  bool     // it has done too much and does no more
	instant  sim.Time // of the last command
	burst    int      // commands in that instant
	partial  [2][]byte
	captured [2][]byte
	logged   int64
	random   uint64
	limit    string // the first bound that was hit
	told     bool   // it was reported
	idle     idleWatch
	done     bool
	code     int
	signal   int
}

// Main reports whether it is the main process of its container.
func (p *Process) Main() bool { return p.spec.PID <= 1 }

// Output returns what an exec session wrote: 0 for stdout, 1 for stderr. At most
// 1 MiB of each is kept. It is empty for a main process, whose lines go to
// World.Log.
func (p *Process) Output(stream int) []byte { return p.captured[stream] }

// Listening returns the bound ports in rising order.
func (p *Process) Listening() []int32 {
	ports := make([]int32, 0, len(p.socks))
	for _, s := range p.socks {
		ports = append(ports, s.port)
	}
	sort.Slice(ports, func(i, j int) bool { return ports[i] < ports[j] })
	return slices.Compact(ports)
}

// List returns the processes inside, in order of pid.
func (p *Process) List() []ProcessInfo {
	list := make([]ProcessInfo, len(p.tasks))
	for i, t := range p.tasks {
		list[i] = ProcessInfo{PID: t.pid, PPID: t.ppid, Name: t.name, Argv: t.argv}
	}
	return list
}

// Clone returns an independent copy. Parsed scripts and the spec are shared.
func (p *Process) Clone() *Process {
	c := *p
	c.tasks = make([]*task, len(p.tasks))
	for i, t := range p.tasks {
		c.tasks[i] = t.clone()
	}
	c.files = slices.Clone(p.files)
	c.pipes = slices.Clone(p.pipes)
	for i := range c.pipes {
		c.pipes[i].buf = slices.Clone(c.pipes[i].buf)
	}
	c.socks = slices.Clone(p.socks)
	c.idle.kept = slices.Clone(p.idle.kept)
	for i := range c.partial {
		c.partial[i] = slices.Clone(p.partial[i])
		c.captured[i] = slices.Clip(p.captured[i])
		p.captured[i] = slices.Clip(p.captured[i])
	}
	return &c
}

// Run does all that is due now and says when to call again.
func (p *Process) Run(w World) Step {
	now := w.Now()
	w.SetTime(now)
	p.unpark(w)
	r := &runner{p: p, w: w, now: now}
	if !r.round() {
		p.limit = "10000 turns in one instant"
		s := p.report(now)
		s.Next = now + sim.Second
		return s
	}
	return p.report(now)
}

// round advances all tasks that are due until none is. It reports false if that
// takes too long.
func (r *runner) round() bool {
	p := r.p
	turns := 0
	for again := true; again && !p.done; {
		again = false
		for i := 0; i < len(p.tasks) && !p.done; i++ {
			if t := p.tasks[i]; t.ready(r) {
				again = true
				r.t = t
				r.advance()
				turns++
			}
		}
		r.reap()
		if turns > maxInstant {
			return false
		}
	}
	return true
}

func (p *Process) report(now sim.Time) Step {
	s := Step{Next: sim.Never}
	if !p.told && p.limit != "" {
		s.Limit, p.told = p.limit, true
	}
	if p.done {
		s.Done, s.Code, s.Signal = true, p.code, p.signal
		return s
	}
	if p.stopped {
		return s
	}
	s.Next = min(p.nextWake(), p.nextMemory(now))
	p.park(&s, now)
	return s
}

// runner is one call of Run, with the task that it is advancing.
type runner struct {
	p   *Process
	w   World
	now sim.Time
	t   *task
}

// advance lets the task go on until it waits or ends.
func (r *runner) advance() {
	t := r.t
	t.wait, t.wake = waitNone, 0
	for !t.ended && t.wait == waitNone {
		switch {
		case t.leaving:
			r.exit(t, t.status, 0)
		case t.sh != nil:
			r.shell()
		default:
			r.runProgram()
		}
	}
}

// runProgram calls the program of a task that is no shell.
func (r *runner) runProgram() {
	t := r.t
	if t.st == nil {
		t.st, t.began = &state{}, r.now
	}
	code, done := r.call(t.prog, t.argv)
	if done && !t.ended && t.sh == nil {
		t.leaving, t.status = true, code
		r.charge()
	}
}

// charge makes the task pay for the command that began at t.began: it goes on a
// millisecond after that at the earliest.
func (r *runner) charge() {
	p, t := r.p, r.t
	if p.instant != r.now {
		p.instant, p.burst = r.now, 0
	}
	p.burst++
	r.work(1)
	next := max(t.began+commandCosts, r.now)
	if p.burst > maxInstant {
		p.limit, next = "10000 commands in one instant", r.now+sim.Second
	}
	if t.wait == waitNone && next > r.now {
		t.wait, t.wake = waitTime, next
	}
}

// work counts commands, and bytes by the kilobyte.
func (r *runner) work(n int) {
	p := r.p
	if r.now-p.opened > window {
		p.opened, p.recent = r.now, 0
	}
	p.commands += n
	p.recent += n
	if !p.stopped && (p.commands > maxCommands || p.recent > maxWindow) {
		p.stopped, p.limit = true, "200000 commands in ten minutes"
		r.w.NotSimulated("a program of more than 200000 commands in ten minutes: it is stopped here")
	}
}

// exit ends a task.
func (r *runner) exit(t *task, code, signal int) {
	if t.ended {
		return
	}
	t.ended, t.status, t.signal = true, code, signal
	r.closeAll(t)
	r.unlisten(t)
	if t == r.p.tasks[0] {
		r.finish(code, signal)
	}
}

func (r *runner) finish(code, signal int) {
	p := r.p
	r.flush(0)
	r.flush(1)
	for _, t := range p.tasks {
		r.unlisten(t)
	}
	p.done, p.code, p.signal = true, code, signal
	p.tasks, p.pipes, p.files = nil, nil, nil
}

// reap removes ended tasks that nobody can wait for any more.
func (r *runner) reap() {
	p := r.p
	if p.done {
		return
	}
	p.tasks = slices.DeleteFunc(p.tasks, func(t *task) bool {
		return t.ended && (t.reaped || p.task(t.ppid) == nil || p.task(t.ppid).ended)
	})
}

// task returns the living or unreaped task with a pid, or nil.
func (p *Process) task(pid int) *task {
	for _, t := range p.tasks {
		if t.pid == pid {
			return t
		}
	}
	return nil
}
