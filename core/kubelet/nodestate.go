package kubelet

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

const (
	// firstReport is how long a kubelet that has started takes to report its node, and
	// BootTime how long a machine takes until its kubelet starts.
	firstReport = 500 * sim.Millisecond
	BootTime    = 10 * sim.Second

	leaseNamespace = "kube-node-lease"
)

// nodeState is what a kubelet knows of its node beside its pods.
type nodeState struct {
	begin    sim.Time // when the kubelet starts; 0: it runs, or nothing starts it
	report   sim.Time // when it next reports its conditions; 0: when something changes
	fresh    bool     // it has started and not reported yet
	rebooted bool     // its machine has, too
	off      bool     // its machine has no power
	boots    uint64
	pressure [3]starvation
	lease    leaseState
	cordon   cordon
}

// StartAt has the kubelet of a node start at an instant; rebooted says that its
// machine has started too. The caller has the node looked at then.
func (k *Kubelet) StartAt(node string, at sim.Time, rebooted bool) sim.Key {
	st := k.nodes[node]
	st.begin, st.off = at, false
	if st.rebooted = st.rebooted || rebooted; rebooted {
		st.boots++
	}
	k.nodes[node] = st
	return nodeKey(node)
}

// PowerOff takes the power of a node's machine away: nothing runs on it any more.
func (k *Kubelet) PowerOff(c runtime.Call, node string) {
	k.Stop(node)
	st := k.nodes[node]
	st.off = true
	k.nodes[node] = st
	k.rt.Node(node).PowerOff(c)
}

// Cut cuts the kubelet of a node off from the API server ("" is all kubelets): it goes
// on with what it knows.
func (k *Kubelet) Cut(node string) {
	k.cut[node] = true
	if node != "" {
		k.rt.Node(node).Disconnect(true)
	}
}

// Reconnect ends a cut. It returns the keys to look at: the node, and its pods as far
// as the kubelet knows them; those that came meanwhile are the caller's.
func (k *Kubelet) Reconnect(node string, now sim.Time) []sim.Key {
	delete(k.cut, node)
	k.rt.Node(node).Disconnect(false)
	st := k.nodes[node]
	if st.report == 0 {
		st.report = k.nodeReport(node, now)
	}
	k.nodes[node] = st
	return append(k.resend(node, now), nodeKey(node))
}

// resend has the states of a node's pods written again: they are not what the kubelet
// has reported. It returns their keys.
func (k *Kubelet) resend(node string, now sim.Time) []sim.Key {
	return k.each(node, func(w *worker) {
		if w.version > 0 && !w.gone {
			w.sent, w.sendAt = 0, tickAt(now, k.phase(w.node, "status", statusRetry), statusRetry)
		}
	})
}

// Resume ends the cut of all kubelets; each is to be reconnected then.
func (k *Kubelet) Resume() { delete(k.cut, "") }

// Isolated reports whether a node is cut off by itself, or has no kubelet that runs.
func (k *Kubelet) Isolated(node string) bool { return k.cut[node] || k.down[node] }

// Off reports whether a node's machine has no power.
func (k *Kubelet) Off(node string) bool { return k.nodes[node].off }

// Dark reports whether a node's machine does not run: it has no power, or starts.
func (k *Kubelet) Dark(node string) bool {
	st := k.nodes[node]
	return st.off || st.begin != 0 && st.rebooted
}

// CutOff reports whether a node is cut off from the network.
func (k *Kubelet) CutOff(node string) bool { return k.cut[node] }

// offline reports whether a node does not reach the API server.
func (k *Kubelet) offline(node string) bool { return k.cut[""] || k.cut[node] }

// blind reports whether the kubelet of a node hears nothing of the API server.
func (k *Kubelet) blind(node string) bool { return k.down[node] || k.offline(node) }

func nodeKey(node string) sim.Key { return sim.Key{Kind: "Node", Name: node} }

func liveNode(c *actor.Ctx, name string) *api.Node {
	n, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	return n
}

func nodeUser(name string) api.User {
	return api.User{Name: "system:node:" + name, Groups: []string{"system:nodes", "system:authenticated"}}
}

func writeNode(c *actor.Ctx, n *api.Node) {
	c.Do(api.Request{Verb: api.Update, Kind: api.KindNamed("Node"), Name: n.Name, Subresource: "status", Object: n,
		User: nodeUser(n.Name), FieldManager: "kubelet"})
}

// lookAtNode does what a kubelet does for its node: it starts, reports what is new,
// and makes room when the node runs short of something.
func (k *Kubelet) lookAtNode(c *actor.Ctx, name string) actor.Result {
	st, known := k.nodes[name]
	var res actor.Result
	if st.begin != 0 && c.Now() >= st.begin {
		res.Wake = k.start(c, name, &st)
	}
	if k.down[name] || liveNode(c, name) == nil {
		k.save(name, st, known)
		res.Next = st.begin
		return res
	}
	res.Wake = append(res.Wake, k.relieve(c, name, &st)...)
	if !k.offline(name) {
		k.reportImages(c, name)
		if st.report != 0 && c.Now() >= st.report {
			k.reportNode(c, name, &st)
		}
		if st.lease.odd {
			res.Wake = append(res.Wake, k.unheard(c, name, &st)...)
		}
	}
	k.save(name, st, known)
	if st.report > c.Now() && !k.offline(name) {
		res.Next = st.report
	}
	if at, idle := k.nextLease(name, &st, c.Now()); at != never && (res.Next == 0 || at < res.Next) {
		res.Next, res.Periodic = at, idle
	}
	if at, idle := k.nextRelief(name, &st, c.Now()); at != never && (res.Next == 0 || at < res.Next) {
		res.Next, res.Periodic = at, idle
	}
	return res
}

