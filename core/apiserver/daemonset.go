package apiserver

import (
	"strconv"

	"podwalk/core/api"
)

// templateKey holds how often a DaemonSet's template changed. It is a field of the
// server's internal type (pkg/apis/apps/v1/conversion.go).
const templateKey = "deprecated.daemonset.template.generation"

func templateGeneration(d *api.DaemonSet) int64 {
	n, _ := strconv.ParseInt(d.Annotations[templateKey], 10, 64)
	return n
}

func setTemplateGeneration(d *api.DaemonSet, n int64) {
	all := map[string]string{templateKey: strconv.FormatInt(n, 10)}
	for k, v := range d.Annotations {
		if k != templateKey {
			all[k] = v
		}
	}
	d.Annotations = all
}
