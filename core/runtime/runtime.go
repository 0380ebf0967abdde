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
	Network   Network    // nil: pods reach each other by address only
}

// Network answers for what lies outside the pods: service addresses and names.
type Network interface {
	// Translate returns the pod address and port behind a service address; ok is
	// false where the address is none.
	Translate(ip string, port int32, from string) (string, int32, bool)
	// Lookup resolves a name for a pod of a namespace.
	Lookup(name, namespace string) workload.Lookup
}

// Runtime is the containerds of all nodes.
type Runtime struct {
	cfg      Config
	own      *owner
	machines map[string]*Machine
	shared   map[string]*workload.Tree // file systems that pods share: "host/NODE", "disk/VOLUME"
	addrs    map[string]place          // by pod address
	cache    *workload.Cache
	wakes    []sim.Key
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
	return &Runtime{cfg: cfg, own: &owner{}, machines: map[string]*Machine{}, addrs: map[string]place{},
		shared: map[string]*workload.Tree{}, cache: workload.NewCache()}
}

// Clone returns an independent copy.
func (r *Runtime) Clone() *Runtime {
	c := *r
	r.own, c.own = &owner{}, &owner{}
	c.machines = maps.Clone(r.machines)
	c.addrs = maps.Clone(r.addrs)
	c.shared = make(map[string]*workload.Tree, len(r.shared))
	for k, t := range r.shared {
		c.shared[k] = t.Clone()
	}
	return &c
}

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

// tree returns a file system that pods share; it is made when first asked for.
func (r *Runtime) tree(key string) *workload.Tree {
	t := r.shared[key]
	if t == nil {
		t = workload.NewTree()
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
