// Package tainteviction is the taint eviction controller: it deletes the pods that
// do not tolerate a NoExecute taint of their node, those that tolerate it for a while
// when that is over, and takes its decision back when the taint goes in time
// (pkg/controller/tainteviction). Start reading at Reconcile.
package tainteviction

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const name = "taint-eviction-controller"

// Controller is the taint eviction controller.
type Controller struct{ work map[sim.Key]deletion }

// deletion is one that is planned.
type deletion struct{ created, fire sim.Time }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() *Controller { return &Controller{work: map[sim.Key]deletion{}} }

// Name returns the name of its service account.
func (t *Controller) Name() string { return name }

// Clone returns an independent copy.
func (t *Controller) Clone() actor.Actor { return &Controller{maps.Clone(t.work)} }

// Watches returns nodes whose NoExecute taints changed, and the pods of such nodes
// that are new there, gone, or tolerate something else.
func (t *Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "Node", Map: nodeKeys}, {Kind: "Pod", Map: podKeys}}
}

func nodeKeys(_ store.Snapshot, c store.Change) []sim.Key {
	node, _ := c.New.(*api.Node)
	old, _ := c.Old.(*api.Node)
	if node == nil || old != nil && sameTaints(noExecute(old), noExecute(node)) || old == nil && len(noExecute(node)) == 0 {
		return nil
	}
	return []sim.Key{{Kind: "Node", Name: node.Name}}
}

func sameTaints(a, b []api.Taint) bool { return len(a) == 0 && len(b) == 0 || api.Equal(a, b) }

func podKeys(view store.Snapshot, c store.Change) []sim.Key {
	p := c.Object().(*api.Pod)
	old, _ := c.Old.(*api.Pod)
	if p.Spec.NodeName == "" || c.New != nil && old != nil && old.Spec.NodeName == p.Spec.NodeName && sameTolerations(old, p) {
		return nil
	}
	if n, _ := view.Get("Node", "", p.Spec.NodeName).(*api.Node); n != nil && len(noExecute(n)) == 0 {
		return nil
	}
	return []sim.Key{{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}}
}

func sameTolerations(a, b *api.Pod) bool {
	x, y := a.Spec.Tolerations, b.Spec.Tolerations
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0] || api.Equal(x, y))
}

func noExecute(n *api.Node) (list []api.Taint) {
	for _, t := range n.Spec.Taints {
		if t.Effect == "NoExecute" {
			list = append(list, t)
		}
	}
	return list
}

// Reconcile looks at a node whose taints changed, or at a pod: what it tolerates, and
// whether its time is over.
func (t *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	if key.Kind == "Node" {
		return actor.Result{Wake: t.node(c, key.Name)}
	}
	if w, planned := t.work[key]; planned && c.Now() >= w.fire {
		delete(t.work, key)
		t.evict(c, key)
		return actor.Result{}
	}
	p := c.Pod(key.Namespace, key.Name)
	if p == nil {
		t.cancel(c, key)
		return actor.Result{}
	}
	if told(c.Changes, p) {
		if n := c.Node(p.Spec.NodeName); n != nil && len(noExecute(n)) > 0 {
			t.pod(c, p, noExecute(n))
		}
	}
	if w, planned := t.work[key]; planned {
		return actor.At(w.fire)
	}
	return actor.Result{}
}

// told reports whether a change of the pod that matters here has just been seen: a
// look at the end of its time is none.
func told(changes []store.Change, p *api.Pod) bool {
	for _, ch := range changes {
		n, _ := ch.New.(*api.Pod)
		if n == nil || n.Namespace != p.Namespace || n.Name != p.Name {
			continue
		}
		if old, _ := ch.Old.(*api.Pod); old == nil || old.Spec.NodeName != n.Spec.NodeName || !sameTolerations(old, n) {
			return true
		}
	}
	return false
}

// node judges all pods of a node (taint_eviction.go, handleNodeUpdate).
func (t *Controller) node(c *actor.Ctx, name string) (wakes []actor.Wake) {
	n := c.Node(name)
	if n == nil {
		return nil
	}
	taints := noExecute(n)
	for _, o := range c.Read.ByIndex("pod.node", name) {
		key := sim.Key{Kind: "Pod", Namespace: o.Meta().Namespace, Name: o.Meta().Name}
		if len(taints) == 0 {
			t.cancel(c, key)
			continue
		}
		t.pod(c, o.(*api.Pod), taints)
		if w, planned := t.work[key]; planned {
			wakes = append(wakes, actor.Wake{Actor: t.Name(), Key: key, At: w.fire})
		}
	}
	return wakes
}

