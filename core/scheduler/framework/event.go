package framework

import "podwalk/core/api"

// Action says what an event did to its resource. The order of the bits matters:
// an event matches a registration only if it is not greater
// (k8s.io/kube-scheduler/framework/types.go, MatchClusterEvents).
type Action uint32

// The actions.
const (
	Add Action = 1 << iota
	Delete
	UpdateNodeAllocatable
	UpdateNodeLabel
	UpdateNodeTaint
	UpdateNodeCondition
	UpdateNodeAnnotation
	UpdateNodeDeclaredFeature
	UpdateNodePreemptionPolicy
	UpdatePodLabel
	UpdatePodScaleDown
	UpdatePodScaleUp
	UpdatePodToleration
	UpdatePodSchedulingGatesEliminated
	UpdatePodGeneratedResourceClaim
	All = 1<<iota - 1

	Update = All &^ (Add | Delete)
)

// Resource is what an event is about.
type EventResource uint8

// The resources. Pod matches the three kinds of pods: AssignedPod has a node,
// TargetPod is the waiting pod itself, UnscheduledPod another waiting one.
// Everything matches any registration.
const (
	Everything EventResource = iota
	Pod
	AssignedPod
	UnscheduledPod
	TargetPod
	Node
	PersistentVolume
	PersistentVolumeClaim
	CSINode
	CSIDriver
	CSIStorageCapacity
	StorageClass
	VolumeAttachment
	ResourceClaim
	DeviceClass
)

var resourceNames = [...]string{"*", "Pod", "AssignedPod", "UnscheduledPod", "TargetPod", "Node", "PersistentVolume",
	"PersistentVolumeClaim", "CSINode", "CSIDriver", "CSIStorageCapacity", "StorageClass", "VolumeAttachment",
	"ResourceClaim", "DeviceClass"}

// Event is a change in the cluster that may make pods schedulable.
type Event struct {
	Resource EventResource
	Action   Action
}

// String returns resource and action, such as Node/Add.
func (e Event) String() string {
	names := [...]string{"Add", "Delete", "UpdateNodeAllocatable", "UpdateNodeLabel", "UpdateNodeTaint",
		"UpdateNodeCondition", "UpdateNodeAnnotation", "UpdateNodeDeclaredFeature", "UpdateNodePreemptionPolicy",
		"UpdatePodLabel", "UpdatePodScaleDown", "UpdatePodScaleUp", "UpdatePodToleration",
		"UpdatePodSchedulingGatesEliminated", "UpdatePodGeneratedResourceClaim"}
	action := "Update"
	for i, n := range names {
		if e.Action == 1<<i {
			action = n
		}
	}
	return resourceNames[e.Resource] + "/" + action
}

// Matches reports whether the registration e takes an incoming event.
func (e Event) Matches(in Event) bool {
	same := e.Resource == in.Resource ||
		e.Resource == Pod && (in.Resource == AssignedPod || in.Resource == UnscheduledPod || in.Resource == TargetPod)
	return same && e.Action&in.Action != 0 && in.Action <= e.Action
}

// Registration is an event and the plugin's hint: whether the change from old to
// new (either may be nil) may make the waiting pod schedulable. A nil Hint says yes.
type Registration struct {
	Event Event
	Hint  func(h *HintContext, p *PodInfo, old, new api.Object) bool
}

// HintContext is what a hint may read.
type HintContext struct{ Cluster *Cluster }
