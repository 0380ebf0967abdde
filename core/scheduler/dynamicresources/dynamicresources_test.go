package dynamicresources

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func TestAPodWithResourceClaimsIsToldThatTheyAreNotSimulated(t *testing.T) {
	p := &api.Pod{Spec: api.PodSpec{ResourceClaims: []api.PodResourceClaim{{Name: "gpu"}, {Name: "nic"}}}}
	if st := (Plugin{}).PreEnqueue(&f.PodInfo{Pod: p}); st.Message() != "resource claims are not simulated: gpu, nic" {
		t.Error(st.Message())
	}
	if st := (Plugin{}).PreEnqueue(&f.PodInfo{Pod: &api.Pod{}}); !st.OK() {
		t.Error(st.Message())
	}
}

// The real message of a pod whose claim is missing ends in ". not found", because
// another plugin has ended the PreFilters.
func TestItHasFoundNothingIfItWasNotAsked(t *testing.T) {
	s := &f.State{}
	if _, st := (Plugin{}).PostFilter(s, nil, nil, nil); st.Message() != "not found" || st.Rejected() {
		t.Errorf("%+v", st)
	}
	Plugin{}.PreFilter(s, nil)
	if _, st := (Plugin{}).PostFilter(s, nil, nil, nil); st.Message() != "" || !st.Rejected() {
		t.Errorf("%+v", st)
	}
}
