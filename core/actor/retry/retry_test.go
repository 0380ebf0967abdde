package retry

import (
	"testing"

	"podwalk/core/sim"
)

// The numbers follow from 5 ms doubled 18 times passing 1000 s
// (client-go/util/workqueue/default_rate_limiters.go).
func TestAWaitDoublesUpToAThousandSeconds(t *testing.T) {
	var q Queue
	want := []sim.Time{5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 40960, 81920, 163840, 327680, 655360, 1000000, 1000000}
	for i, w := range want {
		if got := q.After("a"); got != w*sim.Millisecond {
			t.Errorf("failure %d waits %v, want %v", i+1, got, w*sim.Millisecond)
		}
	}
	if q.Failures("a") != len(want) || q.After("b") != 5*sim.Millisecond {
		t.Error("keys are not counted apart")
	}
}

func TestAForgottenKeyStartsAgainAndClonesCountAlone(t *testing.T) {
	var q Queue
	q.After("a")
	c := q.Clone()
	q.Forget("a")
	if got := q.After("a"); got != 5*sim.Millisecond {
		t.Errorf("after Forget it waits %v", got)
	}
	if got := c.After("a"); got != 10*sim.Millisecond {
		t.Errorf("the clone waits %v", got)
	}
}
