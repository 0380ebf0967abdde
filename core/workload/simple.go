package workload

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stepSimple runs a simple command: words, then redirections, then a builtin, a
// function or a program, which may be called many times until it is done.
func (r *runner) stepSimple(f *frame) {
	if f.stage == 0 && !r.prepare(f) {
		return
	}
	if f = r.t.sh.top(); f.op != opSimple || f.stage == 0 {
		return
	}
	if r.t.wait != waitNone || r.t.sh == nil {
		return
	}
	code, done := r.call(f.text, f.words)
	if !done || r.t.sh == nil || r.t.ended {
		return
	}
	r.t.sh.status = code
	r.endSimple()
}

// endSimple drops the frame of the command and pays for it.
func (r *runner) endSimple() {
	for fd := firstProcessFD; fd < len(r.t.fds); fd++ {
		r.setFD(fd, -1)
	}
	r.t.st, r.t.mem, r.t.moved = nil, memory{}, ""
	r.pop()
	r.charge()
}

// prepare expands a command and decides what it is. It reports whether the top
// frame is now one to call.
func (r *runner) prepare(f *frame) bool {
	t, s := r.t, r.t.sh
	stmt := f.node.(*syntax.Stmt)
	call, _ := stmt.Cmd.(*syntax.CallExpr)
	var words, env []string
	var files []redirection
	ok := r.attempt(f, func(e *expander) {
		if call != nil {
			words = e.fields(call.Args)
		}
		files = e.redirs(stmt.Redirs)
		if call != nil {
			env = e.assigns(call.Assigns, len(words) == 0)
		}
	})
	if !ok {
		return false
	}
	t.began = r.now
	if s.has(optTrace) && len(words)+len(env) > 0 {
		r.trace(env, words)
	}
	if len(words) == 0 {
		r.bare(f, stmt, files)
		return false
	}
	f.words, f.env = words, env
	if words[0] == "exec" {
		return r.execute(f, files)
	}
	if err := r.redirect(files, &f.saved); err != "" {
		r.complain(err)
		s.status = r.redirStatus()
		r.endSimple()
		return false
	}
	return r.choose(f)
}

// bare ends a command that has no words: assignments and redirections.
func (r *runner) bare(f *frame, stmt *syntax.Stmt, files []redirection) {
	s := r.t.sh
	s.status = 0
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Assigns) > 0 {
		s.status = s.substed
	}
	s.substed = 0
	if err := r.redirect(files, &f.saved); err != "" {
		r.complain(err)
		s.status = r.redirStatus()
	}
	r.endSimple()
}

func (r *runner) trace(env, words []string) {
	s := r.t.sh
	list := slices.Concat(env, words)
	if s.dialect == bash {
		for i := range list {
			list[i] = traceQuote(list[i])
		}
	}
	r.stderr("+ " + strings.Join(list, " ") + "\n")
}

