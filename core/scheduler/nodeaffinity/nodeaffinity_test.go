package nodeaffinity

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func selecting(selector map[string]string, terms ...api.NodeSelectorTerm) *api.Pod {
	p := &api.Pod{Spec: api.PodSpec{NodeSelector: selector}}
	if terms != nil {
		p.Spec.Affinity = &api.Affinity{NodeAffinity: &api.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &api.NodeSelector{NodeSelectorTerms: terms}}}
	}
	return p
}

func expr(key, op string, values ...string) api.NodeSelectorTerm {
	return api.NodeSelectorTerm{MatchExpressions: []api.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}}
}

func field(op string, values ...string) api.NodeSelectorTerm {
	return api.NodeSelectorTerm{MatchFields: []api.NodeSelectorRequirement{{Key: "metadata.name", Operator: op, Values: values}}}
}

func TestAPodGoesWhereItsSelectorAndAffinityMatch(t *testing.T) {
	n := &f.NodeInfo{}
	o := &api.Node{}
	o.Name, o.Labels = "n1", map[string]string{"disk": "ssd", "gen": "4"}
	n.SetNode(o)
	for _, c := range []struct {
		name string
		pod  *api.Pod
		fits bool
	}{
		{"nothing asked", selecting(nil), true},
		{"selector", selecting(map[string]string{"disk": "ssd"}), true},
		{"selector with another value", selecting(map[string]string{"disk": "hdd"}), false},
		{"In", selecting(nil, expr("disk", "In", "hdd", "ssd")), true},
		{"NotIn an absent label", selecting(nil, expr("none", "NotIn", "x")), true},
		{"Exists", selecting(nil, expr("none", "Exists")), false},
		{"DoesNotExist", selecting(nil, expr("none", "DoesNotExist")), true},
		{"Gt", selecting(nil, expr("gen", "Gt", "3")), true},
		{"Lt", selecting(nil, expr("gen", "Lt", "4")), false},
		{"Gt a word matches nothing", selecting(nil, expr("gen", "Gt", "three")), false},
		{"one of two terms", selecting(nil, expr("disk", "In", "hdd"), expr("disk", "In", "ssd")), true},
		{"an empty term matches nothing", selecting(nil, api.NodeSelectorTerm{}), false},
		{"field", selecting(nil, field("In", "n1")), true},
		{"field of another node", selecting(nil, field("NotIn", "n1")), false},
		{"selector and affinity", selecting(map[string]string{"disk": "hdd"}, expr("gen", "Exists")), false},
	} {
		if st := (Plugin{}).Filter(nil, f.NewPodInfo(c.pod), n); st.OK() != c.fits {
			t.Errorf("%s: %s", c.name, st.Message())
		}
	}
}

func TestTheNodesAreRestrictedOnlyIfEachTermNamesSome(t *testing.T) {
	both := field("In", "a")
	both.MatchFields = append(both.MatchFields, api.NodeSelectorRequirement{Key: "metadata.name", Operator: "In", Values: []string{"b"}})
	for _, c := range []struct {
		name  string
		terms []api.NodeSelectorTerm
		names int // -1: no restriction
	}{
		{"no terms", nil, -1},
		{"two names", []api.NodeSelectorTerm{field("In", "a"), field("In", "b")}, 2},
		{"one term without a name", []api.NodeSelectorTerm{field("In", "a"), expr("disk", "Exists")}, -1},
		{"a contradiction", []api.NodeSelectorTerm{both}, 0},
	} {
		got := Names(&api.NodeSelector{NodeSelectorTerms: c.terms})
		if got == nil && c.names >= 0 || got != nil && len(got.Names) != c.names {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	_, st := Plugin{}.PreFilter(nil, f.NewPodInfo(selecting(nil, both)))
	if st.Message() != ErrReasonConflict || !st.Unresolvable() {
		t.Errorf("a contradiction: %+v", st)
	}
}

func TestAPreferenceThatCannotBeParsedIsAnError(t *testing.T) {
	p := &api.Pod{Spec: api.PodSpec{Affinity: &api.Affinity{NodeAffinity: &api.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []api.PreferredSchedulingTerm{
		{Weight: 1, Preference: expr("gen", "Gt", "three")}}}}}}
	st := Plugin{}.PreScore(&f.State{}, f.NewPodInfo(p), nil)
	want := `[0].matchExpressions[0].values[0]: Invalid value: "three": for 'Gt', 'Lt' operators, the value must be an integer`
	if st == nil || st.Code != f.Error || st.Message() != want {
		t.Errorf("%+v", st)
	}
}
