package cluster

import (
	"maps"

	"podwalk/core/api"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
	"podwalk/core/network/request"
	"podwalk/core/sim"
)

// deaf is what the daemons of a node go on with when they hear nothing new: what
// they have written into the kernel stays there.
type deaf struct {
	cut      bool         // the node is cut off
	proxyAt  sim.Time     // since when kube-proxy stands still, if it does
	agentAt  sim.Time     // and the daemon of the network plugin
	cutAt    sim.Time     // and since when it is cut off
	proxy    bool         // kube-proxy stands still
	agent    bool         // the daemon of the network plugin does
	table    *proxy.Table // nil: the newest
	policies *policy.Set  // nil: the newest
}

// The daemons that run on each node.
const (
	kubeProxy = "kube-proxy"
	cniDaemon = "cni"
)

// daemon stops a daemon of a node, or of all nodes, or lets it go on: it then reads
// anew what there is.
func (c *Cluster) daemon(args []string, stop bool) (said, wrong string) {
	node, where := "", " of every node"
	if len(args) > 1 {
		n, wrong := c.host(args[1])
		if wrong != "" {
			return "", wrong
		}
		node, where = n.Name, " of node "+n.Name
	}
	c.hush(node, func(d *deaf) {
		on, at := &d.proxy, &d.proxyAt
		if args[0] == cniDaemon {
			on, at = &d.agent, &d.agentAt
		}
		if stop && !*on {
			*at = c.now
		}
		*on = stop
	})
	if args[0] == cniDaemon {
		where = " of " + c.agent().Plugin().Name() + where
		args = []string{"daemon"}
	}
	if stop {
		return "the " + args[0] + where + " stands still", ""
	}
	return "the " + args[0] + where + " goes on", ""
}

// hush changes what the daemons of a node ("" is all nodes) hear. What they knew
// stays with them from the moment at which they become deaf.
func (c *Cluster) hush(node string, change func(*deaf)) {
	d := c.deaf[node]
	change(&d)
	switch {
	case !d.cut && !d.proxy:
		d.table = nil
	case d.table == nil:
		d.table = c.tableOf(node).Clone()
	}
	switch {
	case !d.cut && !d.agent:
		d.policies = nil
	case d.policies == nil:
		set := c.policiesOf(node).Clone()
		d.policies = &set
	}
	all := maps.Clone(c.deaf)
	if all == nil {
		all = map[string]deaf{}
	}
	if delete(all, node); d.table != nil || d.policies != nil {
		all[node] = d
	}
	c.deaf = all
	orphans := map[string]bool{}
	for name, d := range all {
		orphans[name] = d.agent
	}
	c.rt.SetOrphans(orphans)
}

func (c *Cluster) tableOf(node string) *proxy.Table {
	if t := c.deaf[node].table; t != nil && node != "" {
		return t
	}
	if t := c.deaf[""].table; t != nil {
		return t
	}
	return c.proxies().Table()
}

func (c *Cluster) policiesOf(node string) *policy.Set {
	if p := c.deaf[node].policies; p != nil && node != "" {
		return p
	}
	if p := c.deaf[""].policies; p != nil {
		return p
	}
	return c.agent().Policies()
}

// Table is the Services as the proxy of a node knows them.
func (n *network) Table(node string) *proxy.Table {
	if node == "" {
		return n.c.proxies().Table()
	}
	return n.c.tableOf(node)
}

// Policies are those that the daemon of a node has taken over.
func (n *network) Policies(node string) *policy.Set { return n.c.policiesOf(node) }

// Line is what is out of order on a node.
func (n *network) Line(node string) request.Line {
	k := n.c.kubelets()
	l := request.Line{Off: k.Dark(node), Cut: k.CutOff(node)}
	l.Kubelet = k.Stopped(node) && !l.Off
	d, all := n.c.deaf[node], n.c.deaf[""]
	l.Proxy = since(kubeProxy, d.proxy, d.proxyAt, all.proxy, all.proxyAt, d.cut, d.cutAt)
	l.Agent = since("the daemon of "+n.c.agent().Plugin().Name(), d.agent, d.agentAt, all.agent, all.agentAt, d.cut, d.cutAt)
	return l
}

// since says why a daemon knows nothing new, "" if it does.
func since(who string, own bool, ownAt sim.Time, all bool, allAt sim.Time, cut bool, cutAt sim.Time) string {
	switch {
	case own:
		return who + " has stood still since " + ownAt.String()
	case all:
		return who + " has stood still since " + allAt.String()
	case cut:
		return who + " has been cut off since " + cutAt.String()
	}
	return ""
}

// NodeOf names the node to whose pods an address is given.
func (n *network) NodeOf(ip string) string {
	if at := n.c.rt.NodeOf(ip); at != "" {
		return at
	}
	at := ""
	n.c.Latest().Each("Node", "", func(o api.Object) bool {
		node := o.(*api.Node)
		for _, cidr := range node.Spec.PodCIDRs {
			if request.Within(ip, cidr) {
				at = node.Name
			}
		}
		return at == ""
	})
	return at
}
