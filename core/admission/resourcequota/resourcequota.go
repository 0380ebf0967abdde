// Package resourcequota refuses what is beyond the quotas of a namespace, and
// counts what is not (apiserver/pkg/admission/plugin/resourcequota).
package resourcequota

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/admission/podsum"
	"podwalk/core/api"
)

// Plugin is the rule ResourceQuota. It holds to the status of the quotas, which
// their controller writes.
type Plugin struct{}

var _ admission.Validator = Plugin{}

// Name returns ResourceQuota.
func (Plugin) Name() string { return "ResourceQuota" }

// Handles what a quota may count, in namespaces with a quota.
func (Plugin) Handles(a *admission.Attributes) bool {
	if a.Object == nil || a.Namespace == "" || a.Kind.Kind == "Event" || !counts(a) {
		return false
	}
	return len(quotas(a)) > 0
}

// counts reports whether such a request can change what is used.
func counts(a *admission.Attributes) bool {
	if a.Operation == admission.Create {
		return a.Subresource == ""
	}
	switch a.Object.(type) {
	case *api.Pod:
		return a.Subresource == "resize" || a.Subresource == "" && terminating(a.Object) != terminating(a.Old)
	case *api.Service, *api.PersistentVolumeClaim:
		return a.Subresource == ""
	}
	return false
}

func quotas(a *admission.Attributes) (list []*api.ResourceQuota) {
	a.Read.Each("ResourceQuota", a.Namespace, func(o api.Object) bool {
		list = append(list, o.(*api.ResourceQuota))
		return true
	})
	return list
}

// Validate checks the quotas in the order of their names.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	usage := Usage(a.Kind, a.Object)
	var writes []api.Object
	for _, q := range quotas(a) {
		names := matching(a.Kind, q.Status.Hard)
		if len(names) == 0 || !inScope(q, a.Object) {
			continue
		}
		if why := unspecified(names, a.Object); why != "" {
			return a.Forbidden("failed quota: " + q.Name + ": " + why)
		}
		if slices.ContainsFunc(names, func(n string) bool { _, ok := q.Status.Used[n]; return !ok }) {
			return a.Forbidden("status unknown for quota: " + q.Name + ", resources: " + strings.Join(names, ","))
		}
		used, refusal := charge(a, q, delta(a, q, usage))
		if refusal != nil {
			return refusal
		}
		if used != nil {
			writes = append(writes, used)
		}
	}
	a.Writes = append(a.Writes, writes...)
	return nil
}

// delta is what the request adds to a quota's use.
func delta(a *admission.Attributes, q *api.ResourceQuota, usage podsum.List) podsum.List {
	if a.Old == nil || !inScope(q, a.Old) {
		return usage
	}
	before, out := Usage(a.Kind, a.Old), podsum.List{}
	for n, v := range usage {
		if d := v.Sub(before[n]); d.Sign() > 0 {
			out[n] = d
		}
	}
	return out
}

// charge returns the quota with the new use, nil where nothing is added.
func charge(a *admission.Attributes, q *api.ResourceQuota, add podsum.List) (*api.ResourceQuota, *api.Status) {
	used := maps.Clone(q.Status.Used)
	var over []string
	requested := podsum.List{}
	for _, n := range slices.Sorted(maps.Keys(q.Status.Hard)) {
		v, ok := add[n]
		if !ok || v.IsZero() {
			continue
		}
		requested[n], used[n] = v, used[n].Add(v)
		if hard := q.Status.Hard[n]; used[n].Cmp(hard) > 0 {
			over = append(over, n)
		}
	}
	switch {
	case len(over) > 0:
		return nil, a.Forbidden("exceeded quota: " + q.Name + ", requested: " + print(over, requested) +
			", used: " + print(over, q.Status.Used) + ", limited: " + print(over, q.Status.Hard))
	case len(requested) == 0:
		return nil, nil
	}
	charged := *q
	charged.Status.Used = used
	return &charged, nil
}

func print(names []string, list podsum.List) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = n + "=" + list[n].String()
	}
	return strings.Join(parts, ",")
}

// unspecified tells which containers do not say what a quota counts of them.
func unspecified(names []string, o api.Object) string {
	pod, ok := o.(*api.Pod)
	if !ok || podLevel(pod.Spec.Resources) {
		return ""
	}
	var parts []string
	for _, n := range names {
		if !slices.Contains(mustSay, n) {
			continue
		}
		var silent []string
		for _, list := range [][]api.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
			for i := range list {
				r := &list[i].Resources
				if _, ok := named(r.Requests, r.Limits)[n]; !ok {
					silent = append(silent, list[i].Name)
				}
			}
		}
		if len(silent) > 0 {
			slices.Sort(silent)
			parts = append(parts, n+" for: "+strings.Join(slices.Compact(silent), ","))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "must specify " + strings.Join(parts, "; ")
}

var mustSay = []string{"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"}

func podLevel(r *api.ResourceRequirements) bool {
	return r != nil && len(r.Requests)+len(r.Limits) > 0
}
