// Package podsecurity holds pods to the Pod Security Standards that the labels of
// their namespace choose: it refuses, or warns
// (k8s.io/pod-security-admission).
package podsecurity

import (
	"sort"
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule PodSecurity.
type Plugin struct{}

var _ admission.Validator = Plugin{}

// Name returns PodSecurity.
func (Plugin) Name() string { return "PodSecurity" }

// Handles pods and what makes pods, in namespaces with a policy, and namespaces.
func (Plugin) Handles(a *admission.Attributes) bool {
	if a.Object == nil {
		return false
	}
	if _, ok := a.Object.(*api.Namespace); ok {
		return a.Subresource == ""
	}
	if spec, _ := podOf(a.Object); spec == nil || !relevant(a) {
		return false
	}
	p, errs := policyOf(labelsOf(a))
	return len(errs) > 0 || p != (policy{})
}

// relevant leaves out subresources by which no container comes.
func relevant(a *admission.Attributes) bool {
	if a.Subresource == "" {
		return true
	}
	_, pod := a.Object.(*api.Pod)
	return pod && (a.Subresource == "ephemeralcontainers" || a.Subresource == "resize")
}

func labelsOf(a *admission.Attributes) map[string]string {
	if ns := a.Read.Get("Namespace", "", a.Namespace); ns != nil {
		return ns.Meta().Labels
	}
	return nil
}

// podOf returns the specification of a pod, or of the pods that an object makes.
func podOf(o api.Object) (*api.PodSpec, *api.ObjectMeta) {
	switch x := o.(type) {
	case *api.Pod:
		return &x.Spec, &x.ObjectMeta
	case *api.Deployment:
		return ofTemplate(&x.Spec.Template)
	case *api.ReplicaSet:
		return ofTemplate(&x.Spec.Template)
	case *api.StatefulSet:
		return ofTemplate(&x.Spec.Template)
	case *api.DaemonSet:
		return ofTemplate(&x.Spec.Template)
	case *api.Job:
		return ofTemplate(&x.Spec.Template)
	case *api.CronJob:
		return ofTemplate(&x.Spec.JobTemplate.Spec.Template)
	case *api.PodTemplate:
		return ofTemplate(&x.Template)
	case *api.ReplicationController:
		if x.Spec.Template != nil {
			return ofTemplate(x.Spec.Template)
		}
	}
	return nil, nil
}

func ofTemplate(t *api.PodTemplateSpec) (*api.PodSpec, *api.ObjectMeta) {
	return &t.Spec, &t.ObjectMeta
}

// Validate refuses pods beyond the enforced level and warns of those beyond the
// warned one. What makes pods is only warned of.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	if ns, ok := a.Object.(*api.Namespace); ok {
		return namespace(a, ns)
	}
	pod, isPod := a.Object.(*api.Pod)
	if old, ok := a.Old.(*api.Pod); ok && isPod && !significant(&pod.Spec, &old.Spec) {
		return nil
	}
	p, _ := policyOf(labelsOf(a))
	spec, meta := podOf(a.Object)
	if isPod {
		if bad := evaluate(p.enforce, meta, spec); len(bad) > 0 {
			return a.Forbidden("violates PodSecurity " + strconv.Quote(p.enforce.String()) + ": " + details(bad))
		}
	}
	if bad := evaluate(p.warn, meta, spec); len(bad) > 0 {
		a.Warn("would violate PodSecurity " + strconv.Quote(p.warn.String()) + ": " + details(bad))
	}
	return nil
}

// significant holds for updates that bring other containers or images.
func significant(s, old *api.PodSpec) bool {
	if len(s.Containers) != len(old.Containers) || len(s.InitContainers) != len(old.InitContainers) {
		return true
	}
	for i := range s.Containers {
		if s.Containers[i].Image != old.Containers[i].Image {
			return true
		}
	}
	for i := range s.InitContainers {
		if s.InitContainers[i].Image != old.InitContainers[i].Image {
			return true
		}
	}
	images := map[string]string{}
	for i := range old.EphemeralContainers {
		images[old.EphemeralContainers[i].Name] = old.EphemeralContainers[i].Image
	}
	for i := range s.EphemeralContainers {
		if image, ok := images[s.EphemeralContainers[i].Name]; !ok || image != s.EphemeralContainers[i].Image {
			return true
		}
	}
	return false
}

// namespace checks the labels, and warns of pods that a stricter level would have
// refused.
func namespace(a *admission.Attributes, ns *api.Namespace) *api.Status {
	now, errs := policyOf(ns.Labels)
	if a.Old == nil {
		return invalid(a, errs)
	}
	old, oldErrs := policyOf(a.Old.Meta().Labels)
	if len(errs) > 0 && !api.Equal(errs, oldErrs) {
		return invalid(a, errs)
	}
	same := now.enforce.version == old.enforce.version && now.enforce.level <= old.enforce.level
	if now.enforce.level == privileged || now.enforce == old.enforce || same {
		return nil
	}
	warnOfPods(a, ns.Name, now.enforce)
	return nil
}

// podsChecked is how many pods are looked at when a namespace gets stricter.
const podsChecked = 3000

func warnOfPods(a *admission.Attributes, namespace string, lv levelVersion) {
	type found struct {
		first string
		n     int
	}
	byReason, checked, total := map[string]*found{}, 0, 0
	a.Read.Each("Pod", namespace, func(o api.Object) bool {
		pod := o.(*api.Pod)
		if total++; checked == podsChecked {
			return true
		}
		checked++
		bad := evaluate(lv, &pod.ObjectMeta, &pod.Spec)
		if len(bad) == 0 {
			return true
		}
		why := reasons(bad)
		if byReason[why] == nil {
			byReason[why] = &found{first: pod.Name}
		}
		byReason[why].first = min(byReason[why].first, pod.Name)
		byReason[why].n++
		return true
	})
	if checked < total {
		a.Warn("new PodSecurity enforce level only checked against the first " + strconv.Itoa(checked) + " of " + strconv.Itoa(total) + " existing pods")
	}
	if len(byReason) > 0 {
		a.Warn("existing pods in namespace " + strconv.Quote(namespace) + " violate the new PodSecurity enforce level " + strconv.Quote(lv.String()))
	}
	var lines []string
	for why, f := range byReason {
		lines = append(lines, f.first+others(f.n-1)+": "+why)
	}
	sort.Strings(lines)
	a.Warnings = append(a.Warnings, lines...)
}

func others(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (and 1 other pod)"
	}
	return " (and " + strconv.Itoa(n) + " other pods)"
}
