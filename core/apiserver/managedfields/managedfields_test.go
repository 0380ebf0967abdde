package managedfields

import (
	"testing"

	"podwalk/core/api"
)

func object(image, label string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"a": label}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": image}}},
	}
}

// The wording is that of the real server; who owns what follows from the rules of
// server-side apply: who changes a field takes it, who applies it shares it.
func TestAnApplyConflictsWithWhoChangedTheFieldLast(t *testing.T) {
	k := api.KindNamed("Pod")
	csa := Manager{Name: "kubectl-client-side-apply", Version: "v1"}
	edit := Manager{Name: "kubectl-edit", Version: "v1"}
	mine := Manager{Name: "other", Version: "v1", Apply: true}
	owned := Owners(k, []Write{{By: csa, Object: object("a", "1")}, {By: edit, Object: object("a", "2")}})
	live := Fields(object("a", "2"), k)
	for _, c := range []struct {
		image, label, want string
	}{
		{"a", "2", ""},
		{"b", "2", `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .spec.containers[name="app"].image`},
		{"b", "3", "Apply failed with 2 conflicts: conflicts with \"kubectl-client-side-apply\" using v1:\n- .spec.containers[name=\"app\"].image\n" +
			"conflicts with \"kubectl-edit\" using v1:\n- .metadata.labels.a"},
	} {
		list := owned.Conflicts(mine, Fields(object(c.image, c.label), k), live)
		got := ""
		if list != nil {
			got = Message(list)
		}
		if got != c.want {
			t.Errorf("image %s label %s:\n got %q\nwant %q", c.image, c.label, got, c.want)
		}
	}
}

func TestWhatIsAppliedNoMoreIsLeftUnlessAnotherOwnsIt(t *testing.T) {
	k := api.KindNamed("Pod")
	a, b := Manager{Name: "a", Apply: true}, Manager{Name: "b", Apply: true}
	full := Fields(object("x", "1"), k)
	owned := Owners(k, []Write{{By: a, Applied: full, Object: object("x", "1")}, {By: b, Applied: map[string]string{".metadata.labels.a": `"1"`}}})
	left := owned.Left(a, map[string]string{})
	if len(left) != 2 || left[0] != `.spec.containers[name="app"].image` || left[1] != `.spec.containers[name="app"].name` {
		t.Errorf("%q", left)
	}
}
