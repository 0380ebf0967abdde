package workload

import (
	"slices"
	"strconv"
	"strings"
)

func systemApplet(name string) applet {
	switch name {
	case "sleep", "usleep":
		return cmdSleep
	case "date":
		return cmdDate
	case "hostname":
		return cmdHostname
	case "id":
		return cmdID
	case "whoami":
		return cmdWhoami
	case "env":
		return cmdEnv
	case "printenv":
		return cmdPrintenv
	case "uname", "arch":
		return cmdUname
	case "nproc":
		return cmdNproc
	case "ps", "pgrep", "pidof", "killall", "pkill":
		return cmdProcesses
	case "which":
		return cmdWhich
	case "timeout":
		return cmdTimeout
	case "nohup", "nice", "ionice", "setsid", "time", "stdbuf", "su-exec", "gosu", "busybox", "setpriv":
		return cmdPrefix
	case "clear", "stty", "reset", "umount", "renice":
		return cmdTrue
	case "tty":
		return cmdTTY
	case "groups":
		return cmdGroups
	case "sysctl":
		return cmdSysctl
	case "getent":
		return cmdGetent
	case "watch":
		return cmdWatch
	case "stress", "stress-ng":
		return cmdStress
	case "logger":
		return cmdTrue
	case "free", "uptime", "hostid":
		return cmdFigures
	case "mount":
		return cmdMount
	case "python", "python3":
		return cmdPython
	case "perl", "perl5":
		return cmdPerl
	case "node", "ruby", "java", "php", "irb", "jshell", "docker-php-entrypoint", "R":
		return cmdInterpreter
	case "apt", "apt-get", "apk", "pip", "npm", "npx", "yarn", "yum", "dnf", "git", "mvn", "gradle", "go", "cargo", "gem", "bundle":
		return cmdPackages
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func cmdHostname(c *call) (int, bool) {
	name := c.w.Hostname()
	for _, a := range c.args {
		switch a {
		case "-s":
			name, _, _ = strings.Cut(name, ".")
		case "-f", "--fqdn", "-A":
			name = c.fullName(name)
		case "-i", "-I":
			name = c.ownAddress()
		case "-d":
			_, name, _ = strings.Cut(c.fullName(name), ".")
		default:
			c.errorf("sethostname: Operation not permitted")
			return 1, true
		}
	}
	c.print(name + "\n")
	return 0, true
}

// fullName is the longest name for the host's address in /etc/hosts.
func (c *call) fullName(host string) string {
	data, _ := c.w.ReadFile("/etc/hosts")
	for _, line := range strings.SplitAfter(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) > 1 && slices.Contains(f[1:], host) {
			return f[1]
		}
	}
	return host
}

func (c *call) ownAddress() string {
	data, _ := c.w.ReadFile("/etc/hosts")
	host := c.w.Hostname()
	for _, line := range strings.SplitAfter(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) > 1 && slices.Contains(f[1:], host) {
			return f[0]
		}
	}
	if l := c.w.Lookup(host); len(l.Addrs) > 0 {
		return l.Addrs[0]
	}
	return "127.0.0.1"
}

func cmdID(c *call) (int, bool) {
	s := c.p.spec
	named := func(id int64, name string) string {
		text := strconv.FormatInt(id, 10)
		if name != "" {
			text += "(" + name + ")"
		}
		return text
	}
	user, group := c.userName(s.UID), c.groupName(s.GID)
	switch strings.Join(c.args, "") {
	case "-u":
		c.print(strconv.FormatInt(s.UID, 10) + "\n")
	case "-g", "-G":
		c.print(strconv.FormatInt(s.GID, 10) + "\n")
	case "-un", "-u-n":
		if user == "" {
			c.errorf("unknown ID " + strconv.FormatInt(s.UID, 10))
			return 1, true
		}
		c.print(user + "\n")
	default:
		c.print("uid=" + named(s.UID, user) + " gid=" + named(s.GID, group) + " groups=" + named(s.GID, group) + "\n")
	}
	return 0, true
}

func cmdWhoami(c *call) (int, bool) {
	uid := c.p.spec.UID
	name := c.userName(uid)
	if name == "" {
		c.errorf("unknown uid " + strconv.FormatInt(uid, 10))
		return 1, true
	}
	c.print(name + "\n")
	return 0, true
}

func cmdGroups(c *call) (int, bool) {
	c.print(c.owner(c.p.spec.GID, c.groupName) + "\n")
	return 0, true
}

