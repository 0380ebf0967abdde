// Package calico is the plugin that gives each node blocks of 64 addresses as it
// needs them, routes to each pod by a device of its own, and enforces
// NetworkPolicies. Blocks are cut from the node's pod CIDR, so that two nodes never
// want the same one.
package calico

import (
	"errors"
	"slices"

	"podwalk/core/network/cni"
	"podwalk/core/network/ipam"
)

// BlockBits is the prefix length of a block.
const BlockBits = 26

// Plugin is Calico.
type Plugin struct{}

var _ cni.Plugin = Plugin{}

// Name returns "calico".
func (Plugin) Name() string { return "calico" }

// Type returns "calico".
func (Plugin) Type() string { return "calico" }

// Enforces reports true.
func (Plugin) Enforces() bool { return true }

// Absent: the node drops what is for its blocks and nobody's (a blackhole route).
func (Plugin) Absent() cni.Absence { return cni.Silent }

// Lost: what goes into the tunnel is lost without a word.
func (Plugin) Lost() cni.Absence { return cni.Silent }

// Orphaned: the daemon takes the file with the node's name away when it ends.
func (Plugin) Orphaned() string {
	return "stat /var/lib/calico/nodename: no such file or directory: check that the calico/node container is running and has mounted /var/lib/calico/"
}

// Uplink is the tunnel between nodes.
func (Plugin) Uplink() string { return "ipip tunl0" }

// Add gives the sandbox an address of a block that the node has, or of a new one.
func (Plugin) Add(n cni.Node, r cni.Request) (cni.Node, cni.Result, error) {
	if n.Block.Size() == 0 {
		return n, cni.Result{}, errors.New("failed to request IPv4 addresses: no configured Calico pools for node " + n.Name)
	}
	blocks, ip := assign(n)
	if ip == "" {
		return n, cni.Result{}, errors.New("failed to request IPv4 addresses: Assigned 0 out of 1 requested IPv4 addresses; No more free affine blocks and strict affinity enabled")
	}
	n.More = blocks
	return n, cni.Result{IP: ip, Gateway: "169.254.1.1", Device: "eth0", Peer: "cali" + r.Sandbox[:min(11, len(r.Sandbox))],
		Routes: []cni.Route{{To: "169.254.1.1", Via: "eth0"}, {To: "0.0.0.0/0", Via: "169.254.1.1"}}}, nil
}

// assign takes an address of the first block that has one, a new block if need be.
func assign(n cni.Node) ([]ipam.Block, string) {
	blocks := slices.Clone(n.More)
	for i := range blocks {
		if b, ip, err := blocks[i].Allocate(); err == nil {
			blocks[i] = b
			return blocks, ip
		}
	}
	parts := n.Block.Split(max(BlockBits, n.Block.Bits()))
	if len(blocks) >= len(parts) {
		return nil, ""
	}
	b, ip, err := parts[len(blocks)].Allocate()
	if err != nil {
		return nil, ""
	}
	return append(blocks, b), ip
}

// Del gives the address back; the node keeps the block.
func (Plugin) Del(n cni.Node, r cni.Request) cni.Node {
	n.More = slices.Clone(n.More)
	for i := range n.More {
		n.More[i] = n.More[i].Release(r.IP)
	}
	return n
}
