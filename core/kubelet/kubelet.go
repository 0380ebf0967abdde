// Package kubelet is the kubelet of every node: it admits the pods that are bound
// to its node, brings volumes, images, sandboxes and containers into the state
// that the pods ask for, probes them, restarts and ends them, and reports what it
// sees. It drives the machines of package runtime through CRI verbs and meets the
// other components only through the API server.
//
// One actor serves all nodes; each pod has a worker (worker.go) that moves through
// one table of transitions (table.go). The parts keep the names of the real
// kubelet: PLEG (pleg.go), status manager (statusmanager.go), prober (prober.go),
// image manager (images.go), volume manager (volumes.go). It never reads a clock
// and never starts anything by itself. Start reading at Kubelet.Reconcile.
package kubelet

import (
	"maps"
	"time"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Config is what all kubelets share.
type Config struct {
	// Hosts names the nodes that have a kubelet; nil is all. A Node that somebody
	// creates later is an object without a machine.
	Hosts map[string]bool
	// PodCIDRs are the ranges of pod addresses of nodes that state none.
	PodCIDRs      map[string]string
	SyncFrequency time.Duration // period of the resync; 0 is one minute
	Latency       sim.Latency
}

// UsesRuntime is an actor that needs the machines. The cluster attaches them
// again after a clone.
type UsesRuntime interface{ SetRuntime(*runtime.Runtime) }

// Kubelet is the kubelets of all nodes.
type Kubelet struct {
	cfg  Config
	rt   *runtime.Runtime
	own  *owner
	pods map[sim.Key]*worker
	// rosters are the keys of pods by node.
	rosters map[string]*roster
	down    map[string]bool // nodes whose kubelet is stopped
	cut     map[string]bool // nodes that do not reach the API server; "" is all
	nodes   map[string]nodeState
	puller  map[string]sim.Time // by node: when the serial image puller is free
	now     sim.Time            // of the latest look
	wakes   []actor.Wake        // looks of its own that this one has to ask for
}

// owner marks the workers that a Kubelet may change; the rest is shared with clones.
type owner struct{ _ byte }

var _ actor.Actor = (*Kubelet)(nil)
var _ UsesRuntime = (*Kubelet)(nil)

// New returns the kubelets of the machines of rt.
func New(rt *runtime.Runtime, cfg Config) *Kubelet {
	if cfg.SyncFrequency == 0 {
		cfg.SyncFrequency = time.Minute
	}
	return &Kubelet{cfg: cfg, rt: rt, own: &owner{}, pods: map[sim.Key]*worker{}, rosters: map[string]*roster{}, puller: map[string]sim.Time{}, down: map[string]bool{},
		cut: map[string]bool{}, nodes: map[string]nodeState{}}
}

// Name returns "kubelet".
func (k *Kubelet) Name() string { return "kubelet" }

// SetRuntime attaches the machines.
func (k *Kubelet) SetRuntime(rt *runtime.Runtime) { k.rt = rt }

// Clone returns an independent copy, which must be given its machines.
func (k *Kubelet) Clone() actor.Actor {
	c := *k
	k.own, c.own = &owner{}, &owner{}
	c.pods, c.rosters = maps.Clone(k.pods), maps.Clone(k.rosters)
	c.puller = maps.Clone(k.puller)
	c.down, c.cut, c.nodes = maps.Clone(k.down), maps.Clone(k.cut), maps.Clone(k.nodes)
	return &c
}

// Watches maps pods to themselves, objects that pods refer to to those pods, and a
// node that is cordoned or uncordoned to the look at it.
func (k *Kubelet) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Pod", Map: podKeys},
		{Kind: "ConfigMap", Map: referrers(usesConfigMap)},
		{Kind: "Secret", Map: referrers(usesSecret)},
		{Kind: "PersistentVolumeClaim", Map: referrers(usesClaim)},
		{Kind: "Node", Map: cordons},
	}
}

// podKeys gives a bound pod that the kubelet has to look at. A change of the status
// alone, which is mostly the kubelet's own, is taken in with its next look.
func podKeys(_ store.Snapshot, c store.Change) []sim.Key {
	p := c.Object().(*api.Pod)
	if p.Spec.NodeName == "" {
		return nil
	}
	if old, ok := c.Old.(*api.Pod); ok && c.New != nil && old.Spec.NodeName != "" && old.UID == p.UID && onlyStatus(old, p) {
		return nil
	}
	return []sim.Key{podKey(p)}
}

// onlyStatus reports whether two states of a pod differ in nothing that makes work
// for a kubelet.
func onlyStatus(old, p *api.Pod) bool {
	return !differs(old, p) && len(p.Spec.ReadinessGates) == 0 && terminal(old.Status.Phase) == terminal(p.Status.Phase)
}

func podKey(p *api.Pod) sim.Key {
	return sim.Key{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}
}

