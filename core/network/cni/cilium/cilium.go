// Package cilium is the plugin that connects pods by programs in the kernel: any
// free address of the node's pod CIDR, a router address of the node itself, VXLAN
// between nodes. It enforces NetworkPolicies.
package cilium

import (
	"errors"

	"podwalk/core/network/cni"
)

// Plugin is Cilium.
type Plugin struct{}

var _ cni.Plugin = Plugin{}

// Name returns "cilium".
func (Plugin) Name() string { return "cilium" }

// Type returns "cilium-cni".
func (Plugin) Type() string { return "cilium-cni" }

// Enforces reports true.
func (Plugin) Enforces() bool { return true }

// Absent: what no endpoint has is dropped.
func (Plugin) Absent() cni.Absence { return cni.Silent }

// Lost: what goes into the tunnel is lost without a word.
func (Plugin) Lost() cni.Absence { return cni.Silent }

// Orphaned: addresses come from the daemon.
func (Plugin) Orphaned() string {
	return "unable to connect to Cilium agent: failed to create cilium agent client after 30.000000 seconds timeout: Get \"http://localhost/v1/config\": dial unix /var/run/cilium/cilium.sock: connect: no such file or directory\nIs the agent running?"
}

// Uplink is the VXLAN device.
func (Plugin) Uplink() string { return "vxlan cilium_vxlan" }

// Add gives the sandbox a free address; which one follows from its id.
func (Plugin) Add(n cni.Node, r cni.Request) (cni.Node, cni.Result, error) {
	size := uint32(n.Block.Size())
	h := uint32(2166136261)
	for i := range len(r.Sandbox) {
		h = (h ^ uint32(r.Sandbox[i])) * 16777619
	}
	for i := range size {
		if b, ip, ok := n.Block.Take((h + i) % size); ok {
			n.Block = b
			gw := b.Gateway()
			return n, cni.Result{IP: ip, Gateway: gw, Device: "eth0", Peer: "lxc" + r.Sandbox[:min(12, len(r.Sandbox))],
				Routes: []cni.Route{{To: gw, Via: "eth0"}, {To: "0.0.0.0/0", Via: gw}}}, nil
		}
	}
	return n, cni.Result{}, errors.New("unable to allocate IP via local cilium agent: [POST /ipam][502] postIpamFailure \"range is full\"")
}

// Del gives the address back.
func (Plugin) Del(n cni.Node, r cni.Request) cni.Node {
	n.Block = n.Block.Release(r.IP)
	return n
}
