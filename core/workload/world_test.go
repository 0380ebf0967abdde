package workload

import (
	"strings"
	"testing"
	"time"

	"podwalk/core/sim"
)

// bench is a World of one container for tests.
type bench struct {
	*FS
	now      sim.Time
	lines    []string // "12.400s stdout text"
	plain    []string // text only
	records  []string
	bound    map[int32]bool
	hosts    map[string]Conn
	names    map[string]Lookup
	main     *Process
	hostname string
}

func newBench(img *Image) *bench {
	return &bench{FS: &FS{Root: img.NewRoot()}, bound: map[int32]bool{}, hosts: map[string]Conn{}, names: map[string]Lookup{}, hostname: "web-0"}
}

func (b *bench) Now() sim.Time    { return b.now }
func (b *bench) Hostname() string { return b.hostname }
func (b *bench) Random(purpose string, n uint64) uint64 {
	return sim.Random{Seed: 1}.Uint64(purpose, "test", n)
}
func (b *bench) Listen(port int32, host string) error {
	if b.bound[port] {
		return EADDRINUSE
	}
	b.bound[port] = true
	return nil
}
func (b *bench) Close(port int32) { delete(b.bound, port) }
func (b *bench) Dial(host string, port int32) Conn {
	if c, ok := b.hosts[host]; ok {
		return c
	}
	return Conn{Outcome: NoName}
}
func (b *bench) Lookup(name string) Lookup {
	if l, ok := b.names[name]; ok {
		return l
	}
	return Lookup{Result: NoName, Server: "10.96.0.10"}
}
func (b *bench) Query(server, name, kind string) Reply {
	l, ok := b.names[name]
	r := Reply{Code: "NXDOMAIN"}
	if !ok {
		return r
	}
	r.Code = "NOERROR"
	for _, a := range l.Addrs {
		if kind == "A" {
			r.Records = append(r.Records, ReplyRecord{Name: l.Name, Type: "A", TTL: 30, Data: a})
		}
	}
	return r
}
func (b *bench) Log(stream, line string) {
	b.lines = append(b.lines, b.now.String()+" "+stream+" "+line)
	b.plain = append(b.plain, line)
}
func (b *bench) NotSimulated(what string) { b.records = append(b.records, "not simulated: "+what) }
func (b *bench) Assumed(what string)      { b.records = append(b.records, "assumed: "+what) }
func (b *bench) Processes() []ProcessInfo {
	if b.main != nil {
		return b.main.List()
	}
	return nil
}
func (b *bench) Kill(pid, sig int) bool { return b.main != nil && b.main.Kill(pid, sig, b) }

// clone copies the world with its files.
func (b *bench) clone() *bench {
	c := *b
	c.FS = b.FS.Clone(func(t *Tree) *Tree { return t.Clone() })
	c.lines = append([]string(nil), b.lines...)
	c.plain = append([]string(nil), b.plain...)
	c.bound = map[int32]bool{}
	for p := range b.bound {
		c.bound[p] = true
	}
	return &c
}

// drive runs a process until it ends, is blocked for ever, or a time has come.
func (b *bench) drive(p *Process, until sim.Time) Step {
	for {
		s := p.Run(b)
		if s.Done || s.Next > until {
			return s
		}
		b.now = s.Next
	}
}

var testImages = map[string]*Image{}

func testImage(kind string) *Image {
	if testImages[kind] == nil {
		root, set := baseRoot(kind)
		testImages[kind] = &Image{Ref: Reference{"docker.io", "library/" + kind, "1", ""}, Env: []string{"PATH=" + defaultPath}, root: root, tools: set}
	}
	return testImages[kind]
}

var epoch = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// begin starts a command in an image without running it.
func begin(t testing.TB, img *Image, argv ...string) (*bench, *Process) {
	t.Helper()
	b := newBench(img)
	return b, b.start(t, Spec{Image: img, Argv: argv, Env: append(img.Env[:len(img.Env):len(img.Env)], "HOSTNAME=web-0", "HOME=/root"), Epoch: epoch})
}

func (b *bench) start(t testing.TB, spec Spec) *Process {
	t.Helper()
	p, err := Start(spec, b)
	if err != nil {
		t.Fatal(err)
	}
	if p.Main() {
		b.main = p
	}
	return p
}

// runScript runs sh -c to its end in an image of the given kind.
func runScript(t testing.TB, kind, shell, script string) (*bench, Step) {
	t.Helper()
	b, p := begin(t, testImage(kind), shell, "-c", script)
	return b, b.drive(p, 1000*sim.Hour)
}

// stream returns the lines of standard output or error.
func (b *bench) stream(name string) []string {
	var out []string
	for _, l := range b.lines {
		if f := strings.SplitN(l, " ", 3); f[1] == name {
			out = append(out, f[2])
		}
	}
	return out
}

func resolve(t testing.TB, name string) *Image {
	t.Helper()
	ref, err := ParseReference(name)
	if err != nil {
		t.Fatal(err)
	}
	out := Default().Resolve(ref, "linux/amd64")
	if out.Image == nil {
		t.Fatalf("%s: %s", name, out.Message)
	}
	return out.Image
}

func (b *bench) text() string { return strings.Join(b.plain, "\n") }
