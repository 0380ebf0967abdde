package framework

import "podwalk/core/api"

// Tolerates reports whether one of the tolerations tolerates the taint
// (k8s.io/api/core/v1/toleration.go; the comparison operators are off by default).
func Tolerates(tolerations []api.Toleration, t *api.Taint) bool {
	for i := range tolerations {
		if tolerates(&tolerations[i], t) {
			return true
		}
	}
	return false
}

func tolerates(o *api.Toleration, t *api.Taint) bool {
	if o.Effect != "" && o.Effect != t.Effect || o.Key != "" && o.Key != t.Key {
		return false
	}
	switch o.Operator {
	case "", "Equal":
		return o.Value == t.Value
	case "Exists":
		return true
	}
	return false
}

// Untolerated returns the first taint that keeps the pod off (NoSchedule or
// NoExecute) and is not tolerated, or nil.
func Untolerated(taints []api.Taint, tolerations []api.Toleration) *api.Taint {
	for i := range taints {
		t := &taints[i]
		if (t.Effect == "NoSchedule" || t.Effect == "NoExecute") && !Tolerates(tolerations, t) {
			return t
		}
	}
	return nil
}
