package workload

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// frame is one level of what a shell is doing. The stack of frames is the whole
// control state, so that a shell can stop anywhere and be copied.
type frame struct {
	op     opcode
	tested bool // set -e has no effect inside
	tail   bool // the last command of a -c string
	loud   bool // used by the owner: negated status, a function's trap, ...
	stage  int
	at     int // of loops: next item
	pid    int
	node   syntax.Node
	stmts  []*syntax.Stmt
	words  []string // fields of a command, items of a loop, saved parameters
	env    []string // assignments before a command
	memo   []string // results of command substitutions so far
	kids   []int
	saved  []savedFD
	locals []savedVar
	text   string
}

type opcode uint8

const (
	opSeq    opcode = iota // statements, one after another
	opStmt                 // a statement: redirections, !, &
	opSimple               // a simple command
	opAndOr                // && and ||
	opIf
	opWhile
	opFor
	opCFor
	opCase
	opPipe     // waits for the stages of a pipeline
	opChild    // waits for a subshell or a script
	opSubst    // waits for a command substitution
	opFunction // boundary of a function call
	opSource   // boundary of a sourced script
	opTrap     // boundary of a trap
	opAttempt  // (( )), [[ ]], declarations: words that may need substitutions
)

type savedFD struct{ fd, file int }

type savedVar struct {
	name string
	v    variable
	ok   bool
}

func (f frame) clone() frame {
	f.words = slices.Clip(f.words)
	f.memo = slices.Clip(f.memo)
	f.kids = slices.Clip(f.kids)
	f.saved = slices.Clip(f.saved)
	f.locals = slices.Clip(f.locals)
	return f
}

func (f *frame) word0() string {
	if len(f.words) > 0 {
		return f.words[0]
	}
	return ""
}

func (s *shell) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *shell) push(f frame) { s.frames = append(s.frames, f) }

// isTested reports whether the present command runs where set -e has no effect.
func (s *shell) isTested() bool {
	if s.tested {
		return true
	}
	return slices.ContainsFunc(s.frames, func(f frame) bool { return f.tested })
}

// pop drops the top frame and undoes what it had changed.
func (r *runner) pop() {
	s := r.t.sh
	f := s.frames[len(s.frames)-1]
	s.frames[len(s.frames)-1] = frame{}
	s.frames = s.frames[:len(s.frames)-1]
	r.restore(f.saved)
	for i := len(f.locals) - 1; i >= 0; i-- {
		if l := f.locals[i]; l.ok {
			s.store(l.name, l.v)
		} else {
			delete(s.vars, l.name)
		}
	}
	switch f.op {
	case opFunction:
		s.args = f.words
		s.depth--
	case opSource:
		s.depth--
		if f.loud {
			s.args = f.words
		}
	case opTrap:
		s.inTrap = false
	}
}

// keep remembers a variable, so that pop of the frame puts it back.
func (s *shell) keep(f *frame, name string) {
	v, ok := s.vars[name]
	f.locals = append(f.locals, savedVar{name, v, ok})
}

func (r *runner) restore(saved []savedFD) {
	for i := len(saved) - 1; i >= 0; i-- {
		r.setFD(saved[i].fd, saved[i].file)
	}
}

// setFD makes fd mean file, which it takes over, and closes what it meant.
func (r *runner) setFD(fd, file int) {
	t := r.t
	for len(t.fds) <= fd {
		t.fds = append(t.fds, -1)
	}
	old := t.fds[fd]
	t.fds[fd] = file
	r.p.release(old)
}

// fd returns the open file of a descriptor of the running task, or -1.
func (r *runner) fd(n int) int {
	if n < 0 || n >= len(r.t.fds) {
		return -1
	}
	return r.t.fds[n]
}