func traceQuote(s string) string {
	if s != "" && only(s, func(c byte) bool { return isWordByte(c) || strings.IndexByte("-./:=+,%@^", c) >= 0 || c >= 0x80 }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// choose finds out what the first word means.
func (r *runner) choose(f *frame) bool {
	s := r.t.sh
	name := f.words[0]
	if body, ok := s.funcs[name]; ok {
		r.callFunction(f, body)
		return false
	}
	if control(name) {
		r.control(f)
		return false
	}
	if r.isBuiltin(name) {
		f.text, f.stage = "builtin:"+name, 1
		for _, e := range f.env {
			r.temporary(f, e)
		}
		r.t.st = &state{}
		return true
	}
	return r.start(f)
}

// temporary assigns a variable for the time of the frame.
func (r *runner) temporary(f *frame, pair string) {
	s := r.t.sh
	name, value, _ := strings.Cut(pair, "=")
	s.keep(f, name)
	v, _ := s.get(name)
	s.store(name, variable{text: value, set: true, exported: true, readonly: v.readonly})
}

func (r *runner) callFunction(f *frame, body *syntax.Stmt) {
	s := r.t.sh
	if s.depth >= maxDepth {
		r.p.limit = "1000 nested calls"
		r.complain("maximum function nesting level exceeded")
		r.w.NotSimulated("functions nested more than 1000 deep")
		r.exit(r.t, 139, SIGSEGV)
		return
	}
	s.depth++
	saved := f.saved
	f.saved = nil
	call := frame{op: opFunction, words: s.args, saved: saved, text: f.words[0], tested: f.tested}
	s.args = f.words[1:]
	env := f.env
	r.pop()
	s.push(call)
	for _, e := range env {
		r.temporary(s.top(), e)
	}
	s.push(frame{op: opStmt, node: body})
	r.charge()
}

// start runs a program: in place of the shell where the command is its last one,
// as a child shell for scripts, and inside the shell's task otherwise.
func (r *runner) start(f *frame) bool {
	s := r.t.sh
	to := r.resolve(f.words[0])
	if to.err != nil {
		s.status = r.cannotRun(f.words[0], to)
		r.endSimple()
		return false
	}
	env := f.env
	if f.tail && !slices.ContainsFunc(trapSignals(s), func(n int) bool { return s.traps[n] != "" }) {
		r.replace(to, f.words, s.environ(env))
		return false
	}
	if to.program == assumedProgram || strings.HasPrefix(to.program, shellPrefix) || isServer(to.program) {
		return r.startChild(f, to)
	}
	f.text, f.stage = to.program, 1
	r.t.st = &state{}
	return true
}

// startChild runs a program as a process of its own and waits for it.
func (r *runner) startChild(f *frame, to target) bool {
	s := r.t.sh
	child, ok := r.spawn(f.words[0])
	if !ok {
		r.limitTasks()
		return false
	}
	words, env := f.words, s.environ(f.env)
	r.become(child, to, words, env)
	child.brief = !s.atLast()
	saved := f.saved
	f.saved = nil
	r.pop()
	s.push(frame{op: opChild, pid: child.pid, saved: saved})
	return false
}

// atLast reports whether nothing would follow the present command.
func (s *shell) atLast() bool {
	for _, f := range s.frames {
		switch f.op {
		case opSeq:
			if f.at < len(f.stmts) {
				return false
			}
		case opWhile, opFor, opCFor, opSubst, opTrap:
			return false
		case opAndOr:
			if f.stage == 0 {
				return false
			}
		case opIf:
			return false
		}
	}
	return true
}

// replace makes the running task the program: exec.
func (r *runner) replace(to target, argv, env []string) {
	t := r.t
	for sig, text := range t.sh.traps {
		if text == "" && sig > 0 {
			t.ignored |= 1 << sig
		}
	}
	t.sh, t.pending = nil, 0
	r.become(t, to, argv, env)
}

// become gives a task its program.
func (r *runner) become(t *task, to target, argv, env []string) {
	t.argv, t.env, t.prog = argv, env, to.program
	t.name = baseName(argv[0])
	t.st, t.srv, t.mem = nil, nil, memory{}
	t.began = r.now
	if to.script != "" {
		t.argv = slices.Concat(to.interpreter, []string{to.script}, argv[1:])
	}
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// cannotRun prints why a command was not found or may not run.
func (r *runner) cannotRun(name string, to target) int {
	s := r.t.sh
	code := 126
	text := to.err.Error()
	if to.err == ENOENT {
		code = 127
		switch {
		case s.dialect == bash && !strings.Contains(name, "/"):
			text = "command not found"
		case s.dialect != bash:
			text = "not found"
		}
	} else if to.err == EISDIR && s.dialect != bash {
		text = EACCES.Error()
	}
	r.complain(name + ": " + text)
	return code
}

// cannotExec is cannotRun for the exec builtin.
func (r *runner) cannotExec(name string, to target) int {
	s := r.t.sh
	if s.dialect != ash || to.err != ENOENT {
		return r.cannotRun(name, to)
	}
	r.complain(s.builtinFault("exec", name+": not found"))
	return 127
}

// execute is the exec builtin: it replaces the shell, or keeps redirections.
func (r *runner) execute(f *frame, files []redirection) bool {
	s := r.t.sh
	words := f.words[1:]
	if len(words) > 0 && words[0] == "-a" && len(words) > 2 {
		words = words[2:]
	}
	var dropped []savedFD
	if err := r.redirect(files, &dropped); err != "" {
		r.fatal(err)
		return false
	}
	for _, d := range dropped {
		r.p.release(d.file)
	}
	if len(words) == 0 {
		s.status = 0
		r.endSimple()
		return false
	}
	to := r.resolve(words[0])
	if to.err != nil {
		code := r.cannotExec(words[0], to)
		r.endSimple()
		r.leave(code)
		return false
	}
	r.replace(to, words, s.environ(f.env))
	return false
}
