package workload

import (
	"bytes"
	"slices"
)

// openFile is an open file description; tasks hold indexes of them.
type openFile struct {
	kind fileKind
	path string
	off  int64
	pipe int
	data []byte // of fileData, frozen
	refs int
}

type fileKind uint8

const (
	fileFree fileKind = iota
	fileNull
	fileOut // standard output of the process
	fileErr
	fileStdin // open and silent
	fileRegular
	fileReader // end of a pipe
	fileWriter
	fileData // here-document
	fileZero
	fileRandom
	fileMainOut // standard output of process 1, seen from an exec session
	fileMainErr
)

type pipe struct {
	buf              []byte
	off              int // of what is not read yet
	readers, writers int
	used             bool
	whole            bool // a command substitution: no bound but that of a variable
}

func (q *pipe) len() int { return len(q.buf) - q.off }

const pipeRoom = 64 << 10

func (p *Process) addFile(f openFile) int {
	f.refs = 1
	for i := range p.files {
		if p.files[i].kind == fileFree {
			p.files[i] = f
			return i
		}
	}
	p.files = append(p.files, f)
	return len(p.files) - 1
}

func (p *Process) addPipe(whole bool) (reader, writer int) {
	n := slices.IndexFunc(p.pipes, func(q pipe) bool { return !q.used })
	if n < 0 {
		n = len(p.pipes)
		p.pipes = append(p.pipes, pipe{})
	}
	p.pipes[n] = pipe{readers: 1, writers: 1, used: true, whole: whole}
	return p.addFile(openFile{kind: fileReader, pipe: n}), p.addFile(openFile{kind: fileWriter, pipe: n})
}

func (p *Process) retain(f int) {
	if f >= 0 {
		p.files[f].refs++
	}
}

func (p *Process) release(f int) {
	if f < 0 || f >= len(p.files) {
		return
	}
	o := &p.files[f]
	if o.refs--; o.refs > 0 {
		return
	}
	if o.kind == fileReader || o.kind == fileWriter {
		q := &p.pipes[o.pipe]
		if o.kind == fileReader {
			q.readers--
		} else {
			q.writers--
		}
		if q.readers == 0 && q.writers == 0 {
			*q = pipe{}
		}
	}
	*o = openFile{}
}

func (r *runner) closeAll(t *task) {
	for _, f := range t.fds {
		r.p.release(f)
	}
	t.fds = nil
}

// readable reports whether a read of the file finds more than have bytes, or its
// end.
func (p *Process) readable(f, have int) bool {
	if f < 0 || f >= len(p.files) {
		return true
	}
	switch o := p.files[f]; o.kind {
	case fileReader:
		q := p.pipes[o.pipe]
		return q.len() > have || q.writers == 0
	case fileStdin:
		return false
	}
	return true
}

func (p *Process) writable(f int) bool {
	if f < 0 || f >= len(p.files) || p.files[f].kind != fileWriter {
		return true
	}
	q := p.pipes[p.files[f].pipe]
	return q.whole || q.len() < pipeRoom || q.readers == 0
}

// peek returns what can be read now, without taking it. more says that another
// read may find more.
func (r *runner) peek(f int) (data []byte, more bool) {
	if f < 0 {
		return nil, false
	}
	switch o := r.p.files[f]; o.kind {
	case fileReader:
		q := r.p.pipes[o.pipe]
		return q.buf[q.off:], q.writers > 0
	case fileStdin:
		return nil, true
	case fileData:
		return o.data[o.off:], false
	case fileRegular:
		r.p.idle.read = true
		data, err := r.w.ReadFile(o.path)
		if err != nil || o.off >= int64(len(data)) {
			return nil, false
		}
		return data[o.off:], false
	case fileZero:
		return make([]byte, pipeRoom), true
	case fileRandom:
		return r.randomBytes(4096), true
	}
	return nil, false
}

func (r *runner) take(f, n int) {
	if f < 0 || n == 0 {
		return
	}
	o := &r.p.files[f]
	o.off += int64(n)
	if o.kind == fileReader {
		q := &r.p.pipes[o.pipe]
		if q.off += n; q.off == len(q.buf) {
			q.buf, q.off = nil, 0
		}
	}
}

func (r *runner) randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 8 {
		v := r.nextRandom("urandom")
		for j := i; j < min(i+8, n); j++ {
			b[j] = byte(v)
			v >>= 8
		}
	}
	return b
}

func (r *runner) nextRandom(purpose string) uint64 {
	r.p.random++
	r.p.idle.clock = true
	return r.w.Random(purpose, r.p.random)
}

// write puts data into an open file. broken: nobody reads the pipe any more.
func (r *runner) write(f int, data []byte) (err error, broken bool) {
	if f < 0 {
		return errBadFD, false
	}
	if len(data) == 0 {
		return nil, false
	}
	r.work(len(data) >> 10)
	switch o := r.p.files[f]; o.kind {
	case fileOut, fileErr:
		r.p.idle.acted = true
		r.emit(int(o.kind-fileOut), data)
	case fileMainOut, fileMainErr:
		r.p.idle.acted = true
		r.mainLog(int(o.kind-fileMainOut), data)
	case fileRegular:
		r.p.idle.acted = true
		return r.w.WriteFile(o.path, data, true), false
	case fileWriter:
		q := &r.p.pipes[o.pipe]
		if q.readers == 0 {
			return nil, true
		}
		if q.whole && q.len()+len(data) > maxVariable {
			return errTooLong, false
		}
		if q.off > pipeRoom {
			q.buf, q.off = slices.Clone(q.buf[q.off:]), 0
		}
		q.buf = append(q.buf, data...)
	case fileReader, fileData, fileStdin:
		return errBadFD, false
	}
	return nil, false
}

type textError string

func (e textError) Error() string { return string(e) }

const (
	errBadFD   = textError("Bad file descriptor")
	errTooLong = textError("longer than 1 MiB: not simulated")
)

var streamNames = [2]string{"stdout", "stderr"}

// emit hands complete lines to the log and keeps the rest.
func (r *runner) emit(stream int, data []byte) {
	p := r.p
	if !p.Main() {
		room := maxCaptured - len(p.captured[stream])
		if len(data) > room {
			p.limit = "1 MiB of output of an exec"
		}
		p.captured[stream] = append(p.captured[stream], data[:min(len(data), room)]...)
		return
	}
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			p.partial[stream] = append(p.partial[stream], data...)
			if len(p.partial[stream]) >= 16<<10 {
				r.flush(stream)
			}
			return
		}
		r.logLine(stream, append(p.partial[stream], data[:i]...))
		p.partial[stream] = nil
		data = data[i+1:]
	}
}

// flush logs a line that lacks its newline.
func (r *runner) flush(stream int) {
	if line := r.p.partial[stream]; len(line) > 0 {
		r.p.partial[stream] = nil
		r.logLine(stream, line)
	}
}

func (r *runner) logLine(stream int, line []byte) {
	p := r.p
	if p.logged += int64(len(line)) + 1; p.logged > maxLog {
		if p.limit == "" {
			p.limit = "10 MiB of logs"
			r.w.NotSimulated("more than 10 MiB of logs: the rest is dropped")
		}
		return
	}
	r.w.Log(streamNames[stream], string(line))
}

func (r *runner) mainLog(stream int, data []byte) {
	for _, line := range bytes.SplitAfter(data, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		r.logLine(stream, bytes.TrimSuffix(line, []byte("\n")))
	}
}
