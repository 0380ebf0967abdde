// Package podgc is the pod garbage collector: every 20 seconds it deletes by force
// the pods of nodes that do not exist any more, those that shall end on a node that
// is out of service, those that shall end without ever having had a node, and the
// oldest of too many that are over (pkg/controller/podgc/gc_controller.go). It looks
// at pods that may be such ones only. Start reading at Reconcile.
package podgc

import (
	"maps"
	"slices"
	"sort"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	checkPeriod = 20 * sim.Second
	// quarantine is how long a node has to be missing before its pods go.
	quarantine   = 40 * sim.Second
	outOfService = "node.kubernetes.io/out-of-service"
	// Threshold is how many pods that are over may stay
	// (--terminated-pod-gc-threshold).
	Threshold = 12500
)

// Collector is the pod garbage collector.
type Collector struct {
	found     map[string]sim.Time // by node: when it was first found missing
	over      int                 // pods that are over
	threshold int
}

var _ actor.Actor = (*Collector)(nil)

// New returns the collector; threshold is how many pods that are over may stay.
func New(threshold int) *Collector {
	return &Collector{found: map[string]sim.Time{}, threshold: threshold}
}

// Name returns the name of its service account.
func (g *Collector) Name() string { return "pod-garbage-collector" }

// Clone returns an independent copy.
func (g *Collector) Clone() actor.Actor {
	c := *g
	c.found = maps.Clone(g.found)
	return &c
}

// The keys of what is looked at, beside a pod and a node.
var overKey = sim.Key{Kind: "Pod"}

// Watches returns pods and nodes.
func (g *Collector) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "Pod", Map: podKeys}, {Kind: "Node", Map: nodeKeys}}
}

func podKeys(view store.Snapshot, c store.Change) (keys []sim.Key) {
	p, _ := c.New.(*api.Pod)
	if p == nil {
		return nil
	}
	old, _ := c.Old.(*api.Pod)
	if over(p) && (old == nil || !over(old)) {
		keys = append(keys, overKey)
	}
	if old != nil && old.Spec.NodeName == p.Spec.NodeName && (old.DeletionTimestamp == nil) == (p.DeletionTimestamp == nil) {
		return keys
	}
	if p.Spec.NodeName == "" {
		if p.DeletionTimestamp != nil {
			keys = append(keys, sim.Key{Kind: "Pod", Namespace: p.Namespace, Name: p.Name})
		}
		return keys
	}
	if n, _ := view.Get("Node", "", p.Spec.NodeName).(*api.Node); n == nil || isOutOfService(n) {
		keys = append(keys, sim.Key{Kind: "Node", Name: p.Spec.NodeName})
	}
	return keys
}

func nodeKeys(_ store.Snapshot, c store.Change) []sim.Key {
	n := c.Object().(*api.Node)
	if c.New != nil && c.Old != nil && !isOutOfService(n) {
		return nil
	}
	return []sim.Key{{Kind: "Node", Name: n.Name}}
}

func over(p *api.Pod) bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

func isOutOfService(n *api.Node) bool {
	if !slices.ContainsFunc(n.Spec.Taints, func(t api.Taint) bool { return t.Key == outOfService }) {
		return false
	}
	return !slices.ContainsFunc(n.Status.Conditions, func(c api.NodeCondition) bool { return c.Type == "Ready" && c.Status == "True" })
}

// tick returns the first check at or after an instant.
func tick(t sim.Time) sim.Time { return (t + checkPeriod - 1) / checkPeriod * checkPeriod }

// Reconcile looks at a node's pods, at one pod without a node, or at the number of
// those that are over; it acts at a check only.
func (g *Collector) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	g.count(c.Changes)
	switch {
	case key.Kind == "Node":
		return g.node(c, key.Name)
	case key == overKey:
		return g.tooMany(c)
	}
	p := c.Pod(key.Namespace, key.Name)
	if p == nil || p.DeletionTimestamp == nil || p.Spec.NodeName != "" {
		return actor.Result{}
	}
	if at := tick(c.Now()); at > c.Now() {
		return actor.At(at)
	}
	g.end(c, p, nil, "the pod shall end and has no node")
	return actor.Result{Next: c.Now() + checkPeriod, Periodic: true}
}

// count follows how many pods are over.
func (g *Collector) count(changes []store.Change) {
	for _, ch := range changes {
		if p, ok := ch.Old.(*api.Pod); ok && over(p) {
			g.over--
		}
		if p, ok := ch.New.(*api.Pod); ok && over(p) {
			g.over++
		}
	}
}

