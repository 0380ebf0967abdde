package volumebinding

import (
	"reflect"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// Events names whatever may bind a claim, make a volume or bring a node in reach.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.StorageClass, Action: f.Add | f.Update}, Hint: afterClass},
		{Event: f.Event{Resource: f.PersistentVolumeClaim, Action: f.Add | f.Update}, Hint: afterClaim},
		{Event: f.Event{Resource: f.PersistentVolume, Action: f.Add | f.Update}},
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeLabel}},
		{Event: f.Event{Resource: f.CSINode, Action: f.Add | f.Update}, Hint: afterCSINode},
	}
}

func afterClass(_ *f.HintContext, _ *f.PodInfo, old, new api.Object) bool {
	was, ok := old.(*api.StorageClass)
	return !ok || !reflect.DeepEqual(was.AllowedTopologies, new.(*api.StorageClass).AllowedTopologies)
}

func afterClaim(_ *f.HintContext, p *f.PodInfo, _, new api.Object) bool {
	return f.Uses(p.Pod, new.(*api.PersistentVolumeClaim), true)
}

func afterCSINode(_ *f.HintContext, _ *f.PodInfo, old, new api.Object) bool {
	const migrated = "storage.alpha.kubernetes.io/migrated-plugins"
	return old == nil || old.Meta().Annotations[migrated] != new.Meta().Annotations[migrated]
}
