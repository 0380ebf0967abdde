package nodename

import (
	"testing"

	"podwalk/core/api"
)

func TestAPodGoesToTheNodeItNamesOrToAny(t *testing.T) {
	for _, c := range []struct {
		wanted, node string
		fits         bool
	}{{"", "n1", true}, {"n1", "n1", true}, {"n2", "n1", false}} {
		if got := Fits(&api.Pod{Spec: api.PodSpec{NodeName: c.wanted}}, c.node); got != c.fits {
			t.Errorf("pod for %q on %s: %t", c.wanted, c.node, got)
		}
	}
}
