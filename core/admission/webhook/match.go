package webhook

import (
	"podwalk/core/admission"
	"podwalk/core/admission/match"
)

// concerns reports whether a hook is asked about a request (generic/webhook.go,
// ShouldCallHook).
func (h *hook) concerns(a *admission.Attributes) bool {
	if !match.Namespace(a, h.namespace) || !match.Object(a, h.object) {
		return false
	}
	for i := range h.rules {
		if match.Rule(a, &h.rules[i]) {
			return true
		}
	}
	return false
}