func cmdEnv(c *call) (int, bool) {
	if c.st.child != 0 {
		return c.join()
	}
	env := slices.Clone(c.environment())
	args := c.args
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "-i" || a == "-":
			env = nil
		case a == "-u" && len(args) > 1:
			env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, args[1]+"=") })
			args = args[1:]
		case a == "-S" || a == "--":
		case strings.Contains(a, "=") && !strings.HasPrefix(a, "="):
			name, _, _ := strings.Cut(a, "=")
			env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
			env = append(env, a)
		case strings.HasPrefix(a, "-"):
			return c.lacks("option " + a)
		default:
			return c.runChild(args, env)
		}
		args = args[1:]
	}
	c.printEnv(env)
	return 0, true
}

// runChild runs a command to its end; a task of its own becomes the command.
func (c *call) runChild(argv, env []string) (int, bool) {
	if c.t.sh == nil {
		to := c.resolve(argv[0])
		if to.err == nil {
			c.become(c.t, to, argv, env)
			return 0, false
		}
	}
	if code, ok := c.launch(argv, env); !ok {
		return code, true
	}
	return c.join()
}

func (c *call) printEnv(env []string) {
	var b strings.Builder
	seen := map[string]bool{}
	for i, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if seen[name] {
			continue
		}
		seen[name] = true
		if value, ok := lookupEnv(env[i:], name); ok {
			e = name + "=" + value
		}
		b.WriteString(e + "\n")
	}
	c.print(b.String())
}

func cmdPrintenv(c *call) (int, bool) {
	env := c.environment()
	if len(c.args) == 0 {
		c.printEnv(env)
		return 0, true
	}
	code := 0
	for _, a := range c.args {
		if v, ok := lookupEnv(env, a); ok {
			c.print(v + "\n")
		} else {
			code = 1
		}
	}
	return code, true
}

func cmdUname(c *call) (int, bool) {
	if c.name == "arch" {
		c.print("x86_64\n")
		return 0, true
	}
	o := c.options("asnrvmpio")
	var out []string
	for _, f := range []struct {
		flag byte
		text string
	}{{'s', "Linux"}, {'n', c.w.Hostname()}, {'r', "6.12.48"}, {'v', "#1 SMP PREEMPT_DYNAMIC"}, {'m', "x86_64"}, {'o', "GNU/Linux"}} {
		if o.flags[f.flag] || o.flags['a'] {
			out = append(out, f.text)
		}
	}
	if len(out) == 0 {
		out = []string{"Linux"}
		if o.flags['p'] || o.flags['i'] {
			out = []string{"unknown"}
		}
	}
	c.print(strings.Join(out, " ") + "\n")
	return 0, true
}

func cmdNproc(c *call) (int, bool) {
	n := c.p.spec.CPUs
	if n == 0 {
		n = 4
	}
	c.print(itoa(n) + "\n")
	return 0, true
}

// all lists the processes of the container that this one can see.
func (c *call) all() []ProcessInfo {
	c.look()
	list := c.w.Processes()
	if len(list) == 0 {
		return c.p.List()
	}
	return list
}

func cmdProcesses(c *call) (int, bool) {
	list := c.all()
	if c.name == "ps" {
		c.print("PID   USER     TIME  COMMAND\n")
		user := c.owner(c.p.spec.UID, c.userName)
		for _, p := range list {
			pid := itoa(p.PID)
			c.print(strings.Repeat(" ", max(0, 5-len(pid))) + pid + " " + pad(user, 8) + "  0:00 " + strings.Join(p.Argv, " ") + "\n")
		}
		return 0, true
	}
	sig, full, quiet := SIGTERM, false, false
	var names []string
	for _, a := range c.args {
		switch {
		case a == "-f":
			full = true
		case a == "-q":
			quiet = true
		case a == "-x" || a == "-l" || a == "-s" || a == "-o" || a == "-n":
		case strings.HasPrefix(a, "-"):
			if sig = SignalNumber(a[1:]); sig < 0 {
				return c.usage("bad signal name '" + a[1:] + "'")
			}
		default:
			names = append(names, a)
		}
	}
	hits := 0
	var pids []string
	for _, p := range list {
		if p.PID == c.t.pid || !slices.ContainsFunc(names, func(n string) bool { return c.names(p, n, full) }) {
			continue
		}
		hits++
		pids = append(pids, itoa(p.PID))
		if c.name == "killall" || c.name == "pkill" {
			c.killArg(itoa(p.PID), sig)
		}
	}
	switch {
	case c.name == "pidof" && hits > 0:
		slices.Reverse(pids)
		c.print(strings.Join(pids, " ") + "\n")
	case c.name == "pgrep" && hits > 0:
		c.print(strings.Join(pids, "\n") + "\n")
	case c.name == "killall" && hits == 0 && !quiet:
		c.stderr("killall: " + strings.Join(names, " ") + ": no process killed\n")
	}
	return boolStatus(hits > 0), true
}

