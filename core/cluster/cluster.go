// Package cluster is the composition root: it wires the store, the API server,
// the runtime and the actors to one queue, and moves virtual time. It decides
// nothing that a component decides. The same seed and the same commands give the
// same records, byte for byte. Start reading at Cluster, Run and Do.
package cluster

import (
	"maps"
	"sort"

	"podwalk/core/actor"
	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	cnidaemon "podwalk/core/cni"
	"podwalk/core/kubelet"
	"podwalk/core/kubeproxy"
	"podwalk/core/runtime"
	"podwalk/core/scheduler"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// Cluster is a whole simulated cluster at one instant.
type Cluster struct {
	cfg    Config
	now    sim.Time
	steps  uint64 // items run so far
	store  *store.Store
	server *apiserver.Server
	rt     *runtime.Runtime
	events *recorder.Recorder
	queue  sim.Queue
	log    trace.Log
	seats  []seat
	byName map[string]int
	// routes lists for each kind the seats that watch it.
	routes map[string][]route
	routed uint64 // changes up to here have been turned into items

	heard    map[string]heard // what programs have heard from the network
	heardOwn bool             // heard belongs to this cluster alone

	commands []Command
	applied  int // commands executed so far; the rest is ahead of a sought clone
	points   []point
	marked   uint64 // steps at the latest of them
	rest     any    // of a checkpoint in the middle of a command: the body that goes on from here
	sought   bool   // this clone is on its way to an instant and keeps no checkpoints
	limit    string
	refused  []string

	stopped map[string]bool // components that stand still; replaced, never changed
	held    []sim.Item      // looks of theirs that have come meanwhile
	deaf    map[string]deaf // nodes whose daemons hear nothing new, "" is all; replaced, never changed

	inCommand bool     // a command is being executed
	haltAt    sim.Time // where a command that lets time pass is cut off
	cutShort  bool     // the last command was

	instant struct {
		at    sim.Time
		steps int
	}
}

// seat is an actor with what has been delivered to it.
type seat struct {
	actor  actor.Actor
	user   api.User
	cursor uint64
	part   string // component that the actor is part of, "" is one of its own
}

type route struct {
	seat   int
	toKeys func(store.Snapshot, store.Change) []sim.Key
}

// New builds a cluster with its nodes and namespaces at virtual time zero.
func New(cfg Config) *Cluster {
	cfg = cfg.withDefaults()
	st := store.New(append(indexes(), claimIndexes()...)...)
	random := sim.Random{Seed: cfg.Seed}
	c := &Cluster{
		cfg:   cfg,
		store: st,
		server: apiserver.New(apiserver.Config{Start: cfg.Start, Random: random, Controllers: simulatedControllers(), Hosts: cfg.hosts(),
			ServiceCIDR: cfg.ServiceCIDR, Address: cfg.apiAddress(), Expressions: cfg.Expressions}, st),
		rt: runtime.New(runtime.Config{Random: random, Latency: cfg.Latency, Start: cfg.Start,
			Catalogue: workload.Default().With(cfg.Images), CNI: plugin(cfg.CNI)}),
		events: recorder.New(),
		haltAt: sim.Never,
	}
	c.server.Bootstrap(0, &c.log)
	c.seatOf(schedulerName, scheduler.Configured(cfg.Scheduler), api.User{Name: "system:kube-scheduler", Groups: []string{"system:authenticated"}})
	c.seat(kubelet.New(c.rt, cfg.kubelets()), api.User{Name: "system:node", Groups: []string{"system:nodes", "system:authenticated"}})
	c.seat(kubelet.NewRuntimeActor(c.rt), api.User{Name: "containerd"})
	for _, a := range controllers(cfg) {
		c.seatOf(controllerManager, a, controllerUser(a.Name()))
	}
	c.seat(kubeproxy.New(cfg.ProxyMode), api.User{Name: "system:serviceaccount:kube-system:kube-proxy"})
	c.seat(cnidaemon.New(plugin(cfg.CNI)), api.User{Name: "system:serviceaccount:kube-system:" + cfg.CNI})
	c.seatOf(apiServer, &eventTTL{}, api.User{Name: "system:apiserver", Groups: []string{"system:masters"}})
	c.wire()
	c.addNodes()
	c.addAddons()
	return c
}

func (c *Cluster) seat(a actor.Actor, u api.User) { c.seatOf("", a, u) }

func (c *Cluster) seatOf(part string, a actor.Actor, u api.User) {
	c.seats = append(c.seats, seat{actor: a, user: u, cursor: store.FirstRev, part: part})
}

// wire makes the tables that lead from a change to the actors, and hands the
// runtime to those that use it.
func (c *Cluster) wire() {
	c.byName, c.routes = map[string]int{}, map[string][]route{}
	for i := range c.seats {
		a := c.seats[i].actor
		c.byName[a.Name()] = i
		for _, w := range a.Watches() {
			c.routes[w.Kind] = append(c.routes[w.Kind], route{i, w.Map})
		}
		if u, ok := a.(kubelet.UsesRuntime); ok {
			u.SetRuntime(c.rt)
		}
	}
	c.rt.SetNetwork(&fabric{c})
	if p := c.nodeProxy(); p != nil {
		c.server.SetNodeProxy(p)
	}
}

func (c *Cluster) nodeProxy() apiserver.NodeProxy {
	for i := range c.seats {
		if p, ok := c.seats[i].actor.(apiserver.NodeProxy); ok {
			return p
		}
	}
	return nil
}

// addNodes makes the nodes. One that the API server refuses is left out, and
// RefusedNodes tells why. The cluster has been up for a while: what the node
// controllers do to a new node is done.
func (c *Cluster) addNodes() {
	c.refused = make([]string, len(c.cfg.Nodes))
	for i, n := range c.cfg.Nodes {
		given := *n
		if given.CreationTimestamp == 0 {
			given.CreationTimestamp = actor.TimeAt(c.cfg.Start, 0)
		}
		n = kubelet.FillNode(&given, i)
		kind := api.KindNamed("Node")
		res := c.Request(0, api.Request{Verb: api.Create, Kind: kind, Object: n, User: Admin()})
		if res.Failed() {
			c.refused[i] = res.Status.Message
			continue
		}
		c.Request(0, api.Request{Verb: api.Update, Kind: kind, Name: n.Name, Object: settledNode(res.Object.(*api.Node)), User: Admin()})
		c.addCSINode(res.Object.(*api.Node))
	}
}

// settledNode is a node after the node lifecycle controller has taken the taint
// off that admission puts on every new node, and the TTL controller has set its
// annotation (pkg/controller/nodelifecycle, pkg/controller/ttl).
func settledNode(stored *api.Node) *api.Node {
	n := *stored
	n.Annotations = maps.Clone(n.Annotations)
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations["node.alpha.kubernetes.io/ttl"] = "0"
	n.Spec.Taints = nil
	for _, t := range stored.Spec.Taints {
		if t.Key != "node.kubernetes.io/not-ready" || !isReady(stored) {
			n.Spec.Taints = append(n.Spec.Taints, t)
		}
	}
	return &n
}

func isReady(n *api.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True"
		}
	}
	return false
}

