package nodelifecycle

import (
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// conditionTaints says which condition in which state makes which taint; nodes are
// not placed on while they have one (node_lifecycle_controller.go,
// nodeConditionToTaintKeyStatusMap).
var conditionTaints = []struct{ condition, status, key string }{
	{"Ready", "False", notReadyTaint},
	{"Ready", "Unknown", unreachableTaint},
	{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
	{"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
	{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
	{"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
}

const unschedulableTaint = "node.kubernetes.io/unschedulable"

// noScheduleTaints brings the taints that follow from conditions and from
// spec.unschedulable up to date (doNoScheduleTaintingPass).
func (n *Controller) noScheduleTaints(c *actor.Ctx, node *api.Node) {
	var add, remove []string
	for _, x := range wantedTaints(node) {
		if !hasTaint(node, x, "NoSchedule") {
			add = append(add, x)
		}
	}
	for _, t := range node.Spec.Taints {
		if t.Effect == "NoSchedule" && managed(t.Key) && !slices.Contains(wantedTaints(node), t.Key) {
			remove = append(remove, t.Key)
		}
	}
	n.swap(c, node.Name, "NoSchedule", add, remove)
}

func wantedTaints(node *api.Node) (keys []string) {
	for _, x := range node.Status.Conditions {
		for _, t := range conditionTaints {
			if t.condition == x.Type && t.status == x.Status {
				keys = append(keys, t.key)
			}
		}
	}
	if node.Spec.Unschedulable {
		keys = append(keys, unschedulableTaint)
	}
	return keys
}

func managed(key string) bool {
	for _, t := range conditionTaints {
		if t.key == key {
			return true
		}
	}
	return key == unschedulableTaint
}

func hasTaint(n *api.Node, key, effect string) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t api.Taint) bool { return t.Key == key && t.Effect == effect })
}

// swap adds taints, and then removes others, as two writes (controller_utils.go,
// SwapNodeControllerTaint). It reports whether both went well.
func (n *Controller) swap(c *actor.Ctx, name, effect string, add, remove []string) bool {
	ok := n.write(c, name, func(list []api.Taint) []api.Taint {
		for _, key := range add {
			if !slices.ContainsFunc(list, func(t api.Taint) bool { return t.Key == key && t.Effect == effect }) {
				now := c.Time()
				list = append(list, api.Taint{Key: key, Effect: effect, TimeAdded: &now})
			}
		}
		return list
	})
	return ok && n.write(c, name, func(list []api.Taint) []api.Taint {
		return slices.DeleteFunc(list, func(t api.Taint) bool { return t.Effect == effect && slices.Contains(remove, t.Key) })
	})
}

// write changes the taints of a node as it is by now.
func (n *Controller) write(c *actor.Ctx, name string, change func([]api.Taint) []api.Taint) bool {
	node, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	if node == nil {
		return false
	}
	list := change(slices.Clone(node.Spec.Taints))
	if api.Equal(list, node.Spec.Taints) {
		return true
	}
	u := node.Copy().(*api.Node)
	u.Spec.Taints = list
	c.Record(trace.Record{Ref: actor.RefOf(node), Verdict: trace.Info, Reason: "Taints", Message: "the taints follow the node's conditions",
		Detail: taintDetail(list)})
	return !c.Update(u).Failed()
}

func taintDetail(list []api.Taint) (d []trace.Detail) {
	for _, t := range list {
		d = append(d, trace.Detail{Name: "taint", Value: t.Key + ":" + t.Effect})
	}
	return d
}

// reachable takes the taints of a lost node off (markNodeAsReachable).
func (n *Controller) reachable(c *actor.Ctx, node *api.Node) {
	n.swap(c, node.Name, "NoExecute", nil, []string{unreachableTaint})
	n.swap(c, node.Name, "NoExecute", nil, []string{notReadyTaint})
	n.unqueue(node)
}

// taint has a lost node tainted so that its pods are evicted: at once where it only
// is another kind of loss, else when its zone's rate allows
// (processTaintBaseEviction).
func (n *Controller) taint(c *actor.Ctx, node *api.Node, key, opposite string) {
	switch {
	case hasTaint(node, opposite, "NoExecute"):
		n.swap(c, node.Name, "NoExecute", []string{key}, []string{opposite})
	case !hasTaint(node, key, "NoExecute"):
		n.queue(node)
	}
}

// reconciledLabels have an older name that has to say the same.
var reconciledLabels = []struct{ primary, secondary string }{
	{"kubernetes.io/os", "beta.kubernetes.io/os"}, {"kubernetes.io/arch", "beta.kubernetes.io/arch"},
}

// labels keeps the older names of labels like the newer ones (reconcileNodeLabels).
func (n *Controller) labels(c *actor.Ctx, node *api.Node) {
	var l map[string]string
	for _, r := range reconciledLabels {
		v, ok := node.Labels[r.primary]
		if !ok || node.Labels[r.secondary] == v {
			continue
		}
		if l == nil {
			l = maps.Clone(node.Labels)
		}
		l[r.secondary] = v
	}
	live, _ := c.Host.Latest().Get("Node", "", node.Name).(*api.Node)
	if l == nil || live == nil {
		return
	}
	u := live.Copy().(*api.Node)
	u.Labels = l
	c.Update(u)
}
