package apiserver

import (
	"slices"

	"podwalk/core/api"
)

// mergeStatus puts the status of given into obj, a shallow copy of old. It reports
// whether the kind has a status.
func mergeStatus(obj, given, old api.Object, now api.Time) bool {
	if p, ok := obj.(*api.Pod); ok {
		g, isPod := given.(*api.Pod)
		if isPod {
			mergePodStatus(p, g, old.(*api.Pod))
		}
		return isPod
	}
	if _, ok := obj.(*api.Node); ok {
		obj.Meta().Labels, obj.Meta().Annotations = given.Meta().Labels, given.Meta().Annotations
	}
	if _, ok := obj.(*api.Deployment); ok {
		obj.Meta().Annotations = given.Meta().Annotations // its controller writes the revision with the status
	}
	to, from := part(obj, "Status"), part(given, "Status")
	if !to.IsValid() || !from.IsValid() || to.Type() != from.Type() {
		return false
	}
	to.Set(from)
	if v, ok := obj.(*api.PersistentVolume); ok {
		was := old.(*api.PersistentVolume)
		if v.Status.Phase != was.Status.Phase && api.Equal(v.Status.LastPhaseTransitionTime, was.Status.LastPhaseTransitionTime) {
			v.Status.LastPhaseTransitionTime = &now
		}
	}
	return true
}

// mergePodStatus is what an update of pods/status may change
// (pkg/registry/core/pod/strategy.go podStatusStrategy).
func mergePodStatus(p, given, old *api.Pod) {
	p.Status = given.Status
	if given.Labels != nil {
		p.Labels = given.Labels
	}
	if given.Annotations != nil {
		p.Annotations = given.Annotations
	}
	if p.Status.QOSClass == "" {
		p.Status.QOSClass = old.Status.QOSClass
	}
	if p.Status.ResourceClaimStatuses == nil {
		p.Status.ResourceClaimStatuses = old.Status.ResourceClaimStatuses
	}
	keepGenerations(&p.Status, &old.Status)
}

// keepGenerations keeps the observedGeneration of what a writer cleared.
func keepGenerations(s, old *api.PodStatus) {
	if s.ObservedGeneration == 0 {
		s.ObservedGeneration = old.ObservedGeneration
	}
	for i := range s.Conditions {
		if s.Conditions[i].ObservedGeneration != 0 {
			continue
		}
		if was := condition(old, s.Conditions[i].Type); was != nil && was.ObservedGeneration != 0 {
			s.Conditions = slices.Clone(s.Conditions)
			s.Conditions[i].ObservedGeneration = was.ObservedGeneration
		}
	}
}

func condition(s *api.PodStatus, kind string) *api.PodCondition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == kind {
			return &s.Conditions[i]
		}
	}
	return nil
}

// setCondition returns conditions with one set; its transition time moves only
// when its status does (pkg/api/v1/pod UpdatePodCondition).
func setCondition(list []api.PodCondition, new api.PodCondition, now api.Time) []api.PodCondition {
	new.LastTransitionTime = now
	list = slices.Clone(list)
	for i := range list {
		if list[i].Type == new.Type {
			if list[i].Status == new.Status {
				new.LastTransitionTime = list[i].LastTransitionTime
			}
			list[i] = new
			return list
		}
	}
	return append(list, new)
}
