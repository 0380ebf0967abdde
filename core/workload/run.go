package workload

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// attempt expands words. If a command substitution in them has not run yet, all
// assignments of the expansion are undone, the substitution is started, and the
// frame is looked at again when its output is there. It reports whether the
// expansion is complete.
func (r *runner) attempt(f *frame, expand func(*expander)) bool {
	e := &expander{r: r, s: r.t.sh, memo: f.memo}
	expand(e)
	switch {
	case e.need != nil:
		e.rollback()
		r.substitute(e.need)
		return false
	case e.fault != "":
		r.expansionError(e)
		return false
	}
	f.memo = nil
	return true
}

func (r *runner) expansionError(e *expander) {
	s := r.t.sh
	if e.raw {
		r.stderr(e.fault + "\n")
	} else {
		r.complain(e.fault)
	}
	r.tooLong(e.fault)
	code := 2
	if s.dialect == bash {
		if code = e.code; s.sub {
			code = 1
		}
	}
	r.charge()
	r.leave(code)
}

// fatal is an error that ends a non-interactive shell.
func (r *runner) fatal(text string) {
	r.complain(text)
	code := 2
	if r.t.sh.dialect == bash {
		code = 1
	}
	r.tooLong(text)
	r.charge()
	r.leave(code)
}

func (r *runner) tooLong(fault string) {
	if strings.HasSuffix(fault, string(errTooLong)) {
		r.p.limit = "1 MiB in a shell variable"
		r.w.NotSimulated("a shell variable of more than 1 MiB")
	}
}

// complain prints an error of the shell.
func (r *runner) complain(text string) { r.stderr(r.t.sh.prefix() + text + "\n") }

// builtinFault words an error of a builtin; busybox puts the line behind its name.
func (s *shell) builtinFault(name, text string) string {
	if s.dialect != ash {
		return name + ": " + text
	}
	line := uint(0)
	if !s.minusC {
		line = s.line
	}
	return name + ": line " + strconv.Itoa(int(line)) + ": " + text
}

// reportSignal prints what ended a process, as dash and busybox do.
func (r *runner) reportSignal(sig int) {
	texts := map[int]string{SIGHUP: "Hangup", SIGKILL: "Killed", SIGSEGV: "Segmentation fault", SIGTERM: "Terminated", SIGUSR1: "User defined signal 1"}
	if text := texts[sig]; text != "" && r.t.sh != nil && r.t.sh.dialect != bash {
		r.stderr(text + "\n")
	}
}

func (r *runner) stderr(text string) { r.write(r.fd(2), []byte(text)) }

func (r *runner) syntaxError(fault string, line uint) {
	s := r.t.sh
	if strings.HasSuffix(fault, "not simulated") {
		r.w.NotSimulated("shell: " + fault)
		r.p.limit = fault
	}
	s.line = max(line, 1)
	switch s.dialect {
	case bash:
		r.stderr(s.prefix() + "syntax error: " + fault + "\n")
	case dash:
		r.stderr(s.prefix() + "Syntax error: " + fault + "\n")
	default:
		r.stderr(s.prefix() + "syntax error: " + fault + "\n")
	}
	r.leave(2)
	s.quit = true
}

// fork makes a child that is a copy of the running shell and will do frames.
func (r *runner) fork(frames ...frame) (*task, bool) {
	s := r.t.sh
	c, ok := r.spawn(s.name)
	if !ok {
		r.limitTasks()
		return nil, false
	}
	c.argv = r.t.argv
	c.sh = s.fork()
	c.sh.frames = frames
	c.began = r.now
	return c, true
}

func (r *runner) limitTasks() {
	r.p.limit = "256 processes in one container"
	r.complain("can't fork: Resource temporarily unavailable")
	r.t.sh.status = 2
	r.t.began = r.now
	r.charge()
}

func (r *runner) substitute(c *syntax.CmdSubst) {
	s := r.t.sh
	child, ok := r.fork(frame{op: opSeq, stmts: c.Stmts, tail: true})
	if !ok {
		r.leave(2)
		return
	}
	reader, writer := r.p.addPipe(true)
	r.setChildFD(child, 1, writer)
	s.push(frame{op: opSubst, pid: child.pid, at: reader})
}

