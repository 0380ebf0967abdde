package interpodaffinity

import (
	"slices"
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/store"
)

const zone = "zone"

// world makes a node in each zone with the pods given for it.
func world(zones []string, pods ...*api.Pod) *f.Cluster {
	k := &f.Cluster{Objects: store.New().Latest()}
	for i, z := range zones {
		n := &f.NodeInfo{Pos: i}
		o := &api.Node{}
		o.Name, o.Labels = "n"+string(rune('0'+i)), map[string]string{zone: z}
		n.SetNode(o)
		if i < len(pods) && pods[i] != nil {
			n.AddPod(f.NewPodInfo(pods[i]))
		}
		k.Nodes = append(k.Nodes, n)
	}
	all := func() []*f.NodeInfo { return k.Nodes }
	k.Affinity, k.AntiAffinity = all, all
	return k
}

func app(name string, a *api.Affinity) *api.Pod {
	p := &api.Pod{Spec: api.PodSpec{Affinity: a}}
	p.Namespace, p.Labels = "default", map[string]string{"app": name}
	return p
}

func to(name string) []api.PodAffinityTerm {
	return []api.PodAffinityTerm{{TopologyKey: zone, LabelSelector: &api.LabelSelector{MatchLabels: map[string]string{"app": name}}}}
}

func wants(name string) *api.Affinity {
	return &api.Affinity{PodAffinity: &api.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: to(name)}}
}

func avoids(name string) *api.Affinity {
	return &api.Affinity{PodAntiAffinity: &api.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: to(name)}}
}

func TestPodsAttractAndRepelWithinADomain(t *testing.T) {
	elsewhere := app("a", nil)
	elsewhere.Namespace = "other"
	for _, c := range []struct {
		name  string
		pod   *api.Pod
		zones []string
		pods  []*api.Pod
		want  []string
	}{
		{"attracted", app("b", wants("a")), []string{"x", "x", "y"}, []*api.Pod{app("a", nil)}, []string{"", "", ErrReasonAffinityRulesNotMatch}},
		{"nobody to be with", app("b", wants("a")), []string{"x"}, nil, []string{ErrReasonAffinityRulesNotMatch}},
		{"the first of a group", app("a", wants("a")), []string{"x", "y"}, nil, []string{"", ""}},
		{"the second of a group", app("a", wants("a")), []string{"x", "y"}, []*api.Pod{nil, app("a", nil)}, []string{ErrReasonAffinityRulesNotMatch, ""}},
		{"repelled", app("b", avoids("a")), []string{"x", "x", "y"}, []*api.Pod{app("a", nil)}, []string{ErrReasonAntiAffinityRulesNotMatch, ErrReasonAntiAffinityRulesNotMatch, ""}},
		{"unwanted", app("a", nil), []string{"x", "y"}, []*api.Pod{app("b", avoids("a"))}, []string{ErrReasonExistingAntiAffinityRulesNotMatch, ""}},
		{"a pod of another namespace does not count", app("b", avoids("a")), []string{"x"}, []*api.Pod{elsewhere}, []string{""}},
	} {
		s := &f.State{Cluster: world(c.zones, c.pods...)}
		p := f.NewPodInfo(c.pod)
		Plugin{}.PreFilter(s, p)
		for i, n := range s.Cluster.Nodes {
			if st := (Plugin{}).Filter(s, p, n); st.Message() != c.want[i] {
				t.Errorf("%s: node %d: %q", c.name, i, st.Message())
			}
		}
	}
}

func TestPreferencesOfBothSidesCount(t *testing.T) {
	prefers := func(weight int32, name string) *api.Affinity {
		return &api.Affinity{PodAffinity: &api.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []api.WeightedPodAffinityTerm{
			{Weight: weight, PodAffinityTerm: to(name)[0]}}}}
	}
	// x: 30 of the pod's own; y: 20 of the other's; z: 1 for a required term of the other.
	s := &f.State{Cluster: world([]string{"x", "y", "z", "w"}, app("a", nil), app("c", prefers(20, "b")), app("d", wants("b")), nil)}
	p := f.NewPodInfo(app("b", prefers(30, "a")))
	Plugin{}.PreScore(s, p, s.Cluster.Nodes)
	var scores []int64
	for _, n := range s.Cluster.Nodes {
		scores = append(scores, Plugin{}.Score(s, p, n))
	}
	if !slices.Equal(scores, []int64{30, 20, 1, 0}) {
		t.Errorf("raw %v", scores)
	}
	Plugin{}.Normalize(s, p, nil, scores)
	if !slices.Equal(scores, []int64{100, 66, 3, 0}) {
		t.Errorf("normalised %v", scores)
	}
}

func TestAPodThatComesOrGoesCounts(t *testing.T) {
	s := &f.State{Cluster: world([]string{"x"}, app("a", nil))}
	p := f.NewPodInfo(app("b", avoids("a")))
	Plugin{}.PreFilter(s, p)
	without := s.Clone()
	Plugin{}.RemovePod(without, p, f.NewPodInfo(app("a", nil)), s.Cluster.Nodes[0])
	if (Plugin{}).Filter(s, p, s.Cluster.Nodes[0]).OK() || !(Plugin{}).Filter(without, p, s.Cluster.Nodes[0]).OK() {
		t.Error("only without the pod is there room")
	}
}
