package scheduler

import (
	"maps"
	"slices"

	f "podwalk/core/scheduler/framework"
)

// nominator knows which waiting pods have been promised a node
// (pkg/scheduler/backend/queue/nominator.go). Its lists are never changed in place.
type nominator struct {
	byNode map[string][]*f.PodInfo // in order of the promises
	nodeOf map[string]string       // by UID
}

func newNominator() nominator {
	return nominator{map[string][]*f.PodInfo{}, map[string]string{}}
}

func (n *nominator) clone() nominator {
	return nominator{maps.Clone(n.byNode), maps.Clone(n.nodeOf)}
}

// add promises a node; an empty one promises nothing, but what was is forgotten.
func (n *nominator) add(p *f.PodInfo, node string) {
	n.remove(p.Pod.UID)
	if node == "" {
		return
	}
	n.nodeOf[p.Pod.UID] = node
	n.byNode[node] = append(slices.Clone(n.byNode[node]), p)
}

func (n *nominator) remove(uid string) {
	node, ok := n.nodeOf[uid]
	if !ok {
		return
	}
	delete(n.nodeOf, uid)
	l := slices.DeleteFunc(slices.Clone(n.byNode[node]), func(p *f.PodInfo) bool { return p.Pod.UID == uid })
	n.byNode[node] = l
	if len(l) == 0 {
		delete(n.byNode, node)
	}
}

// update keeps a promise over a change of the pod, unless the API names another node.
func (n *nominator) update(old, new *f.PodInfo) {
	node := new.Pod.Status.NominatedNodeName
	if node == "" && old.Pod.Status.NominatedNodeName == "" {
		node = n.nodeOf[old.Pod.UID]
	}
	n.add(new, node)
}
