package framework

import "podwalk/core/api"

// NodeInfo is a node with its pods, summed up. The cache alone changes it; a
// preemption works on a Copy.
type NodeInfo struct {
	Node          *api.Node // nil while only its pods are known
	Taints        []api.Taint
	Unschedulable bool
	name          string

	Allocatable Resource
	Requested   Resource
	NonZero     Resource
	Pods        []*PodInfo
	Affinity    []*PodInfo // those with any pod affinity or anti-affinity
	Anti        []*PodInfo // those with required anti-affinity
	Ports       []HostPort
	Claims      map[string]int      // how many pods use a claim, by namespace/name
	Images      map[string]struct{} // names on the node; shared, never changed in place
	Owner       *byte               // who may change it in place; the cache's business
	Pos         int                 // in Cluster.Nodes
}

// Name returns the node's name.
func (n *NodeInfo) Name() string { return n.name }

// SetNode replaces the node object.
func (n *NodeInfo) SetNode(o *api.Node) {
	n.Node, n.name, n.Taints, n.Unschedulable = o, o.Name, o.Spec.Taints, o.Spec.Unschedulable
	n.Allocatable = NewResource(o.Status.Allocatable)
	n.Images = make(map[string]struct{}, len(o.Status.Images))
	for i := range o.Status.Images {
		for _, name := range o.Status.Images[i].Names {
			n.Images[name] = struct{}{}
		}
	}
}

// Copy returns a NodeInfo that can be changed apart from n.
func (n *NodeInfo) Copy() *NodeInfo {
	c := *n
	c.Pods = append([]*PodInfo(nil), n.Pods...)
	c.Affinity = append([]*PodInfo(nil), n.Affinity...)
	c.Anti = append([]*PodInfo(nil), n.Anti...)
	c.Ports = append([]HostPort(nil), n.Ports...)
	c.Claims = nil
	for k, v := range n.Claims {
		if c.Claims == nil {
			c.Claims = make(map[string]int, len(n.Claims))
		}
		c.Claims[k] = v
	}
	return &c
}

// AddPod counts a pod in.
func (n *NodeInfo) AddPod(p *PodInfo) {
	n.Pods = append(n.Pods, p)
	if p.HasAffinity() {
		n.Affinity = append(n.Affinity, p)
	}
	if len(p.RequiredAntiAffinity) > 0 {
		n.Anti = append(n.Anti, p)
	}
	n.Ports = append(n.Ports, p.Ports...)
	for _, k := range p.Claims {
		if n.Claims == nil {
			n.Claims = map[string]int{}
		}
		n.Claims[k]++
	}
	n.Requested = n.Requested.plus(&p.Requests, 1)
	n.NonZero = n.NonZero.plus(&p.NonZero, 1)
}

// RemovePod counts the pod with that UID out and returns what was known of it, or nil.
func (n *NodeInfo) RemovePod(uid string) *PodInfo {
	p := drop(&n.Pods, uid)
	if p == nil {
		return nil
	}
	drop(&n.Affinity, uid)
	drop(&n.Anti, uid)
	for _, h := range p.Ports {
		for i := range n.Ports {
			if n.Ports[i] == h {
				n.Ports = append(n.Ports[:i], n.Ports[i+1:]...)
				break
			}
		}
	}
	for _, k := range p.Claims {
		if n.Claims[k]--; n.Claims[k] <= 0 {
			delete(n.Claims, k)
		}
	}
	n.Requested = n.Requested.plus(&p.Requests, -1)
	n.NonZero = n.NonZero.plus(&p.NonZero, -1)
	return p
}

// drop removes the pod with that UID by moving the last one into its place, as
// upstream does.
func drop(l *[]*PodInfo, uid string) *PodInfo {
	for i, p := range *l {
		if p.Pod.UID == uid {
			last := len(*l) - 1
			(*l)[i] = (*l)[last]
			(*l)[last] = nil
			*l = (*l)[:last]
			return p
		}
	}
	return nil
}

// ImageState says how large an image is and on how many nodes.
type ImageState struct {
	Size  int64
	Nodes int
}

// Free returns what is left of the node.
func (n *NodeInfo) Free() Resource { return n.Allocatable.plus(&n.Requested, -1) }
