package workload

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// pullResults are the values of spec.pull.
var pullResults = []string{"ok", "slow", "not found", "unauthorized", "denied", "rate limited", "tls", "dns", "timeout", "refused", "unavailable", "wrong platform"}

// checker collects faults of a document. in is the path of the object whose
// fields are checked.
type checker struct {
	faults []Fault
	in     string
}

func (c *checker) at(list string, i int) { c.in = "spec.program." + list + "[" + strconv.Itoa(i) + "]" }

func (c *checker) add(field, text string) {
	if c.in != "" {
		field = c.in + "." + field
	}
	c.faults = append(c.faults, Fault{field, text})
}

func (c *checker) duration(field, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		c.add(field, "must be a duration such as 1.5s, not "+strconv.Quote(text))
	case d < 0:
		c.add(field, "must not be negative")
	}
	return max(d, 0)
}

func (c *checker) bytes(field, text string) int64 {
	n, ok := parseBytes(text)
	if !ok {
		c.add(field, "must be a size such as 64Mi, not "+strconv.Quote(text))
	}
	return n
}

func (c *checker) between(field string, n, low, high int) {
	if n < low || n > high {
		c.add(field, "must be between "+strconv.Itoa(low)+" and "+strconv.Itoa(high))
	}
}

// parseBytes reads a size: a number with an optional suffix k, M, G, Ki, Mi, Gi.
func parseBytes(s string) (int64, bool) {
	num := strings.TrimRight(s, "kKMGTi")
	unit := s[len(num):]
	f, err := strconv.ParseFloat(num, 64)
	scale, ok := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}[unit]
	if err != nil || !ok || f < 0 || f*scale > 1<<60 {
		return 0, false
	}
	return int64(f * scale), true
}

func (c *checker) oneOf(field, value string, allowed []string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.add(field, "must be one of "+strings.Join(allowed, ", ")+", not "+strconv.Quote(value))
	}
}

// Validate returns the mistakes of a document, in order of its fields.
func (d *ImageDecl) Validate() []Fault {
	c := &checker{}
	if d.APIVersion != "sim.podwalk.dev/v1" {
		c.add("apiVersion", "must be sim.podwalk.dev/v1")
	}
	if d.Kind != "Image" {
		c.add("kind", "must be Image")
	}
	s := &d.Spec
	c.in = "spec"
	if name := d.image(); name == "" {
		c.add("image", "is required: the image that the document describes")
	} else if _, err := ParseReference(name); err != nil {
		c.add("image", err.Error())
	}
	for i, t := range s.Tags {
		if !validTag(t) {
			c.add("tags["+strconv.Itoa(i)+"]", "is not a valid tag")
		}
	}
	c.oneOf("pull", s.Pull, pullResults)
	if s.Seconds != nil && (*s.Seconds < 0 || *s.Seconds > 86400) {
		c.add("seconds", "must be between 0 and 86400")
	}
	if s.Size != "" {
		c.bytes("size", s.Size)
	}
	c.oneOf("tools", s.Tools, []string{"busybox", "alpine", "debian", "ubuntu", "fedora", "full", "none"})
	for i, f := range s.Files {
		c.in = "spec.files[" + strconv.Itoa(i) + "]"
		if !strings.HasPrefix(f.Path, "/") || len(splitPath(f.Path)) == 0 {
			c.add("path", "must be an absolute path")
		}
		if _, err := strconv.ParseUint(f.Mode, 8, 32); err != nil && f.Mode != "" {
			c.add("mode", "must be octal")
		}
	}
	if s.Program != nil {
		s.Program.build(c)
	}
	return c.faults
}

