package admission

import "podwalk/core/api"

// Newest returns the name of the default object of a cluster-scoped kind: of those
// that an annotation marks, the youngest, by name among equals; "" if there is
// none.
func Newest(a *Attributes, kind string, annotations ...string) string {
	var best *api.ObjectMeta
	a.Read.Each(kind, "", func(o api.Object) bool {
		m := o.Meta()
		for _, k := range annotations {
			if m.Annotations[k] == "true" && (best == nil || m.CreationTimestamp > best.CreationTimestamp) {
				best = m
			}
		}
		return true
	})
	if best == nil {
		return ""
	}
	return best.Name
}
