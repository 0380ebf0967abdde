package workload

import (
	"strings"
)

// target is what a command name means: a simulated program or a script.
type target struct {
	program     string   // key of the program, see runner.call
	path        string   // where it was found
	script      string   // path of a script, "" for a program
	interpreter []string // the words before the script
	err         error    // ENOENT, EACCES, ENOTDIR ...
	late        bool     // err comes from execve, not from the look for the file
}

const (
	shellPrefix    = "shell:"
	serverPrefix   = "server:"
	assumedProgram = "assumed"
	defaultPath    = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

func isServer(program string) bool {
	return strings.HasPrefix(program, serverPrefix) || program == entryProgram
}

// resolve finds a command through PATH or by its path.
func (r *runner) resolve(name string) target {
	path := r.getenv("PATH", defaultPath)
	return resolveIn(r.w, r.p.spec.Image, name, r.t.cwd, path)
}

func resolveIn(w World, img *Image, name, cwd, path string) target {
	if strings.Contains(name, "/") {
		to := check(w, absolute(cwd, name), 0)
		if to.err == ENOENT && img.guessed() {
			return target{program: assumedProgram, path: name}
		}
		return to
	}
	denied := target{err: ENOENT}
	for _, dir := range strings.Split(path, ":") {
		to := check(w, absolute(cwd, dir+"/"+name), 0)
		if to.err == nil {
			return to
		}
		if to.err == EACCES && denied.err == ENOENT {
			denied = to
		}
	}
	if denied.err == ENOENT && img.guessed() && name != "" {
		return target{program: assumedProgram, path: name}
	}
	return denied
}

// guessed reports whether the content of the image is not known.
func (i *Image) guessed() bool { return i.tools != nil && i.tools.guess }

// check looks at one path: is it something that exec would take?
func check(w World, path string, depth int) target {
	info, err := w.Stat(path)
	switch {
	case err != nil:
		return target{err: err}
	case info.IsDir():
		return target{err: EISDIR, path: path}
	case info.Mode&modeType != ModeRegular, w.Access(path, 1) != nil:
		return target{err: EACCES, path: path}
	case info.Program != "":
		return target{program: info.Program, path: path}
	}
	data, err := w.ReadFile(path)
	if err != nil {
		return target{err: err}
	}
	line, _, _ := strings.Cut(string(data[:min(len(data), 256)]), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return target{program: shellPrefix, path: path, script: path, interpreter: []string{"sh"}, err: noShebang(data)}
	}
	if depth > 3 {
		return target{err: ELOOP}
	}
	interp := words[0]
	if baseName(interp) == "env" && len(words) > 1 {
		words = words[1:]
		interp = "/usr/bin/" + words[0]
		if _, err := w.Stat(interp); err != nil {
			interp = "/bin/" + words[0]
		}
		if _, err := w.Stat(interp); err != nil {
			interp = "/usr/local/bin/" + words[0]
		}
	}
	to := check(w, interp, depth+1)
	if to.err != nil {
		return target{err: to.err, path: path, late: true}
	}
	to.script, to.path, to.interpreter = path, path, words
	return to
}

// noShebang refuses what cannot be a script. The text of a file without #! is
// run by the shell that meets it.
func noShebang(data []byte) error {
	if len(data) == 0 || strings.IndexByte(string(data[:min(len(data), 128)]), 0) < 0 {
		return nil
	}
	return errFormat
}

const errFormat = textError("exec format error")

// absolute joins a path to the working directory and cleans it.
func absolute(cwd, path string) string {
	if !strings.HasPrefix(path, "/") {
		path = cwd + "/" + path
	}
	return "/" + strings.Join(splitPath(path), "/")
}

func (r *runner) abs(path string) string { return absolute(r.t.cwd, path) }

// getenv returns an environment variable of the running program or shell.
func (r *runner) getenv(name, otherwise string) string {
	if v, ok := r.lookupEnv(name); ok {
		return v
	}
	return otherwise
}

func (r *runner) lookupEnv(name string) (string, bool) {
	s := r.t.sh
	if s == nil {
		return lookupEnv(r.t.env, name)
	}
	if len(s.frames) > 0 {
		if v, ok := lookupEnv(s.top().env, name); ok {
			return v, true
		}
	}
	v, ok := s.get(name)
	if name == "PATH" {
		return v.first(), ok
	}
	return v.first(), ok && v.exported
}

// environment is all that the running program sees.
func (r *runner) environment() []string {
	if s := r.t.sh; s != nil {
		return s.environ(s.top().env)
	}
	return r.t.env
}
