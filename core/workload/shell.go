package workload

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"podwalk/core/sim"
)

// dialect says which shell it is; they differ in builtins and messages.
type dialect uint8

const (
	ash  dialect = iota // busybox
	dash                // Debian's sh
	bash
)

// shell is the state of one shell: a stack of frames over a shared syntax tree,
// and the variables.
type shell struct {
	dialect dialect
	name    string // $0
	args    []string
	base    []string // environment at the start, shared; later entries win
	vars    map[string]variable
	funcs   map[string]*syntax.Stmt
	traps   map[int]string
	frames  []frame
	opts    uint16
	status  int
	substed int // status of the last command substitution
	lastBG  int
	pid     int // $$
	started sim.Time
	line    uint
	pipes   []int // PIPESTATUS
	optPos  int   // inside a cluster of getopts
	depth   int   // of functions and sourced scripts
	sub     bool  // a subshell
	tested  bool  // the whole shell runs where set -e has no effect
	inTrap  bool
	quit    bool // the EXIT trap has been run
	minusC  bool // a -c string: its last command replaces the shell
	fromIn  bool // it reads its script from standard input
}

// Options of set, as bits of shell.opts.
const (
	optErrExit uint16 = 1 << iota
	optTrace
	optUnset
	optNoGlob
	optNoExec
	optVerbose
	optPipeFail
	optAllExport
	optNoClobber
)

// variable is the value of a shell variable. In maps it is frozen.
type variable struct {
	text     string
	list     []string          // an indexed array
	table    map[string]string // an associative array
	set      bool
	exported bool
	readonly bool
	integer  bool
	isList   bool
}

func (s *shell) clone() *shell {
	c := *s
	c.vars = maps.Clone(s.vars)
	c.funcs = maps.Clone(s.funcs)
	c.traps = maps.Clone(s.traps)
	c.frames = slices.Clone(s.frames)
	for i := range c.frames {
		c.frames[i] = c.frames[i].clone()
	}
	c.args = slices.Clip(s.args)
	c.pipes = slices.Clip(s.pipes)
	return &c
}

// fork returns the state of a subshell: without traps, with nothing to do.
func (s *shell) fork() *shell {
	c := *s
	c.vars = maps.Clone(s.vars)
	c.funcs = maps.Clone(s.funcs)
	c.traps = nil
	for sig, text := range s.traps {
		if text == "" {
			c.trap(sig, "")
		}
	}
	c.frames = nil
	c.sub, c.inTrap, c.quit, c.minusC = true, false, false, false
	c.tested = s.isTested()
	return &c
}

func (s *shell) trap(sig int, text string) {
	if s.traps == nil {
		s.traps = map[int]string{}
	}
	s.traps[sig] = text
}

func (s *shell) has(opt uint16) bool { return s.opts&opt != 0 }

// get returns a variable, from the environment if it was never assigned.
func (s *shell) get(name string) (variable, bool) {
	if v, ok := s.vars[name]; ok {
		return v, v.set
	}
	if text, ok := lookupEnv(s.base, name); ok && isName(name) {
		return variable{text: text, set: true, exported: true}, true
	}
	return variable{}, false
}

func lookupEnv(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if e := env[i]; len(e) > len(name) && e[len(name)] == '=' && e[:len(name)] == name {
			return e[len(name)+1:], true
		}
	}
	return "", false
}

func (s *shell) text(name string) string {
	v, _ := s.get(name)
	return v.first()
}

// first is what $x gives for an array.
func (v variable) first() string {
	switch {
	case v.isList && len(v.list) > 0:
		return v.list[0]
	case v.table != nil:
		return v.table["0"]
	}
	return v.text
}

func (s *shell) store(name string, v variable) {
	if s.vars == nil {
		s.vars = map[string]variable{}
	}
	s.vars[name] = v
}

// assign sets the text of a variable and keeps its attributes.
func (s *shell) assign(name, text string) error {
	v, _ := s.get(name)
	switch {
	case v.readonly:
		return textError(name + ": " + s.readonlyText())
	case len(text) > maxVariable:
		return textError(name + ": " + string(errTooLong))
	}
	if v.isList {
		v.list = slices.Clone(v.list)
		if len(v.list) == 0 {
			v.list = []string{""}
		}
		v.list[0] = text
	} else {
		v.text = text
	}
	v.set = true
	if s.has(optAllExport) {
		v.exported = true
	}
	s.store(name, v)
	return nil
}

func (s *shell) readonlyText() string {
	switch s.dialect {
	case bash:
		return "readonly variable"
	case dash:
		return "is read only"
	}
	return "is read only"
}

