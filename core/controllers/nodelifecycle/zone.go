package nodelifecycle

import (
	"slices"
	"sort"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// How fast nodes of a zone are tainted (pkg/controller/nodelifecycle/config/v1alpha1).
const (
	ratePeriod      = 10 * sim.Second  // --node-eviction-rate 0.1 a second
	slowPeriod      = 100 * sim.Second // --secondary-node-eviction-rate 0.01 a second
	largeZone       = 50               // --large-cluster-size-threshold
	unhealthyShare  = 0.55             // --unhealthy-zone-threshold
	excludeFromZone = "node.kubernetes.io/exclude-disruption"
)

// zoneState is how much of a zone is lost.
type zoneState uint8

const (
	initial zoneState = iota
	normal
	partial
	full
)

var stateNames = [...]string{"Initial", "Normal", "PartialDisruption", "FullDisruption"}

// zone is a failure domain: how many of its nodes are lost, and those that wait for
// their NoExecute taint. Its lists are replaced, never changed in place.
type zone struct {
	nodes, lost int
	state       zoneState
	waiting     []string // names of nodes, first come first served
	period      sim.Time // between two taints; sim.Never: none is set
	free        sim.Time // when the next one may be set
}

// zoneOf is the name of a node's zone (component-helpers/node/topology, GetZoneKey).
func zoneOf(n *api.Node) string {
	first := func(keys ...string) string {
		for _, k := range keys {
			if v := n.Labels[k]; v != "" {
				return v
			}
		}
		return ""
	}
	region := first("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
	name := first("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
	if region == "" && name == "" {
		return ""
	}
	return region + ":" + name
}

func (n *Controller) countZone(node *api.Node, by int) {
	if node == nil {
		return
	}
	if _, excluded := node.Labels[excludeFromZone]; excluded {
		return
	}
	z := n.zone(zoneOf(node))
	z.nodes += by
	if readyStatus(node) != "True" {
		z.lost += by
	}
	n.zones[zoneOf(node)] = z
}

// zone returns a zone, which is new when nobody has known it.
func (n *Controller) zone(key string) zone {
	z, known := n.zones[key]
	if !known {
		z.period = ratePeriod
	}
	return z
}

// judged is the state that a zone's nodes make (ComputeZoneState).
func (z zone) judged() zoneState {
	switch {
	case z.nodes == z.lost && z.lost > 0:
		return full
	case z.lost > 2 && float64(z.lost)/float64(z.nodes) >= unhealthyShare:
		return partial
	}
	return normal
}

// stale reports whether a zone has to be judged again.
func (n *Controller) stale() bool {
	for _, z := range n.zones {
		if z.nodes > 0 && z.state != initial && z.judged() != z.state && !(n.lost && z.judged() == full) {
			return true
		}
	}
	return false
}

func (n *Controller) zoneNames() (names []string) {
	for k := range n.zones {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// disruption sets how fast nodes are tainted in each zone. When every node of the
// cluster is lost it is the controller that has lost its network, and nothing is
// tainted (handleDisruption).
func (n *Controller) disruption(c *actor.Ctx) {
	all := len(n.zones) > 0
	for _, k := range n.zoneNames() {
		if z := n.zones[k]; z.nodes == 0 {
			delete(n.zones, k)
		} else if z.judged() != full {
			all = false
		}
	}
	switch {
	case all && n.lost:
		return
	case all:
		n.record(c, "FullDisruption", "no node of the cluster is ready: no node is tainted for eviction any more")
		c.Host.Latest().Each("Node", "", func(o api.Object) bool {
			n.reachable(c, o.(*api.Node))
			return true
		})
	case n.lost:
		n.record(c, "DisruptionOver", "some nodes are ready again")
		for name, p := range n.probes {
			p.at = c.Now()
			n.probes[name] = p
		}
	}
	over := n.lost && !all
	n.lost = all
	for _, k := range n.zoneNames() {
		z := n.zones[k]
		if s := z.judged(); s != z.state || over {
			if z.state != initial && s != z.state {
				n.record(c, stateNames[s], "zone "+quoted(k)+" is now in state "+stateNames[s])
			}
			z.state = s
			z.limit(c.Now())
		}
		if all {
			z.period = sim.Never
		}
		n.zones[k] = z
	}
}

func quoted(zone string) string {
	if zone == "" {
		return "(without a name)"
	}
	return zone
}

func (n *Controller) record(c *actor.Ctx, reason, message string) {
	c.Record(trace.Record{Verdict: trace.Info, Reason: reason, Message: message})
}

// limit sets the rate of a zone's state (setLimiterInZone, SwapLimiter).
func (z *zone) limit(now sim.Time) {
	period := ratePeriod
	if z.state == partial {
		period = sim.Never
		if z.nodes > largeZone {
			period = slowPeriod
		}
	}
	if period == z.period {
		return
	}
	if now < z.free && period != sim.Never {
		z.free = now + period
	} else {
		z.free = now
	}
	z.period = period
}

// queue has a node tainted when its zone's rate allows.
func (n *Controller) queue(node *api.Node) {
	k := zoneOf(node)
	z := n.zone(k)
	if !slices.Contains(z.waiting, node.Name) {
		z.waiting = append(slices.Clone(z.waiting), node.Name)
		n.zones[k] = z
	}
}

func (n *Controller) unqueue(node *api.Node) {
	k := zoneOf(node)
	if z, ok := n.zones[k]; ok && slices.Contains(z.waiting, node.Name) {
		z.waiting = slices.DeleteFunc(slices.Clone(z.waiting), func(s string) bool { return s == node.Name })
		n.zones[k] = z
	}
}

func (n *Controller) queued(node *api.Node) bool {
	return slices.Contains(n.zones[zoneOf(node)].waiting, node.Name)
}

// wakeZones asks for the passes that set taints.
func (n *Controller) wakeZones(c *actor.Ctx) (w []actor.Wake) {
	for _, k := range n.zoneNames() {
		if z := n.zones[k]; len(z.waiting) > 0 && z.period != sim.Never {
			at := max(c.Now(), z.free)
			w = append(w, actor.Wake{Actor: n.Name(), Key: sim.Key{Kind: "Zone", Name: k}, At: (at + taintPeriod) / taintPeriod * taintPeriod})
		}
	}
	return w
}

// wakeLost asks for the next round of all nodes that are not ready: they may be
// tainted again.
func (n *Controller) wakeLost(c *actor.Ctx) (w []actor.Wake) {
	c.Host.Latest().Each("Node", "", func(o api.Object) bool {
		if readyStatus(o.(*api.Node)) != "True" {
			w = append(w, actor.Wake{Actor: n.Name(), Key: nodeKey(o.Meta().Name), At: tick(c.Now() + 1)})
		}
		return true
	})
	return w
}

// taintPass taints the first node of a zone's queue, if the rate allows
// (doNoExecuteTaintingPass).
func (n *Controller) taintPass(c *actor.Ctx, key string) actor.Result {
	z, ok := n.zones[key]
	if !ok || len(z.waiting) == 0 || z.period == sim.Never {
		return actor.Result{}
	}
	if c.Now() < z.free {
		return actor.At(z.free)
	}
	name := z.waiting[0]
	z.waiting = slices.Clone(z.waiting[1:])
	z.free = c.Now() + z.period
	n.zones[key] = z
	node, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	if node != nil {
		switch readyStatus(node) {
		case "False":
			n.swap(c, name, "NoExecute", []string{notReadyTaint}, []string{unreachableTaint})
		case "Unknown":
			n.swap(c, name, "NoExecute", []string{unreachableTaint}, []string{notReadyTaint})
		}
	}
	if len(z.waiting) == 0 {
		return actor.Result{}
	}
	return actor.At(z.free)
}
