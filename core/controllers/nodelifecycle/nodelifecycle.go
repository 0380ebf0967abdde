// Package nodelifecycle is the node lifecycle controller: it watches over the
// heartbeats of the nodes, says in a node's conditions when they have stopped, keeps
// the taints that follow from the conditions, marks the pods of a lost node as not
// ready, and registers nodes that come and go (pkg/controller/nodelifecycle). It
// never evicts: that is what tainteviction does.
//
// The heartbeats of a healthy node are not simulated one by one: its Lease is
// computed when it is read. A Lease that is stored is the last one of a kubelet that
// has stopped renewing it. So a healthy node costs nothing here, and only an
// unhealthy one has timers. Start reading at Reconcile.
package nodelifecycle

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// The defaults of kube-controller-manager
// (pkg/controller/nodelifecycle/config/v1alpha1/defaults.go).
const (
	monitorPeriod = 5 * sim.Second  // --node-monitor-period
	graceStartup  = 60 * sim.Second // --node-startup-grace-period
	grace         = 50 * sim.Second // --node-monitor-grace-period
	taintPeriod   = 100 * sim.Millisecond
)

const (
	notReadyTaint    = "node.kubernetes.io/not-ready"
	unreachableTaint = "node.kubernetes.io/unreachable"
	leaseNamespace   = "kube-node-lease"
	component        = "node-controller"
)

// Controller is the node lifecycle controller.
type Controller struct {
	hosts   map[string]bool   // nodes that have a kubelet; nil is all
	probes  map[string]probe  // of nodes whose heartbeats have stopped
	added   map[string]bool   // nodes that are not registered yet
	removed map[string]string // uids of nodes that are gone, until that has been said
	zones   map[string]zone   // by region and zone
	lost    bool              // all zones are fully disrupted

}

// probe is when the controller last had a sign of life of a node.
type probe struct {
	at        sim.Time
	heartbeat api.Time // of the Ready condition at that time
	lease     string   // the renewal that was seen
}

var _ actor.Actor = (*Controller)(nil)

// New returns the controller; hosts are the nodes that have a kubelet, nil is all.
func New(hosts map[string]bool) *Controller {
	return &Controller{hosts: hosts, probes: map[string]probe{}, added: map[string]bool{}, removed: map[string]string{},
		zones: map[string]zone{}}
}

// Name returns the name of its service account.
func (n *Controller) Name() string { return "node-controller" }

// Clone returns an independent copy.
func (n *Controller) Clone() actor.Actor {
	c := *n
	c.probes, c.added, c.removed = maps.Clone(n.probes), maps.Clone(n.added), maps.Clone(n.removed)
	c.zones = maps.Clone(n.zones)
	return &c
}

// Watches returns nodes, the leases of nodes, and pods that come to a node.
func (n *Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Node", Map: func(_ store.Snapshot, c store.Change) []sim.Key { return []sim.Key{nodeKey(c.Object().Meta().Name)} }},
		{Kind: "Lease", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
			if m := c.Object().Meta(); m.Namespace == leaseNamespace {
				return []sim.Key{nodeKey(m.Name)}
			}
			return nil
		}},
		{Kind: "Pod", Map: boundToLost},
	}
}

func nodeKey(name string) sim.Key { return sim.Key{Kind: "Node", Name: name} }

// boundToLost gives a pod that has just come to a node that is not ready.
func boundToLost(view store.Snapshot, c store.Change) []sim.Key {
	p, _ := c.New.(*api.Pod)
	if p == nil || p.Spec.NodeName == "" {
		return nil
	}
	if old, _ := c.Old.(*api.Pod); old != nil && old.Spec.NodeName == p.Spec.NodeName {
		return nil
	}
	if n, _ := view.Get("Node", "", p.Spec.NodeName).(*api.Node); n == nil || readyStatus(n) == "True" {
		return nil
	}
	return []sim.Key{{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}}
}

// Reconcile looks at one node, at the queue of one zone, or at one pod.
func (n *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	n.observe(c)
	switch key.Kind {
	case "Zone":
		return n.taintPass(c, key.Name)
	case "Pod":
		n.pod(c, key)
		return actor.Result{}
	}
	node := c.Node(key.Name)
	if node != nil {
		n.noScheduleTaints(c, node)
		n.labels(c, node)
	}
	res := actor.Result{}
	if next := tick(c.Now()); next == c.Now() {
		res.Wake = n.monitor(c, key.Name)
	}
	res.Next = n.next(c, key.Name)
	return res
}

// tick returns the first round of the monitor at or after an instant.
func tick(t sim.Time) sim.Time { return (t + monitorPeriod - 1) / monitorPeriod * monitorPeriod }

// observe follows which nodes come and go and what each zone holds.
func (n *Controller) observe(c *actor.Ctx) {
	for _, ch := range c.Changes {
		old, _ := ch.Old.(*api.Node)
		node, _ := ch.New.(*api.Node)
		if old == nil && node == nil {
			continue
		}
		n.countZone(old, -1)
		n.countZone(node, 1)
		switch {
		case old == nil && ch.At == 0 && n.hasKubelet(node.Name): // of a cluster that has been up for a while
		case old == nil && n.removed[node.Name] != "":
			delete(n.removed, node.Name)
		case old == nil:
			n.added[node.Name] = true
		case node == nil && n.added[old.Name]:
			delete(n.added, old.Name)
		case node == nil:
			n.removed[old.Name] = old.UID
		}
		if node == nil {
			delete(n.probes, old.Name)
		}
	}
}

func (n *Controller) hasKubelet(name string) bool { return n.hosts == nil || n.hosts[name] }

// next returns when the node has to be looked at again: at the next round where
// there is something to do, or when its grace is over.
func (n *Controller) next(c *actor.Ctx, name string) sim.Time {
	round := tick(c.Now() + 1)
	node, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	switch {
	case n.added[name] || n.removed[name] != "":
		return round
	case node == nil:
		return 0
	case n.unsettled(node):
		return round
	}
	p, at, silent := n.silence(c, node)
	if !silent {
		return 0
	}
	n.probes[name] = p
	return max(at, round)
}

// unsettled reports whether the taints of a node do not say what its conditions do,
// or its zone has not been judged since they changed.
func (n *Controller) unsettled(node *api.Node) bool {
	switch readyStatus(node) {
	case "True":
		return hasTaint(node, notReadyTaint, "NoExecute") || hasTaint(node, unreachableTaint, "NoExecute") || n.stale()
	case "False":
		return !n.lost && (hasTaint(node, unreachableTaint, "NoExecute") || !hasTaint(node, notReadyTaint, "NoExecute") && !n.queued(node)) || n.stale()
	case "Unknown":
		return !n.lost && (hasTaint(node, notReadyTaint, "NoExecute") || !hasTaint(node, unreachableTaint, "NoExecute") && !n.queued(node)) || n.stale()
	}
	return n.stale()
}

// readyStatus is the status of a node's Ready condition, or "".
func readyStatus(n *api.Node) string {
	if c := condition(n.Status.Conditions, "Ready"); c != nil {
		return c.Status
	}
	return ""
}

func condition(list []api.NodeCondition, kind string) *api.NodeCondition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}

// bare is a node as events refer to it.
func bare(name, uid string) *api.Node {
	n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	n.Name, n.UID = name, uid
	return n
}

func (n *Controller) nodeEvent(c *actor.Ctx, name, uid, reason, message string) {
	c.Event(actor.Event{Regarding: bare(name, uid), Type: "Normal", Reason: reason, Message: message, Component: component})
}
