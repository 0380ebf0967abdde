package workload

import (
	"slices"
	"strconv"
	"strings"
)

// isBuiltin reports whether the running shell has a builtin of that name.
func (r *runner) isBuiltin(name string) bool {
	s := r.t.sh
	if s == nil || builtin(name) == nil {
		return false
	}
	switch name {
	case "declare", "typeset", "shopt", "mapfile", "readarray", "disown", "pushd", "popd", "dirs", "caller", "enable", "history":
		return s.dialect == bash
	case "[[":
		return s.dialect == ash
	case "let", "source":
		return s.dialect != dash
	}
	return true
}

// builtin returns the function of a shell builtin, or nil.
func builtin(name string) applet {
	switch name {
	case ":", "true":
		return cmdTrue
	case "false":
		return cmdFalse
	case "echo":
		return cmdEcho
	case "printf":
		return cmdPrintf
	case "test", "[", "[[":
		return cmdTest
	case "cd":
		return cmdCd
	case "pwd":
		return cmdPwd
	case "export", "readonly", "local", "declare", "typeset":
		return cmdExport
	case "set":
		return cmdSet
	case "shift":
		return cmdShift
	case "unset":
		return cmdUnset
	case "trap":
		return cmdTrap
	case "wait":
		return cmdWait
	case "read":
		return cmdRead
	case "kill":
		return cmdKill
	case "getopts":
		return cmdGetopts
	case "umask", "ulimit", "hash", "alias", "unalias", "jobs", "fg", "bg", "times", "shopt", "disown", "enable", "history", "caller":
		return cmdQuiet
	case "type":
		return cmdType
	case "let":
		return cmdLet
	case "mapfile", "readarray":
		return cmdMapfile
	case "exec":
		return cmdTrue
	}
	return nil
}

func cmdTrue(*call) (int, bool)  { return 0, true }
func cmdFalse(*call) (int, bool) { return 1, true }

// cmdQuiet is for builtins whose effect nothing here depends on.
func cmdQuiet(c *call) (int, bool) {
	switch {
	case c.name == "umask" && len(c.args) == 0:
		c.print("0022\n")
	case c.name == "ulimit" && slices.Contains(c.args, "-n") && len(c.args) == 1:
		c.print("1048576\n")
	case c.name == "ulimit" && len(c.args) <= 1:
		c.print("unlimited\n")
	}
	return 0, true
}

func cmdCd(c *call) (int, bool) {
	s := c.t.sh
	args := c.args
	for len(args) > 0 && (args[0] == "-L" || args[0] == "-P" || args[0] == "--") {
		args = args[1:]
	}
	to, print := s.text("HOME"), false
	if len(args) > 0 {
		to = args[0]
	}
	if to == "-" {
		to, print = s.text("OLDPWD"), true
	}
	path := c.abs(to)
	info, err := c.w.Stat(path)
	if err == nil && !info.IsDir() {
		err = ENOTDIR
	}
	if err == nil {
		err = c.w.Access(path, 1)
	}
	if err != nil {
		switch s.dialect {
		case bash:
			c.complain("cd: " + to + ": " + err.Error())
			return 1, true
		case dash:
			c.complain("cd: can't cd to " + to)
			return 2, true
		}
		c.complain(s.builtinFault("cd", "can't cd to "+to+": "+err.Error()))
		return 2, true
	}
	s.assign("OLDPWD", c.t.cwd)
	c.t.cwd = path
	s.assign("PWD", path)
	if print {
		c.print(path + "\n")
	}
	return 0, true
}

func cmdPwd(c *call) (int, bool) {
	c.print(c.t.cwd + "\n")
	return 0, true
}

// cmdExport is export, readonly and local with their words expanded.
func cmdExport(c *call) (int, bool) {
	s := c.t.sh
	code := 0
	for _, arg := range c.args {
		if strings.HasPrefix(arg, "-") && len(arg) > 1 {
			if arg == "-p" {
				c.listExported()
			}
			continue
		}
		name, value, has := strings.Cut(arg, "=")
		if !isName(name) {
			if s.dialect != bash {
				c.fatal(s.builtinFault(c.name, name+": bad variable name"))
				return 2, false
			}
			c.complain(c.name + ": `" + arg + "': not a valid identifier")
			code = 1
			continue
		}
		if c.name == "local" && !s.localName(name) {
			c.fatal(s.builtinFault("local", "not in a function"))
			return 2, false
		}
		if has {
			if err := s.assign(name, value); err != nil {
				c.complain(err.Error())
				return 1, true
			}
		}
		v, _ := s.get(name)
		v.exported = v.exported || c.name == "export"
		v.readonly = v.readonly || c.name == "readonly"
		s.store(name, v)
	}
	if len(c.args) == 0 && c.name == "export" {
		c.listExported()
	}
	return code, true
}

