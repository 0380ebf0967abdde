package workload

import (
	"maps"
	"slices"

	"podwalk/core/sim"
)

// idleWatch finds out that a process turns in a circle that nobody can see: it
// waits in a state in which it has waited before, and between both it has written
// nothing and asked neither for the time nor for chance. While it also has read
// nothing outside it is parked: it is not called again until something comes.
type idleWatch struct {
	read, clock, acted bool // since the state that is kept
	kept               []*task
	files              []openFile
	at                 sim.Time // when it was kept
	count, limit       int      // waits since then, and how many are looked at
	period             sim.Time
	parked             sim.Time
}

const (
	maxWatch = 1 << 12 // waits after which no circle is looked for
	maxKept  = 8       // tasks of a state that is kept
)

// park marks a step whose repetition changes nothing.
func (p *Process) park(s *Step, now sim.Time) {
	d := &p.idle
	if s.Next == sim.Never {
		s.Periodic = true
		return
	}
	full := slices.ContainsFunc(p.pipes, func(q pipe) bool { return q.len() > 0 })
	if d.acted || d.clock || full || len(p.tasks) > maxKept || len(p.socks) > 0 {
		*d = idleWatch{limit: 1}
		return
	}
	if d.kept != nil && p.same(now-d.at) {
		p.recent = 0
		s.Periodic = true
		d.period = now - d.at
		if !d.read {
			d.parked, s.Next, d.kept = now, sim.Never, nil
			return
		}
		p.keep(now)
		return
	}
	if d.count++; d.kept == nil || d.count >= d.limit {
		if d.limit = max(1, 2*d.limit); d.limit > maxWatch {
			return
		}
		p.keep(now)
	}
}

func (p *Process) keep(now sim.Time) {
	d := &p.idle
	d.kept = make([]*task, len(p.tasks))
	for i, t := range p.tasks {
		d.kept[i] = t.clone()
	}
	d.files = slices.Clone(p.files)
	d.at, d.count, d.read = now, 0, false
}

// unpark brings a parked process to where it would be now, had it been called.
func (p *Process) unpark(w World) {
	now := w.Now()
	d := &p.idle
	if d.period == 0 || d.parked == 0 || now <= d.parked {
		return
	}
	shift := (now - d.parked) / d.period * d.period
	for _, t := range p.tasks {
		t.shift(shift)
	}
	r := &runner{p: p, w: w, now: d.parked + shift}
	*d = idleWatch{limit: 1}
	for next := p.nextWake(); next < now; next = p.nextWake() {
		r.now = next
		r.round()
	}
}

func (p *Process) nextWake() sim.Time {
	next := sim.Never
	for _, t := range p.tasks {
		next = min(next, t.next())
	}
	return next
}

// shift moves the times of a task.
func (t *task) shift(by sim.Time) {
	if t.wake != 0 {
		t.wake += by
	}
	t.began += by
	if t.st != nil && t.st.until != 0 && t.st.until < sim.Never-by {
		t.st.until += by
	}
}

// same compares with the kept state; ago is how long that is past.
func (p *Process) same(ago sim.Time) bool {
	return slices.EqualFunc(p.files, p.idle.files, openFile.same) && slices.EqualFunc(p.tasks, p.idle.kept, func(a, b *task) bool { return a.same(b, ago) })
}

func (t *task) same(o *task, ago sim.Time) bool {
	wake := o.wake
	if wake != 0 {
		wake += ago
	}
	if t.pid != o.pid || t.ended != o.ended || t.prog != o.prog || t.cwd != o.cwd || t.wait != o.wait || t.on != o.on || t.wake != wake ||
		t.pending != o.pending || t.srv != nil || t.leaving != o.leaving || !slices.Equal(t.fds, o.fds) {
		return false
	}
	return t.st.same(o.st, ago) && t.sh.same(o.sh)
}

func (f openFile) same(o openFile) bool {
	return f.kind == o.kind && f.path == o.path && f.off == o.off && f.pipe == o.pipe && len(f.data) == len(o.data) && f.refs == o.refs
}

func (s *state) same(o *state, ago sim.Time) bool {
	if s == nil || o == nil {
		return s == o
	}
	until := o.until
	if until != 0 {
		until += ago
	}
	return s.phase == o.phase && s.until == until && s.n == o.n && s.m == o.m && s.text == o.text && s.child == o.child && s.index == o.index &&
		s.file == o.file && string(s.buf) == string(o.buf) && slices.Equal(s.list, o.list)
}

func (s *shell) same(o *shell) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.status == o.status && s.lastBG == o.lastBG && s.opts == o.opts && s.depth == o.depth && slices.Equal(s.args, o.args) &&
		slices.EqualFunc(s.frames, o.frames, frame.same) && maps.EqualFunc(s.vars, o.vars, variable.same) && maps.Equal(s.traps, o.traps) &&
		len(s.funcs) == len(o.funcs)
}

func (f frame) same(o frame) bool {
	return f.op == o.op && f.stage == o.stage && f.at == o.at && f.pid == o.pid && f.node == o.node && f.text == o.text && len(f.saved) == len(o.saved) &&
		len(f.locals) == len(o.locals) && slices.Equal(f.words, o.words) && slices.Equal(f.memo, o.memo) && slices.Equal(f.kids, o.kids)
}

func (v variable) same(o variable) bool {
	return v.set == o.set && v.text == o.text && v.exported == o.exported && slices.Equal(v.list, o.list) && maps.Equal(v.table, o.table)
}
