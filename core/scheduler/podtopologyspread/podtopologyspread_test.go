package podtopologyspread

import (
	"slices"
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/store"
)

const zone = "topology.kubernetes.io/zone"

// cluster makes nodes with a number of pods labelled app=web each.
func cluster(zones []string, pods []int) *f.Cluster {
	k := &f.Cluster{Objects: store.New().Latest()}
	for i, z := range zones {
		n := &f.NodeInfo{Pos: i}
		o := &api.Node{}
		o.Name, o.Labels = z+string(rune('0'+i)), map[string]string{hostname: z + string(rune('0'+i))}
		if z != "" {
			o.Labels[zone] = z
		}
		n.SetNode(o)
		for range pods[i] {
			n.AddPod(f.NewPodInfo(web()))
		}
		k.Nodes = append(k.Nodes, n)
	}
	return k
}

func web(c ...api.TopologySpreadConstraint) *api.Pod {
	p := &api.Pod{Spec: api.PodSpec{TopologySpreadConstraints: c}}
	p.Namespace, p.Labels = "default", map[string]string{"app": "web", "version": "2"}
	return p
}

func spread(skew int32, key, unsatisfiable string) api.TopologySpreadConstraint {
	return api.TopologySpreadConstraint{MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: unsatisfiable,
		LabelSelector: &api.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
}

func TestADomainAheadOfTheEmptiestByMoreThanTheSkewIsFull(t *testing.T) {
	three, versions := int32(3), spread(1, zone, hard)
	versions.MatchLabelKeys = []string{"version"}
	minDomains := spread(1, zone, hard)
	minDomains.MinDomains = &three
	for _, c := range []struct {
		name  string
		pod   *api.Pod
		zones []string
		pods  []int
		fits  []bool
	}{
		{"one ahead", web(spread(1, zone, hard)), []string{"a", "b"}, []int{1, 0}, []bool{false, true}},
		{"skew 2", web(spread(2, zone, hard)), []string{"a", "b"}, []int{1, 0}, []bool{true, true}},
		{"two nodes of one zone count together", web(spread(1, zone, hard)), []string{"a", "a", "b"}, []int{1, 0, 1}, []bool{true, true, true}},
		{"a node without the label", web(spread(1, zone, hard)), []string{"a", ""}, []int{0, 0}, []bool{true, false}},
		{"fewer domains than wanted count as an empty one", web(minDomains), []string{"a", "b"}, []int{1, 1}, []bool{false, false}},
		{"hostname", web(spread(1, hostname, hard)), []string{"a", "a"}, []int{1, 0}, []bool{false, true}},
		{"matchLabelKeys narrow the selector", web(versions), []string{"a", "b"}, []int{1, 0}, []bool{false, true}},
	} {
		s := &f.State{Cluster: cluster(c.zones, c.pods)}
		p := f.NewPodInfo(c.pod)
		Plugin{}.PreFilter(s, p)
		for i, n := range s.Cluster.Nodes {
			if st := (Plugin{}).Filter(s, p, n); st.OK() != c.fits[i] {
				t.Errorf("%s: node %d: %v", c.name, i, st)
			}
		}
	}
}

func TestAPodThatComesOrGoesChangesTheCounts(t *testing.T) {
	s := &f.State{Cluster: cluster([]string{"a", "b"}, []int{1, 0})}
	p := f.NewPodInfo(web(spread(1, zone, hard)))
	Plugin{}.PreFilter(s, p)
	a, b := s.Cluster.Nodes[0], s.Cluster.Nodes[1]
	with := s.Clone()
	Plugin{}.AddPod(with, p, f.NewPodInfo(web()), b)
	if (Plugin{}).Filter(s, p, a).OK() || !(Plugin{}).Filter(with, p, a).OK() {
		t.Error("a pod in b must make room in a, in the clone only")
	}
	Plugin{}.RemovePod(with, p, f.NewPodInfo(web()), b)
	if (Plugin{}).Filter(with, p, a).OK() {
		t.Error("a pod that leaves b must take the room in a")
	}
}

func TestTheEmptierZoneRanksHigher(t *testing.T) {
	s := &f.State{Cluster: cluster([]string{"a", "b", ""}, []int{3, 1, 0})}
	p := f.NewPodInfo(web(spread(1, zone, soft)))
	Plugin{}.PreScore(s, p, s.Cluster.Nodes)
	var scores []int64
	for _, n := range s.Cluster.Nodes {
		scores = append(scores, Plugin{}.Score(s, p, n))
	}
	// round(3*ln 4) = 4 and round(1*ln 4) = 1; 100*(4+1-4)/4 and 100*(4+1-1)/4.
	Plugin{}.Normalize(s, p, s.Cluster.Nodes, scores)
	if !slices.Equal(scores, []int64{25, 100, 0}) {
		t.Errorf("%v", scores)
	}
}

func TestThePodsOfAServiceSpreadByDefault(t *testing.T) {
	st := store.New()
	svc := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	svc.Name, svc.Namespace, svc.Spec.Selector = "web", "default", map[string]string{"app": "web"}
	p := web()
	if l, _ := (Plugin{}).of(p, soft, st.Latest()); l != nil {
		t.Errorf("without a Service: %v", l)
	}
	if _, err := st.Put(svc, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	l, _ := Plugin{}.of(p, soft, st.Latest())
	if len(l) != 2 || l[0].key != hostname || l[0].maxSkew != 3 || l[1].key != zone || l[1].maxSkew != 5 || !l[0].selector.Matches(p.Labels) {
		t.Errorf("%+v", l)
	}
}
