package apiserver

import (
	"strings"

	"podwalk/core/api"
)

// preparePod is what the server adds to a new pod after admission
// (pkg/registry/core/pod/strategy.go PrepareForCreate).
func (c *call) preparePod(p *api.Pod) {
	p.Status = api.PodStatus{Phase: "Pending"}
	if len(p.Spec.SchedulingGates) > 0 {
		p.Status.Conditions = setCondition(nil, api.PodCondition{Type: "PodScheduled", Status: "False", Reason: "SchedulingGated",
			Message: "Scheduling is blocked due to non-empty scheduling gates"}, c.time())
	}
	mergeLabelKeys(p)
	podResources(&p.Spec)
	p.Status.QOSClass = qosOf(&p.Spec)
	c.syncAppArmor(p)
}

// mergeLabelKeys turns the label keys of pod affinity and topology spread into
// requirements on the labels that the pod has now.
func mergeLabelKeys(p *api.Pod) {
	if a := p.Spec.Affinity; a != nil {
		if a.PodAffinity != nil {
			mergeTerms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, p.Labels)
		}
		if a.PodAntiAffinity != nil {
			mergeTerms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, p.Labels)
		}
	}
	for i := range p.Spec.TopologySpreadConstraints {
		t := &p.Spec.TopologySpreadConstraints[i]
		mergeKeys(t.LabelSelector, t.MatchLabelKeys, "In", p.Labels)
	}
}

func mergeTerms(required []api.PodAffinityTerm, preferred []api.WeightedPodAffinityTerm, labels map[string]string) {
	for i := range preferred {
		mergeTerm(&preferred[i].PodAffinityTerm, labels)
	}
	for i := range required {
		mergeTerm(&required[i], labels)
	}
}

func mergeTerm(t *api.PodAffinityTerm, labels map[string]string) {
	mergeKeys(t.LabelSelector, t.MatchLabelKeys, "In", labels)
	mergeKeys(t.LabelSelector, t.MismatchLabelKeys, "NotIn", labels)
}

func mergeKeys(s *api.LabelSelector, keys []string, op string, labels map[string]string) {
	if s == nil {
		return
	}
	for _, k := range keys {
		if v, ok := labels[k]; ok {
			s.MatchExpressions = append(s.MatchExpressions, api.LabelSelectorRequirement{Key: k, Operator: op, Values: []string{v}})
		}
	}
}

// qosOf tells how well a pod's resources are assured
// (pkg/apis/core/helper/qos/qos.go).
func qosOf(s *api.PodSpec) string {
	if s.Resources != nil && podLevel(s.Resources) {
		return assurance(s.Resources)
	}
	class := ""
	for _, list := range [][]api.Container{s.InitContainers, s.Containers} {
		for i := range list {
			a := assurance(&list[i].Resources)
			if class != "" && a != class {
				return "Burstable"
			}
			class = a
		}
	}
	if class == "" {
		return "BestEffort"
	}
	return class
}

// podLevel reports whether resources name one that a whole pod can have.
func podLevel(r *api.ResourceRequirements) bool {
	for _, list := range []map[string]api.Quantity{r.Requests, r.Limits} {
		for name := range list {
			if isPodLevel(name) {
				return true
			}
		}
	}
	return false
}

func isPodLevel(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}

func assurance(r *api.ResourceRequirements) string {
	cpu, memory := shape(r, "cpu"), shape(r, "memory")
	if cpu != memory {
		return "Burstable"
	}
	return cpu
}

func shape(r *api.ResourceRequirements, name string) string {
	request, limit := r.Requests[name], r.Limits[name]
	switch {
	case !request.Equal(limit):
		return "Burstable"
	case request.IsZero():
		return "BestEffort"
	}
	return "Guaranteed"
}
