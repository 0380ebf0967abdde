package workload

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// maxSteps bounds the frames that are looked at without a command being paid.
const maxSteps = 10_000

// shell runs the shell of the task until it waits or ends.
func (r *runner) shell() {
	t := r.t
	for steps := 0; t.wait == waitNone && !t.ended; steps++ {
		if steps > maxSteps {
			r.charge()
			return
		}
		if t.sh == nil {
			return
		}
		if t.pending != 0 && r.boundary() && r.runTrap() {
			continue
		}
		if len(t.sh.frames) == 0 {
			if r.atEnd() {
				return
			}
			continue
		}
		r.step()
	}
}

// boundary reports whether a trap may run now: not in the middle of a command.
func (r *runner) boundary() bool {
	s := r.t.sh
	if len(s.frames) == 0 {
		return true
	}
	f := s.top()
	return f.op == opSeq || f.op == opWhile || f.op == opSimple && (f.stage == 0 || f.word0() == "wait")
}

func (r *runner) step() {
	f := r.t.sh.top()
	switch f.op {
	case opSeq:
		r.stepSeq(f)
	case opStmt:
		r.stepStmt(f)
	case opSimple:
		r.stepSimple(f)
	case opAndOr:
		r.stepAndOr(f)
	case opIf:
		r.stepIf(f)
	case opWhile:
		r.stepWhile(f)
	case opFor:
		r.stepFor(f)
	case opCFor:
		r.stepCFor(f)
	case opCase:
		r.stepCase(f)
	case opPipe:
		r.stepPipe(f)
	case opChild:
		r.stepChild(f)
	case opSubst:
		r.stepSubst(f)
	case opAttempt:
		r.stepAttempt(f)
	case opTrap:
		fatal := f.loud
		r.t.sh.status = f.at
		if r.pop(); fatal {
			r.leave(r.t.sh.status)
		}
	default:
		r.pop()
	}
}

func (r *runner) stepSeq(f *frame) {
	s := r.t.sh
	if f.at >= len(f.stmts) {
		fault := f.text
		r.pop()
		if fault != "" {
			r.syntaxError(fault, uint(f.pid))
		}
		return
	}
	stmt := f.stmts[f.at]
	f.at++
	last := f.at == len(f.stmts) && f.tail && f.text == ""
	s.push(frame{op: opStmt, node: stmt, tail: last})
}

func (r *runner) stepStmt(f *frame) {
	s := r.t.sh
	stmt := f.node.(*syntax.Stmt)
	if f.stage == 1 {
		r.endStmt(f, stmt)
		return
	}
	s.line = stmt.Pos().Line()
	if s.has(optNoExec) {
		r.pop()
		return
	}
	if stmt.Background || stmt.Coprocess {
		r.background(stmt)
		r.pop()
		r.charge()
		return
	}
	_, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple && stmt.Cmd != nil {
		if len(stmt.Redirs) > 0 {
			var files []redirection
			ok := r.attempt(f, func(e *expander) { files = e.redirs(stmt.Redirs) })
			if !ok {
				return
			}
			if err := r.redirect(files, &f.saved); err != "" {
				r.complain(err)
				s.status, f.stage = r.redirStatus(), 1
				return
			}
		}
	}
	f.stage = 1
	tail := f.tail && !stmt.Negated && len(f.saved) == 0
	if simple || stmt.Cmd == nil {
		s.push(frame{op: opSimple, node: stmt, tested: stmt.Negated, tail: tail})
		return
	}
	r.pushCommand(stmt, tail)
}

// redirStatus is the status of a command whose redirection failed.
func (r *runner) redirStatus() int {
	if r.t.sh.dialect == dash {
		return 2
	}
	return 1
}

func (r *runner) pushCommand(stmt *syntax.Stmt, tail bool) {
	s := r.t.sh
	neg := stmt.Negated
	switch c := stmt.Cmd.(type) {
	case *syntax.Block:
		s.push(frame{op: opSeq, stmts: c.Stmts, tested: neg, tail: tail})
	case *syntax.Subshell:
		r.subshell(c.Stmts, neg)
	case *syntax.IfClause:
		s.push(frame{op: opIf, node: c, tested: neg, tail: tail})
	case *syntax.WhileClause:
		s.push(frame{op: opWhile, node: c, tested: neg})
	case *syntax.ForClause:
		r.pushFor(c, neg)
	case *syntax.CaseClause:
		s.push(frame{op: opCase, node: c, tested: neg, tail: tail})
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			r.pipeline(c, neg)
			return
		}
		s.push(frame{op: opAndOr, node: c, tested: neg, tail: tail})
	case *syntax.FuncDecl:
		r.declare(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			s.push(frame{op: opStmt, node: c.Stmt})
		}
	case *syntax.ArithmCmd, *syntax.TestClause, *syntax.DeclClause, *syntax.LetClause:
		s.push(frame{op: opAttempt, node: c, tested: neg})
	default:
		r.w.NotSimulated("shell: coproc and the like")
		r.complain("not simulated: this kind of command")
		s.status = 1
	}
}

func (r *runner) declare(c *syntax.FuncDecl) {
	s := r.t.sh
	if c.Name == nil {
		return
	}
	if s.funcs == nil {
		s.funcs = map[string]*syntax.Stmt{}
	}
	s.funcs[c.Name.Value] = c.Body
	s.status = 0
}

