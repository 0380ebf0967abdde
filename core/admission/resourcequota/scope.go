package resourcequota

import (
	"slices"

	"podwalk/core/api"
)

// inScope reports whether an object is among those that a quota counts.
func inScope(q *api.ResourceQuota, o api.Object) bool {
	for _, name := range q.Spec.Scopes {
		if !matches(api.ScopedResourceSelectorRequirement{ScopeName: name, Operator: "Exists"}, o) {
			return false
		}
	}
	if q.Spec.ScopeSelector == nil {
		return true
	}
	for _, r := range q.Spec.ScopeSelector.MatchExpressions {
		if !matches(r, o) {
			return false
		}
	}
	return true
}

func matches(r api.ScopedResourceSelectorRequirement, o api.Object) bool {
	if c, ok := o.(*api.PersistentVolumeClaim); ok && r.ScopeName == "VolumeAttributesClass" {
		name := ""
		if c.Spec.VolumeAttributesClassName != nil {
			name = *c.Spec.VolumeAttributesClassName
		}
		return chosen(r, name)
	}
	p, ok := o.(*api.Pod)
	if !ok {
		return false
	}
	switch r.ScopeName {
	case "Terminating":
		return terminating(p)
	case "NotTerminating":
		return !terminating(p)
	case "BestEffort":
		return p.Status.QOSClass == "BestEffort"
	case "NotBestEffort":
		return p.Status.QOSClass != "BestEffort"
	case "PriorityClass":
		return chosen(r, p.Spec.PriorityClassName)
	case "CrossNamespacePodAffinity":
		return crossNamespace(p.Spec.Affinity)
	}
	return false
}

// chosen compares the name of a class with a requirement.
func chosen(r api.ScopedResourceSelectorRequirement, name string) bool {
	switch r.Operator {
	case "Exists":
		return name != ""
	case "DoesNotExist":
		return name == ""
	case "In":
		return name != "" && slices.Contains(r.Values, name)
	case "NotIn":
		return !slices.Contains(r.Values, name)
	}
	return false
}

// terminating holds for pods that end by themselves after a time.
func terminating(o api.Object) bool {
	p, ok := o.(*api.Pod)
	return ok && p.Spec.ActiveDeadlineSeconds != nil && *p.Spec.ActiveDeadlineSeconds >= 0
}

func crossNamespace(a *api.Affinity) bool {
	if a == nil {
		return false
	}
	across := func(t *api.PodAffinityTerm) bool { return len(t.Namespaces) > 0 || t.NamespaceSelector != nil }
	any := func(required []api.PodAffinityTerm, preferred []api.WeightedPodAffinityTerm) bool {
		return slices.ContainsFunc(required, func(t api.PodAffinityTerm) bool { return across(&t) }) ||
			slices.ContainsFunc(preferred, func(t api.WeightedPodAffinityTerm) bool { return across(&t.PodAffinityTerm) })
	}
	if x := a.PodAffinity; x != nil && any(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution) {
		return true
	}
	x := a.PodAntiAffinity
	return x != nil && any(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution)
}
