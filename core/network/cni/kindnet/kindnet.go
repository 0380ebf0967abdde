// Package kindnet is the network plugin of small clusters: a point-to-point veth
// pair for each sandbox, addresses from the node's pod CIDR by host-local, and a
// route to each other node's pod CIDR. It does not enforce NetworkPolicies here.
package kindnet

import (
	"slices"

	"podwalk/core/network/cni"
)

// Plugin is kindnet.
type Plugin struct{}

var _ cni.Plugin = Plugin{}

// Name returns "kindnet".
func (Plugin) Name() string { return "kindnet" }

// Type returns "ptp", the plugin that kindnet's configuration calls.
func (Plugin) Type() string { return "ptp" }

// Add gives the sandbox the next free address of the node.
func (Plugin) Add(n cni.Node, r cni.Request) (cni.Node, cni.Result, error) {
	block, ip, err := n.Block.Allocate()
	if err != nil {
		return n, cni.Result{}, err
	}
	n.Block = block
	n.Leases = append(slices.Clip(n.Leases), cni.Lease{Sandbox: r.Sandbox, IP: ip})
	gw := block.Gateway()
	return n, cni.Result{IP: ip, Gateway: gw, Device: "eth0", Peer: "veth" + r.Sandbox[:min(8, len(r.Sandbox))],
		Routes: []cni.Route{{To: "0.0.0.0/0", Via: gw}, {To: block.CIDR(), Via: gw}}}, nil
}

// Del gives the address back.
func (Plugin) Del(n cni.Node, r cni.Request) cni.Node {
	i := slices.IndexFunc(n.Leases, func(l cni.Lease) bool { return l.Sandbox == r.Sandbox })
	if i < 0 {
		return n
	}
	n.Block = n.Block.Release(n.Leases[i].IP)
	n.Leases = slices.Delete(slices.Clone(n.Leases), i, i+1)
	return n
}