// build turns the document's program into a Program and notes its mistakes.
func (d *ProgramDecl) build(c *checker) Program {
	c.in = "spec.program"
	p := Program{Startup: c.duration("startup", d.Startup), Stop: Stop{Ignore: d.IgnoresTerm, Code: 128 + SIGTERM, After: c.duration("termAfter", d.TermAfter)}}
	if d.TermCode != nil {
		p.Stop.Code = *d.TermCode & 255
	}
	if d.Exits {
		p.Exit = &Exit{After: c.duration("after", d.After), Code: d.Code, Signal: d.Signal}
	} else if d.After != "" || d.Code != 0 || d.Signal != 0 {
		c.add("exits", "must be true where after, code or signal is set")
	}
	c.between("code", d.Code, 0, 255)
	c.between("signal", d.Signal, 0, 64)
	for i, l := range d.Logs {
		c.at("logs", i)
		c.oneOf("stream", l.Stream, []string{"stdout", "stderr"})
		line := Line{After: c.duration("after", l.After), Every: c.duration("every", l.Every), Stream: l.Stream, Text: l.Line}
		if l.Every != "" && line.Every < time.Millisecond {
			c.add("every", "must be at least 1ms")
			line.Every = 0
		}
		p.Lines = append(p.Lines, line)
	}
	for i, m := range d.Memory {
		c.at("memory", i)
		point := MemoryPoint{c.duration("after", m.After), c.bytes("bytes", m.Bytes)}
		if i > 0 && point.After < p.Memory[i-1].After {
			c.add("after", "must not be before the point above it")
		}
		p.Memory = append(p.Memory, point)
	}
	for i, o := range d.Ports {
		c.at("ports", i)
		c.between("port", int(o.Port), 1, 65535)
		c.oneOf("protocol", o.Protocol, []string{"http", "https", "grpc", "tcp"})
		p.Ports = append(p.Ports, Port{Port: o.Port, Host: o.Host, Proto: o.Protocol})
	}
	for i, a := range d.Answers {
		c.at("answers", i)
		if a.Code != 0 {
			c.between("code", a.Code, 100, 599)
		}
		p.Answers = append(p.Answers, Answer{Path: a.Path, Port: a.Port, Code: a.Code, Body: a.Body,
			From: c.duration("from", a.From), Until: c.duration("until", a.Until), Delay: c.duration("delay", a.Delay)})
	}
	return p
}

// image is the name that the document speaks of.
func (d *ImageDecl) image() string {
	if d.Spec.Image != "" {
		return d.Spec.Image
	}
	return d.Metadata.Name
}

// matches reports whether the document speaks of a reference. A name with a tag
// or digest matches only that; one without matches all tags.
func (d *ImageDecl) matches(ref Reference) bool {
	name := d.image()
	r, why := parseReference(name)
	if why != "" || r.Name() != ref.Name() {
		return false
	}
	if r.Digest != "" {
		return r.Digest == ref.Digest
	}
	return r.Tag == "" || r.Tag == ref.Tag && ref.Digest == "" || r.Tag == ref.Tag && ref.Tag != ""
}

// declared answers a pull as a document says.
func (c *Catalogue) declared(d *ImageDecl, ref Reference, platform string) PullOutcome {
	s := &d.Spec
	out := PullOutcome{}
	switch {
	case s.Pull != "" && s.Pull != "ok" && s.Pull != "slow":
		out = refusal(ref, s.Pull)
	case len(s.Tags) > 0 && !slices.Contains(s.Tags, ref.Tag) && ref.Digest == "":
		out = missing(ref)
	case len(s.Platforms) > 0 && platform != "" && !slices.Contains(s.Platforms, platform):
		out = refusal(ref, "wrong platform")
	default:
		out.Image = c.declaredImage(d, ref)
	}
	if s.Message != "" && out.Image == nil {
		out.Message = s.Message
	}
	if s.Seconds != nil {
		out.Slow, out.Slower = time.Duration(*s.Seconds*float64(time.Second)), true
	} else if s.Pull == "slow" {
		out.Slow, out.Slower = 2*time.Minute, true
	}
	return out
}

// refusals are containerd's texts by the result of a pull; $URL is the manifest's.
var refusals = map[string]string{
	"unauthorized": "unexpected status from HEAD request to $URL: 401 Unauthorized",
	"denied":       deniedText,
	"rate limited": "unexpected status from HEAD request to $URL: 429 Too Many Requests\ntoomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit",
	"tls":          "failed to do request: Head \"$URL\": tls: failed to verify certificate: x509: certificate signed by unknown authority",
	"dns":          "failed to do request: Head \"$URL\": dial tcp: lookup $HOST: no such host",
	"timeout":      "failed to do request: Head \"$URL\": dial tcp: lookup $HOST: i/o timeout",
	"refused":      "failed to do request: Head \"$URL\": dial tcp 192.0.2.10:443: connect: connection refused",
	"unavailable":  "unexpected status from HEAD request to $URL: 503 Service Unavailable",
}

