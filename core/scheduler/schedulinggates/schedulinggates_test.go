package schedulinggates

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func TestAGatedPodIsToldItsGates(t *testing.T) {
	p := &api.Pod{}
	if st := (Plugin{}).PreEnqueue(&f.PodInfo{Pod: p}); !st.OK() {
		t.Errorf("without gates: %s", st.Message())
	}
	p.Spec.SchedulingGates = []api.PodSchedulingGate{{Name: "a"}, {Name: "b"}}
	if st := (Plugin{}).PreEnqueue(&f.PodInfo{Pod: p}); st.Message() != "waiting for scheduling gates: [a b]" {
		t.Errorf("%s", st.Message())
	}
}
