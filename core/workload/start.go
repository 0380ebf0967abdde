package workload

import (
	"strconv"
	"strings"
)

// Start makes the process of a container, or of an exec session, a probe or a
// hook. It does nothing yet: Run begins it. The error is what the runtime
// reports when the program cannot be executed.
func Start(spec Spec, w World) (*Process, *StartError) {
	p := &Process{spec: &spec, started: w.Now(), instant: -1}
	w.SetTime(w.Now())
	if spec.PID == 0 {
		p.spec.PID = 1
	}
	if spec.WorkingDir == "" {
		p.spec.WorkingDir = spec.Image.WorkingDir
	}
	p.lastPID = p.spec.PID
	if len(spec.Argv) == 0 {
		return nil, p.refuse("no command specified")
	}
	cwd := absolute("/", p.spec.WorkingDir)
	if err := enter(w, cwd); err != nil {
		return nil, p.refuse(`chdir to cwd ("` + cwd + `") set in config.json failed: ` + lower(err))
	}
	path, ok := lookupEnv(spec.Env, "PATH")
	if !ok {
		path = defaultPath
	}
	name := spec.Argv[0]
	to := resolveIn(w, spec.Image, name, cwd, path)
	if to.program == shellPrefix {
		to.err, to.late = errFormat, true
	}
	if to.late {
		to = target{program: failPrefix + "exec " + to.path + ": " + lower(to.err)}
	}
	if to.err != nil {
		return nil, p.refuse(execFault(name, to.err))
	}
	t := &task{pid: p.spec.PID, cwd: cwd, env: spec.Env, began: w.Now()}
	p.files = make([]openFile, 0, 3)
	in := fileNull
	if spec.Stdin {
		in = fileStdin
	}
	t.fds = []int{p.addFile(openFile{kind: in}), p.addFile(openFile{kind: fileOut}), p.addFile(openFile{kind: fileErr})}
	p.tasks = []*task{t}
	r := &runner{p: p, w: w, now: w.Now(), t: t}
	r.become(t, to, spec.Argv, spec.Env)
	return p, nil
}

// enter checks the working directory. Like runc it makes one that is missing.
func enter(w World, cwd string) error {
	info, err := w.Stat(cwd)
	if err == ENOENT {
		return makeDirs(w, cwd)
	}
	if err == nil && !info.IsDir() {
		return ENOTDIR
	}
	return err
}

func makeDirs(w World, path string) error {
	made := ""
	for _, part := range splitPath(path) {
		made += "/" + part
		if _, err := w.Stat(made); err == ENOENT {
			if err := w.Mkdir(made, 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuse words a failed start. For a container the text is that of containerd's
// shim with runc; for an exec it is that of ExecSync.
func (p *Process) refuse(reason string) *StartError {
	if p.Main() {
		return &StartError{128, "failed to create containerd task: failed to create shim task: OCI runtime create failed: " +
			"runc create failed: unable to start container process: error during container init: " + reason}
	}
	code := 126
	if strings.HasSuffix(reason, "not found in $PATH") || strings.HasSuffix(reason, "no such file or directory") {
		code = 127
	}
	return &StartError{code, "OCI runtime exec failed: exec failed: unable to start container process: " + reason}
}

// execFault is the text of Go's os/exec and of runc for a program that cannot be
// run.
func execFault(name string, err error) string {
	switch {
	case err == ENOENT && !strings.Contains(name, "/"):
		return "exec: " + strconv.Quote(name) + ": executable file not found in $PATH"
	case err == ENOENT:
		return "exec: " + strconv.Quote(name) + ": stat " + name + ": no such file or directory"
	}
	return "exec: " + strconv.Quote(name) + ": " + lower(err)
}

// failPrefix marks a program that execve refuses. The container has started by
// then: runc prints the reason and leaves with 255.
const failPrefix = "fail:"

// lower is the error text as Go prints it.
func lower(err error) string {
	s := err.Error()
	return strings.ToLower(s[:1]) + s[1:]
}

// startShell turns the task into a shell that runs -c text, a script or its
// standard input.
func (c *call) startShell(kind string) (int, bool) {
	t := c.t
	if t.sh != nil {
		return 127, true
	}
	s := &shell{name: c.name, base: t.env, pid: t.pid, started: c.now, dialect: c.shellKind(kind)}
	text, fault, code := c.shellArgs(s)
	if fault != "" {
		c.stderr(s.prefix() + fault + "\n")
		return code, true
	}
	t.sh, t.prog, t.st = s, "", nil
	if s.fromIn {
		return 0, false
	}
	parsed := c.p.spec.Cache.parse(text, s.dialect)
	s.push(frame{op: opSeq, stmts: parsed.stmts, text: parsed.fault, pid: int(parsed.line), tail: s.minusC})
	return 0, false
}

func (c *call) shellKind(kind string) dialect {
	switch kind {
	case "":
		return c.p.spec.Image.tools.shell
	case "bash":
		return bash
	case "dash":
		return dash
	}
	return ash
}

// shellArgs reads the options of sh. It returns the text to run.
func (c *call) shellArgs(s *shell) (text, fault string, code int) {
	args := c.args
	command := false
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "--") {
			if a == "--rcfile" || a == "--init-file" {
				args = args[min(1, len(args)):]
			}
			continue
		}
		for _, l := range []byte(a[1:]) {
			switch {
			case l == 'c':
				command = true
			case l == 'o' && len(args) > 0:
				s.option(args[0], a[0] == '-')
				args = args[1:]
			case l == 'l' || l == 's' || l == 'i':
			case !s.flag(l, a[0] == '-'):
				return "", "illegal option -" + string(l), 2
			}
		}
	}
	switch {
	case command && len(args) == 0:
		if s.dialect == bash {
			return "", "-c: option requires an argument", 2
		}
		return "", "-c requires an argument", 2
	case command:
		s.minusC = true
		if len(args) > 1 {
			s.name, s.args = args[1], args[2:]
		}
		return args[0], "", 0
	case len(args) == 0:
		s.fromIn = true
		return "", "", 0
	}
	s.name, s.args = args[0], args[1:]
	return c.scriptText(s, args[0])
}

func (c *call) scriptText(s *shell, path string) (text, fault string, code int) {
	data, err := c.w.ReadFile(c.abs(path))
	if err == nil {
		return string(data), "", 0
	}
	if err == ENOENT && c.supposed(c.abs(path)) {
		return "exec " + quoteWord(c.abs(path)) + ` "$@"`, "", 0
	}
	s.line = 0
	s.name = c.name
	switch s.dialect {
	case bash:
		return "", path + ": " + err.Error(), 127
	case dash:
		return "", "cannot open " + path + ": No such file", 2
	}
	return "", "can't open '" + path + "': " + err.Error(), 2
}

// readCommands goes on with a script that comes from standard input. It reports
// whether the shell has to wait or is over.
func (r *runner) readCommands() bool {
	s := r.t.sh
	file := r.fd(0)
	data, more := r.peek(file)
	if more && len(data) <= maxScript {
		r.t.wait, r.t.on = waitEnd, file
		if r.p.files[file].kind == fileStdin {
			r.t.wait = waitForever
		}
		return true
	}
	s.fromIn = false
	r.take(file, len(data))
	if len(data) > 0 {
		r.evaluate(string(data), frame{op: opSeq})
	}
	return false
}
