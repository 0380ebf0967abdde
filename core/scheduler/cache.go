package scheduler

import (
	"maps"
	"slices"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// cache is the scheduler's picture of the nodes and the pods on them, the assumed
// ones included (pkg/scheduler/backend/cache). A NodeInfo that its clone may see
// is copied before it is changed.
type cache struct {
	owner   *byte
	nodes   map[string]*f.NodeInfo
	tree    nodeTree
	ordered []*f.NodeInfo  // nodes with an object, zone-interleaved
	pos     map[string]int // of a node in ordered; never changed in place
	stale   bool           // ordered is behind tree
	images  map[string]f.ImageState
	claims  map[string]int     // scheduled pods that use a claim
	assumed map[string]assumed // by UID
	memory  *f.Memory          // of ordered; nil until something is remembered
	// names of the nodes that have pods with affinity, and with required anti-affinity
	affinity, anti nameSet
}

// assumed is a pod whose binding the watch has not shown yet.
type assumed struct {
	node string
	pod  *f.PodInfo
}

type nameSet map[string]struct{}

func (s nameSet) put(name string, in bool) {
	if in {
		s[name] = struct{}{}
	} else {
		delete(s, name)
	}
}

func newCache() cache {
	return cache{owner: new(byte), nodes: map[string]*f.NodeInfo{}, images: map[string]f.ImageState{}, claims: map[string]int{},
		assumed: map[string]assumed{}, affinity: nameSet{}, anti: nameSet{}}
}

func (k *cache) clone() cache {
	k.owner = new(byte)
	c := *k
	c.owner, c.memory = new(byte), nil
	c.nodes = maps.Clone(k.nodes)
	c.tree = k.tree.clone()
	c.ordered = slices.Clone(k.ordered)
	c.images, c.claims, c.assumed = maps.Clone(k.images), maps.Clone(k.claims), maps.Clone(k.assumed)
	c.affinity, c.anti = maps.Clone(k.affinity), maps.Clone(k.anti)
	return c
}

// node returns a NodeInfo that may be changed; it makes one where there is none.
func (k *cache) node(name string) *f.NodeInfo {
	n := k.nodes[name]
	if n != nil && k.memory != nil && !k.stale && n.Node != nil {
		k.memory.Log = append(k.memory.Log, int32(n.Pos))
	}
	switch {
	case n == nil:
		n = &f.NodeInfo{}
	case n.Owner == k.owner:
		return n
	default:
		n = n.Copy()
	}
	n.Owner = k.owner
	k.nodes[name] = n
	if i, ok := k.pos[name]; ok && !k.stale {
		k.ordered[i] = n
	}
	return n
}

func (k *cache) setNode(o *api.Node) {
	n := k.node(o.Name)
	old := n.Node
	if old == nil || !maps.Equal(old.Labels, o.Labels) {
		k.memory = nil
	}
	if old == nil || zoneKey(old) != zoneKey(o) {
		if old != nil {
			k.tree.remove(old)
		}
		k.tree.add(o)
		k.stale = true
	}
	k.countImages(n.Images, nil, -1)
	n.SetNode(o)
	k.countImages(n.Images, o, 1)
}

func (k *cache) removeNode(name string) {
	n := k.nodes[name]
	if n == nil || n.Node == nil {
		return
	}
	n = k.node(name)
	k.tree.remove(n.Node)
	k.stale = true
	k.countImages(n.Images, nil, -1)
	n.Node, n.Images = nil, nil
	if len(n.Pods) == 0 {
		delete(k.nodes, name)
	}
}

// countImages adds sign to the number of nodes of each image; o tells the sizes
// of images that are new.
func (k *cache) countImages(names map[string]struct{}, o *api.Node, sign int) {
	for name := range names {
		s := k.images[name]
		if s.Nodes == 0 && o != nil {
			s.Size = sizeOf(o, name)
		}
		s.Nodes += sign
		if s.Nodes <= 0 {
			delete(k.images, name)
			continue
		}
		k.images[name] = s
	}
}

func sizeOf(o *api.Node, name string) int64 {
	for i := range o.Status.Images {
		if slices.Contains(o.Status.Images[i].Names, name) {
			return o.Status.Images[i].SizeBytes
		}
	}
	return 0
}

func (k *cache) addPod(node string, p *f.PodInfo) {
	n := k.node(node)
	n.AddPod(p)
	k.podsChanged(node, n)
	for _, c := range p.Claims {
		k.claims[c]++
	}
}

// removePod returns what was known of the pod, or nil.
func (k *cache) removePod(node, uid string) *f.PodInfo {
	if k.nodes[node] == nil {
		return nil
	}
	n := k.node(node)
	p := n.RemovePod(uid)
	if p == nil {
		return nil
	}
	k.podsChanged(node, n)
	for _, c := range p.Claims {
		if k.claims[c]--; k.claims[c] <= 0 {
			delete(k.claims, c)
		}
	}
	if n.Node == nil && len(n.Pods) == 0 {
		delete(k.nodes, node)
	}
	return p
}

func (k *cache) podsChanged(name string, n *f.NodeInfo) {
	k.affinity.put(name, len(n.Affinity) > 0)
	k.anti.put(name, len(n.Anti) > 0)
}

// assume counts a pod in before the watch shows its binding.
func (k *cache) assume(p *f.PodInfo, node string) {
	k.addPod(node, p)
	k.assumed[p.Pod.UID] = assumed{node, p}
}

// forget takes an assumption back.
func (k *cache) forget(uid string) {
	if a, ok := k.assumed[uid]; ok {
		k.removePod(a.node, uid)
		delete(k.assumed, uid)
	}
}

// confirm counts in a pod that the watch shows on a node; it replaces an assumption.
func (k *cache) confirm(p *f.PodInfo) {
	if a, ok := k.assumed[p.Pod.UID]; ok {
		k.removePod(a.node, p.Pod.UID)
		delete(k.assumed, p.Pod.UID)
	} else {
		k.removePod(p.Pod.Spec.NodeName, p.Pod.UID)
	}
	k.addPod(p.Pod.Spec.NodeName, p)
}

// list returns the nodes, zone-interleaved. The slice belongs to the cache.
func (k *cache) list() []*f.NodeInfo {
	if k.stale {
		names := k.tree.list()
		k.memory = nil
		k.ordered, k.pos = make([]*f.NodeInfo, len(names)), make(map[string]int, len(names))
		for i, name := range names {
			n := k.nodes[name]
			if n.Pos != i {
				n = k.node(name)
				n.Pos = i
			}
			k.ordered[i], k.pos[name] = n, i
		}
		k.stale = false
	}
	return k.ordered
}

// remember returns the memory of the list, a new one if there is none that is good.
func (k *cache) remember() *f.Memory {
	k.list()
	if k.memory == nil {
		k.memory = &f.Memory{}
	}
	return k.memory
}

// known returns a node that has an object, or nil.
func (k *cache) known(name string) *f.NodeInfo {
	if n := k.nodes[name]; n != nil && n.Node != nil {
		return n
	}
	return nil
}

// infos returns the nodes of a set that have an object, in no order: plugins only
// count over them.
func (k *cache) infos(s nameSet) []*f.NodeInfo {
	l := make([]*f.NodeInfo, 0, len(s))
	for name := range s {
		if n := k.known(name); n != nil {
			l = append(l, n)
		}
	}
	return l
}