// setChildFD gives a file, with the reference that the caller holds, to a child.
func (r *runner) setChildFD(c *task, fd, file int) {
	for len(c.fds) <= fd {
		c.fds = append(c.fds, -1)
	}
	r.p.release(c.fds[fd])
	c.fds[fd] = file
}

func (r *runner) stepSubst(f *frame) {
	s, p := r.t.sh, r.p
	if p.pipes[p.files[f.at].pipe].writers > 0 {
		r.t.wait, r.t.on = waitEnd, f.at
		return
	}
	status, ended := r.collect(f.pid)
	if !ended {
		r.t.wait, r.t.on = waitChild, f.pid
		return
	}
	text := strings.TrimRight(string(p.pipes[p.files[f.at].pipe].buf[p.pipes[p.files[f.at].pipe].off:]), "\n")
	p.release(f.at)
	s.substed = status
	r.pop()
	below := s.top()
	below.memo = append(slices.Clip(below.memo), strings.ReplaceAll(text, "\x00", ""))
}

func (r *runner) subshell(stmts []*syntax.Stmt, tested bool) {
	child, ok := r.fork(frame{op: opSeq, stmts: stmts, tail: true})
	if !ok {
		return
	}
	child.sh.tested = child.sh.tested || tested
	r.t.sh.push(frame{op: opChild, pid: child.pid})
}

func (r *runner) stepChild(f *frame) {
	status, ended := r.collect(f.pid)
	if !ended {
		r.t.wait, r.t.on = waitChild, f.pid
		return
	}
	r.t.sh.status = status
	r.pop()
}

func (r *runner) background(stmt *syntax.Stmt) {
	copied := *stmt
	copied.Background, copied.Coprocess = false, false
	r.t.began = r.now
	child, ok := r.fork(frame{op: opStmt, node: &copied, tail: true})
	if !ok {
		return
	}
	if !hasInput(stmt) {
		r.setChildFD(child, 0, r.p.addFile(openFile{kind: fileNull}))
	}
	child.ignored |= 1 << SIGINT
	child.ignored |= 1 << SIGQUIT
	r.t.sh.lastBG, r.t.sh.status = child.pid, 0
}

func hasInput(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(d *syntax.Redirect) bool { return d.Op == syntax.RdrIn })
}

// pipeline starts all stages, each in a subshell, and waits for them.
func (r *runner) pipeline(c *syntax.BinaryCmd, tested bool) {
	s, p := r.t.sh, r.p
	stages, both := flatten(c)
	var kids []int
	input := -1
	for i, stage := range stages {
		child, ok := r.fork(frame{op: opStmt, node: stage, tail: true})
		if !ok {
			p.release(input)
			break
		}
		child.sh.tested = child.sh.tested || tested || i < len(stages)-1
		if input >= 0 {
			r.setChildFD(child, 0, input)
		}
		if i < len(stages)-1 {
			reader, writer := p.addPipe(false)
			if both[i] {
				p.retain(writer)
				r.setChildFD(child, 2, writer)
			}
			r.setChildFD(child, 1, writer)
			input = reader
		}
		kids = append(kids, child.pid)
	}
	s.push(frame{op: opPipe, kids: kids})
}

func flatten(c *syntax.BinaryCmd) (stages []*syntax.Stmt, both []bool) {
	add := func(st *syntax.Stmt) {
		b, ok := st.Cmd.(*syntax.BinaryCmd)
		if ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && !st.Negated && len(st.Redirs) == 0 {
			s, e := flatten(b)
			stages, both = append(stages, s...), append(both, e...)
			return
		}
		stages = append(stages, st)
	}
	add(c.X)
	both = append(both, c.Op == syntax.PipeAll)
	add(c.Y)
	return stages, both
}

func (r *runner) stepPipe(f *frame) {
	s := r.t.sh
	for _, pid := range f.kids {
		if c := r.p.task(pid); c != nil && !c.ended {
			r.t.wait, r.t.on = waitChild, pid
			return
		}
	}
	s.pipes = nil
	fail := 0
	for _, pid := range f.kids {
		s.status, _ = r.collect(pid)
		s.pipes = append(s.pipes, s.status)
		if s.status != 0 {
			fail = s.status
		}
	}
	if s.has(optPipeFail) {
		s.status = fail
	}
	r.pop()
}
