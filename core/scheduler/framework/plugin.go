// Package framework is what the rules of the scheduler share: the extension
// points that a rule may fill, the summaries of nodes and pods that it reads, and
// the status it answers with. A rule is a value without state; what it keeps from
// one extension point to the next lies in the cycle's State. Nothing here writes,
// waits or knows the queue. Start reading at Plugin, Status and NodeInfo.
package framework

import "math/bits"

// ID names a plugin. The order is the default profile's
// (pkg/scheduler/apis/config/v1/default_plugins.go).
type ID uint8

// The plugins of the default profile.
const (
	SchedulingGates ID = iota
	PrioritySort
	NodeName
	NodeUnschedulable
	TaintToleration
	NodeAffinity
	NodePorts
	NodeResourcesFit
	VolumeRestrictions
	NodeVolumeLimits
	VolumeBinding
	VolumeZone
	PodTopologySpread
	InterPodAffinity
	DynamicResources
	DefaultPreemption
	NodeResourcesBalancedAllocation
	ImageLocality
	DefaultBinder
	count
)

var names = [count]string{"SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable", "TaintToleration",
	"NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding",
	"VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources", "DefaultPreemption",
	"NodeResourcesBalancedAllocation", "ImageLocality", "DefaultBinder"}

// String returns the plugin's name in a scheduler configuration.
func (id ID) String() string { return names[id] }

// IDNamed returns the plugin of that name.
func IDNamed(name string) (ID, bool) {
	for i, n := range names {
		if n == name {
			return ID(i), true
		}
	}
	return 0, false
}

// Set is a set of plugins.
type Set uint32

// With returns the set and id.
func (s Set) With(id ID) Set { return s | 1<<id }

// Without returns the set without id.
func (s Set) Without(id ID) Set { return s &^ (1 << id) }

// Has reports whether id is in the set.
func (s Set) Has(id ID) bool { return s&(1<<id) != 0 }

// Len returns how many plugins are in the set.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }

// Names returns the names of the plugins, sorted.
func (s Set) Names() []string {
	var l []string
	for _, id := range byName {
		if s.Has(id) {
			l = append(l, id.String())
		}
	}
	return l
}

// byName holds the IDs ordered by name.
var byName = func() [count]ID {
	var l [count]ID
	for i := range l {
		l[i] = ID(i)
		for j := i; j > 0 && names[l[j]] < names[l[j-1]]; j-- {
			l[j], l[j-1] = l[j-1], l[j]
		}
	}
	return l
}()

// MaxNodeScore is the highest score of a plugin for a node.
const MaxNodeScore int64 = 100

// Plugin is one rule. It also implements at least one of the interfaces below.
type Plugin interface {
	ID() ID
}

// PreEnqueuePlugin may hold a pod back before it enters the queue.
type PreEnqueuePlugin interface {
	Plugin
	PreEnqueue(p *PodInfo) *Status
}

// PreFilterPlugin looks at the pod once, before the nodes. It may skip its Filter,
// reject the pod, or restrict the nodes to a list.
type PreFilterPlugin interface {
	Plugin
	PreFilter(s *State, p *PodInfo) (*NodeNames, *Status)
}

// PreFilterExtensions keep what PreFilter wrote right when a pod is assumed to
// come to or go from a node. State.Clone copies it before.
type PreFilterExtensions interface {
	AddPod(s *State, p, added *PodInfo, n *NodeInfo)
	RemovePod(s *State, p, removed *PodInfo, n *NodeInfo)
}

// FilterPlugin says whether the pod may go to the node: nil or a rejection.
type FilterPlugin interface {
	Plugin
	Filter(s *State, p *PodInfo, n *NodeInfo) *Status
}

// PreScorePlugin looks at the pod and the feasible nodes once. It may skip its Score.
type PreScorePlugin interface {
	Plugin
	PreScore(s *State, p *PodInfo, nodes []*NodeInfo) *Status
}

// ScorePlugin ranks a feasible node; the raw score has any range if the plugin
// normalises, else it is from 0 to MaxNodeScore.
type ScorePlugin interface {
	Plugin
	Score(s *State, p *PodInfo, n *NodeInfo) int64
}

// NormalizePlugin brings the raw scores of all nodes into 0 to MaxNodeScore.
type NormalizePlugin interface {
	Normalize(s *State, p *PodInfo, nodes []*NodeInfo, scores []int64)
}

// PostFilterPlugin is asked when no node is feasible. It may find a node on which
// evicting pods would help.
type PostFilterPlugin interface {
	Plugin
	PostFilter(s *State, p *PodInfo, d *Diagnosis, r Runner) (*Preemption, *Status)
}

// Runner lets a PostFilterPlugin try a pod on a changed node.
type Runner interface {
	// Filter runs all filters, with the pods nominated to the node counted in.
	Filter(s *State, p *PodInfo, n *NodeInfo) *Status
	AddPod(s *State, p, added *PodInfo, n *NodeInfo)
	RemovePod(s *State, p, removed *PodInfo, n *NodeInfo)
	// Random returns the n-th value of the plugin's stream for the pod.
	Random(p *PodInfo, n uint64) uint64
}

// Preemption is the outcome of a PostFilterPlugin. The scheduler carries it out.
type Preemption struct {
	Node    string // to nominate; "" takes an earlier nomination back
	Victims []*PodInfo
	Search  []Candidate
}

// Candidate is a node that a preemption looked at.
type Candidate struct {
	Node       string
	Victims    []*PodInfo
	Violations int    // victims that a PodDisruptionBudget protects
	No         string // why it is no candidate
}

// ReservePlugin keeps something for the pod in the scheduler's mind once a node is chosen.
type ReservePlugin interface {
	Plugin
	Reserve(s *State, p *PodInfo, node string, r Reservation)
}

// Reservation is where a ReservePlugin writes. The scheduler takes everything back
// when the pod's binding fails.
type Reservation interface {
	// BindVolume assumes that the claim (namespace/name) is bound to the volume.
	BindVolume(claim, volume string)
	// Provision assumes that the claim is to be provisioned for the node.
	Provision(claim, node string)
}

// EnqueuePlugin names the events that may make a pod schedulable which the plugin
// has rejected.
type EnqueuePlugin interface {
	Plugin
	Events() []Registration
}

// NodeNames is a list of nodes that a PreFilterPlugin allows; nil allows all.
type NodeNames struct{ Names []string }

// Intersect returns the names in both, in the order of n.
func (n *NodeNames) Intersect(o *NodeNames) *NodeNames {
	if n == nil || o == nil {
		if n == nil {
			return o
		}
		return n
	}
	r := &NodeNames{}
	for _, a := range n.Names {
		if contains(o.Names, a) && !contains(r.Names, a) {
			r.Names = append(r.Names, a)
		}
	}
	return r
}

func contains(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}

// Normalize scales scores from 0..max to 0..MaxNodeScore, and turns them round if
// reverse (pkg/scheduler/framework/plugins/helper/normalize_score.go).
func Normalize(reverse bool, scores []int64) {
	var most int64
	for _, s := range scores {
		most = max(most, s)
	}
	for i, s := range scores {
		if most != 0 {
			s = MaxNodeScore * s / most
		}
		if reverse {
			s = MaxNodeScore - s
		}
		scores[i] = s
	}
}