func (k *Kubelet) save(name string, st nodeState, known bool) {
	if known || st != (nodeState{}) {
		k.nodes[name] = st
	}
}

// start begins the life of a kubelet: it asks for all pods of the node
// (pkg/kubelet/kubelet.go, Run and BirthCry).
func (k *Kubelet) start(c *actor.Ctx, name string, st *nodeState) (wakes []actor.Wake) {
	if st.rebooted {
		k.rt.Node(name).PowerOn(c.Now())
	}
	keys := k.Start(name)
	st.begin, st.fresh, st.report = 0, true, c.Now()+firstReport
	if st.cordon = (cordon{known: true}); liveNode(c, name) != nil && liveNode(c, name).Spec.Unschedulable {
		wakes = append(wakes, actor.Wake{Actor: k.Name(), Key: cordonKey(name), At: c.Now()})
	}
	for _, o := range c.Read.ByIndex("pod.node", name) {
		if key := podKey(o.(*api.Pod)); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		wakes = append(wakes, actor.Wake{Actor: k.Name(), Key: key, At: c.Now() + firstReport})
	}
	k.nodeEvent(c, name, "Normal", "Starting", "Starting kubelet.")
	c.Record(trace.Record{Source: "kubelet", Ref: trace.Ref{Kind: "Node", Name: name}, Verdict: trace.Info, Reason: "Starting", Message: "the kubelet starts"})
	return wakes
}

func (k *Kubelet) nodeEvent(c *actor.Ctx, name, kind, reason, message string) {
	if k.offline(name) {
		return
	}
	n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	n.Name = name
	if live := liveNode(c, name); live != nil {
		n.UID = live.UID
	}
	c.Event(actor.Event{Regarding: n, Type: kind, Reason: reason, Message: message, Component: "kubelet", Host: name})
}

// reportNode writes the node's conditions, tells of those that changed, and begins to
// renew its lease again (pkg/kubelet/kubelet_node_status.go, tryUpdateNodeStatus;
// pkg/kubelet/nodestatus/setters.go).
func (k *Kubelet) reportNode(c *actor.Ctx, name string, st *nodeState) {
	st.report = 0
	n := liveNode(c, name)
	u := n.Copy().(*api.Node)
	u.Status.Conditions = slices.Clone(n.Status.Conditions)
	var tell []string
	for _, x := range nodeConditions(st) {
		if k.setNodeCondition(u, x, c.Time(), st.fresh) {
			tell = append(tell, conditionEvent(x))
		}
	}
	if st.rebooted {
		u.Status.NodeInfo.BootID = bootID(c, name, st.boots)
		k.nodeEvent(c, name, "Warning", "Rebooted", "Node "+name+" has been rebooted, boot id: "+u.Status.NodeInfo.BootID)
	}
	writeNode(c, u)
	for _, reason := range tell {
		k.nodeEvent(c, name, "Normal", reason, "Node "+name+" status is now: "+reason)
	}
	if st.fresh {
		k.nodeEvent(c, name, "Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods")
	}
	st.fresh, st.rebooted = false, false
	if !st.lease.silent(c.Now()) {
		k.renewLease(c, name)
	}
}

// renewLease takes the last lease of a silent time away: from now on it is computed
// when it is read.
func (k *Kubelet) renewLease(c *actor.Ctx, name string) {
	if c.Host.Latest().Get("Lease", leaseNamespace, name) != nil {
		c.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Lease"), Namespace: leaseNamespace, Name: name, User: nodeUser(name)})
	}
}

// nodeConditions are what a kubelet says of its node, in its order.
func nodeConditions(st *nodeState) []api.NodeCondition {
	list := fillConditions(nil, 1)
	for i := range signals {
		if g := &signals[i]; st.pressure[i].observed {
			list[i].Status, list[i].Reason, list[i].Message = "True", "KubeletHas"+g.bad, g.badMessage
		}
	}
	return list
}

// conditionEvent is the reason of the event that tells of a condition.
func conditionEvent(x api.NodeCondition) string {
	switch {
	case x.Type == "Ready" && x.Status == "True":
		return "NodeReady"
	case x.Type == "Ready":
		return "NodeNotReady"
	}
	return "NodeHas" + x.Reason[len("KubeletHas"):]
}

// setNodeCondition brings one condition into a node. It reports whether an event has
// to tell of it: a kubelet that starts tells of all but Ready.
func (k *Kubelet) setNodeCondition(n *api.Node, x api.NodeCondition, now api.Time, fresh bool) bool {
	x.LastHeartbeatTime, x.LastTransitionTime = now, now
	for i := range n.Status.Conditions {
		o := &n.Status.Conditions[i]
		if o.Type != x.Type {
			continue
		}
		changed := o.Status != x.Status
		if !changed {
			x.LastTransitionTime = o.LastTransitionTime
		}
		*o = x
		return changed || fresh && x.Type != "Ready"
	}
	n.Status.Conditions = append(n.Status.Conditions, x)
	return true
}

// bootID is a new identity of a machine after so many starts.
func bootID(c *actor.Ctx, node string, boots uint64) string {
	const digits = "0123456789abcdef"
	var b []byte
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		b = append(b, digits[c.Random("boot", node, boots*32+uint64(i))&15])
	}
	return string(b)
}
