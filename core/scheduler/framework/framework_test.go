package framework

import (
	"testing"

	"podwalk/core/api"
)

func needs(pairs ...string) api.ResourceRequirements {
	r := api.ResourceRequirements{Requests: map[string]api.Quantity{}}
	for i := 0; i < len(pairs); i += 2 {
		r.Requests[pairs[i]] = api.MustQuantity(pairs[i+1])
	}
	return r
}

func containersOf(l ...api.ResourceRequirements) []api.Container {
	var out []api.Container
	for i, r := range l {
		out = append(out, api.Container{Name: string(rune('a' + i)), Resources: r})
	}
	return out
}

// The rules are those of component-helpers/resource: containers and sidecars add
// up; an init container counts where it needs more, beside the sidecars that have
// started before it.
func TestWhatAPodTakesFromANode(t *testing.T) {
	always := "Always"
	sidecar := func(r api.ResourceRequirements) api.Container {
		return api.Container{Name: "side", Resources: r, RestartPolicy: &always}
	}
	level := needs("cpu", "5")
	for _, c := range []struct {
		name            string
		spec            api.PodSpec
		cpu, nonZero    int64
		memory, memory0 int64
	}{
		{"two containers", api.PodSpec{Containers: containersOf(needs("cpu", "1"), needs("cpu", "500m", "memory", "1Gi"))}, 1500, 1500, 1 << 30, 1<<30 + DefaultMemory},
		{"nothing stated", api.PodSpec{Containers: containersOf(needs(), needs())}, 0, 2 * DefaultMilliCPU, 0, 2 * DefaultMemory},
		{"a zero is stated", api.PodSpec{Containers: containersOf(needs("cpu", "0", "memory", "0"))}, 0, 0, 0, 0},
		{"a greater init container", api.PodSpec{Containers: containersOf(needs("cpu", "1", "memory", "1")), InitContainers: containersOf(needs("cpu", "3", "memory", "0"))}, 3000, 3000, 1, 1},
		{"a sidecar", api.PodSpec{Containers: containersOf(needs("cpu", "1", "memory", "0")), InitContainers: []api.Container{sidecar(needs("cpu", "2", "memory", "0"))}}, 3000, 3000, 0, 0},
		{"an init container after a sidecar", api.PodSpec{Containers: containersOf(needs("cpu", "1", "memory", "0")),
			InitContainers: append([]api.Container{sidecar(needs("cpu", "2", "memory", "0"))}, containersOf(needs("cpu", "4", "memory", "0"))...)}, 6000, 6000, 0, 0},
		{"overhead", api.PodSpec{Containers: containersOf(needs("cpu", "1", "memory", "0")), Overhead: needs("cpu", "250m").Requests}, 1250, 1250, 0, 0},
		{"pod-level requests", api.PodSpec{Containers: containersOf(needs("cpu", "1")), Resources: &level}, 5000, 5000, 0, DefaultMemory},
	} {
		i := NewPodInfo(&api.Pod{Spec: c.spec})
		if i.Requests.MilliCPU != c.cpu || i.NonZero.MilliCPU != c.nonZero || i.Requests.Memory != c.memory || i.NonZero.Memory != c.memory0 {
			t.Errorf("%s: %+v, for scores %+v", c.name, i.Requests, i.NonZero)
		}
	}
}

func TestOfARunningPodTheGreatestOfAskedAllocatedAndActualCounts(t *testing.T) {
	p := &api.Pod{Spec: api.PodSpec{Containers: containersOf(needs("cpu", "1"))}}
	p.Status.ContainerStatuses = []api.ContainerStatus{{Name: "a", AllocatedResources: needs("cpu", "2").Requests}}
	if got := NewPodInfo(p).Requests.MilliCPU; got != 2000 {
		t.Errorf("%d while the pod shrinks", got)
	}
	p.Spec.Containers[0].Resources = needs("cpu", "9")
	p.Status.Conditions = []api.PodCondition{{Type: "PodResizePending", Reason: "Infeasible"}}
	if got := NewPodInfo(p).Requests.MilliCPU; got != 2000 {
		t.Errorf("%d although the resize cannot be", got)
	}
}

func TestANodeInfoCountsPodsInAndOut(t *testing.T) {
	n := &NodeInfo{}
	n.SetNode(&api.Node{})
	a := &api.Pod{Spec: api.PodSpec{Containers: containersOf(needs("cpu", "1", "example.com/gpu", "2"))}}
	a.UID, a.Namespace = "a", "ns"
	a.Spec.Containers[0].Ports = []api.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	a.Spec.Volumes = []api.Volume{{Name: "v", PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}
	n.AddPod(NewPodInfo(a))
	c := n.Copy()
	c.RemovePod("a")
	if gpu, _ := n.Requested.Scalar("example.com/gpu"); gpu != 2 || n.Claims["ns/c"] != 1 || len(n.Ports) != 1 || n.Requested.MilliCPU != 1000 {
		t.Errorf("the original: %+v", n)
	}
	if gpu, _ := c.Requested.Scalar("example.com/gpu"); gpu != 0 || len(c.Claims) != 0 || len(c.Ports) != 0 || c.Requested.MilliCPU != 0 || len(c.Pods) != 0 {
		t.Errorf("the copy: %+v", c)
	}
	if c.RemovePod("a") != nil {
		t.Error("removed twice")
	}
}

func TestAnEventMatchesARegistrationThatIsNotNarrower(t *testing.T) {
	for _, c := range []struct {
		registered, event Event
		want              bool
	}{
		{Event{Node, Add | UpdateNodeLabel}, Event{Node, UpdateNodeLabel}, true},
		{Event{Node, Add | UpdateNodeLabel}, Event{Node, UpdateNodeTaint}, false},
		{Event{Node, Add}, Event{AssignedPod, Add}, false},
		{Event{Pod, Update}, Event{TargetPod, UpdatePodLabel}, true},
		{Event{TargetPod, UpdatePodLabel}, Event{TargetPod, Update}, false},
	} {
		if got := c.registered.Matches(c.event); got != c.want {
			t.Errorf("%v of %v: %t", c.registered, c.event, got)
		}
	}
}

func TestTheReasonsAreSortedAsText(t *testing.T) {
	st := func(reasons ...string) *Status { return NewStatus(0, Unschedulable, reasons...) }
	d := &Diagnosis{All: 12, Nodes: []NodeStatus{{"a", st("b")}, {"b", st("b", "a")}}, Absent: NewStatus(0, UnschedulableAndUnresolvable, "c")}
	if got := d.Message(); got != "0/12 nodes are available: 1 a, 10 c, 2 b." {
		t.Error(got)
	}
	d.PreFilter, d.PostFilter = "no claim", "not found"
	if got := d.Message(); got != "0/12 nodes are available: no claim. not found" {
		t.Error(got)
	}
}

func TestNamesAreSortedInMessages(t *testing.T) {
	s := Set(0).With(VolumeBinding).With(NodeAffinity).With(InterPodAffinity)
	if l := s.Names(); len(l) != 3 || l[0] != "InterPodAffinity" || l[1] != "NodeAffinity" || l[2] != "VolumeBinding" {
		t.Errorf("%v", l)
	}
}