func (c *call) listExported() {
	form := "export "
	if c.dialect() == bash {
		form = "declare -x "
	}
	env := slices.Clone(c.t.sh.environ(nil))
	slices.Sort(env)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if c.dialect() == bash {
			c.print(form + name + "=" + strconv.Quote(value) + "\n")
		} else {
			c.print(form + name + "='" + strings.ReplaceAll(value, "'", `'"'"'`) + "'\n")
		}
	}
}

func cmdSet(c *call) (int, bool) {
	s := c.t.sh
	args := c.args
	if len(args) == 0 {
		for _, n := range s.names() {
			c.print(n + "='" + strings.ReplaceAll(s.text(n), "'", `'"'"'`) + "'\n")
		}
		return 0, true
	}
	for len(args) > 0 {
		a := args[0]
		if a == "--" || a == "-" {
			s.args = args[1:]
			return 0, true
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			s.args = args
			return 0, true
		}
		args = args[1:]
		for _, letter := range []byte(a[1:]) {
			if letter == 'o' {
				if len(args) == 0 {
					return 0, true
				}
				if !s.option(args[0], a[0] == '-') {
					return c.badOption("-o " + args[0])
				}
				args = args[1:]
				continue
			}
			if !s.flag(letter, a[0] == '-') {
				return c.badOption("-" + string(letter))
			}
		}
	}
	return 0, true
}

// badOption ends the shell, except in bash.
func (c *call) badOption(option string) (int, bool) {
	if c.dialect() == bash {
		c.complain("set: " + strings.TrimPrefix(option, "-o ") + ": invalid option name")
		return 2, true
	}
	text := "set: Illegal option " + option
	if c.dialect() == ash {
		text = "set: illegal option " + option
	}
	c.fatal(text)
	return 2, false
}

func (s *shell) flag(letter byte, on bool) bool {
	for _, o := range optionLetters {
		if o.letter == letter && letter != 0 {
			s.setOption(o.bit, on)
			return true
		}
	}
	return strings.IndexByte("bhimsEBHPT", letter) >= 0
}

func (s *shell) option(name string, on bool) bool {
	for _, o := range optionLetters {
		if o.name == name && !(name == "pipefail" && s.dialect == dash) {
			s.setOption(o.bit, on)
			return true
		}
	}
	switch name {
	case "monitor", "notify", "vi", "emacs", "ignoreeof", "nolog":
		return true
	case "posix", "errtrace", "functrace", "hashall", "braceexpand", "history", "histexpand", "physical", "privileged", "keyword":
		return s.dialect == bash
	}
	return false
}

func (s *shell) setOption(bit uint16, on bool) {
	if on {
		s.opts |= bit
	} else {
		s.opts &^= bit
	}
}

func cmdShift(c *call) (int, bool) {
	s := c.t.sh
	n := 1
	if len(c.args) > 0 {
		v, err := strconv.Atoi(c.args[0])
		if err != nil || v < 0 {
			return c.usage("Illegal number: " + c.args[0])
		}
		n = v
	}
	if n > len(s.args) {
		if s.dialect == dash {
			c.complain("shift: can't shift that many")
			c.charge()
			c.leave(2)
			return 2, false
		}
		return 1, true
	}
	s.args = s.args[n:]
	return 0, true
}

func cmdUnset(c *call) (int, bool) {
	s := c.t.sh
	functions := false
	for _, name := range c.args {
		switch {
		case name == "-f":
			functions = true
		case name == "-v":
			functions = false
		case functions:
			delete(s.funcs, name)
		default:
			if v, _ := s.get(name); v.readonly {
				c.complain("unset: " + name + ": " + s.readonlyText())
				return 1, true
			}
			if name, index, ok := strings.Cut(name, "["); ok {
				s.unsetElement(name, strings.TrimSuffix(index, "]"))
				continue
			}
			s.store(name, variable{})
		}
	}
	return 0, true
}

