package api

// Tolerates reports whether the toleration bears the taint
// (k8s.io/api/core/v1/toleration.go; the comparison operators are off by default).
func (x *Toleration) Tolerates(t *Taint) bool {
	if x.Effect != "" && x.Effect != t.Effect || x.Key != "" && x.Key != t.Key {
		return false
	}
	return x.Operator == "Exists" || (x.Operator == "" || x.Operator == "Equal") && x.Value == t.Value
}

// Tolerated reports whether one of the tolerations bears the taint.
func Tolerated(tolerations []Toleration, t *Taint) bool {
	for i := range tolerations {
		if tolerations[i].Tolerates(t) {
			return true
		}
	}
	return false
}
