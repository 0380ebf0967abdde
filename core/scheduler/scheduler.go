// Package scheduler is the simulated kube-scheduler: one actor that keeps a
// summary of the nodes, a queue of the pods that wait, and runs one scheduling
// cycle after another. Each rule is a package of its own below this one; the
// contract between them is package framework. It never evicts by itself but what
// a preemption decided, and never talks to a kubelet. Start reading at Scheduler
// and (*Scheduler).scheduleOne.
package scheduler

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// CycleTime is the virtual time that one scheduling cycle takes.
const CycleTime = sim.Millisecond

// Config says how a scheduler is set up. The zero value is the default.
type Config struct {
	Host     string // of the process: events name it; "" is control-plane
	Profiles []*Profile
	// Detail is how many nodes a cluster may have for which each node's verdict is a
	// record of its own and each score is kept; above it they are summed up. 0 is 50.
	Detail int
	// InitialBackoff and MaxBackoff bound the back-off of a pod; 0 is 1 s and 10 s.
	InitialBackoff, MaxBackoff sim.Time
}

// Scheduler is the actor "scheduler".
type Scheduler struct {
	host     string
	detail   int
	profiles map[string]*Profile
	initial  sim.Time // of the back-off
	most     sim.Time
	started  bool
	cache    cache
	queue    *queue
	shared   bool // a clone may see the queue: copy it before it changes
	nominees nominator
	volumes  volumeMind
	busy     sim.Time // end of the latest cycle
	rotation int      // where the search for feasible nodes starts
	strange  map[podKey]bool
	binding  map[string]*pendingBind // by UID: pods whose volumes are being bound
	scratch  *scratch
	plain    bool // remember nothing: for tests
}

var _ actor.Actor = (*Scheduler)(nil)

// key is the only key that the scheduler looks at.
var key = sim.Key{Kind: "queue"}

// New returns the scheduler of a cluster without scheduler configuration.
func New() *Scheduler { return Configured(Config{}) }

// Configured returns a scheduler that has seen nothing.
func Configured(cfg Config) *Scheduler {
	s := &Scheduler{host: cfg.Host, detail: cfg.Detail, profiles: map[string]*Profile{}, cache: newCache(), nominees: newNominator(),
		volumes: newVolumeMind(), strange: map[podKey]bool{}, binding: map[string]*pendingBind{}}
	if s.host == "" {
		s.host = "control-plane"
	}
	if s.detail == 0 {
		s.detail = 50
	}
	s.initial, s.most = cfg.InitialBackoff, cfg.MaxBackoff
	if s.initial == 0 {
		s.initial = sim.Second
	}
	if s.most == 0 {
		s.most = 10 * sim.Second
	}
	if len(cfg.Profiles) == 0 {
		cfg.Profiles = []*Profile{DefaultProfile()}
	}
	for _, p := range cfg.Profiles {
		s.profiles[p.Name] = p
	}
	return s
}

// Name returns "scheduler".
func (s *Scheduler) Name() string { return "scheduler" }

// Clone returns an independent scheduler. What both sides share is copied by the
// one that changes it first.
func (s *Scheduler) Clone() actor.Actor {
	s.shared = true
	c := *s
	c.scratch = nil
	c.cache = s.cache.clone()
	c.nominees = s.nominees.clone()
	c.volumes = s.volumes.clone()
	c.strange, c.binding = maps.Clone(s.strange), maps.Clone(s.binding)
	return &c
}

// ownQueue returns the queue to change.
func (s *Scheduler) ownQueue() *queue {
	if s.shared {
		s.queue, s.shared = s.queue.clone(), false
	}
	return s.queue
}

// Watches names what wakes the scheduler. Other changes are read when something does.
func (s *Scheduler) Watches() []actor.Watch {
	wake := func(store.Snapshot, store.Change) []sim.Key { return []sim.Key{key} }
	w := []actor.Watch{{Kind: "Pod", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
		if !matters(c) {
			return nil
		}
		return []sim.Key{key}
	}}}
	for _, kind := range []string{"Node", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment"} {
		w = append(w, actor.Watch{Kind: kind, Map: wake})
	}
	return w
}

// matters reports whether a change of a pod may change what the scheduler does.
func matters(c store.Change) bool {
	old, ok := c.Old.(*api.Pod)
	now, ok2 := c.New.(*api.Pod)
	if !ok || !ok2 || old.Spec.NodeName == "" || now.Spec.NodeName == "" {
		return true
	}
	return finished(old) != finished(now) || len(podEvents(old, now, false)) > 0
}

// Reconcile reads the changes, schedules at most one pod, and says when to look again.
func (s *Scheduler) Reconcile(c *actor.Ctx, _ sim.Key) actor.Result {
	s.absorb(c)
	s.continueBindings(c)
	s.tick(c)
	q := s.ownQueue()
	q.completeBackoff(c.Now())
	s.flush(c)
	if c.Now() >= s.busy {
		if p := q.pop(); p != nil {
			s.busy = c.Now() + CycleTime
			s.scheduleOne(s.causedBy(c, p.cause), p)
		}
	}
	return s.next(c)
}

func (s *Scheduler) next(c *actor.Ctx) actor.Result {
	q := s.queue
	if q.active.top() != nil || q.backoff.top() != nil {
		return actor.At(s.busy)
	}
	at, periodic := q.next()
	if t := s.bindingDeadline(); t < sim.Never {
		at, periodic = min(at, t), false
	}
	if r, ok := c.Host.Events().(*recorder.Recorder); ok {
		at = min(at, r.NextTick(c.Now()))
	}
	return actor.Result{Next: at, Periodic: periodic}
}

// tick lets the event recorder end its series, as the scheduler's process does.
func (s *Scheduler) tick(c *actor.Ctx) {
	if r, ok := c.Host.Events().(*recorder.Recorder); ok {
		r.Tick(c)
	}
}

// causedBy returns the context with another cause.
func (s *Scheduler) causedBy(c *actor.Ctx, cause sim.Cause) *actor.Ctx {
	if cause == 0 {
		return c
	}
	d := *c
	d.Cause = cause
	return &d
}

// clusterOf is what the plugins may read beside the objects of a cache.
func (s *Scheduler) clusterOf(objects store.Snapshot) *f.Cluster {
	k := &s.cache
	cl := &f.Cluster{
		Nodes: k.list(), Images: k.images, Node: k.known,
		Affinity: func() []*f.NodeInfo { return k.infos(k.affinity) }, AntiAffinity: func() []*f.NodeInfo { return k.infos(k.anti) },
		Memory:     k.memory,
		Objects:    objects,
		ClaimInUse: func(key string) bool { return k.claims[key] > 0 },
		Volumes:    &s.volumes,
	}
	if len(s.nominees.byNode) > 0 {
		cl.Nominated = func(node string) []*f.PodInfo { return s.nominees.byNode[node] }
	}
	return cl
}

// Pending tells where a pod waits: "active", "backoff", "unschedulable", "gated",
// or "" if it does not.
func (s *Scheduler) Pending(namespace, name string) string {
	if s.queue == nil {
		return ""
	}
	p := s.queue.pods[podKey{namespace, name}]
	switch {
	case p == nil:
		return ""
	case p.gated:
		return "gated"
	}
	return placeNames[p.place]
}
