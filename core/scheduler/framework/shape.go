package framework

import "strings"

// Weighted is a resource that counts in a score.
type Weighted struct {
	Name   string
	Weight int64
}

// ShapePoint is a score at a use in percent.
type ShapePoint struct{ Use, Score int64 }

// BrokenLine is the score at a use, on the lines between the points
// (framework/plugins/helper/shape_score.go).
func BrokenLine(l []ShapePoint, use int64) int64 {
	for i := range l {
		if use > l[i].Use {
			continue
		}
		if i == 0 {
			return l[0].Score
		}
		return l[i-1].Score + (l[i].Score-l[i-1].Score)*(use-l[i-1].Use)/(l[i].Use-l[i-1].Use)
	}
	return l[len(l)-1].Score
}

// Extended reports whether a resource is an extended one: not native, not a quota.
func Extended(name string) bool {
	return strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/") && !strings.HasPrefix(name, "requests.")
}

// Use returns what a node has of a resource and what its pods take; cpuAndMemory is
// what they take of these two.
func (n *NodeInfo) Use(name string, cpuAndMemory *Resource) (capacity, used int64) {
	switch name {
	case "cpu":
		return n.Allocatable.MilliCPU, cpuAndMemory.MilliCPU
	case "memory":
		return n.Allocatable.Memory, cpuAndMemory.Memory
	case "ephemeral-storage":
		return n.Allocatable.EphemeralStorage, n.Requested.EphemeralStorage
	}
	capacity, ok := n.Allocatable.Scalar(name)
	if !ok {
		return 0, 0
	}
	used, _ = n.Requested.Scalar(name)
	return capacity, used
}

// ScoredRequest is what NodeResourcesFit ranks the pod by: it is blind to pod-level
// requests and knows defaults of CPU and memory.
func (i *PodInfo) ScoredRequest(name string) int64 {
	switch name {
	case "cpu":
		return i.Scored.MilliCPU
	case "memory":
		return i.Scored.Memory
	}
	return requests(i.Pod, nil, false)[name].Value()
}

// Request is what the pod asks for of a resource.
func (i *PodInfo) Request(name string) int64 {
	switch name {
	case "cpu":
		return i.Requests.MilliCPU
	case "memory":
		return i.Requests.Memory
	case "ephemeral-storage":
		return i.Requests.EphemeralStorage
	}
	return requests(i.Pod, nil, true)[name].Value()
}
