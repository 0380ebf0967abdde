package workload

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirection is one with its words expanded.
type redirection struct {
	op   syntax.RedirOperator
	fd   int
	word string
	doc  string
}

func (e *expander) redirs(list []*syntax.Redirect) []redirection {
	var out []redirection
	for _, d := range list {
		o := redirection{op: d.Op, fd: 1}
		switch d.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			o.fd = 0
		}
		if d.N != nil {
			n, err := strconv.Atoi(d.N.Value)
			if err != nil || n > 255 {
				e.fail(d.N.Value + ": Bad file descriptor")
				return nil
			}
			o.fd = n
		}
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			o.doc = e.heredoc(d)
		case syntax.WordHdoc:
			o.doc = e.text(d.Word) + "\n"
		default:
			o.word = e.text(d.Word)
		}
		out = append(out, o)
	}
	return out
}

// heredoc expands a here-document unless its delimiter was quoted.
func (e *expander) heredoc(d *syntax.Redirect) string {
	if d.Hdoc == nil {
		return ""
	}
	for _, p := range d.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return rawDoc(d)
		}
	}
	var b strings.Builder
	e.quoted(&b, d.Hdoc.Parts, quoteDoc)
	if d.Op == syntax.DashHdoc {
		return stripTabs(b.String())
	}
	return b.String()
}

func rawDoc(d *syntax.Redirect) string {
	var b strings.Builder
	for _, p := range d.Hdoc.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	if d.Op == syntax.DashHdoc {
		return stripTabs(b.String())
	}
	return b.String()
}

func stripTabs(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "")
}

// redirect applies redirections in order. What they replace goes to saved, also
// when one fails; the text of the failure is returned.
func (r *runner) redirect(list []redirection, saved *[]savedFD) string {
	for _, d := range list {
		if d.op == syntax.RdrAll || d.op == syntax.AppAll {
			file, err := r.openFor(d)
			if err != nil {
				return r.cannotOpen(d, err)
			}
			r.p.retain(file)
			r.swap(1, file, saved)
			r.swap(2, file, saved)
			continue
		}
		file, err := r.openFor(d)
		if err != nil {
			return r.cannotOpen(d, err)
		}
		r.swap(d.fd, file, saved)
	}
	return ""
}

// swap sets a descriptor and keeps the old file for the time of a frame.
func (r *runner) swap(fd, file int, saved *[]savedFD) {
	old := r.fd(fd)
	r.p.retain(old)
	*saved = append(*saved, savedFD{fd, old})
	r.setFD(fd, file)
}

// openFor opens what a redirection names; -1 closes.
func (r *runner) openFor(d redirection) (int, error) {
	switch d.op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return r.p.addFile(openFile{kind: fileData, data: []byte(d.doc)}), nil
	case syntax.DplIn, syntax.DplOut:
		return r.duplicate(d)
	case syntax.RdrIn:
		return r.openRead(d.word)
	case syntax.AppOut, syntax.AppAll, syntax.RdrInOut:
		return r.openWrite(d.word, true)
	case syntax.RdrOut:
		if r.t.sh != nil && r.t.sh.has(optNoClobber) {
			if info, err := r.w.Stat(r.abs(d.word)); err == nil && info.Mode&modeType == ModeRegular {
				return -1, textError("cannot overwrite existing file")
			}
		}
	}
	return r.openWrite(d.word, false)
}

func (r *runner) duplicate(d redirection) (int, error) {
	if d.word == "-" {
		return -1, nil
	}
	move := strings.HasSuffix(d.word, "-")
	n, err := strconv.Atoi(strings.TrimSuffix(d.word, "-"))
	if err != nil {
		if d.op == syntax.DplOut && d.fd == 1 {
			file, err := r.openWrite(d.word, false)
			return file, err
		}
		return -1, textError("ambiguous redirect")
	}
	file := r.fd(n)
	if file < 0 {
		return -1, errBadFD
	}
	r.p.retain(file)
	if move {
		r.setFD(n, -1)
	}
	return file, nil
}

// cannotOpen words a failed redirection as the shell does.
func (r *runner) cannotOpen(d redirection, err error) string {
	s := r.t.sh
	text := err.Error()
	if err == errBadFD {
		return d.word + ": " + text
	}
	if s.dialect == bash {
		return d.word + ": " + text
	}
	verb := "create"
	if d.op == syntax.RdrIn {
		verb = "open"
	}
	if err == ENOENT {
		text = "nonexistent directory"
		if verb == "open" {
			text = "no such file"
		}
	}
	if s.dialect == dash {
		if err == ENOENT {
			text = map[string]string{"create": "Directory nonexistent", "open": "No such file"}[verb]
		}
		return "cannot " + verb + " " + d.word + ": " + text
	}
	return "can't " + verb + " " + d.word + ": " + text
}

// device opens the special files. found is false for every other path.
func (r *runner) device(path string) (file int, found bool) {
	kind := fileFree
	switch path {
	case "/dev/null":
		kind = fileNull
	case "/dev/zero", "/dev/full":
		kind = fileZero
	case "/dev/random", "/dev/urandom":
		kind = fileRandom
	case "/dev/stdin", "/proc/self/fd/0":
		return r.again(0), true
	case "/dev/stdout", "/proc/self/fd/1":
		return r.again(1), true
	case "/dev/stderr", "/proc/self/fd/2":
		return r.again(2), true
	case "/proc/1/fd/1", "/proc/1/fd/2":
		kind = fileMainOut
		if r.p.Main() {
			kind = fileOut
		}
		kind += fileKind(path[len(path)-1] - '1')
	default:
		if n, ok := strings.CutPrefix(path, "/dev/fd/"); ok {
			if fd, err := strconv.Atoi(n); err == nil && r.fd(fd) >= 0 {
				return r.again(fd), true
			}
		}
		return -1, false
	}
	return r.p.addFile(openFile{kind: kind}), true
}

func (r *runner) again(fd int) int {
	file := r.fd(fd)
	r.p.retain(file)
	return file
}

func (r *runner) openRead(name string) (int, error) {
	path := r.abs(name)
	if name == "" {
		return -1, ENOENT
	}
	if file, ok := r.device(path); ok {
		return file, nil
	}
	r.p.idle.read = true
	info, err := r.w.Stat(path)
	if err != nil {
		return -1, err
	}
	if err := r.w.Access(path, 4); err != nil {
		return -1, err
	}
	if info.IsDir() {
		return r.p.addFile(openFile{kind: fileNull}), nil
	}
	return r.p.addFile(openFile{kind: fileRegular, path: path}), nil
}

func (r *runner) openWrite(name string, appendTo bool) (int, error) {
	path := r.abs(name)
	if name == "" {
		return -1, ENOENT
	}
	if file, ok := r.device(path); ok {
		return file, nil
	}
	r.p.idle.acted = true
	if err := r.w.WriteFile(path, nil, appendTo); err != nil {
		return -1, err
	}
	return r.p.addFile(openFile{kind: fileRegular, path: path}), nil
}
