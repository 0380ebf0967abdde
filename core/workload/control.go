package workload

import (
	"slices"
	"strconv"
	"strings"
)

// control reports whether a builtin changes the flow of the shell.
func control(name string) bool {
	switch name {
	case "exit", "return", "break", "continue", "eval", ".", "source", "command", "builtin":
		return true
	}
	return false
}

// control runs a builtin that changes the stack of frames.
func (r *runner) control(f *frame) {
	s := r.t.sh
	name, args := f.words[0], f.words[1:]
	switch name {
	case "exit":
		r.exitBuiltin(args)
	case "return":
		r.returnBuiltin(args)
	case "break", "continue":
		r.loopBuiltin(name, args)
	case "eval":
		saved := f.saved
		f.saved = nil
		r.pop()
		r.evaluate(strings.Join(args, " "), frame{op: opSeq, saved: saved})
		r.charge()
	case ".", "source":
		r.source(f, args)
	case "command", "builtin":
		r.commandBuiltin(f, args)
	default:
		s.status = 0
		r.endSimple()
	}
}

func (r *runner) statusArg(args []string) (int, bool) {
	s := r.t.sh
	if len(args) == 0 {
		return s.status, true
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		switch s.dialect {
		case bash:
			r.complain("exit: " + args[0] + ": numeric argument required")
		default:
			r.complain("exit: Illegal number: " + args[0])
		}
		return 2, false
	}
	return n & 255, true
}

func (r *runner) exitBuiltin(args []string) {
	code, _ := r.statusArg(args)
	if s := r.t.sh; len(args) == 0 && s.inTrap {
		for _, f := range s.frames {
			if f.op == opTrap {
				code = f.at
			}
		}
	}
	r.charge()
	r.leave(code)
}

func (r *runner) returnBuiltin(args []string) {
	s := r.t.sh
	code, _ := r.statusArg(args)
	if s.depth == 0 && s.dialect == bash {
		r.complain("return: can only `return' from a function or sourced script")
		s.status = 2
		r.endSimple()
		return
	}
	r.charge()
	for len(s.frames) > 0 {
		op := s.top().op
		if op == opTrap {
			break
		}
		r.pop()
		if op == opFunction || op == opSource {
			break
		}
	}
	s.status = code
}

func (r *runner) loopBuiltin(name string, args []string) {
	s := r.t.sh
	n := 1
	if len(args) > 0 {
		v, err := strconv.Atoi(args[0])
		if err != nil || v < 1 {
			r.complain(name + ": Illegal number: " + args[0])
			s.status = 2
			r.endSimple()
			return
		}
		n = v
	}
	r.charge()
	loops := 0
	for _, f := range s.frames {
		switch f.op {
		case opWhile, opFor, opCFor:
			loops++
		case opFunction, opTrap:
			loops = 0
		}
	}
	if loops == 0 {
		s.status = 0
		r.pop()
		return
	}
	for n = min(n, loops); ; r.pop() {
		f := s.top()
		if f.op != opWhile && f.op != opFor && f.op != opCFor {
			continue
		}
		if n--; n > 0 {
			continue
		}
		s.status = 0
		if name == "break" {
			r.pop()
		} else if f.op == opWhile {
			f.stage, f.pid = 0, 1
		}
		return
	}
}

// evaluate pushes the commands of a text on the stack.
func (r *runner) evaluate(text string, f frame) {
	s := r.t.sh
	if s.depth >= maxDepth {
		r.p.limit = "1000 nested calls"
		r.fatal("eval: nested too deep")
		return
	}
	parsed := r.p.spec.Cache.parse(text, s.dialect)
	f.stmts, f.text, f.pid = parsed.stmts, parsed.fault, int(parsed.line)
	if len(parsed.stmts) == 0 {
		s.status = 0
	}
	s.push(f)
}

func (r *runner) source(f *frame, args []string) {
	s := r.t.sh
	if len(args) == 0 {
		r.complain(".: filename argument required")
		s.status = 2
		r.endSimple()
		return
	}
	path := args[0]
	if !strings.Contains(path, "/") {
		if _, err := r.w.Stat(r.abs(path)); err != nil || s.dialect != bash {
			path = r.findSource(path)
		}
	}
	data, err := r.w.ReadFile(r.abs(path))
	if err == ENOENT && r.supposed(r.abs(path)) {
		err = nil
	}
	if err != nil {
		r.cannotSource(args[0], err)
		return
	}
	saved := f.saved
	f.saved = nil
	call := frame{op: opSource, saved: saved}
	if len(args) > 1 {
		call.loud, call.words = true, s.args
		s.args = args[1:]
	}
	r.pop()
	s.depth++
	s.push(call)
	s.status = 0
	r.evaluate(string(data), frame{op: opSeq})
	r.charge()
}

func (r *runner) findSource(name string) string {
	for _, dir := range strings.Split(r.getenv("PATH", defaultPath), ":") {
		if _, err := r.w.Stat(dir + "/" + name); err == nil {
			return dir + "/" + name
		}
	}
	return name
}

// cannotSource ends the shell, except in bash.
func (r *runner) cannotSource(name string, err error) {
	s := r.t.sh
	switch s.dialect {
	case bash:
		r.complain(name + ": " + err.Error())
		s.status = 1
		r.endSimple()
	case dash:
		text := "cannot open " + name + ": No such file"
		if err != ENOENT {
			text = "cannot open " + name + ": " + err.Error()
		}
		r.fatal(".: " + text)
	default:
		r.fatal(s.builtinFault(".", "can't open '"+name+"': "+err.Error()))
	}
}

// commandBuiltin runs a command past functions, or tells what it is.
func (r *runner) commandBuiltin(f *frame, args []string) {
	s := r.t.sh
	if len(args) > 0 && (args[0] == "-v" || args[0] == "-V") {
		s.status = 0
		for _, name := range args[1:] {
			if !r.describeCommand(name, args[0] == "-V") {
				s.status = 1
				if s.dialect != bash || args[0] == "-V" {
					s.status = 127
				}
			}
		}
		r.endSimple()
		return
	}
	for len(args) > 0 && (args[0] == "-p" || args[0] == "--") {
		args = args[1:]
	}
	if len(args) == 0 {
		s.status = 0
		r.endSimple()
		return
	}
	f.words = args
	if control(args[0]) && args[0] != "command" && args[0] != "builtin" {
		r.control(f)
		return
	}
	if r.isBuiltin(args[0]) {
		f.text, f.stage = "builtin:"+args[0], 1
		r.t.st = &state{}
		return
	}
	r.start(f)
}

// describeCommand prints what a name means and reports whether it means anything.
func (r *runner) describeCommand(name string, wordy bool) bool {
	s := r.t.sh
	text := ""
	switch to := r.resolve(name); {
	case slices.Contains(reservedWords, name):
		text = name
		if wordy {
			text += " is a shell keyword"
		}
	case s.funcs[name] != nil:
		text = name
		if wordy {
			text += " is a function"
		}
	case control(name), name == "exec", r.isBuiltin(name):
		text = name
		if wordy {
			text += " is a shell builtin"
		}
	case to.err == nil && to.program == assumedProgram:
		text = "/usr/bin/" + name
		r.w.Assumed("command " + name + " exists in image " + r.p.spec.Image.Ref.Familiar())
	case to.err == nil:
		text = to.path
		if wordy {
			text = name + " is " + to.path
		}
	default:
		if wordy {
			r.complain(name + ": not found")
		}
		return false
	}
	r.write(r.fd(1), []byte(text+"\n"))
	return true
}

var reservedWords = []string{"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "{", "}", "!", "in"}
