package kubelet

import (
	"slices"

	"podwalk/core/sim"
)

// Stop stops the kubelet of a node: it looks at nothing any more, and its
// containers run on.
func (k *Kubelet) Stop(node string) {
	k.down[node] = true
	if st, ok := k.nodes[node]; ok {
		st.begin, st.report, st.fresh = 0, 0, false
		k.nodes[node] = st
	}
}

// Stopped reports whether the kubelet of a node is stopped.
func (k *Kubelet) Stopped(node string) bool { return k.down[node] }

// Start starts it again. It has forgotten everything but what is on the machine and
// at the API server. It returns the keys of the pods that it must look at, besides
// those that were bound to the node meanwhile, in order.
func (k *Kubelet) Start(node string) []sim.Key {
	if !k.down[node] {
		return nil
	}
	delete(k.down, node)
	delete(k.puller, node)
	return k.each(node, (*worker).restart)
}

// each changes the workers of a node and returns their keys in order.
func (k *Kubelet) each(node string, change func(*worker)) []sim.Key {
	keys := slices.Clone(k.onNode(node))
	for _, key := range keys {
		for w := k.worker(key); w != nil; w = w.older {
			if w.node == node {
				change(w)
			}
		}
	}
	return keys
}

// restart makes a worker what a new kubelet would make of the pod. Volumes that are
// mounted stay so: the new kubelet finds them on the machine.
func (w *worker) restart() {
	n := newWorker(w.own, w.key, w.pod)
	n.older, n.gone, n.admitted, n.cost, n.cause = w.older, w.gone, w.admitted, w.cost, w.cause
	n.mounts, n.ended, n.hooks = w.mounts, w.ended, w.hooks
	n.seen = nil // the next look takes the pod in anew
	if !w.admitted || w.work == finished && w.gone {
		n.work = finished
	}
	*w = *n
}

// lookAgain gives a restarted worker its first work, which waits for the first relist:
// that sees all there is (pkg/kubelet/kubelet.go, HandlePodAdditions).
func (s *step) lookAgain() {
	rev, _ := s.machine().Changed(s.w.uid)
	s.inspect(rev)
	if s.w.admitted {
		s.updatePod()
	}
}
