// Package apiserver is the only way to write the store. A request walks
// authentication, authorisation, decoding, defaulting, mutating admission,
// validation, validating admission and the commit; each station leaves a record
// caused by the one before, so that a refusal can be read back to its request.
// There is no HTTP here and nothing waits. What components send as typed objects
// takes a shorter way: it leaves the commit's record only.
// Start reading at Server.Handle and call.
package apiserver

import (
	"podwalk/core/admission"
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Config is what a server is made of.
type Config struct {
	Start  int64 // virtual time zero in ns since 1970
	Random sim.Random
	// ServiceCIDR is the range of cluster addresses, or two of different families
	// with a comma between; "" is DefaultServiceCIDR.
	ServiceCIDR string
	// Address is where this server is reached; "" is that of the first node by default.
	Address string
	// Controllers names the kinds that something in the cluster acts on. Objects of
	// other kinds that would need a controller are stored with a record that says so.
	Controllers []string
	// Hosts names the nodes that have a kubelet, which renews their leases; nil is all.
	Hosts map[string]bool
	// Expressions runs the expressions of admission policies; nil is a build without
	// it, which leaves a record in their place.
	Expressions expression.Engine
}

// DefaultServiceCIDR is the range of cluster addresses where none is given, as
// kind has it.
const DefaultServiceCIDR = "10.96.0.0/16"

// Server is the simulated kube-apiserver. Beside the store it keeps only how
// often names were used, so that random values are the next ones of their stream,
// and who wrote what, for server-side apply.
type Server struct {
	cfg       Config
	store     *store.Store
	chain     admission.Chain
	proxy     NodeProxy
	simulated map[string]bool
	services  []cidr // the primary range first
	serials   serials

	writers      []writer // of the revisions, in order
	applications map[api.Ref][]application
	schemas      schemas
}

// NodeProxy is how the server reaches the kubelets, for logs and commands.
type NodeProxy interface {
	// Log returns the log of a container; options are container, previous, tailLines,
	// sinceSeconds, timestamps, limitBytes and follow.
	Log(pod *api.Pod, options map[string]string) (string, *api.Status)
	// Exec runs a command in a container.
	Exec(pod *api.Pod, container string, command []string) (ExecResult, *api.Status)
}

// ExecResult is what a command printed and how it ended.
type ExecResult struct {
	Stdout, Stderr string
	Exit           int
}

// New returns a server that writes st.
func New(cfg Config, st *store.Store) *Server {
	if cfg.ServiceCIDR == "" {
		cfg.ServiceCIDR = DefaultServiceCIDR
	}
	ranges, why := parseCIDRs(cfg.ServiceCIDR)
	if why != "" {
		panic("apiserver: " + why)
	}
	s := &Server{cfg: cfg, store: st, chain: defaultChain(), simulated: map[string]bool{}, services: ranges}
	for _, kind := range cfg.Controllers {
		s.simulated[kind] = true
	}
	return s
}

// SetNodeProxy wires the server to the kubelets.
func (s *Server) SetNodeProxy(p NodeProxy) { s.proxy = p }

// Clone returns a server that writes another store. The node proxy must be set
// again.
func (s *Server) Clone(st *store.Store) *Server {
	c := *s
	c.store, c.proxy, c.schemas, c.serials = st, nil, nil, s.serials.share()
	c.writers = s.writers[:len(s.writers):len(s.writers)]
	return &c
}

// Handle carries out one request at an instant. cause is the record that led to
// it; the records of the request go to log.
func (s *Server) Handle(now sim.Time, cause sim.Cause, log *trace.Log, req api.Request) api.Response {
	c := &call{s: s, now: now, cause: cause, log: log, req: req, read: s.store.Latest()}
	res := c.serve()
	if k := c.req.Kind; k != nil && k.Definition != nil && res.Object != nil {
		res.Object = c.inVersion(res.Object, k)
	}
	if res.Record == 0 && res.Status != nil {
		res.Record = uint64(c.denied)
	}
	res.Warnings = append(res.Warnings, c.warnings...)
	return res
}
