package nodeunschedulable

import (
	"testing"

	"podwalk/core/api"
)

func TestACordonedNodeTakesOnlyPodsThatTolerateTheCordon(t *testing.T) {
	tolerant := []api.Toleration{{Key: "node.kubernetes.io/unschedulable", Operator: "Exists", Effect: "NoSchedule"}}
	other := []api.Toleration{{Key: "node.kubernetes.io/unschedulable", Operator: "Exists", Effect: "NoExecute"}}
	for _, c := range []struct {
		cordoned    bool
		tolerations []api.Toleration
		fits        bool
	}{{false, nil, true}, {true, nil, false}, {true, tolerant, true}, {true, other, false}} {
		if got := Fits(c.cordoned, c.tolerations); got != c.fits {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

func TestOnlyUncordoningMayHelp(t *testing.T) {
	open, closed := &api.Node{}, &api.Node{Spec: api.NodeSpec{Unschedulable: true}}
	for _, c := range []struct {
		old, new api.Object
		helps    bool
	}{{nil, open, true}, {nil, closed, false}, {closed, open, true}, {open, open, false}, {open, closed, false}} {
		if got := afterNode(nil, nil, c.old, c.new); got != c.helps {
			t.Errorf("%v -> %v: %t", c.old, c.new, got)
		}
	}
}
