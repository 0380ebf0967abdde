package workload

import (
	"slices"
	"strconv"
	"strings"
)

// Signals by their numbers on Linux.
const (
	SIGHUP   = 1
	SIGINT   = 2
	SIGQUIT  = 3
	SIGKILL  = 9
	SIGUSR1  = 10
	SIGSEGV  = 11
	SIGUSR2  = 12
	SIGPIPE  = 13
	SIGALRM  = 14
	SIGTERM  = 15
	SIGCHLD  = 17
	SIGCONT  = 18
	SIGSTOP  = 19
	SIGWINCH = 28
)

var signalNames = [...]string{
	0: "EXIT", 1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL", 10: "USR1",
	11: "SEGV", 12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM", 16: "STKFLT", 17: "CHLD", 18: "CONT", 19: "STOP", 20: "TSTP",
	21: "TTIN", 22: "TTOU", 23: "URG", 24: "XCPU", 25: "XFSZ", 26: "VTALRM", 27: "PROF", 28: "WINCH", 29: "IO", 30: "PWR", 31: "SYS",
}

// SignalNumber returns the number of a signal named like TERM, SIGTERM or 15. It
// is -1 for an unknown name. 37 stands for SIGRTMIN+3, which systemd images use.
func SignalNumber(name string) int {
	if n, err := strconv.Atoi(name); err == nil {
		if n < 0 || n > 64 {
			return -1
		}
		return n
	}
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if name == "RTMIN+3" {
		return 37
	}
	return slices.Index(signalNames[:], name)
}

// Signal sends a signal to the main task, pid 1 of the container or the first of
// an exec session. The effect shows at the next Run, which the caller makes at
// once.
func (p *Process) Signal(sig int, w World) {
	if p.done || len(p.tasks) == 0 {
		return
	}
	p.unpark(w)
	r := &runner{p: p, w: w, now: w.Now()}
	r.signal(p.tasks[0], sig)
}

// Kill sends a signal to any task inside by its pid; sig 0 only asks. It reports
// whether there is one.
func (p *Process) Kill(pid, sig int, w World) bool {
	t := p.task(pid)
	if p.done || t == nil || t.ended {
		return false
	}
	p.unpark(w)
	r := &runner{p: p, w: w, now: w.Now()}
	r.signal(t, sig)
	return true
}

// init1 reports whether the kernel shields the task: pid 1 gets only signals for
// which it has a handler.
func (r *runner) init1(t *task) bool { return r.p.Main() && t.pid == 1 }

func (r *runner) signal(t *task, sig int) {
	r.p.idle.acted = true
	switch {
	case sig == 0 || t.ended:
		return
	case sig == SIGKILL:
		r.kill(t, sig)
		return
	case sig == SIGSTOP, sig == SIGCONT, sig == SIGCHLD, sig == SIGWINCH && t.sh != nil:
		return
	}
	if sig < 32 && t.ignored&(1<<sig) != 0 {
		return
	}
	if s := t.sh; s != nil {
		if text, ok := s.traps[sig]; ok {
			if text != "" && sig < 32 {
				t.pending |= 1 << sig
			}
			return
		}
		if s.dialect == bash && sig == SIGQUIT {
			return
		}
	}
	if r.handled(t, sig) || r.init1(t) {
		return
	}
	r.kill(t, sig)
}

func (r *runner) kill(t *task, sig int) {
	was := r.t
	r.t = t
	r.exit(t, 128+sig, sig)
	r.t = was
}

func trapSignals(s *shell) []int {
	list := make([]int, 0, len(s.traps))
	for n := range s.traps {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// runTrap starts the trap of a pending signal. It reports whether it did.
func (r *runner) runTrap() bool {
	t, s := r.t, r.t.sh
	if s.inTrap {
		return false
	}
	for sig := 1; sig < 32; sig++ {
		if t.pending&(1<<sig) == 0 {
			continue
		}
		t.pending &^= 1 << sig
		text := s.traps[sig]
		if text == "" {
			continue
		}
		if len(s.frames) > 0 && s.top().op == opSimple && s.top().stage == 1 {
			s.status = 128 + sig
			r.endSimple()
			t.wait, t.wake = waitNone, 0
		}
		r.pushTrap(text)
		return true
	}
	return false
}

func (r *runner) pushTrap(text string) {
	s := r.t.sh
	parsed := r.p.spec.Cache.parse(text, s.dialect)
	s.push(frame{op: opTrap, at: s.status})
	s.inTrap = true
	s.push(frame{op: opSeq, stmts: parsed.stmts, text: parsed.fault, pid: int(parsed.line)})
}
