package workload

import (
	"slices"
	"strings"
	"time"
)

// Image is what a node knows of an image after the pull. It is frozen.
type Image struct {
	Ref        Reference
	Size       int64  // bytes, as the runtime reports it
	Digest     string // sha256:...
	Entrypoint []string
	Cmd        []string
	Env        []string // "K=V", in order
	WorkingDir string
	User       string // "", "nginx", "1000", "1000:1000"
	Ports      []int32
	StopSignal int // 0 is SIGTERM
	Program    Program
	Assumed    string // why the content is a guess, "" if it is known

	version string
	tools   *toolset
	root    *Tree // file system, shared; NewRoot clones it
}

// Musl reports whether the C library of the image is musl: its resolver does not
// try the search list for names with enough dots.
func (i *Image) Musl() bool {
	return strings.Contains(i.Ref.Path, "alpine") || strings.Contains(i.Ref.Tag, "alpine")
}

// NewRoot returns a fresh root file system of the image.
func (i *Image) NewRoot() *Tree { return i.root.Clone() }

// Argv applies command and args of a container to entrypoint and cmd of the
// image, as the CRI does: command replaces both, args replace cmd.
func Argv(img *Image, command, args []string) []string {
	switch {
	case len(command) > 0:
		return slices.Concat(command, args)
	case len(args) > 0:
		return slices.Concat(img.Entrypoint, args)
	}
	return slices.Concat(img.Entrypoint, img.Cmd)
}

// IDs returns the numeric user and group of the image's user, 0 for root. known is
// false for a name that the image's passwd file lacks.
func (i *Image) IDs() (uid, gid int64, known bool) { return lookupUser(i.root, i.User) }

// Program is the behaviour of a program, as data: what it prints, where it
// listens, what it answers, how much memory it takes, when and how it ends. All
// spans count from its start.
type Program struct {
	Name    string        // as ps and killall show it
	Kind    string        // server kind with rules in Go ("nginx", "postgres"), "" for none
	Startup time.Duration // until it listens
	Ports   []Port
	Lines   []Line
	Memory  []MemoryPoint // bytes; linear between the points
	Answers []Answer      // the first that matches is given
	Exit    *Exit         // nil: runs until it is told to stop
	Stop    Stop
}

// Port is a TCP port on which a program listens.
type Port struct {
	Port  int32
	Host  string // "" all addresses, "127.0.0.1" loopback
	Proto string // "http", "https", "grpc", "tcp" or a database's own
}

// Line is a line of output.
type Line struct {
	After  time.Duration
	Every  time.Duration // 0: once
	Stream string        // "" is stdout
	Text   string
}

// MemoryPoint is a point of a memory curve.
type MemoryPoint struct {
	After time.Duration
	Bytes int64
}

// Answer is the reply to requests whose path matches.
type Answer struct {
	Path        string        // exact, or a prefix that ends with "*"; "" matches all
	Port        int32         // 0: any
	From, Until time.Duration // when it holds; Until 0: for ever
	Code        int
	Body        string
	Delay       time.Duration
}

// Exit ends a program by itself.
type Exit struct {
	After  time.Duration
	Code   int
	Signal int // if not 0 it dies by this signal
}

// Stop says how a program reacts to SIGTERM and SIGINT.
type Stop struct {
	Ignore  bool
	Default bool // no handler: pid 1 does not notice, others die by the signal
	Code    int
	After   time.Duration
	Lines   []string
}