// node deletes the pods of a node that is missing or out of service
// (gcOrphaned and gcTerminating).
func (g *Collector) node(c *actor.Ctx, name string) actor.Result {
	pods := c.Read.ByIndex("pod.node", name)
	n := c.Node(name)
	if len(pods) == 0 || n != nil && !isOutOfService(n) {
		delete(g.found, name)
		return actor.Result{}
	}
	if at := tick(c.Now()); at > c.Now() {
		return actor.At(at)
	}
	if n != nil {
		return g.outOfService(c, pods)
	}
	first, known := g.found[name]
	if !known {
		first = c.Now()
		g.found[name] = first
	}
	if due := tick(first + quarantine); c.Now() < due {
		return actor.At(due)
	}
	if c.Host.Latest().Get("Node", "", name) != nil {
		return actor.Result{}
	}
	delete(g.found, name)
	for _, o := range pods {
		g.end(c, o.(*api.Pod), &api.PodCondition{Type: "DisruptionTarget", Status: "True", Reason: "DeletionByPodGC",
			Message: "PodGC: node no longer exists"}, "node "+name+" does not exist any more")
	}
	return actor.Result{Next: c.Now() + checkPeriod, Periodic: true}
}

// outOfService deletes the pods that shall end, the longest known ones first.
func (g *Collector) outOfService(c *actor.Ctx, pods []api.Object) actor.Result {
	var ending []*api.Pod
	for _, o := range pods {
		if p := o.(*api.Pod); p.DeletionTimestamp != nil {
			ending = append(ending, p)
		}
	}
	sortOldest(ending)
	for _, p := range ending {
		g.end(c, p, nil, "the pod shall end on a node that is out of service")
	}
	return actor.Result{Next: c.Now() + checkPeriod, Periodic: true}
}

// tooMany deletes the oldest of the pods that are over (gcTerminated).
func (g *Collector) tooMany(c *actor.Ctx) actor.Result {
	excess := g.over - g.threshold
	if g.threshold <= 0 || excess <= 0 {
		return actor.Result{}
	}
	if at := tick(c.Now()); at > c.Now() {
		return actor.At(at)
	}
	var list []*api.Pod
	c.Read.Each("Pod", "", func(o api.Object) bool {
		if p := o.(*api.Pod); over(p) {
			list = append(list, p)
		}
		return true
	})
	sortOldest(list)
	for _, p := range list[:min(max(len(list)-g.threshold, 0), len(list))] {
		g.end(c, p, nil, "there are too many pods that are over")
	}
	return actor.Result{}
}

// sortOldest puts evicted pods first and then the older ones
// (byEvictionAndCreationTimestamp).
func sortOldest(list []*api.Pod) {
	evicted := func(p *api.Pod) bool { return p.Status.Phase == "Failed" && p.Status.Reason == "Evicted" }
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case evicted(a) != evicted(b):
			return evicted(a)
		case a.CreationTimestamp != b.CreationTimestamp:
			return a.CreationTimestamp < b.CreationTimestamp
		}
		return a.Name < b.Name
	})
}

// end marks a pod failed and deletes it at once
// (markFailedAndDeletePodWithCondition).
func (g *Collector) end(c *actor.Ctx, p *api.Pod, why *api.PodCondition, text string) {
	live, _ := c.Host.Latest().Get("Pod", p.Namespace, p.Name).(*api.Pod)
	if live == nil || live.UID != p.UID {
		return
	}
	c.Record(trace.Record{Ref: actor.RefOf(p), Verdict: trace.Info, Reason: "PodGC", Message: "deleted by force: " + text})
	if !over(live) {
		n := live.Copy().(*api.Pod)
		n.Status.Phase = "Failed"
		if why != nil {
			n.Status.Conditions = withCondition(n.Status.Conditions, *why, n.Generation, c.Time())
		}
		if c.UpdateStatus(n).Failed() {
			return
		}
	}
	now := int64(0)
	c.Delete(live, &now)
}

func withCondition(list []api.PodCondition, n api.PodCondition, generation int64, now api.Time) []api.PodCondition {
	n.LastTransitionTime, n.ObservedGeneration = now, generation
	list = slices.Clone(list)
	for i := range list {
		if list[i].Type == n.Type {
			if list[i].Status == n.Status {
				n.LastTransitionTime = list[i].LastTransitionTime
			}
			list[i] = n
			return list
		}
	}
	return append(list, n)
}
