// Package kindnet is the network plugin of small clusters: a point-to-point veth
// pair for each sandbox, addresses from the node's pod CIDR by host-local, and a
// route to each other node's pod CIDR. Its daemon enforces NetworkPolicies.
package kindnet

import "podwalk/core/network/cni"

// Plugin is kindnet.
type Plugin struct{}

var _ cni.Plugin = Plugin{}

// Name returns "kindnet".
func (Plugin) Name() string { return "kindnet" }

// Type returns "ptp", the plugin that kindnet's configuration calls.
func (Plugin) Type() string { return "ptp" }

// Enforces reports true.
func (Plugin) Enforces() bool { return true }

// Absent: each pod has a route of its own, the rest goes out and is lost.
func (Plugin) Absent() cni.Absence { return cni.Silent }

// Lost: the next hop is the other node itself, for which nobody answers on the link.
func (Plugin) Lost() cni.Absence { return cni.Told }

// Orphaned: the configuration that the daemon wrote stays.
func (Plugin) Orphaned() string { return "" }

// Uplink: a plain route to the other node.
func (Plugin) Uplink() string { return "route via the node" }

// Add gives the sandbox the next free address of the node.
func (Plugin) Add(n cni.Node, r cni.Request) (cni.Node, cni.Result, error) {
	block, ip, err := n.Block.Allocate()
	if err != nil {
		return n, cni.Result{}, err
	}
	n.Block = block
	gw := block.Gateway()
	return n, cni.Result{IP: ip, Gateway: gw, Device: "eth0", Peer: "veth" + r.Sandbox[:min(8, len(r.Sandbox))],
		Routes: []cni.Route{{To: "0.0.0.0/0", Via: gw}, {To: block.CIDR(), Via: gw}}}, nil
}

// Del gives the address back.
func (Plugin) Del(n cni.Node, r cni.Request) cni.Node {
	n.Block = n.Block.Release(r.IP)
	return n
}