// RefusedNodes returns for each node of the configuration why the API server
// refused it, or "".
func (c *Cluster) RefusedNodes() []string { return c.refused }

// Admin is the user of kubectl where nobody else is named.
func Admin() api.User {
	return api.User{Name: "kubernetes-admin", Groups: []string{"kubeadm:cluster-admins", "system:authenticated"}}
}

// Now returns the instant of the run.
func (c *Cluster) Now() sim.Time { return c.now }

// Start returns the instant of virtual time zero in ns since 1970.
func (c *Cluster) Start() int64 { return c.cfg.Start }

// Config returns what the cluster was made of.
func (c *Cluster) Config() Config { return c.cfg }

// Rev returns the newest revision of the store.
func (c *Cluster) Rev() uint64 { return c.store.Rev() }

// Latest returns the newest state of the store.
func (c *Cluster) Latest() store.Snapshot { return c.store.Latest() }

// StateAt returns the store as it was at an instant.
func (c *Cluster) StateAt(t sim.Time) (store.Snapshot, error) { return c.store.At(c.store.RevAt(t)) }

// Changes returns the changes of the store after a revision.
func (c *Cluster) Changes(rev uint64) ([]store.Change, error) { return c.store.Since(rev) }

// Records returns the trace records after an id.
func (c *Cluster) Records(after sim.Cause) []trace.Record { return c.log.After(after) }