// pod decides when a pod has to go (processPodOnNode).
func (t *Controller) pod(c *actor.Ctx, p *api.Pod, taints []api.Taint) {
	key := sim.Key{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}
	seconds, tolerates := tolerated(p.Spec.Tolerations, taints)
	switch {
	case !tolerates:
		t.cancel(c, key)
		t.evict(c, key)
		return
	case seconds < 0:
		t.cancel(c, key)
		return
	}
	created, trigger := c.Now(), c.Now()+sim.Time(seconds)*sim.Second
	if w, planned := t.work[key]; planned {
		created = w.created
		if created+sim.Time(seconds)*sim.Second < trigger {
			return
		}
		t.cancel(c, key)
	}
	if trigger <= created {
		t.evict(c, key)
		return
	}
	t.work[key] = deletion{created, c.Now() + trigger - created}
	c.Record(trace.Record{Ref: actor.RefOf(p), Verdict: trace.Waiting, Reason: "TaintToleration",
		Message: "the pod tolerates the taints of node " + p.Spec.NodeName + " for " + strconv.FormatInt(seconds, 10) + " s"})
}

// maxToleration bounds tolerationSeconds, so that instants do not overflow.
const maxToleration = 1 << 32

// tolerated reports whether all taints are, and for how many seconds: -1 is for ever
// (getMinTolerationTime).
func tolerated(tolerations []api.Toleration, taints []api.Taint) (int64, bool) {
	least := int64(-1)
	for i := range taints {
		found := slices.IndexFunc(tolerations, func(x api.Toleration) bool { return x.Tolerates(&taints[i]) })
		if found < 0 {
			return 0, false
		}
		if s := tolerations[found].TolerationSeconds; s != nil && (least < 0 || max(*s, 0) < least) {
			least = min(max(*s, 0), maxToleration)
		}
	}
	return least, true
}

// cancel takes back a deletion that was planned.
func (t *Controller) cancel(c *actor.Ctx, key sim.Key) {
	if _, planned := t.work[key]; planned {
		delete(t.work, key)
		event(c, key, "Cancelling deletion of Pod ")
	}
}

func event(c *actor.Ctx, key sim.Key, text string) {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name = key.Namespace, key.Name
	c.Event(actor.Event{Regarding: p, Type: "Normal", Reason: "TaintManagerEviction", Component: name,
		Message: text + key.Namespace + "/" + key.Name})
}

// evict says in the pod why it has to go, and deletes it (addConditionAndDeletePod).
func (t *Controller) evict(c *actor.Ctx, key sim.Key) {
	event(c, key, "Marking for deletion Pod ")
	p, _ := c.Host.Latest().Get("Pod", key.Namespace, key.Name).(*api.Pod)
	if p == nil {
		return
	}
	c.Record(trace.Record{Ref: actor.RefOf(p), Verdict: trace.Failed, Reason: "DeletionByTaintManager",
		Message: "node " + p.Spec.NodeName + " has a NoExecute taint that the pod does not tolerate, or not any longer"})
	u := p.Copy().(*api.Pod)
	now := c.Time()
	why := api.PodCondition{Type: "DisruptionTarget", Status: "True", Reason: "DeletionByTaintManager",
		Message: "Taint manager: deleting due to NoExecute taint", ObservedGeneration: p.Generation, LastTransitionTime: now}
	at := slices.IndexFunc(p.Status.Conditions, func(x api.PodCondition) bool { return x.Type == why.Type })
	u.Status.Conditions = slices.Clone(p.Status.Conditions)
	if at < 0 {
		u.Status.Conditions = append(u.Status.Conditions, why)
	} else {
		if p.Status.Conditions[at].Status == why.Status {
			why.LastTransitionTime = p.Status.Conditions[at].LastTransitionTime
		}
		u.Status.Conditions[at] = why
	}
	if !api.Equal(u.Status.Conditions, p.Status.Conditions) {
		c.UpdateStatus(u)
	}
	c.Delete(p, nil)
}
