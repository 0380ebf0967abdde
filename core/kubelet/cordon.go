package kubelet

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// cordon is what a kubelet told of its node: whether pods may be scheduled on it.
type cordon struct {
	known  bool     // told has a value; before, it is what the node began with
	told   bool     // unschedulable, as last told
	lookAt sim.Time // when the node's status is next compared; 0: nothing changed
}

// cordonLook is the kind of the key of such a look.
const cordonLook = "NodeSchedulable"

func cordonKey(node string) sim.Key { return sim.Key{Kind: cordonLook, Name: node} }

// cordons gives a node that was cordoned or uncordoned.
func cordons(_ store.Snapshot, c store.Change) []sim.Key {
	old, ok := c.Old.(*api.Node)
	n, still := c.New.(*api.Node)
	if !ok || !still || old.Spec.Unschedulable == n.Spec.Unschedulable {
		return nil
	}
	return []sim.Key{cordonKey(n.Name)}
}

// lookAtCordon tells, when the kubelet next compares its node's status, whether the
// node became schedulable or ceased to be (pkg/kubelet/kubelet_node_status.go,
// recordNodeSchedulableEvent).
func (k *Kubelet) lookAtCordon(c *actor.Ctx, name string) (res actor.Result) {
	n := liveNode(c, name)
	if n == nil || k.down[name] || k.cfg.Hosts != nil && !k.cfg.Hosts[name] {
		return res
	}
	st := k.nodes[name]
	defer func() { k.nodes[name] = st }()
	if !st.cordon.known {
		st.cordon.known, st.cordon.told = true, !n.Spec.Unschedulable
	}
	switch {
	case st.cordon.lookAt == 0:
		st.cordon.lookAt = k.nodeReport(name, c.Now())
	case c.Now() >= st.cordon.lookAt && k.offline(name):
		st.cordon.lookAt, res.Periodic = k.nodeReport(name, c.Now()+1), true
	case c.Now() >= st.cordon.lookAt:
		st.cordon.lookAt = 0
		k.tellCordon(c, n, &st.cordon)
	}
	res.Next = st.cordon.lookAt
	return res
}

func (k *Kubelet) tellCordon(c *actor.Ctx, n *api.Node, st *cordon) {
	if st.told == n.Spec.Unschedulable {
		return
	}
	st.told = n.Spec.Unschedulable
	reason := "NodeSchedulable"
	if st.told {
		reason = "NodeNotSchedulable"
	}
	k.nodeEvent(c, n.Name, "Normal", reason, "Node "+n.Name+" status is now: "+reason)
}