func (s *shell) unsetElement(name, index string) {
	v, _ := s.get(name)
	if v.table != nil {
		table := map[string]string{}
		for k, t := range v.table {
			if k != index {
				table[k] = t
			}
		}
		v.table = table
	} else if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(v.list) {
		v.list = slices.Delete(slices.Clone(v.list), i, i+1)
	}
	s.store(name, v)
}

func cmdTrap(c *call) (int, bool) {
	s := c.t.sh
	args := c.args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0] == "-p" {
		for _, n := range trapSignals(s) {
			c.print("trap -- '" + strings.ReplaceAll(s.traps[n], "'", `'\''`) + "' " + trapName(s, n) + "\n")
		}
		return 0, true
	}
	action, names := args[0], args[1:]
	if len(names) == 0 || SignalNumber(action) >= 0 && isDigit(action[0]) {
		action, names = "-", args
	}
	code := 0
	for _, name := range names {
		n := SignalNumber(name)
		switch {
		case name == "ERR" && s.dialect == bash:
			delete(s.traps, trapERR)
			if action != "-" {
				s.trap(trapERR, action)
			}
		case (name == "DEBUG" || name == "RETURN") && s.dialect == bash:
			c.w.NotSimulated("shell: trap " + name)
		case n < 0:
			c.complain(s.builtinFault("trap", name+": invalid signal specification"))
			code = 1
		case action == "-":
			delete(s.traps, n)
		default:
			s.trap(n, action)
		}
	}
	return code, true
}

// trapERR is the key of bash's trap for failed commands.
const trapERR = 100

func trapName(s *shell, n int) string {
	name := strconv.Itoa(n)
	if n < len(signalNames) {
		name = signalNames[n]
	}
	if s.dialect == bash && n > 0 {
		return "SIG" + name
	}
	return name
}

func cmdWait(c *call) (int, bool) {
	pids := c.args
	if len(pids) > 0 && pids[0] == "-n" {
		return c.waitNext()
	}
	if len(pids) == 0 {
		for _, t := range c.p.tasks {
			if t.ppid == c.t.pid && !t.ended {
				c.t.wait, c.t.on = waitAny, 0
				c.reapChildren()
				return 0, false
			}
		}
		c.reapChildren()
		return 0, true
	}
	status := 0
	for _, arg := range pids {
		pid, err := strconv.Atoi(strings.TrimPrefix(arg, "%"))
		if err != nil {
			return c.usage("invalid process id: " + arg)
		}
		if strings.HasPrefix(arg, "%") {
			pid = c.t.sh.lastBG
		}
		child := c.p.task(pid)
		if child == nil || child.ppid != c.t.pid {
			status = 127
			if c.dialect() == bash {
				c.complain("wait: pid " + arg + " is not a child of this shell")
			}
			continue
		}
		if !child.ended {
			c.t.wait, c.t.on = waitAny, pid
			return 0, false
		}
		if status = child.status; !child.reaped && child.signal != 0 {
			child.reaped = true
			c.reportSignal(child.signal)
		}
	}
	return status, true
}

func (c *call) waitNext() (int, bool) {
	running := false
	for _, t := range c.p.tasks {
		if t.ppid == c.t.pid && t.ended && !t.reaped {
			t.reaped = true
			return t.status, true
		}
		running = running || t.ppid == c.t.pid && !t.ended
	}
	if !running {
		return 127, true
	}
	c.t.wait, c.t.on = waitAny, 0
	return 0, false
}

func (c *call) reapChildren() {
	for _, t := range c.p.tasks {
		if t.ppid == c.t.pid && t.ended {
			t.reaped = true
		}
	}
}

func cmdLet(c *call) (int, bool) {
	e := &expander{r: c.runner, s: c.t.sh}
	n := int64(0)
	for _, a := range c.args {
		n = e.reparse(a)
	}
	if e.fault != "" {
		return c.usage(e.fault)
	}
	return boolStatus(n != 0), true
}

func cmdType(c *call) (int, bool) {
	code := 0
	for _, name := range c.args {
		if !strings.HasPrefix(name, "-") && !c.describeCommand(name, true) {
			code = 1
			if c.dialect() != bash {
				code = 127
			}
		}
	}
	return code, true
}
