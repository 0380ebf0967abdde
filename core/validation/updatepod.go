package validation

import (
	"math"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// updatable is what of a pod's specification may change.
const updatable = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// podUpdate checks a new state of a pod (ValidatePodUpdate).
func (c *check) podUpdate(p, old *api.Pod) {
	same := api.Equal(&p.Spec, &old.Spec)
	if !same {
		c.asNew(p)
	}
	c.podAnnotationUpdate(p, old)
	if same || !c.sameContainers(p.Spec.Containers, old.Spec.Containers, specPath.Child("containers")) ||
		!c.sameContainers(p.Spec.InitContainers, old.Spec.InitContainers, specPath.Child("initContainers")) {
		return
	}
	if !c.deadline(p.Spec.ActiveDeadlineSeconds, old.Spec.ActiveDeadlineSeconds) {
		return
	}
	c.addedTolerations(p.Spec.Tolerations, old.Spec.Tolerations)
	c.removedGates(p.Spec.SchedulingGates, old.Spec.SchedulingGates)
	s := c.unchangeable(&p.Spec, &old.Spec)
	if !api.Equal(&s, &old.Spec) {
		c.forbidden(specPath, "pod updates may not change fields other than "+updatable+"\n"+changedSpec(old.Spec, s))
	}
}

// unchangeable is the new specification with the old values of all that may
// change.
func (c *check) unchangeable(now, old *api.PodSpec) api.PodSpec {
	s := *now
	s.Containers = withImages(s.Containers, old.Containers)
	s.InitContainers = withImages(s.InitContainers, old.InitContainers)
	s.ActiveDeadlineSeconds, s.SchedulingGates, s.Tolerations = old.ActiveDeadlineSeconds, old.SchedulingGates, old.Tolerations
	if g, was := s.TerminationGracePeriodSeconds, old.TerminationGracePeriodSeconds; was != nil && *was < 0 && g != nil && *g == 1 {
		s.TerminationGracePeriodSeconds = was
	}
	if len(old.SchedulingGates) > 0 {
		c.gated(&s, old)
	}
	return s
}

func withImages(now, old []api.Container) []api.Container {
	list := append([]api.Container(nil), now...)
	for i := range list {
		list[i].Image = old[i].Image
	}
	return list
}

// sameContainers reports whether the containers can be compared one by one.
func (c *check) sameContainers(list, old []api.Container, p *field.Path) bool {
	if len(list) != len(old) {
		c.forbidden(p, "pod updates may not add or remove containers")
		return false
	}
	for i := range list {
		image := list[i].Image
		c.filled(p.Index(i).Child("image"), image)
		if strings.TrimSpace(image) != image {
			c.invalid(p.Index(i).Child("image"), image, "must not have leading or trailing whitespace")
		}
	}
	return true
}

func (c *check) deadline(now, old *int64) bool {
	p := specPath.Child("activeDeadlineSeconds")
	switch {
	case now == nil && old != nil:
		c.invalid(p, nil, "must not update from a positive integer to nil value")
	case now == nil:
	case *now < 0 || *now > math.MaxInt32:
		c.invalid(p, *now, between(0, math.MaxInt32))
		return false
	case old != nil && *old < *now:
		c.invalid(p, *now, "must be less than or equal to previous value")
		return false
	}
	return true
}

func (c *check) addedTolerations(list, old []api.Toleration) {
	p := specPath.Child("tolerations")
	for _, was := range old {
		found := false
		for _, t := range list {
			t.TolerationSeconds = was.TolerationSeconds
			found = found || t == was
		}
		if !found {
			c.forbidden(p, "existing toleration can not be modified except its tolerationSeconds")
			return
		}
	}
	c.tolerations(list, p)
}

func (c *check) removedGates(list, old []api.PodSchedulingGate) {
	for i, g := range list {
		found := false
		for _, was := range old {
			found = found || was == g
		}
		if !found {
			c.forbidden(specPath.Child("schedulingGates").Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+g.Name+"'")
		}
	}
}

// gated lets a pod that waits for its gates be confined to fewer nodes.
func (c *check) gated(s, old *api.PodSpec) {
	for _, k := range sorted(old.NodeSelector) {
		if v, ok := s.NodeSelector[k]; !ok || v != old.NodeSelector[k] {
			c.invalid(specPath.Child("nodeSelector"), internal(s.NodeSelector), "only additions to spec.nodeSelector are allowed (no mutations or deletions)")
			break
		}
	}
	s.NodeSelector = old.NodeSelector
	now, was := nodeAffinityOf(s), nodeAffinityOf(old)
	if api.Equal(now, was) {
		return
	}
	c.narrowed(now, was)
	switch {
	case s.Affinity == nil:
		s.Affinity = old.Affinity
	case old.Affinity == nil && s.Affinity.PodAffinity == nil && s.Affinity.PodAntiAffinity == nil:
		s.Affinity = nil
	default:
		a := *s.Affinity
		a.NodeAffinity = was
		s.Affinity = &a
	}
}

func nodeAffinityOf(s *api.PodSpec) *api.NodeAffinity {
	if s.Affinity == nil {
		return nil
	}
	return s.Affinity.NodeAffinity
}

// narrowed lets node affinity only get narrower (validateNodeAffinityMutation).
func (c *check) narrowed(now, old *api.NodeAffinity) {
	if old == nil || old.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	was := old.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	var terms []api.NodeSelectorTerm
	if now != nil && now.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		terms = now.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	}
	p := specPath.Child("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
	if len(was) > 0 && len(was) != len(terms) {
		c.invalid(p, internal(terms), "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
		return
	}
	for i := range was {
		if !onlyAdded(terms[i].MatchExpressions, was[i].MatchExpressions) || !onlyAdded(terms[i].MatchFields, was[i].MatchFields) ||
			len(was[i].MatchExpressions)+len(was[i].MatchFields) == 0 && len(terms[i].MatchExpressions)+len(terms[i].MatchFields) > 0 {
			c.invalid(p.Index(i), internal(terms[i]), "only additions are allowed (no mutations or deletions)")
		}
	}
}

func onlyAdded(now, old []api.NodeSelectorRequirement) bool {
	return len(now) >= len(old) && (len(old) == 0 || api.Equal(now[:len(old)], old))
}

func (c *check) podAnnotationUpdate(p, old *api.Pod) {
	const mirror = "kubernetes.io/config.mirror"
	at := metaPath.Child("annotations")
	say := func(k, verb string) {
		if strings.HasPrefix(k, appArmor) {
			c.forbidden(at.Key(k), "may not "+verb+" AppArmor annotations")
		}
		if k == mirror {
			c.forbidden(at.Key(k), "may not "+verb+" mirror pod annotation")
		}
	}
	for _, k := range sorted(old.Annotations) {
		if v, ok := p.Annotations[k]; !ok || v != old.Annotations[k] {
			say(k, "remove or update")
		}
	}
	for _, k := range sorted(p.Annotations) {
		if _, ok := old.Annotations[k]; !ok {
			say(k, "add")
		}
	}
	c.podAnnotations(p.Annotations, &p.Spec, at)
}

// podStatus checks a new status that people write; components are trusted
// (ValidatePodStatusUpdate).
func (c *check) podStatus(o, old api.Object) {
	p, ok := o.(*api.Pod)
	if !ok {
		return
	}
	was, at := old.(*api.Pod), field.NewPath("status")
	for i, cond := range p.Status.Conditions {
		c.labelName(at.Child("conditions").Index(i).Child("type"), cond.Type)
	}
	if n := p.Status.NominatedNodeName; n != "" && n != was.Status.NominatedNodeName && was.Spec.NodeName != "" {
		c.forbidden(at.Child("nominatedNodeName"), "may not be set on pods that are already bound to a node")
	}
	fixed(c, at.Child("qosClass"), p.Status.QOSClass, was.Status.QOSClass)
}
