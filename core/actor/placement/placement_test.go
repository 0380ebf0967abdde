package placement

import (
	"testing"

	"podwalk/core/api"
)

func node(name string, labels map[string]string) *api.Node {
	n := &api.Node{}
	n.Name, n.Labels = name, labels
	return n
}

// The rules are those of component-helpers/scheduling/corev1/nodeaffinity: the
// selector and one of the terms must hold, an empty term never does.
func TestAPodGetsTheNodesItAsksFor(t *testing.T) {
	term := func(fields, labels []api.NodeSelectorRequirement) api.NodeSelectorTerm {
		return api.NodeSelectorTerm{MatchFields: fields, MatchExpressions: labels}
	}
	req := func(key, op string, values ...string) []api.NodeSelectorRequirement {
		return []api.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}
	}
	for _, c := range []struct {
		name     string
		selector map[string]string
		terms    []api.NodeSelectorTerm
		want     bool
	}{
		{"nothing asked", nil, nil, true},
		{"a label that it has", map[string]string{"disk": "ssd"}, nil, true},
		{"a label that it lacks", map[string]string{"gpu": ""}, nil, false},
		{"one term of two", nil, []api.NodeSelectorTerm{term(nil, req("zone", "In", "b")), term(nil, req("disk", "Exists"))}, true},
		{"its name", nil, []api.NodeSelectorTerm{term(req("metadata.name", "In", "n1"), nil)}, true},
		{"another name", nil, []api.NodeSelectorTerm{term(req("metadata.name", "In", "n2"), nil)}, false},
		{"an empty term", nil, []api.NodeSelectorTerm{term(nil, nil)}, false},
		{"no terms", nil, []api.NodeSelectorTerm{}, false},
		{"a number", nil, []api.NodeSelectorTerm{term(nil, req("cores", "Gt", "3"))}, true},
		{"a selector beside a term", map[string]string{"disk": "hdd"}, []api.NodeSelectorTerm{term(nil, req("zone", "In", "a"))}, false},
	} {
		spec := &api.PodSpec{NodeSelector: c.selector}
		if c.terms != nil {
			spec.Affinity = &api.Affinity{NodeAffinity: &api.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &api.NodeSelector{NodeSelectorTerms: c.terms}}}
		}
		d := Of(spec)
		if got := d.Matches(node("n1", map[string]string{"disk": "ssd", "zone": "a", "cores": "4"})); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestATaintIsBorneByATolerationOfItsKeyValueAndEffect(t *testing.T) {
	taint := []api.Taint{{Key: "k", Value: "v", Effect: "NoSchedule"}}
	for _, c := range []struct {
		o    api.Toleration
		want bool
	}{
		{api.Toleration{Operator: "Exists"}, true},
		{api.Toleration{Key: "k", Operator: "Exists", Effect: "NoSchedule"}, true},
		{api.Toleration{Key: "k", Value: "v"}, true},
		{api.Toleration{Key: "k", Value: "w"}, false},
		{api.Toleration{Key: "k", Operator: "Exists", Effect: "NoExecute"}, false},
	} {
		if got := Untolerated(taint, []api.Toleration{c.o}, "NoSchedule") == nil; got != c.want {
			t.Errorf("%+v: borne %v", c.o, got)
		}
	}
	if Untolerated(taint, nil, "NoExecute") != nil {
		t.Error("a taint of another effect counts")
	}
}
