package kubelet

import (
	"slices"

	"podwalk/core/sim"
)

// roster lists the keys whose workers have a pod of one node, in order. It belongs
// to one Kubelet; others that share it copy it before they change it.
type roster struct {
	own  *owner
	keys []sim.Key
}

// enrol puts a worker's key on the roster of its node.
func (k *Kubelet) enrol(w *worker) {
	r := k.ownRoster(w.node)
	if i, there := slices.BinarySearchFunc(r.keys, w.key, compareKeys); !there {
		r.keys = slices.Insert(r.keys, i, w.key)
	}
}

// strike takes a worker that is no longer known off the roster of its node, unless
// another one with its key has a pod there.
func (k *Kubelet) strike(dead *worker) {
	for w := k.pods[dead.key]; w != nil; w = w.older {
		if w.node == dead.node {
			return
		}
	}
	r := k.ownRoster(dead.node)
	if i, there := slices.BinarySearchFunc(r.keys, dead.key, compareKeys); there {
		r.keys = slices.Delete(r.keys, i, i+1)
	}
	if len(r.keys) == 0 {
		delete(k.rosters, dead.node)
	}
}

func (k *Kubelet) ownRoster(node string) *roster {
	r := k.rosters[node]
	switch {
	case r == nil:
		r = &roster{own: k.own}
	case r.own != k.own:
		r = &roster{k.own, slices.Clone(r.keys)}
	}
	k.rosters[node] = r
	return r
}

// onNode returns the keys whose workers have a pod of a node, in order; the slice
// must not be changed.
func (k *Kubelet) onNode(node string) []sim.Key {
	if r := k.rosters[node]; r != nil {
		return r.keys
	}
	return nil
}

func compareKeys(a, b sim.Key) int {
	if a.Namespace != b.Namespace {
		return compare(a.Namespace, b.Namespace)
	}
	return compare(a.Name, b.Name)
}
