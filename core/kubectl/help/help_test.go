package help

import "testing"

func TestEveryTextEndsWithALineAndHoldsNoOther(t *testing.T) {
	for command, first := range map[string]string{
		"": "kubectl controls", "options": "The following", "set": "Configure", "set image": "Update existing",
		"config": "Modify kubeconfig", "rollout": "Manage the rollout", "auth": "Inspect", "create service": "Create a service",
	} {
		text, ok := Of(command)
		if !ok || len(text) < 100 || text[:len(first)] != first || text[len(text)-1] != '\n' {
			t.Errorf("%q: %v %.60q", command, ok, text)
		}
	}
	if _, ok := Of("bogus"); ok {
		t.Error("there is a text of bogus")
	}
}
