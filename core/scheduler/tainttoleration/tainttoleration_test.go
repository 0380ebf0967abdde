package tainttoleration

import (
	"slices"
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func TestATaintKeepsOffPodsThatDoNotTolerateIt(t *testing.T) {
	taint := func(effect string) []api.Taint { return []api.Taint{{Key: "k", Value: "v", Effect: effect}} }
	for _, c := range []struct {
		name        string
		taints      []api.Taint
		tolerations []api.Toleration
		fits        bool
	}{
		{"no taint", nil, nil, true},
		{"NoSchedule", taint("NoSchedule"), nil, false},
		{"NoExecute", taint("NoExecute"), nil, false},
		{"PreferNoSchedule keeps nobody off", taint("PreferNoSchedule"), nil, true},
		{"equal", taint("NoSchedule"), []api.Toleration{{Key: "k", Value: "v", Effect: "NoSchedule"}}, true},
		{"another value", taint("NoSchedule"), []api.Toleration{{Key: "k", Value: "w", Effect: "NoSchedule"}}, false},
		{"another effect", taint("NoSchedule"), []api.Toleration{{Key: "k", Value: "v", Effect: "NoExecute"}}, false},
		{"any effect", taint("NoExecute"), []api.Toleration{{Key: "k", Value: "v", Operator: "Equal"}}, true},
		{"any value", taint("NoSchedule"), []api.Toleration{{Key: "k", Operator: "Exists"}}, true},
		{"everything", taint("NoExecute"), []api.Toleration{{Operator: "Exists"}}, true},
		{"the comparison operators are off by default", []api.Taint{{Key: "k", Value: "5", Effect: "NoSchedule"}},
			[]api.Toleration{{Key: "k", Value: "3", Operator: "Gt"}}, false},
	} {
		n, p := &f.NodeInfo{}, &f.PodInfo{Pod: &api.Pod{Spec: api.PodSpec{Tolerations: c.tolerations}}}
		n.SetNode(&api.Node{Spec: api.NodeSpec{Taints: c.taints}})
		if st := (Plugin{}).Filter(nil, p, n); st.OK() != c.fits {
			t.Errorf("%s: %s", c.name, st.Message())
		}
	}
}

func TestFewerUntoleratedPreferencesRankHigher(t *testing.T) {
	soft := api.Taint{Key: "a", Effect: "PreferNoSchedule"}
	other := api.Taint{Key: "b", Effect: "PreferNoSchedule"}
	p := &f.PodInfo{Pod: &api.Pod{Spec: api.PodSpec{Tolerations: []api.Toleration{{Key: "c", Operator: "Exists"}}}}}
	s := &f.State{}
	Plugin{}.PreScore(s, p, nil)
	var scores []int64
	for _, taints := range [][]api.Taint{{}, {soft}, {soft, other}, {{Key: "c", Effect: "PreferNoSchedule"}}} {
		n := &f.NodeInfo{}
		n.SetNode(&api.Node{Spec: api.NodeSpec{Taints: taints}})
		scores = append(scores, Plugin{}.Score(s, p, n))
	}
	Plugin{}.Normalize(s, p, nil, scores)
	if !slices.Equal(scores, []int64{100, 50, 0, 100}) {
		t.Errorf("%v", scores)
	}
}