func (c *call) names(p ProcessInfo, pattern string, full bool) bool {
	switch c.name {
	case "killall", "pidof":
		return p.Name == pattern || len(p.Argv) > 0 && baseName(p.Argv[0]) == pattern
	}
	text := p.Name
	if full {
		text = strings.Join(p.Argv, " ")
	}
	re, err := compileRegex(pattern, true, false)
	return err == nil && re.MatchString(text)
}

func cmdWhich(c *call) (int, bool) {
	for _, a := range c.args {
		to := c.resolve(a)
		if to.err != nil {
			c.st.bad = true
			continue
		}
		c.print(to.path + "\n")
	}
	return c.failed(), true
}

func cmdTTY(c *call) (int, bool) {
	if c.p.spec.TTY {
		c.print("/dev/pts/0\n")
		return 0, true
	}
	c.print("not a tty\n")
	return 1, true
}

func cmdSysctl(c *call) (int, bool) {
	o := c.options("wnpqae")
	for _, a := range o.rest {
		name, _, has := strings.Cut(a, "=")
		switch {
		case has && !c.p.spec.Privileged:
			c.stderr("sysctl: error setting key '" + name + "': Read-only file system\n")
			c.st.bad = true
		case has:
			c.print(strings.Replace(a, "=", " = ", 1) + "\n")
		default:
			c.w.NotSimulated("sysctl: the value of " + name)
			c.print(name + " = 0\n")
		}
	}
	return c.failed(), true
}

func cmdGetent(c *call) (int, bool) {
	if len(c.args) < 2 || c.args[0] != "hosts" && c.args[0] != "ahosts" && c.args[0] != "ahostsv4" {
		if len(c.args) > 1 && (c.args[0] == "passwd" || c.args[0] == "group") {
			data, _ := c.w.ReadFile("/etc/" + c.args[0])
			f := findLine(string(data), func(f []string) bool { return len(f) > 2 && (f[0] == c.args[1] || f[2] == c.args[1]) })
			if f == nil {
				return 2, true
			}
			c.print(strings.Join(f, ":") + "\n")
			return 0, true
		}
		return c.lacks(strings.Join(c.args, " "))
	}
	l := c.w.Lookup(c.args[1])
	if !c.pauseFor(l.Delay) {
		return 0, false
	}
	if l.Result != Found || len(l.Addrs) == 0 {
		return 2, true
	}
	name := l.Name
	if name == "" {
		name = c.args[1]
	}
	c.print(pad(l.Addrs[0], 15) + " " + name + "\n")
	return 0, true
}

func cmdFigures(c *call) (int, bool) {
	switch c.name {
	case "uptime":
		c.print(" " + c.wall().Format("15:04:05") + " up 0 min,  0 users,  load average: 0.00, 0.00, 0.00\n")
	case "hostid":
		c.print("007f0101\n")
	default:
		c.w.NotSimulated("free: the figures of the node")
		c.print("              total        used        free      shared  buff/cache   available\nMem:        8388608     1048576     7340032           0           0     7340032\nSwap:             0           0           0\n")
	}
	return 0, true
}

func cmdMount(c *call) (int, bool) {
	if len(c.args) == 0 {
		c.print("overlay on / type overlay (rw,relatime)\n")
		return 0, true
	}
	c.stderr("mount: permission denied (are you root?)\n")
	return 1, true
}

// packagePrograms are the programs of packages that are called otherwise.
var packagePrograms = map[string]string{"netcat": "nc", "netcat-openbsd": "nc", "netcat-traditional": "nc", "dnsutils": "dig nslookup host", "bind-tools": "dig nslookup host",
	"bind9-dnsutils": "dig nslookup host", "iputils-ping": "ping", "iputils": "ping", "procps": "ps pgrep pkill", "psmisc": "killall", "redis-tools": "redis-cli", "redis": "redis-cli",
	"postgresql-client": "psql pg_isready", "default-mysql-client": "mysql mysqladmin", "mysql-client": "mysql mysqladmin", "mariadb-client": "mysql mysqladmin",
	"python": "python python3", "nodejs": "node", "stress-ng": "stress-ng"}

// cmdPackages says that nothing was fetched or built. Of the packages that shall be
// installed it puts the simulated programs in place.
func cmdPackages(c *call) (int, bool) {
	for _, a := range c.args {
		programs, ok := packagePrograms[a]
		if !ok {
			programs = a
		}
		for _, name := range strings.Fields(programs) {
			key := name
			if name == "bash" {
				key = shellPrefix + name
			} else if lookupApplet(name) == nil || strings.ContainsAny(name, "./-") && !ok {
				continue
			}
			if _, err := c.w.Stat("/usr/bin/" + name); err != nil {
				c.act()
				c.w.Install("/usr/bin/"+name, key)
			}
		}
	}
	c.w.NotSimulated(c.name + " " + strings.Join(c.args, " ") + ": taken as done")
	return 0, c.pauseFor(3e9)
}
