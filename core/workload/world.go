package workload

import (
	"time"

	"podwalk/core/sim"
)

// World is what a process sees of its container, pod and network. The runtime
// implements it, once for each container; embedding *FS gives the Files part.
type World interface {
	Files
	// Now is the present instant. It does not move during one call of Run.
	Now() sim.Time
	// Hostname is the UTS host name, usually the name of the pod.
	Hostname() string
	// Random returns the n-th value of a keyed stream of this container.
	Random(purpose string, n uint64) uint64
	// Listen binds a TCP port in the pod's network. host is "" for all addresses,
	// "127.0.0.1" for loopback only. A port that is taken gives EADDRINUSE.
	Listen(port int32, host string) error
	// Close gives back a port that this process had bound.
	Close(port int32)
	// Dial connects to a host name or address.
	Dial(host string, port int32) Conn
	// Lookup resolves a name as getaddrinfo does.
	Lookup(name string) Lookup
	// Query asks a name server one question; kind is A, AAAA, SRV, CNAME or PTR.
	Query(server, name, kind string) Reply
	// Log takes one line, without its newline, of the main process.
	// stream is "stdout" or "stderr".
	Log(stream, line string)
	// NotSimulated records that something was asked for that Podwalk lacks.
	NotSimulated(what string)
	// Assumed records a guess about an image whose content is not known.
	Assumed(what string)
	// Processes lists what runs in the container, its exec sessions included, in
	// order of pid.
	Processes() []ProcessInfo
	// Kill sends a signal to a process outside the calling one (an exec session
	// signals pid 1). It reports whether there is such a process. sig 0 only asks.
	Kill(pid, sig int) bool
}

// Conn is the outcome of connecting to an address.
type Conn struct {
	Outcome string        // Connected, Refused, TimedOut, Unreachable or NoName
	Delay   time.Duration // time until the outcome is known
	Addr    string        // address that was tried, "" if the name did not resolve
	Peer    Peer          // answers requests when Connected; nil: accepts and stays silent
}

// Outcomes of Dial and Lookup.
const (
	Connected   = "connected"
	Refused     = "refused"
	TimedOut    = "timeout"
	Unreachable = "unreachable"
	NoName      = "nxdomain"
	Found       = "found"
)

// Peer is the far end of a connection. The runtime binds Process.Serve to it.
type Peer interface {
	Answer(req Request) Response
}

// Request is what a client sends: HTTP, or a few bytes on a TCP connection.
type Request struct {
	Proto   string // "" and "http", "https", "grpc", "tcp"
	Method  string
	Path    string // with query
	Host    string
	Headers []Header
	Body    string
	From    string // address of the client, for logs
	Hops    int    // proxies on the way
}

// Header is one line of a request or response head.
type Header struct{ Name, Value string }

// Response answers a Request. Code 0 means that the peer closed the connection
// without an answer (it does not speak the protocol).
type Response struct {
	Code    int // HTTP status; for grpc 0 = no answer, 1 = SERVING, 2 = NOT_SERVING, 12 = no health service
	Headers []Header
	Body    string
	Delay   time.Duration
}

// Lookup is an answer of the resolver.
type Lookup struct {
	Result string // Found, NoName or TimedOut
	Addrs  []string
	Name   string // full name that was found, "" if unknown
	Server string // address of the DNS server asked, "" if none
	Delay  time.Duration
}

// Reply is what a name server says. Code is NOERROR, NXDOMAIN, SERVFAIL, or TIMEOUT
// if no answer came.
type Reply struct {
	Code    string
	Records []ReplyRecord
}

// ReplyRecord is one line of a reply.
type ReplyRecord struct {
	Name, Type string
	TTL        int
	Data       string
}

// ProcessInfo is one line of ps.
type ProcessInfo struct {
	PID, PPID int
	Name      string // name of the program, as killall sees it
	Argv      []string
}

// Step is what Run reports.
type Step struct {
	Next     sim.Time // when Run shall be called again; Never: only a signal or data moves it
	Periodic bool     // until something else changes, calling again changes nothing; with Next = Never too
	Done     bool     // the process has ended
	Code     int      // exit code, 128+n after a signal
	Signal   int      // the signal that ended it, 0 if it exited
	Limit    string   // the first bound that was hit, said once, "" if none
}
