package apiserver

import (
	"reflect"

	"podwalk/core/api"
)

// labelJob gives the pods of a Job labels of their own and makes it select them,
// unless its selector is managed by hand (pkg/registry/batch/job/strategy.go).
func (c *call) labelJob(j *api.Job) {
	if j.Spec.ManualSelector != nil && *j.Spec.ManualSelector {
		return
	}
	labels := map[string]string{"job-name": j.Name, "batch.kubernetes.io/job-name": j.Name,
		"controller-uid": j.UID, "batch.kubernetes.io/controller-uid": j.UID}
	for k, v := range j.Spec.Template.Labels {
		labels[k] = v
	}
	if len(j.Labels) > 0 && sharesMap(j.Labels, j.Spec.Template.Labels) {
		j.Labels = labels
	}
	j.Spec.Template.Labels = labels
	if j.Spec.Selector == nil {
		j.Spec.Selector = &api.LabelSelector{}
	}
	match := map[string]string{"batch.kubernetes.io/controller-uid": j.UID}
	for k, v := range j.Spec.Selector.MatchLabels {
		match[k] = v
	}
	j.Spec.Selector = &api.LabelSelector{MatchLabels: match, MatchExpressions: j.Spec.Selector.MatchExpressions}
}

// sharesMap reports whether defaulting made one map of both: a Job without labels
// keeps those of its pods, with what is added to them.
func sharesMap(a, b map[string]string) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
