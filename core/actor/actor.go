// Package actor is the contract between the cluster and its components. An actor
// is told "look at key"; it reads the world as it has been delivered to it, writes
// through the API server, and says when it wants to look again. It never starts
// anything, waits, or talks to another actor but through the store.
// Start reading at Actor and Ctx.
package actor

import (
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Actor is a component: the scheduler, the kubelets, a controller.
// Reconcile is level-triggered: it may be called at any time, twice or late, and
// is then still right. State that an actor keeps between calls is part of Clone.
type Actor interface {
	Name() string
	Watches() []Watch
	Reconcile(*Ctx, sim.Key) Result
	Clone() Actor
}

// Watch maps a change of a kind to the keys to look at. Map must be pure; it sees
// the store as of the change.
type Watch struct {
	Kind string
	Map  func(store.Snapshot, store.Change) []sim.Key
}

// AnyCustom is the kind of a watch of all objects of custom kinds.
const AnyCustom = "."

// Result says when the actor wants to look at the key again: a probe, a back-off,
// a grace period. It replaces the earlier timer of the same key; the zero value
// keeps none.
type Result struct {
	Next     sim.Time // 0 or sim.Never: only when something changes
	Periodic bool     // the look cannot change anything unless something else does
	Wake     []Wake
}

// Wake asks for another actor's look. Only the container runtime's actor uses it:
// it is the kubelet's PLEG.
type Wake struct {
	Actor string
	Key   sim.Key
	At    sim.Time
}

// At is a Result that asks for a look at t.
func At(t sim.Time) Result { return Result{Next: t} }

// Host is what the cluster gives to the actors.
type Host interface {
	// Handle sends a request to the API server as the actor's user.
	Handle(req api.Request, cause sim.Cause) api.Response
	// Record writes a trace record; At and, if 0, Cause are filled in.
	Record(r trace.Record) sim.Cause
	// Latest is the newest state of the store, for Ctx.Live.
	Latest() store.Snapshot
	// Start is the instant of virtual time zero, in ns since 1970 (UTC).
	Start() int64
	Random() sim.Random
	// Events returns the event recorder.
	Events() Recorder
}

// Recorder writes Events as the real recorders do: counted, aggregated, limited.
type Recorder interface {
	// Event records for regarding, as source (such as "kubelet" on host "node-1").
	Event(c *Ctx, e Event)
}

// Event is one occurrence to record.
type Event struct {
	Regarding api.Object
	FieldPath string // such as spec.containers{app}
	Type      string // Normal or Warning
	Reason    string
	Message   string
	Component string // such as kubelet, default-scheduler, replicaset-controller
	Host      string // of a kubelet: the node's name
	Action    string // of the events.k8s.io recorder, such as Binding; non-empty selects that recorder
	Related   api.Object
}

// Ctx is what an actor may use while it looks at a key.
type Ctx struct {
	Host  Host
	Actor string
	User  api.User
	// Read is the store as delivered to this actor: its informer cache.
	Read store.Snapshot
	// Changes since the actor's previous look, in order: what its cache was told.
	Changes []store.Change
	Cause   sim.Cause
	now     sim.Time
}

// NewCtx returns the context of one look.
func NewCtx(h Host, actor string, user api.User, now sim.Time, cause sim.Cause, read store.Snapshot, changes []store.Change) *Ctx {
	return &Ctx{Host: h, Actor: actor, User: user, Read: read, Changes: changes, Cause: cause, now: now}
}

// Now returns the instant of the look.
func (c *Ctx) Now() sim.Time { return c.now }

// Time returns now as it is written into objects.
func (c *Ctx) Time() api.Time { return TimeAt(c.Host.Start(), c.now) }

// MicroTime returns now as it is written into Leases and Events.
func (c *Ctx) MicroTime() api.MicroTime {
	return api.MicroTime((c.Host.Start() + int64(c.now)) / 1000)
}

// TimeAt returns an instant as it is written into objects; start is the instant of
// virtual time zero in ns since 1970.
func TimeAt(start int64, t sim.Time) api.Time { return api.Time((start + int64(t)) / 1e9) }

// SimTime is the inverse of TimeAt, to the second.
func SimTime(start int64, t api.Time) sim.Time { return sim.Time(int64(t)*1e9 - start) }

// Random returns the n-th value of the stream (purpose, key).
func (c *Ctx) Random(purpose, key string, n uint64) uint64 {
	return c.Host.Random().Uint64(purpose, key, n)
}

// Record writes a trace record caused by what led to this look, and returns its id.
func (c *Ctx) Record(r trace.Record) sim.Cause {
	r.At = c.now
	if r.Cause == 0 {
		r.Cause = c.Cause
	}
	if r.Source == "" {
		r.Source = c.Actor
	}
	return c.Host.Record(r)
}

// Event records an API Event.
func (c *Ctx) Event(e Event) { c.Host.Events().Event(c, e) }

// Do sends a request to the API server as this actor.
func (c *Ctx) Do(req api.Request) api.Response {
	if req.User.Name == "" {
		req.User = c.User
	}
	return c.Host.Handle(req, c.Cause)
}

// Create stores a new object.
func (c *Ctx) Create(o api.Object) api.Response {
	return c.Do(api.Request{Verb: api.Create, Kind: c.KindOf(o), Namespace: o.Meta().Namespace, Object: o})
}

// Update replaces an object; its resourceVersion guards against a lost update.
func (c *Ctx) Update(o api.Object) api.Response { return c.update(o, "") }

// UpdateStatus replaces the status of an object.
func (c *Ctx) UpdateStatus(o api.Object) api.Response { return c.update(o, "status") }

func (c *Ctx) update(o api.Object, sub string) api.Response {
	m := o.Meta()
	return c.Do(api.Request{Verb: api.Update, Kind: c.KindOf(o), Namespace: m.Namespace, Name: m.Name, Subresource: sub, Object: o})
}

// Delete deletes an object; grace is the period in seconds or nil for its own.
func (c *Ctx) Delete(o api.Object, grace *int64) api.Response {
	m := o.Meta()
	return c.Do(api.Request{Verb: api.Delete, Kind: c.KindOf(o), Namespace: m.Namespace, Name: m.Name,
		GracePeriodSeconds: grace, PreconditionUID: m.UID})
}

// KindOf returns the kind of an object, or nil.
func (c *Ctx) KindOf(o api.Object) *api.Kind {
	t := o.ObjectType()
	return c.Host.Latest().KindFor(t.APIVersion, t.Kind)
}

// Pod returns a pod of the delivered state, or nil.
func (c *Ctx) Pod(namespace, name string) *api.Pod {
	p, _ := c.Read.Get("Pod", namespace, name).(*api.Pod)
	return p
}

// Node returns a node of the delivered state, or nil.
func (c *Ctx) Node(name string) *api.Node {
	n, _ := c.Read.Get("Node", "", name).(*api.Node)
	return n
}

// RefOf returns the trace's name of an object.
func RefOf(o api.Object) trace.Ref {
	m := o.Meta()
	return trace.Ref{Kind: o.ObjectType().Kind, Namespace: m.Namespace, Name: m.Name}
}
