package nodelifecycle

import (
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// monitor is one round for one node (node_lifecycle_controller.go,
// monitorNodeHealth). It returns the looks at zones that it asks for.
func (n *Controller) monitor(c *actor.Ctx, name string) []actor.Wake {
	node, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	if uid := n.removed[name]; uid != "" {
		delete(n.removed, name)
		n.nodeEvent(c, name, uid, "RemovingNode", "Node "+name+" event: Removing Node "+name+" from Controller")
	}
	if node != nil {
		if n.added[name] {
			delete(n.added, name)
			n.nodeEvent(c, name, node.UID, "RegisteredNode", "Node "+name+" event: Registered Node "+name+" in Controller")
			n.reachable(c, node)
		}
		n.judge(c, node)
	}
	wasLost := n.lost
	n.disruption(c)
	w := n.wakeZones(c)
	if wasLost && !n.lost {
		w = append(w, n.wakeLost(c)...)
	}
	return w
}

// judge looks for signs of life and does what follows for the node's taints
// (tryUpdateNodeHealth, processTaintBaseEviction).
func (n *Controller) judge(c *actor.Ctx, node *api.Node) {
	observed := readyStatus(node)
	if p, due, silent := n.silence(c, node); silent {
		n.probes[node.Name] = p
		if c.Now() >= due {
			node = n.declareUnknown(c, node)
		}
	} else {
		delete(n.probes, node.Name)
	}
	switch status := readyStatus(node); status {
	case "True":
		n.reachable(c, node)
	case "False":
		n.taint(c, node, notReadyTaint, unreachableTaint)
	case "Unknown":
		n.taint(c, node, unreachableTaint, notReadyTaint)
		if observed == "True" {
			n.nodeEvent(c, node.Name, node.UID, "NodeNotReady", "Node "+node.Name+" status is now: NodeNotReady")
			for _, o := range c.Read.ByIndex("pod.node", node.Name) {
				n.markNotReady(c, o.(*api.Pod))
			}
		}
	}
}

// silence tells whether a node's heartbeats have stopped, since when the controller
// has known of none, and when its patience ends.
func (n *Controller) silence(c *actor.Ctx, node *api.Node) (p probe, due sim.Time, silent bool) {
	ready := condition(node.Status.Conditions, "Ready")
	lease, _ := c.Host.Latest().Get("Lease", leaseNamespace, node.Name).(*api.Lease)
	if lease == nil && n.hasKubelet(node.Name) || ready != nil && ready.Status == "Unknown" && len(n.missing(node)) == 0 {
		return p, 0, false
	}
	p, known := n.probes[node.Name]
	patience := grace
	switch {
	case ready == nil:
		patience = graceStartup
		if !known {
			p.at = actor.SimTime(c.Host.Start(), node.CreationTimestamp)
		}
	case !known || p.heartbeat != ready.LastHeartbeatTime:
		p.at, p.heartbeat = tick(c.Now()), ready.LastHeartbeatTime
	}
	if lease != nil && lease.ResourceVersion != p.lease && lease.Spec.RenewTime != nil {
		p.lease = lease.ResourceVersion
		p.at = tick(sim.Time(int64(*lease.Spec.RenewTime)*1000-c.Host.Start()) + 1)
		if ready != nil { // a kubelet without a lease that counts may still report the status
			p.at = max(p.at, tick(actor.SimTime(c.Host.Start(), ready.LastHeartbeatTime)))
		}
	}
	return p, tick(p.at + patience), true
}

// heartbeatConditions are those that a kubelet reports, in the order in which the
// controller looks at them.
var heartbeatConditions = []string{"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}

// missing lists the conditions that the controller would still change.
func (n *Controller) missing(node *api.Node) (list []string) {
	for _, t := range heartbeatConditions {
		if c := condition(node.Status.Conditions, t); c == nil || c.Status != "Unknown" {
			list = append(list, t)
		}
	}
	return list
}

// declareUnknown says in the conditions that the kubelet has not been heard of. It
// returns the node as it is then.
func (n *Controller) declareUnknown(c *actor.Ctx, node *api.Node) *api.Node {
	missing := n.missing(node)
	if len(missing) == 0 {
		return node
	}
	u := node.Copy().(*api.Node)
	u.Status.Conditions = slices.Clone(u.Status.Conditions)
	for _, t := range missing {
		if x := condition(u.Status.Conditions, t); x != nil {
			x.Status, x.Reason, x.Message, x.LastTransitionTime = "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", c.Time()
			continue
		}
		u.Status.Conditions = append(u.Status.Conditions, api.NodeCondition{Type: t, Status: "Unknown", Reason: "NodeStatusNeverUpdated",
			Message: "Kubelet never posted node status.", LastHeartbeatTime: node.CreationTimestamp, LastTransitionTime: c.Time()})
	}
	silent := int64((c.Now() - n.probes[node.Name].at) / sim.Second)
	c.Cause = c.Record(trace.Record{Ref: actor.RefOf(node), Verdict: trace.Failed, Reason: "NodeStatusUnknown",
		Message: "no heartbeat of the kubelet for " + strconv.FormatInt(silent, 10) + " s"})
	res := c.UpdateStatus(u)
	if res.Failed() {
		return node
	}
	return res.Object.(*api.Node)
}

// pod marks a pod that came to a node that is not ready.
func (n *Controller) pod(c *actor.Ctx, key sim.Key) {
	p := c.Pod(key.Namespace, key.Name)
	if p == nil {
		return
	}
	if node := c.Node(p.Spec.NodeName); node != nil && readyStatus(node) != "" && readyStatus(node) != "True" {
		n.markNotReady(c, p)
	}
}

// markNotReady takes the pod's Ready condition back: nobody can say that it still
// holds (pkg/controller/util/node/controller_utils.go, MarkPodsNotReady).
func (n *Controller) markNotReady(c *actor.Ctx, seen *api.Pod) {
	p, _ := c.Host.Latest().Get("Pod", seen.Namespace, seen.Name).(*api.Pod)
	if p == nil || p.UID != seen.UID {
		return
	}
	for i, x := range p.Status.Conditions {
		if x.Type != "Ready" || x.Status == "False" {
			continue
		}
		u := p.Copy().(*api.Pod)
		u.Status.Conditions = slices.Clone(u.Status.Conditions)
		u.Status.Conditions[i].Status, u.Status.Conditions[i].LastTransitionTime = "False", c.Time()
		if res := c.UpdateStatus(u); res.Failed() {
			return
		} else if stored, ok := res.Object.(*api.Pod); ok {
			p = stored
		}
		c.Event(actor.Event{Regarding: p, Type: "Warning", Reason: "NodeNotReady", Message: "Node is not ready", Component: component})
		return
	}
}