// endStmt finishes a statement: negation and set -e.
func (r *runner) endStmt(f *frame, stmt *syntax.Stmt) {
	s := r.t.sh
	tested := s.isTested()
	r.pop()
	if stmt.Negated {
		s.status = boolStatus(s.status != 0)
		return
	}
	if s.status == 0 || tested || !s.has(optErrExit) && s.traps[trapERR] == "" {
		return
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return
		}
	case *syntax.CallExpr, *syntax.Subshell, *syntax.ArithmCmd, *syntax.TestClause, *syntax.DeclClause, *syntax.LetClause, nil:
	default:
		return
	}
	if text := s.traps[trapERR]; text != "" && !s.inTrap {
		r.pushTrap(text)
		s.frames[len(s.frames)-2].loud = s.has(optErrExit)
		return
	}
	r.leave(s.status)
}

func boolStatus(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// leave ends the shell with a status, its EXIT trap first.
func (r *runner) leave(status int) {
	s := r.t.sh
	for len(s.frames) > 0 {
		r.pop()
	}
	s.status = status & 255
	s.fromIn = false
}

// atEnd is reached when no frame is left. It reports whether the shell is over.
func (r *runner) atEnd() bool {
	s := r.t.sh
	if s.fromIn {
		return r.readCommands()
	}
	if text, ok := s.traps[0]; ok && text != "" && !s.quit {
		s.quit = true
		r.pushTrap(text)
		return false
	}
	r.exit(r.t, s.status, 0)
	return true
}

func (r *runner) stepAndOr(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.BinaryCmd)
	if f.stage == 0 {
		f.stage = 1
		s.push(frame{op: opStmt, node: c.X, tested: true})
		return
	}
	tail := f.tail
	r.pop()
	if (c.Op == syntax.AndStmt) == (s.status == 0) {
		s.push(frame{op: opStmt, node: c.Y, tail: tail})
	}
}

func (r *runner) stepIf(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.IfClause)
	if f.stage == 0 {
		f.stage = 1
		s.push(frame{op: opSeq, stmts: c.Cond, tested: true})
		return
	}
	tail, tested := f.tail, f.tested
	ok := s.status == 0
	r.pop()
	switch {
	case ok:
		s.push(frame{op: opSeq, stmts: c.Then, tail: tail, tested: tested})
	case c.Else == nil:
		s.status = 0
	case c.Else.ThenPos.IsValid():
		s.push(frame{op: opIf, node: c.Else, tail: tail, tested: tested})
	default:
		s.push(frame{op: opSeq, stmts: c.Else.Then, tail: tail, tested: tested})
	}
}

func (r *runner) stepWhile(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.WhileClause)
	switch {
	case f.stage == 0:
		f.stage = 1
		f.at = s.status * f.pid
		s.push(frame{op: opSeq, stmts: c.Cond, tested: true})
	case (s.status == 0) != c.Until:
		f.stage, f.pid = 0, 1
		s.push(frame{op: opSeq, stmts: c.Do})
	default:
		s.status = f.at
		r.pop()
	}
}

func (r *runner) pushFor(c *syntax.ForClause, tested bool) {
	s := r.t.sh
	switch {
	case c.Select:
		r.w.NotSimulated("shell: select")
		r.complain("not simulated: select")
		s.status = 1
	default:
		op := opFor
		if _, ok := c.Loop.(*syntax.CStyleLoop); ok {
			op = opCFor
		}
		s.push(frame{op: op, node: c, tested: tested})
	}
}

func (r *runner) stepFor(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.ForClause)
	loop := c.Loop.(*syntax.WordIter)
	if f.stage == 0 {
		if !loop.InPos.IsValid() {
			f.words = slices.Clone(s.args)
		} else if !r.attempt(f, func(e *expander) { f.words = e.fields(loop.Items) }) {
			return
		}
		f.stage = 1
		s.status = 0
	}
	if f.at >= len(f.words) {
		r.pop()
		return
	}
	item := f.words[f.at]
	f.at++
	if err := s.assign(loop.Name.Value, item); err != nil {
		r.fatal(err.Error())
		return
	}
	s.push(frame{op: opSeq, stmts: c.Do})
}

func (r *runner) stepCFor(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.ForClause)
	loop := c.Loop.(*syntax.CStyleLoop)
	expr, value := loop.Cond, int64(1)
	switch f.stage {
	case 0:
		expr = loop.Init
	case 2:
		expr = loop.Post
	}
	if expr != nil && !r.attempt(f, func(e *expander) { value = e.arith(expr) }) {
		return
	}
	switch f.stage {
	case 0, 2:
		f.stage = 1
	case 1:
		if value == 0 {
			s.status = f.at
			r.pop()
			return
		}
		f.stage = 2
		s.push(frame{op: opSeq, stmts: c.Do})
		r.charge()
	}
}

func (r *runner) stepCase(f *frame) {
	s := r.t.sh
	c := f.node.(*syntax.CaseClause)
	hit := -1
	ok := r.attempt(f, func(e *expander) {
		value := e.text(c.Word)
		for i, item := range c.Items {
			for _, p := range item.Patterns {
				if hit < 0 && e.ok() && match(e.pattern(p), value) {
					hit = i
				}
			}
		}
	})
	if !ok {
		return
	}
	tail, tested := f.tail, f.tested
	r.pop()
	s.status = 0
	if hit < 0 {
		return
	}
	stmts := c.Items[hit].Stmts
	for c.Items[hit].Op == syntax.Fallthrough && hit+1 < len(c.Items) {
		hit++
		stmts = slices.Concat(stmts, c.Items[hit].Stmts)
	}
	s.push(frame{op: opSeq, stmts: stmts, tail: tail, tested: tested})
}
