// Package flannel is the plugin that connects pods by a bridge on each node and
// nodes by VXLAN. It enforces no NetworkPolicies.
package flannel

import (
	"errors"

	"podwalk/core/network/cni"
)

// Plugin is flannel.
type Plugin struct{}

var _ cni.Plugin = Plugin{}

// Name returns "flannel".
func (Plugin) Name() string { return "flannel" }

// Type returns "flannel", which calls the plugin bridge.
func (Plugin) Type() string { return "flannel" }

// Enforces reports false: policies have no effect.
func (Plugin) Enforces() bool { return false }

// Absent: nobody answers on the bridge, the sender is told after a while.
func (Plugin) Absent() cni.Absence { return cni.Told }

// Lost: what goes into the tunnel is lost without a word.
func (Plugin) Lost() cni.Absence { return cni.Silent }

// Orphaned: what the daemon wrote to /run/flannel/subnet.env stays.
func (Plugin) Orphaned() string { return "" }

// Uplink is the VXLAN device.
func (Plugin) Uplink() string { return "vxlan flannel.1" }

// Add gives the sandbox the next free address of the node's pod CIDR by host-local.
func (Plugin) Add(n cni.Node, r cni.Request) (cni.Node, cni.Result, error) {
	if n.Block.Size() == 0 {
		return n, cni.Result{}, errors.New("loadFlannelSubnetEnv failed: open /run/flannel/subnet.env: no such file or directory")
	}
	block, ip, err := n.Block.Allocate()
	if err != nil {
		return n, cni.Result{}, errors.New("failed to delegate add: " + err.Error())
	}
	n.Block = block
	gw := block.Gateway()
	return n, cni.Result{IP: ip, Gateway: gw, Device: "eth0", Peer: "veth" + r.Sandbox[:min(8, len(r.Sandbox))],
		Routes: []cni.Route{{To: "0.0.0.0/0", Via: gw}, {To: "10.244.0.0/16", Via: gw}, {To: block.CIDR(), Via: "cni0"}}}, nil
}

// Del gives the address back.
func (Plugin) Del(n cni.Node, r cni.Request) cni.Node {
	n.Block = n.Block.Release(r.IP)
	return n
}
