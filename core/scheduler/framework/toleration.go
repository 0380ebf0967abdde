package framework

import "podwalk/core/api"

// Untolerated returns the first taint that keeps the pod off (NoSchedule or
// NoExecute) and is not tolerated, or nil.
func Untolerated(taints []api.Taint, tolerations []api.Toleration) *api.Taint {
	for i := range taints {
		t := &taints[i]
		if (t.Effect == "NoSchedule" || t.Effect == "NoExecute") && !api.Tolerated(tolerations, t) {
			return t
		}
	}
	return nil
}
