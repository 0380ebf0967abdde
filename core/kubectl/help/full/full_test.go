package full

import (
	"testing"

	"podwalk/core/kubectl/help"
)

func TestEveryCommandOfTheProgramHasItsHelp(t *testing.T) {
	for _, command := range append(help.Commands(), "create deployment", "rollout undo", "auth can-i", "config view") {
		if _, ok := help.Of(command); !ok {
			t.Errorf("no help of %q", command)
		}
	}
}