// referrers gives the bound pods of the object's namespace that use it.
func referrers(uses func(*api.Pod, string) bool) func(store.Snapshot, store.Change) []sim.Key {
	return func(view store.Snapshot, c store.Change) []sim.Key {
		m := c.Object().Meta()
		var keys []sim.Key
		view.Each("Pod", m.Namespace, func(o api.Object) bool {
			if p := o.(*api.Pod); p.Spec.NodeName != "" && !terminal(p.Status.Phase) && uses(p, m.Name) {
				keys = append(keys, podKey(p))
			}
			return true
		})
		return keys
	}
}

// Reconcile looks at one pod: it takes in what the API server and the machine say
// of it and moves its worker as far as the present instant allows.
func (k *Kubelet) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	k.now = c.Now()
	switch key.Kind {
	case "Node":
		return k.lookAtNode(c, key.Name)
	case cordonLook:
		return k.lookAtCordon(c, key.Name)
	}
	pod := c.Pod(key.Namespace, key.Name)
	if pod != nil && !k.hasMachine(c, pod) {
		pod = nil
	}
	w := k.configure(c, key, pod)
	var res actor.Result
	for o := w; o != nil; o = o.older {
		if k.down[o.node] {
			continue
		}
		s := &step{k: k, c: c, w: o, now: c.Now(), offline: k.offline(o.node)}
		c.Cause = o.cause
		s.run()
		next, periodic := s.next()
		if next < sim.Never && (res.Next == 0 || next < res.Next || next == res.Next && !periodic) {
			res.Next, res.Periodic = next, periodic
		}
	}
	k.forget(key)
	res.Wake, k.wakes = k.wakes, nil
	for _, wk := range k.rt.TakeWakes() {
		res.Wake = append(res.Wake, actor.Wake{Actor: RuntimeActorName, Key: wk, At: c.Now()})
	}
	return res
}

// hasMachine reports whether a kubelet runs on the pod's node. Where none does,
// nobody acts on the pod, and a record says so: the real system shows nothing.
func (k *Kubelet) hasMachine(c *actor.Ctx, pod *api.Pod) bool {
	node := pod.Spec.NodeName
	if node == "" || k.cfg.Hosts == nil || k.cfg.Hosts[node] {
		return node != ""
	}
	c.Record(trace.Record{Source: "kubelet", Stage: trace.Scheduled, Ref: actor.RefOf(pod), Verdict: trace.Waiting, Reason: "NoKubelet",
		Message: "no kubelet runs on a node " + node + ": nobody acts on the pod, without an event or a condition"})
	return false
}

// worker returns the worker of a key, ready to be changed, or nil.
func (k *Kubelet) worker(key sim.Key) *worker {
	w := k.pods[key]
	if w != nil && w.own != k.own {
		w = w.clone(k.own)
		k.pods[key] = w
	}
	return w
}

// configure takes in the pod as the API server shows it: a new one, a change, or
// that it is gone (pkg/kubelet/config/config.go).
func (k *Kubelet) configure(c *actor.Ctx, key sim.Key, pod *api.Pod) *worker {
	w := k.worker(key)
	for o := w; o != nil; o = o.older { // an earlier pod of the name may be on a node that hears of it late
		if (pod == nil || pod.UID != o.uid) && !o.gone && !k.blind(o.node) {
			(&step{k: k, c: c, w: o, now: c.Now()}).podRemoved()
		}
	}
	switch {
	case pod == nil || k.blind(pod.Spec.NodeName):
		return w
	case w == nil || w.uid != pod.UID:
		n := newWorker(k.own, key, pod)
		n.older = w
		k.pods[key] = n
		k.enrol(n)
		(&step{k: k, c: c, w: n, now: c.Now()}).podAdded()
		return n
	case w.seen == nil:
		w.seen, w.pod = pod, pod
		(&step{k: k, c: c, w: w, now: c.Now()}).lookAgain()
	case pod != w.seen:
		(&step{k: k, c: c, w: w, now: c.Now()}).podUpdated(pod)
	}
	return w
}

// forget drops the workers of pods that are gone and finished, with what is left
// of them on the machine.
func (k *Kubelet) forget(key sim.Key) {
	for at := k.pods[key]; at != nil; at = at.older {
		if !at.gone || at.work != finished {
			continue
		}
		k.rt.Node(at.node).RemovePod(at.uid)
		k.unlink(key, at)
		k.strike(at)
	}
}

func (k *Kubelet) unlink(key sim.Key, dead *worker) {
	if k.pods[key] == dead {
		if dead.older == nil {
			delete(k.pods, key)
		} else {
			k.pods[key] = dead.older
		}
		return
	}
	for at := k.pods[key]; at != nil; at = at.older {
		if at.older == dead {
			at.older = dead.older
			return
		}
	}
}

// step is one look of one worker: everything it may use.
type step struct {
	k   *Kubelet
	c   *actor.Ctx
	w   *worker
	now sim.Time
	m   *runtime.Machine // of the pod's node, when it has been asked for
	// offline: the API server cannot be reached.
	offline bool
}