// LastRecord returns the id of the newest trace record, 0 if there is none.
func (c *Cluster) LastRecord() sim.Cause { return sim.Cause(c.log.Len()) }

// Record returns one trace record.
func (c *Cluster) Record(id sim.Cause) (trace.Record, bool) { return c.log.Get(id) }

// Note writes a trace record of somebody outside, such as kubectl.
func (c *Cluster) Note(r trace.Record) sim.Cause {
	r.At = c.now
	return c.log.Append(r)
}

// Quiescent reports whether nothing is queued that could change anything.
func (c *Cluster) Quiescent() bool { return c.queue.Active() == 0 }

// NextAt returns the instant of the next queued item, or sim.Never.
func (c *Cluster) NextAt() sim.Time { return c.queue.Next() }

// Limit names the limit that stopped the run, or is empty.
func (c *Cluster) Limit() string { return c.limit }

// Request sends a request to the API server at the present instant.
func (c *Cluster) Request(cause sim.Cause, req api.Request) api.Response {
	if res, refused := c.refuse(); refused {
		return res
	}
	res := c.server.Handle(c.now, cause, &c.log, req)
	c.distribute()
	return res
}

// distribute turns the changes that nobody has been told of into items.
func (c *Cluster) distribute() {
	if c.routed == c.store.Rev() {
		return
	}
	changes, err := c.store.Since(max(c.routed, store.FirstRev))
	if err != nil {
		panic("cluster: " + err.Error())
	}
	view := c.store.Latest()
	for _, ch := range changes {
		for _, r := range c.routesOf(ch.Object()) {
			for _, k := range r.toKeys(view, ch) {
				c.queue.Push(sim.Item{At: c.now + c.cfg.Latency.Watch, Actor: c.seats[r.seat].actor.Name(), Key: k, Cause: ch.Cause})
			}
		}
	}
	c.routed = c.store.Rev()
}

// routesOf lists the seats that watch an object's kind.
func (c *Cluster) routesOf(o api.Object) []route {
	if _, custom := o.(*api.Custom); custom {
		return c.routes[actor.AnyCustom]
	}
	return c.routes[o.ObjectType().Kind]
}

// Invariants returns what must never be true of a cluster but is.
func (c *Cluster) Invariants() []string {
	var bad []string
	seen := map[string]string{}
	c.Latest().Each("Pod", "", func(o api.Object) bool {
		p := o.(*api.Pod)
		ip := p.Status.PodIP
		if ip == "" || p.Spec.HostNetwork || p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
			return true
		}
		if other := seen[ip]; other != "" {
			bad = append(bad, "address "+ip+" belongs to both "+other+" and "+p.Namespace+"/"+p.Name)
		}
		seen[ip] = p.Namespace + "/" + p.Name
		return true
	})
	if err := c.store.CheckMutations(); err != nil {
		bad = append(bad, err.Error())
	}
	sort.Strings(bad)
	return bad
}

// DetectMutations makes Invariants notice objects that were changed after they
// had been stored. For tests.
func (c *Cluster) DetectMutations() { c.store.DetectMutations() }
