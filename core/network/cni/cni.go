// Package cni is the contract between the runtime and the network plugins: what
// ADD and DEL take and answer, as pure functions over the state of one node. The
// plugins themselves are the packages below; each says what it enforces and what
// it does not. Start reading at Plugin.
package cni

import "podwalk/core/network/ipam"

// Plugin is a network plugin. Add and Del return the node's new state and change
// nothing else; the texts of errors are the plugin's own.
type Plugin interface {
	// Name is the name of the network, such as "kindnet".
	Name() string
	// Type is the name of the plugin's binary, which stands in error messages.
	Type() string
	// Add connects a sandbox to the network.
	Add(n Node, r Request) (Node, Result, error)
	// Del disconnects it again; it never fails for an unknown address.
	Del(n Node, r Request) Node
	// Enforces reports whether the plugin's daemon enforces NetworkPolicies.
	Enforces() bool
	// Absent says what becomes of a packet to a pod address that nobody has.
	Absent() Absence
	// Lost says what becomes of a packet to a pod of a node that does not answer.
	Lost() Absence
	// Orphaned is the error of ADD while the plugin's daemon does not run, "" where ADD
	// does without it.
	Orphaned() string
	// Uplink is how packets for another node's pods leave this one, such as
	// "vxlan flannel.1".
	Uplink() string
}

// Absence is what a sender sees when nobody has the address.
type Absence bool

// The two ways: a host answers that it finds no way, or nobody answers.
const (
	Silent Absence = false
	Told   Absence = true
)

// Node is what a plugin keeps on a node. It is a value.
type Node struct {
	Name  string
	Block ipam.Block   // addresses of the node's pods
	More  []ipam.Block // further blocks, of plugins that take several
}

// Request is one call.
type Request struct {
	Sandbox string // id of the sandbox container
	Pod     string // namespace/name
	IP      string // of DEL: what ADD had given
}

// Result is the answer to ADD.
type Result struct {
	IP      string
	Gateway string
	Routes  []Route
	Device  string // the sandbox's end, such as eth0
	Peer    string // the node's end, such as veth1a2b3c4d
}

// Route is one entry of the sandbox's routing table.
type Route struct{ To, Via string }
