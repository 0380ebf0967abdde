package defaultpreemption

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/store"
)

func victim(name string, priority int32, started int64) *f.PodInfo {
	p := &api.Pod{}
	p.Name, p.UID, p.Namespace, p.Labels = name, name, "default", map[string]string{"app": name}
	p.Spec.Priority = &priority
	if started > 0 {
		at := api.Time(started)
		p.Status.StartTime = &at
	}
	return &f.PodInfo{Pod: p, Priority: priority, Requests: f.Resource{MilliCPU: 1000}}
}

// The rules of the choice, each deciding where those before it leave a tie
// (framework/preemption, pickOneNodeForPreemption).
func TestTheChoiceAmongCandidates(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b f.Candidate // a is the better one
	}{
		{"fewer violated budgets", f.Candidate{Violations: 0, Victims: []*f.PodInfo{victim("x", 9, 1)}}, f.Candidate{Violations: 1, Victims: []*f.PodInfo{victim("x", 1, 1)}}},
		{"a less important first victim", f.Candidate{Victims: []*f.PodInfo{victim("x", 1, 1), victim("y", 1, 1)}}, f.Candidate{Victims: []*f.PodInfo{victim("x", 2, 1)}}},
		{"a smaller sum", f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 1), victim("y", 1, 1)}}, f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 1), victim("y", 2, 1)}}},
		{"fewer victims", f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 1)}}, f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 1), victim("y", 0, 1)}}},
		{"a later start", f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 9)}}, f.Candidate{Victims: []*f.PodInfo{victim("x", 5, 3)}}},
	} {
		c.a.Node, c.b.Node = "a", "b"
		for _, l := range [][]f.Candidate{{c.a, c.b}, {c.b, c.a}} {
			if got := pick(l, 1); got.Node != "a" {
				t.Errorf("%s: chose %s", c.name, got.Node)
			}
		}
	}
}

// runner lets a pod onto a node with 3 CPU.
type runner struct{}

func (runner) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	used := p.Requests.MilliCPU
	for _, o := range n.Pods {
		used += o.Requests.MilliCPU
	}
	if used > 3000 {
		return f.NewStatus(f.NodeResourcesFit, f.Unschedulable, "Insufficient cpu")
	}
	return nil
}
func (runner) AddPod(*f.State, *f.PodInfo, *f.PodInfo, *f.NodeInfo)    {}
func (runner) RemovePod(*f.State, *f.PodInfo, *f.PodInfo, *f.NodeInfo) {}
func (runner) Random(*f.PodInfo, uint64) uint64                        { return 0 }

func world(objects store.Snapshot, pods ...*f.PodInfo) *f.State {
	n := &f.NodeInfo{}
	n.SetNode(&api.Node{ObjectMeta: api.ObjectMeta{Name: "n"}})
	for _, p := range pods {
		n.AddPod(p)
	}
	return &f.State{Cluster: &f.Cluster{Nodes: []*f.NodeInfo{n}, Objects: objects, Node: func(string) *f.NodeInfo { return n }}}
}

func rejected() *f.Diagnosis {
	return &f.Diagnosis{All: 1, Nodes: []f.NodeStatus{{Node: "n", Status: f.NewStatus(f.NodeResourcesFit, f.Unschedulable, "Insufficient cpu")}}}
}

func names(l []*f.PodInfo) string {
	s := ""
	for _, v := range l {
		s += v.Pod.Name
	}
	return s
}

func TestTheLeastImportantPodsGoAndNoMoreThanNeeded(t *testing.T) {
	empty := store.New()
	budget := &api.PodDisruptionBudget{TypeMeta: api.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}}
	budget.Name, budget.Namespace = "b", "default"
	budget.Spec.Selector = &api.LabelSelector{MatchLabels: map[string]string{"app": "c"}}
	protected := store.New()
	if _, err := protected.Put(budget, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	p := victim("p", 100, 0)
	for _, c := range []struct {
		name    string
		objects store.Snapshot
		pods    []*f.PodInfo
		victims string
		message string
	}{
		{"one of three", empty.Latest(), []*f.PodInfo{victim("a", 10, 1), victim("b", 20, 1), victim("c", 5, 1)}, "c", "preemption: found a potential placement for pod on node n, preempting 1 victims"},
		{"the one that started last", empty.Latest(), []*f.PodInfo{victim("a", 10, 3), victim("b", 10, 9), victim("c", 10, 5)}, "b", "preemption: found a potential placement for pod on node n, preempting 1 victims"},
		{"not the one that a budget protects", protected.Latest(), []*f.PodInfo{victim("a", 10, 1), victim("b", 20, 1), victim("c", 5, 1)}, "a", "preemption: found a potential placement for pod on node n, preempting 1 victims"},
		{"nobody is less important", empty.Latest(), []*f.PodInfo{victim("a", 100, 1), victim("b", 100, 1), victim("c", 100, 1)}, "",
			"preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."},
		{"it would not be enough", empty.Latest(), []*f.PodInfo{victim("a", 100, 1), victim("b", 100, 1), victim("c", 100, 1), victim("d", 1, 1)}, "",
			"preemption: 0/1 nodes are available: 1 Insufficient cpu."},
	} {
		out, st := Plugin{}.PostFilter(world(c.objects, c.pods...), p, rejected(), runner{})
		if names(out.Victims) != c.victims || st.Message() != c.message {
			t.Errorf("%s: victims %q, %s", c.name, names(out.Victims), st.Message())
		}
	}
}

func TestWhoMayNotPreempt(t *testing.T) {
	never := "Never"
	shy := victim("p", 100, 0)
	shy.Pod.Spec.PreemptionPolicy = &never
	if out, st := (Plugin{}).PostFilter(world(store.New().Latest()), shy, rejected(), runner{}); out != nil || st.Message() != "preemption: not eligible due to preemptionPolicy=Never." {
		t.Errorf("%+v %s", out, st.Message())
	}
	leaving := victim("v", 1, 1)
	at := api.Time(9)
	leaving.Pod.DeletionTimestamp = &at
	leaving.Pod.Status.Conditions = []api.PodCondition{{Type: "DisruptionTarget", Status: "True", Reason: "PreemptionByScheduler"}}
	waits := victim("p", 100, 0)
	waits.Pod.Status.NominatedNodeName = "n"
	if out, st := (Plugin{}).PostFilter(world(store.New().Latest(), leaving), waits, rejected(), runner{}); out != nil || st.Message() != "preemption: not eligible due to a terminating pod on the nominated node." {
		t.Errorf("%+v %s", out, st.Message())
	}
}