// refusal words a pull that fails, as containerd does.
func refusal(ref Reference, pull string) PullOutcome {
	switch pull {
	case "not found":
		return missing(ref)
	case "wrong platform":
		return PullOutcome{Code: "NotFound", Message: "failed to pull and unpack image " + strconv.Quote(ref.Resolved()) + ": no match for platform in manifest: not found"}
	}
	tag, host := ref.Tag, ref.Domain
	if ref.Digest != "" {
		tag = ref.Digest
	}
	if host == "docker.io" {
		host = "registry-1.docker.io"
	}
	text := strings.ReplaceAll(refusals[pull], "$URL", "https://"+host+"/v2/"+ref.Path+"/manifests/"+tag)
	out := PullOutcome{Code: "Unknown", Message: pullText(ref, strings.ReplaceAll(text, "$HOST", host))}
	switch pull {
	case "timeout":
		out.Slow, out.Slower = 30*time.Second, true
	case "unavailable":
		out.Code = "Unavailable"
	}
	return out
}

// declaredImage makes the image of a document: what the catalogue knows, changed
// by what the document says.
func (c *Catalogue) declaredImage(d *ImageDecl, ref Reference) *Image {
	key := ref.String()
	if i := c.made[key]; i != nil {
		return i
	}
	s := &d.Spec
	i := *c.likeness(d, ref)
	i.Assumed = ""
	if n, ok := parseBytes(s.Size); ok && s.Size != "" {
		i.Size = n
	}
	if len(s.Entrypoint) > 0 {
		i.Entrypoint, i.Cmd = s.Entrypoint, nil
	}
	if len(s.Cmd) > 0 {
		i.Cmd = s.Cmd
	}
	i.Env = slices.Concat(i.Env, s.Env)
	if s.WorkingDir != "" {
		i.WorkingDir = s.WorkingDir
	}
	if s.User != "" {
		i.User = s.User
	}
	i.root = i.root.Clone()
	for _, f := range s.Files {
		mode, err := strconv.ParseUint(f.Mode, 8, 32)
		if err != nil {
			mode = 0o644
		}
		i.root.Put(f.Path, []byte(f.Content), uint32(mode), 0, 0)
	}
	if s.Program != nil {
		i.setProgram(s.Program.build(&checker{}))
	}
	c.made[key] = &i
	return &i
}

// likeness is the image from which a declared one starts.
func (c *Catalogue) likeness(d *ImageDecl, ref Reference) *Image {
	plain := Catalogue{entries: c.entries, servers: c.servers, bases: c.bases, made: map[string]*Image{}}
	if d.Spec.Tools == "" {
		if e := c.entries[ref.Name()]; e != nil {
			v, _, _ := e.match(ref.Tag)
			return plain.make(e, v, ref, "")
		}
		return plain.assume(ref)
	}
	i := *plain.assume(ref)
	base := c.base(d.Spec.Tools)
	i.root, i.tools = base.root, base.set
	return &i
}

// setProgram makes a declared program the one that entrypoint and cmd start.
func (i *Image) setProgram(p Program) {
	argv := slices.Concat(i.Entrypoint, i.Cmd)
	if len(argv) == 0 {
		i.Entrypoint = []string{"/" + baseName(i.Ref.Path)}
		argv = i.Entrypoint
	}
	p.Name, p.Kind = baseName(argv[0]), "declared"
	if isEntryScript(argv[0]) && len(i.Cmd) > 0 {
		p.Name = baseName(i.Cmd[0])
		i.root.putProgram(i.real(placeOf(i.Cmd[0])), serverPrefix+"declared")
	}
	i.Program = p
	i.root.putProgram(i.real(placeOf(argv[0])), serverPrefix+"declared")
}

func placeOf(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "usr/local/bin/" + name
}
