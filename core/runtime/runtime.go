// Package runtime is the simulated containerd of every node, behind the verbs of
// the CRI: images, sandboxes, containers, exec sessions, logs. Its processes run
// on in virtual time whether or not a kubelet looks at them. It knows no API
// object and decides nothing that a kubelet decides; only the kubelet drives it.
// Every CRI call leaves a trace record with its request and its result.
//
// Everything is data. Clone is cheap: machines and pods are copied when one side
// next touches them. Start reading at Runtime, Machine and Container.
package runtime

import (
	"maps"
	"strings"
	"time"

	"podwalk/core/network/cni"
	"podwalk/core/network/cni/kindnet"
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// Config is what all machines share.
type Config struct {
	Random    sim.Random
	Latency   sim.Latency
	Catalogue *workload.Catalogue
	Start     int64      // virtual time zero in ns since 1970
	CNI       cni.Plugin // nil is kindnet
}

// Network answers for what lies between the pods: names, addresses of Services,
// policies. It leaves the records of what it decides.
type Network interface {
	// Route says where a connection of a pod leads.
	Route(c Call, from Sender, ip string, port int32) Route
	// Lookup resolves a name as the pod's C library does.
	Lookup(c Call, from Sender, name string) workload.Lookup
	// Query asks a name server one question.
	Query(c Call, from Sender, server, name, kind string) workload.Reply
}

// Sender is the pod that sends.
type Sender struct {
	Namespace, Name, Node string
	IP                    string // "" on the host's network
	HostNetwork           bool
	ResolvConf, Hosts     string
	Musl                  bool // the C library of the image is musl
}

// Route is where a connection leads: Outcome is "" if it arrives at IP and Port.
type Route struct {
	Outcome string
	Delay   time.Duration
	IP      string
	Port    int32
	From    string        // source address that the far end sees
	Peer    workload.Peer // what answers there, nil: the process of a pod or node
}

// Runtime is the containerds of all nodes.
type Runtime struct {
	cfg      Config
	own      *owner
	machines map[string]*Machine
	shared   map[string]*workload.Tree // file systems that pods share: "host/NODE", "disk/VOLUME"
	addrs    map[string]place          // by pod address
	hosts    map[string]string         // nodes by address
	net      Network                   // nil: pods reach each other by address only
	cache    *workload.Cache
	wakes    []sim.Key
	silent   map[string]bool // registries that do not answer, "" is all; replaced, never changed
	orphans  map[string]bool // nodes without the daemon of the network plugin, "" is all; replaced, never changed
}

// owner marks what a Runtime may change in place; the rest is shared with clones.
type owner struct{ _ byte }

// place is where a sandbox lives.
type place struct{ node, uid string }

// New returns a runtime without machines.
func New(cfg Config) *Runtime {
	if cfg.CNI == nil {
		cfg.CNI = kindnet.Plugin{}
	}
	return &Runtime{cfg: cfg, own: &owner{}, machines: map[string]*Machine{}, addrs: map[string]place{}, hosts: map[string]string{},
		shared: map[string]*workload.Tree{}, cache: workload.NewCache()}
}

// Clone returns an independent copy.
func (r *Runtime) Clone() *Runtime {
	c := *r
	r.own, c.own = &owner{}, &owner{}
	c.machines = maps.Clone(r.machines)
	c.addrs = maps.Clone(r.addrs)
	c.hosts = maps.Clone(r.hosts)
	c.shared = make(map[string]*workload.Tree, len(r.shared))
	for k, t := range r.shared {
		c.shared[k] = t.Clone()
	}
	return &c
}

// SetNetwork attaches what lies between the pods.
func (r *Runtime) SetNetwork(n Network) { r.net = n }

// Owner tells which pod has an address.
func (r *Runtime) Owner(ip string) (namespace, name string, ok bool) {
	at, ok := r.addrs[ip]
	if !ok {
		return "", "", false
	}
	p := r.machines[at.node].pods[at.uid]
	if p == nil {
		return "", "", false
	}
	return p.namespace, p.name, true
}

// NodeAt tells which node has an address, "" if none.
func (r *Runtime) NodeAt(ip string) string { return r.hosts[ip] }

// Latency returns the table of waiting times.
func (r *Runtime) Latency() *sim.Latency { return &r.cfg.Latency }

// Node returns the machine of a node; it is made when it is first asked for.
func (r *Runtime) Node(name string) *Machine {
	m := r.machines[name]
	if m == nil {
		m = newMachine(r, name)
		r.machines[name] = m
	}
	if m.own != r.own {
		c := *m
		c.own, c.rt = r.own, r
		c.pods = maps.Clone(m.pods)
		c.images = maps.Clone(m.images)
		c.where = maps.Clone(m.where)
		m = &c
		r.machines[name] = m
	}
	return m
}

// hostDirs are on every machine.
var hostDirs = [...]string{"bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr/bin", "usr/lib",
	"usr/local", "usr/share", "var/lib/kubelet", "var/lib/containerd", "var/log/pods", "var/log/containers", "var/run", "var/tmp"}

// tree returns a file system that pods share; it is made when first asked for.
func (r *Runtime) tree(key string) *workload.Tree {
	t := r.shared[key]
	if t == nil {
		t = workload.NewTree()
		if strings.HasPrefix(key, "host/") {
			for _, dir := range hostDirs {
				_ = t.PutDir(dir, 0o755, 0, 0)
			}
		}
		r.shared[key] = t
	}
	return t
}

// Call is who calls, when, and where the record goes.
type Call struct {
	Now    sim.Time
	Ref    trace.Ref // the pod
	Record func(trace.Record) sim.Cause
}

// note writes the record of a CRI call.
func (c Call) note(stage trace.Stage, verb string, err error, message string, detail ...trace.Detail) {
	if c.Record == nil {
		return
	}
	v := trace.Passed
	if err != nil {
		v, message = trace.Failed, err.Error()
	}
	c.Record(trace.Record{At: c.Now, Source: "runtime", Stage: stage, Ref: c.Ref, Verdict: v, Reason: verb, Message: message, Detail: detail})
}

// Error is a failed CRI call: a gRPC code and a description.
type Error struct {
	Code string // NotFound, Unknown, InvalidArgument, DeadlineExceeded, ...
	Desc string
}

// Error returns the text that a gRPC client prints.
func (e *Error) Error() string { return "rpc error: code = " + e.Code + " desc = " + e.Desc }

// id returns a name of 64 hexadecimal digits, as containerd gives.
func (r *Runtime) id(purpose, key string) string {
	var b strings.Builder
	b.Grow(64)
	for n := range uint64(4) {
		v := r.cfg.Random.Uint64(purpose, key, n)
		for shift := 60; shift >= 0; shift -= 4 {
			b.WriteByte("0123456789abcdef"[v>>shift&15])
		}
	}
	return b.String()
}

// Key is the key under which the processes of a container are advanced.
func Key(node, container string) sim.Key {
	return sim.Key{Kind: "Container", Namespace: node, Name: container}
}

// Start returns the instant of virtual time zero in ns since 1970.
func (r *Runtime) Start() int64 { return r.cfg.Start }

// Random returns a value of the runtime's keyed streams.
func (r *Runtime) Random(purpose, key string) uint64 { return r.cfg.Random.Uint64(purpose, key, 0) }

// wake asks that a container's processes are advanced at this instant.
func (m *Machine) wake(container string) {
	m.rt.wakes = append(m.rt.wakes, Key(m.Name, container))
}

// TakeWakes returns the keys of the containers that have to be advanced at this
// instant, and forgets them. The caller hands them to the runtime's actor.
func (r *Runtime) TakeWakes() []sim.Key {
	w := r.wakes
	r.wakes = nil
	return w
}
