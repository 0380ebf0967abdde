package workload

import (
	_ "embed"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

//go:embed catalogue.txt
var catalogueText string

// PullOutcome is the answer of a registry.
type PullOutcome struct {
	Image   *Image        // nil when the pull fails
	Code    string        // gRPC code, such as NotFound; "" if all is well
	Message string        // containerd's text after "desc = "
	Slow    time.Duration // what the pull takes, where it is declared; 0: by the size
	Slower  bool          // Slow counts; it may be zero
}

// Catalogue knows images by their names: those built in, and those declared. It
// answers the same always; what it makes on demand it keeps.
type Catalogue struct {
	entries map[string]*imageEntry
	servers map[string]*serverEntry
	decls   []*ImageDecl
	made    map[string]*Image
	bases   map[string]madeBase
}

type madeBase struct {
	root *Tree
	set  *toolset
}

// imageEntry is one image of the text.
type imageEntry struct {
	name     string // with the registry
	size     float64
	base     string
	tags     []string
	variants []variant
	entry    []string
	cmd      []string
	env      []string
	dir      string
	user     string
	ports    []int32
	stop     int
	tools    []string
	server   string
}

type variant struct {
	suffix, base string
	size         float64
}

// serverEntry is one server kind of the text.
type serverEntry struct {
	kind    string
	program Program
}

// Default returns the built-in catalogue.
func Default() *Catalogue {
	c := &Catalogue{entries: map[string]*imageEntry{}, servers: map[string]*serverEntry{}, made: map[string]*Image{}, bases: map[string]madeBase{}}
	c.parse(catalogueText)
	return c
}

// With returns a catalogue in which documents come before what is built in, the
// last one first.
func (c *Catalogue) With(decl []ImageDecl) *Catalogue {
	d := *c
	d.made = map[string]*Image{}
	d.decls = slices.Clone(c.decls)
	for i := range decl {
		d.decls = append(d.decls, &decl[i])
	}
	return &d
}

func (c *Catalogue) parse(text string) {
	var image *imageEntry
	var server *serverEntry
	for _, line := range strings.SplitAfter(text, "\n") {
		line = strings.TrimSuffix(line, "\n")
		key, rest, _ := strings.Cut(strings.TrimPrefix(line, " "), " ")
		switch {
		case line == "" || line[0] == '#':
		case key == "image":
			image, server = parseImage(rest), nil
			c.entries[image.name] = image
		case key == "server" && line[0] != ' ':
			server = parseServer(rest)
			c.servers[server.kind] = server
		case server != nil:
			server.line(key, rest)
		default:
			image.line(key, rest)
		}
	}
}

func parseImage(rest string) *imageEntry {
	f := strings.Fields(rest)
	name := f[0]
	first, _, slash := strings.Cut(name, "/")
	switch {
	case !slash:
		name = "docker.io/library/" + name
	case !strings.Contains(first, "."):
		name = "docker.io/" + name
	}
	size, _ := strconv.ParseFloat(f[1], 64)
	return &imageEntry{name: name, size: size, base: f[2]}
}

func (i *imageEntry) line(key, rest string) {
	switch key {
	case "tags":
		i.tags = strings.Fields(rest)
	case "variants":
		for _, f := range strings.Fields(rest) {
			suffix, value, _ := strings.Cut(f, "=")
			base, size, _ := strings.Cut(value, ":")
			mb, _ := strconv.ParseFloat(size, 64)
			i.variants = append(i.variants, variant{suffix, base, mb})
		}
		sort.SliceStable(i.variants, func(a, b int) bool { return len(i.variants[a].suffix) > len(i.variants[b].suffix) })
	case "entry":
		i.entry = splitWords(rest)
	case "cmd":
		i.cmd = splitWords(rest)
	case "env":
		i.env = strings.Fields(rest)
	case "dir":
		i.dir = rest
	case "user":
		i.user = rest
	case "port":
		for _, f := range strings.Fields(rest) {
			n, _ := strconv.Atoi(f)
			i.ports = append(i.ports, int32(n))
		}
	case "stop":
		i.stop = SignalNumber(rest)
	case "tools":
		i.tools = strings.Fields(rest)
	case "server":
		i.server = rest
	}
}

// splitWords cuts at blanks outside of double quotes.
func splitWords(s string) []string {
	var out []string
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

func parseServer(rest string) *serverEntry {
	f := strings.Fields(rest)
	s := &serverEntry{kind: f[0]}
	s.program = Program{Name: f[1], Kind: f[0], Stop: Stop{Code: 143}}
	for _, o := range f[2:] {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "start":
			s.program.Startup = duration(value)
		case "mem":
			n, _ := strconv.ParseInt(value, 10, 64)
			s.program.Memory = []MemoryPoint{{0, n << 18}, {s.program.Startup, n << 20}}
		case "stop":
			s.program.Stop.Code, _ = strconv.Atoi(value)
			s.program.Stop.Default = value == "default"
		case "stopafter":
			s.program.Stop.After = duration(value)
		}
	}
	return s
}

func (s *serverEntry) line(key, rest string) {
	p := &s.program
	first, text, _ := strings.Cut(rest, " ")
	switch key {
	case "port":
		n, _ := strconv.Atoi(first)
		proto, host, _ := strings.Cut(text, " ")
		p.Ports = append(p.Ports, Port{Port: int32(n), Proto: proto, Host: host})
	case "log":
		p.Lines = append(p.Lines, Line{After: duration(first), Text: text})
	case "err":
		p.Lines = append(p.Lines, Line{After: duration(first), Text: text, Stream: "stderr"})
	case "ok":
		for _, path := range strings.Fields(rest) {
			p.Answers = append(p.Answers, Answer{Path: path, Code: 200, Body: "ok\n"})
		}
	case "body":
		p.Answers = []Answer{{Code: 200, Body: rest}}
	case "bye":
		p.Stop.Lines = append(p.Stop.Lines, rest)
	case "exit":
		code, _ := strconv.Atoi(text)
		p.Exit = &Exit{After: duration(first), Code: code}
	}
}

func duration(s string) time.Duration {
	d, _ := time.ParseDuration(s)
	return d
}

// Resolve asks the registry of a reference for the image on a platform such as
// linux/amd64.
func (c *Catalogue) Resolve(ref Reference, platform string) PullOutcome {
	for i := len(c.decls) - 1; i >= 0; i-- {
		if d := c.decls[i]; d.matches(ref) {
			return c.declared(d, ref, platform)
		}
	}
	return c.builtIn(ref)
}

func (c *Catalogue) builtIn(ref Reference) PullOutcome {
	e := c.entries[ref.Name()]
	if e == nil {
		rest, official := strings.CutPrefix(ref.Path, "library/")
		if ref.Domain == "docker.io" && official && !strings.Contains(rest, "/") {
			return denied(ref)
		}
		return PullOutcome{Image: c.assume(ref)}
	}
	v, guess, ok := e.match(ref.Tag)
	if ref.Digest != "" {
		ok, guess = true, "the digest is assumed to exist"
	}
	if !ok {
		return missing(ref)
	}
	return PullOutcome{Image: c.make(e, v, ref, guess)}
}

func pullText(ref Reference, why string) string {
	name := ref.Resolved()
	return "failed to pull and unpack image " + strconv.Quote(name) + ": failed to resolve reference " + strconv.Quote(name) + ": " + why
}

// missing is what containerd says of a tag that does not exist.
func missing(ref Reference) PullOutcome {
	return PullOutcome{Code: "NotFound", Message: pullText(ref, ref.Resolved()+": not found")}
}

const deniedText = "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed"

// denied is what containerd says of a repository that Docker Hub does not show.
func denied(ref Reference) PullOutcome {
	return PullOutcome{Code: "Unknown", Message: pullText(ref, deniedText)}
}

// match finds a tag. guess says why it is not certain to exist.
func (e *imageEntry) match(tag string) (v variant, guess string, ok bool) {
	v = variant{base: e.base, size: e.size}
	if slices.Contains(e.tags, "*") {
		return v, "", true
	}
	if guess, ok = e.matchVersion(tag); ok {
		return v, guess, true
	}
	for _, o := range e.variants {
		rest, has := strings.CutSuffix("-"+tag, o.suffix)
		if !has {
			continue
		}
		rest = strings.TrimPrefix(rest, "-")
		if guess, ok = e.matchVersion(rest); ok || rest == "" {
			if o.base != "" {
				v.base = o.base
			}
			if o.size > 0 {
				v.size = o.size
			}
			v.suffix = o.suffix
			return v, guess, true
		}
	}
	return v, "", false
}

func (e *imageEntry) matchVersion(tag string) (guess string, ok bool) {
	for _, pattern := range e.tags {
		if series, open := strings.CutSuffix(pattern, "?"); open {
			if tag == series || strings.HasPrefix(tag, series+".") && len(tag) == len(series)+2 && isDigit(tag[len(tag)-1]) {
				return "tag " + tag + " is assumed to exist", true
			}
			continue
		}
		if tag == pattern || matchTag(pattern, tag) {
			return "", true
		}
	}
	return "", false
}

// matchTag matches "1.7-29=", "1.27=0-5", "3-8" and the like.
func matchTag(pattern, tag string) bool {
	series, patches, hasPatch := strings.Cut(pattern, "=")
	if rest, ok := matchSeries(series, tag); ok {
		if rest == "" {
			return hasPatch || isDigit(series[len(series)-1])
		}
		return hasPatch && rest[0] == '.' && inRange(patches, rest[1:])
	}
	return false
}

// matchSeries matches the front of a tag with a series whose last number may be a
// range. It returns what is left of the tag.
func matchSeries(series, tag string) (rest string, ok bool) {
	i := strings.LastIndexAny(series, ".v") + 1
	front, last := series[:i], series[i:]
	if !strings.HasPrefix(tag, front) {
		return "", false
	}
	tag = tag[i:]
	n := 0
	for n < len(tag) && isDigit(tag[n]) {
		n++
	}
	if !inRange(last, tag[:n]) {
		return "", false
	}
	return tag[n:], n == len(tag) || tag[n] == '.'
}

func inRange(r, s string) bool {
	low, high, ok := strings.Cut(r, "-")
	if !ok {
		high = low
	}
	n, err := strconv.Atoi(s)
	a, errA := strconv.Atoi(low)
	b, errB := strconv.Atoi(high)
	return err == nil && errA == nil && errB == nil && a <= n && n <= b && strconv.Itoa(n) == s
}

// make builds an image from its entry, or returns the one made before.
func (c *Catalogue) make(e *imageEntry, v variant, ref Reference, guess string) *Image {
	key := ref.String()
	if i := c.made[key]; i != nil {
		return i
	}
	base := c.base(v.base)
	i := &Image{Ref: ref, Entrypoint: e.entry, Cmd: e.cmd, WorkingDir: e.dir, User: e.user, Ports: e.ports, StopSignal: e.stop, Assumed: guess}
	i.Digest, i.Size = identity(ref, v.size)
	i.version = e.version(ref.Tag)
	i.Env = e.environment(i.version)
	i.tools = base.set
	i.root = base.root.Clone()
	if s := c.servers[e.server]; s != nil {
		i.Program = s.program
	}
	i.furnish(e.tools)
	c.made[key] = i
	return i
}

func (c *Catalogue) base(kind string) madeBase {
	b, ok := c.bases[kind]
	if !ok {
		b.root, b.set = baseRoot(kind)
		c.bases[kind] = b
	}
	return b
}

// version is what a tag says of the program's version, or the newest one.
func (e *imageEntry) version(tag string) string {
	version, _, _ := strings.Cut(strings.TrimPrefix(tag, "v"), "-")
	if version == "" || !isDigit(version[0]) {
		return e.newest()
	}
	return version
}

func (e *imageEntry) environment(version string) []string {
	env := []string{"PATH=" + defaultPath}
	major, _, _ := strings.Cut(version, ".")
	for _, kv := range e.env {
		kv = strings.ReplaceAll(strings.ReplaceAll(kv, "$TAG", version), "$MAJOR", major)
		if strings.HasPrefix(kv, "PATH=") {
			env[0] = kv
			continue
		}
		env = append(env, kv)
	}
	return env
}

// newest returns the highest version that the tags name.
func (e *imageEntry) newest() string {
	best := ""
	for _, t := range e.tags {
		series, patches, ok := strings.Cut(t, "=")
		if !ok || !isDigit(t[0]) {
			continue
		}
		_, high, isRange := strings.Cut(patches, "-")
		if !isRange {
			high = patches
		}
		if best = series; high != "" {
			best += "." + high
		}
	}
	return best
}

// identity makes up a digest and the exact size of an image.
func identity(ref Reference, mb float64) (digest string, size int64) {
	r := sim.Random{Seed: 0x706f64}
	const hex = "0123456789abcdef"
	var b []byte
	for n := range uint64(4) {
		for v, i := r.Uint64("digest", ref.String(), n), 0; i < 16; i++ {
			b = append(b, hex[v&15])
			v >>= 4
		}
	}
	digest = "sha256:" + string(b)
	if ref.Digest != "" {
		digest = ref.Digest
	}
	return digest, int64(mb*1e6) + int64(r.Intn("size", ref.String(), 0, 100_000))
}

// assume makes an image of unknown content: it has a shell and the usual tools,
// and its program runs for ever.
func (c *Catalogue) assume(ref Reference) *Image {
	key := ref.String()
	if i := c.made[key]; i != nil {
		return i
	}
	base := c.base("full")
	i := &Image{Ref: ref, Entrypoint: []string{"/" + baseName(ref.Path)}, Env: []string{"PATH=" + defaultPath}, root: base.root.Clone(), tools: base.set}
	i.Digest, i.Size = identity(ref, 20+float64(sim.Random{}.Intn("size", ref.Name(), 0, 180)))
	i.Assumed = "image " + ref.Familiar() + " is not in the catalogue: assumed to exist, to be public, to listen on its declared ports and to run for ever"
	i.Program = Program{Name: baseName(ref.Path), Stop: Stop{Code: 143}}
	c.made[key] = i
	return i
}
