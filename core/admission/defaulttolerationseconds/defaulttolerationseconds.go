// Package defaulttolerationseconds lets pods stay for five minutes on a node that
// is not ready or cannot be reached, unless they say otherwise
// (plugin/pkg/admission/defaulttolerationseconds).
package defaulttolerationseconds

import (
	"slices"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule DefaultTolerationSeconds.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

// Seconds is how long pods stay by default.
const Seconds = 300

var taints = [...]string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}

// Name returns DefaultTolerationSeconds.
func (Plugin) Name() string { return "DefaultTolerationSeconds" }

// Handles creations and updates of pods.
func (Plugin) Handles(a *admission.Attributes) bool {
	return a.Operation != admission.Delete && a.Pod() != nil
}

// Admit adds the tolerations that the pod has no opinion of its own about.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	pod, changed := a.Pod(), false
	given := pod.Spec.Tolerations
	for _, key := range taints {
		if tolerates(given, key) {
			continue
		}
		seconds := int64(Seconds)
		pod.Spec.Tolerations = append(slices.Clip(pod.Spec.Tolerations),
			api.Toleration{Key: key, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds})
		changed = true
	}
	return changed, nil
}

func tolerates(list []api.Toleration, key string) bool {
	for i := range list {
		t := &list[i]
		if (t.Key == key || t.Key == "") && (t.Effect == "NoExecute" || t.Effect == "") {
			return true
		}
	}
	return false
}
