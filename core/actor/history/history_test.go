package history

import (
	"testing"

	"podwalk/core/api"
	"podwalk/core/apiserver/defaulting"
)

// The names are those that a real control plane gave to revisions of this
// StatefulSet (the oracle's controllers/statefulset and statefulset-update).
func TestRevisionsHaveTheRealNames(t *testing.T) {
	zero, grace := int32(0), int64(1)
	for image, want := range map[string]string{"nginx:1.27": "5b8cfb9c94", "nginx:1.28": "5c5dc9b86f"} {
		set := &api.StatefulSet{TypeMeta: api.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"}}
		set.Spec.Template.Labels = map[string]string{"app": "db"}
		set.Spec.Template.Spec = api.PodSpec{TerminationGracePeriodSeconds: &grace, Containers: []api.Container{{Name: "app", Image: image}}}
		defaulting.Default(set)
		data := Data(&set.Spec.Template)
		if got := Hash(data, &zero); got != want {
			t.Errorf("%s: %s, want %s\n%s", image, got, want, data)
		}
		back, ok := Template(data)
		if !ok || !api.Equal(back, &set.Spec.Template) {
			t.Errorf("%s does not come back: %+v", data, back)
		}
	}
}
