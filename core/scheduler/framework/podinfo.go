package framework

import "podwalk/core/api"

// PodInfo is a pod with what the plugins need of it, worked out once. It is
// never changed.
type PodInfo struct {
	Pod      *api.Pod
	Priority int32
	Requests Resource // what it takes from a node
	NonZero  Resource // CPU and memory, with defaults for containers that state none
	Scored   Resource // as NonZero, but blind to pod-level requests, as NodeResourcesFit scores
	Ports    []HostPort
	Claims   []string // namespace/name of the claims of its volumes

	RequiredAffinity, RequiredAntiAffinity   []AffinityTerm
	PreferredAffinity, PreferredAntiAffinity []AffinityTerm
	BadAffinity                              error // a term's selector cannot be parsed

	Node         RequiredNode
	Preferred    []WeightedNodeTerm
	BadPreferred error // a preferred node term cannot be parsed
}

// NewPodInfo works out a PodInfo.
func NewPodInfo(p *api.Pod) *PodInfo {
	i := &PodInfo{Pod: p, Priority: PriorityOf(p), Ports: HostPorts(p), Claims: claimKeys(p)}
	i.resources()
	i.Node = newRequiredNode(p)
	a := p.Spec.Affinity
	if a == nil {
		return i
	}
	if a.NodeAffinity != nil {
		i.Preferred, i.BadPreferred = newPreferred(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := a.PodAffinity; a != nil {
		i.RequiredAffinity = i.terms(a.RequiredDuringSchedulingIgnoredDuringExecution)
		i.PreferredAffinity = i.weighted(a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := a.PodAntiAffinity; a != nil {
		i.RequiredAntiAffinity = i.terms(a.RequiredDuringSchedulingIgnoredDuringExecution)
		i.PreferredAntiAffinity = i.weighted(a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return i
}

// PriorityOf returns a pod's priority, 0 if it has none.
func PriorityOf(p *api.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// HasAffinity reports whether the pod has any affinity or anti-affinity to pods
// (pkg/scheduler/framework/types.go, podWithAffinity).
func (i *PodInfo) HasAffinity() bool {
	a := i.Pod.Spec.Affinity
	return a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil)
}

// HostPort is a port of the node that a pod takes.
type HostPort struct {
	IP, Protocol string
	Port         int32
}

const anyIP = "0.0.0.0"

// Conflicts reports whether two pods with these ports cannot share a node.
func (h HostPort) Conflicts(o HostPort) bool {
	return h.Port == o.Port && h.Protocol == o.Protocol && (h.IP == o.IP || h.IP == anyIP || o.IP == anyIP)
}

// HostPorts lists the host ports of the containers that run during the pod's whole
// life (pkg/scheduler/util/utils.go, GetHostPorts).
func HostPorts(p *api.Pod) []HostPort {
	var l []HostPort
	collect := func(c *api.Container) {
		for _, port := range c.Ports {
			if port.HostPort <= 0 {
				continue
			}
			h := HostPort{port.HostIP, port.Protocol, port.HostPort}
			if h.IP == "" {
				h.IP = anyIP
			}
			if h.Protocol == "" {
				h.Protocol = "TCP"
			}
			l = append(l, h)
		}
	}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; Sidecar(c) {
			collect(c)
		}
	}
	for i := range p.Spec.Containers {
		collect(&p.Spec.Containers[i])
	}
	return l
}

// ClaimName returns the name of the claim behind a volume, "" if there is none; a
// generic ephemeral volume has a claim named after the pod.
func ClaimName(p *api.Pod, v *api.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return p.Name + "-" + v.Name
	}
	return ""
}

func claimKeys(p *api.Pod) []string {
	var l []string
	for i := range p.Spec.Volumes {
		if name := ClaimName(p, &p.Spec.Volumes[i]); name != "" && !contains(l, p.Namespace+"/"+name) {
			l = append(l, p.Namespace+"/"+name)
		}
	}
	return l
}