// environ returns what a program started by the shell gets: the exported
// variables in order of their first appearance, then by name, then extra.
func (s *shell) environ(extra []string) []string {
	if len(s.vars) == 0 && len(extra) == 0 {
		return s.base
	}
	var env []string
	seen := map[string]bool{}
	for _, e := range s.base {
		name, _, _ := strings.Cut(e, "=")
		if seen[name] {
			continue
		}
		seen[name] = true
		if v, ok := s.get(name); ok && v.exported {
			env = append(env, name+"="+v.first())
		} else if !isName(name) {
			env = append(env, e)
		}
	}
	for _, name := range s.names() {
		if v := s.vars[name]; v.set && v.exported && !seen[name] {
			env = append(env, name+"="+v.first())
		}
	}
	return append(env, extra...)
}

// special returns the parameters that are not variables.
func (r *runner) special(name string) (string, bool) {
	s := r.t.sh
	switch name {
	case "?":
		return strconv.Itoa(s.status), true
	case "$":
		return strconv.Itoa(s.pid), true
	case "!":
		if s.lastBG == 0 {
			return "", false
		}
		return strconv.Itoa(s.lastBG), true
	case "#":
		return strconv.Itoa(len(s.args)), true
	case "-":
		return s.flags(), true
	case "0":
		return s.name, true
	case "FUNCNAME":
		for i := len(s.frames) - 1; i >= 0 && s.dialect == bash; i-- {
			if s.frames[i].op == opFunction {
				return s.frames[i].text, true
			}
		}
		return "", false
	case "LINENO":
		return strconv.Itoa(int(s.line)), true
	case "PPID":
		return strconv.Itoa(r.t.ppid), true
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		if n <= len(s.args) {
			return s.args[n-1], true
		}
		return "", false
	}
	return r.dynamic(name)
}

// dynamic returns variables that the shell computes, unless they were assigned.
func (r *runner) dynamic(name string) (string, bool) {
	s := r.t.sh
	if v, ok := s.vars[name]; ok {
		return v.first(), v.set
	}
	switch name {
	case "RANDOM":
		if s.dialect != dash {
			return strconv.Itoa(int(r.nextRandom("RANDOM") % 32768)), true
		}
	case "SECONDS":
		if s.dialect == bash {
			r.p.idle.clock = true
			return strconv.FormatInt(int64(r.now-s.started)/int64(sim.Second), 10), true
		}
	case "EPOCHSECONDS":
		if s.dialect == bash {
			return strconv.FormatInt(r.wall().Unix(), 10), true
		}
	case "HOSTNAME", "UID", "EUID", "BASH_VERSION", "HOSTTYPE", "OSTYPE", "BASHPID", "BASH", "SHLVL", "MACHTYPE":
		if s.dialect == bash {
			return r.bashConstant(name)
		}
	case "PWD":
		return r.t.cwd, true
	case "IFS":
		return " \t\n", true
	case "OPTIND":
		return "1", true
	case "PS4":
		return "+ ", true
	}
	v, ok := s.get(name)
	return v.first(), ok
}

func (r *runner) bashConstant(name string) (string, bool) {
	if v, ok := r.t.sh.get(name); ok && name != "UID" && name != "EUID" {
		return v.first(), true
	}
	switch name {
	case "HOSTNAME":
		return r.w.Hostname(), true
	case "UID", "EUID":
		return strconv.FormatInt(r.p.spec.UID, 10), true
	case "BASH_VERSION":
		return "5.2.37(1)-release", true
	case "HOSTTYPE":
		return "x86_64", true
	case "OSTYPE":
		return "linux-gnu", true
	case "MACHTYPE":
		return "x86_64-pc-linux-gnu", true
	case "BASHPID":
		return strconv.Itoa(r.t.pid), true
	case "BASH":
		return "/bin/bash", true
	}
	return "0", true
}

var optionLetters = []struct {
	letter byte
	name   string
	bit    uint16
}{
	{'e', "errexit", optErrExit}, {'x', "xtrace", optTrace}, {'u', "nounset", optUnset}, {'f', "noglob", optNoGlob},
	{'n', "noexec", optNoExec}, {'v', "verbose", optVerbose}, {'a', "allexport", optAllExport}, {'C', "noclobber", optNoClobber},
	{0, "pipefail", optPipeFail},
}

func (s *shell) flags() string {
	var b []byte
	for _, o := range optionLetters {
		if o.letter != 0 && s.has(o.bit) {
			b = append(b, o.letter)
		}
	}
	if s.minusC {
		b = append(b, 'c')
	}
	return string(b)
}

// prefix is how the shell begins its messages.
func (s *shell) prefix() string {
	switch s.dialect {
	case dash:
		return s.name + ": " + strconv.Itoa(int(s.line)) + ": "
	case bash:
		name := s.name
		if s.minusC && name == "bash" || s.minusC && name == "sh" {
			return name + ": line " + strconv.Itoa(int(s.line)) + ": "
		}
		return name + ": line " + strconv.Itoa(int(s.line)) + ": "
	}
	return s.name + ": "
}
