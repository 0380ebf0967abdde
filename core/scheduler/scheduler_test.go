package scheduler

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/actor"
	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// world is a scheduler over an API that only stores, and the instant.
type world struct {
	*fakeHost
	s   *Scheduler
	now sim.Time
}

func newWorld(t *testing.T, nodes int) *world {
	w := &world{fakeHost: newFakeHost(t), s: New()}
	w.events = recorder.New()
	for i := range nodes {
		w.put(node("n"+strconv.Itoa(i), "zone-"+string(rune('a'+i%3))))
	}
	w.run(0)
	return w
}

func node(name, zone string) *api.Node {
	n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	n.Name = name
	n.Labels = map[string]string{"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone}
	n.Status.Allocatable = map[string]api.Quantity{"cpu": api.MustQuantity("4"), "memory": api.MustQuantity("8Gi"), "pods": api.MustQuantity("110")}
	return n
}

func waitingPod(name, cpu string) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Name, p.Namespace, p.UID = name, "default", "uid-"+name
	p.Spec.SchedulerName = DefaultName
	p.Spec.Containers = []api.Container{{Name: "app", Resources: api.ResourceRequirements{Requests: map[string]api.Quantity{"cpu": api.MustQuantity(cpu)}}}}
	return p
}

// run lets the scheduler work up to an instant, as the cluster would call it.
func (w *world) run(till sim.Time) {
	for {
		r := w.s.Reconcile(w.ctx(w.now), key)
		next := sim.Never
		if r.Next != 0 {
			next = max(r.Next, w.now)
		}
		if w.store.Rev() != w.seen {
			next = min(next, w.now+2*sim.Millisecond)
		}
		if next > till || next == sim.Never {
			w.now = till
			return
		}
		w.now = next
	}
}

func (w *world) pod(name string) *api.Pod {
	p, _ := w.Latest().Get("Pod", "default", name).(*api.Pod)
	return p
}

// texts returns the events as "object reason: message", with the count of a series.
func (w *world) texts() []string {
	var l []*api.Event
	for _, o := range w.Latest().List("Event", "") {
		l = append(l, o.(*api.Event))
	}
	slices.SortStableFunc(l, func(a, b *api.Event) int { return int(a.EventTime - b.EventTime) })
	var out []string
	for _, e := range l {
		s := e.InvolvedObject.Name + " " + e.Reason + ": " + e.Message
		if e.Series != nil {
			s += " x" + strconv.Itoa(int(e.Series.Count))
		}
		out = append(out, s)
	}
	return out
}

func (w *world) recorded(text string) int {
	n := 0
	for _, l := range w.log {
		if strings.Contains(l, text) {
			n++
		}
	}
	return n
}

const tooLarge = "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."

func TestAPodThatDoesNotFitIsToldOnceAndTriedAgainAfterFiveMinutes(t *testing.T) {
	w := newWorld(t, 2)
	w.put(waitingPod("web", "8"))
	w.run(sim.Minute)
	if got := w.texts(); !slices.Equal(got, []string{"web FailedScheduling: " + tooLarge}) {
		t.Fatalf("%q", got)
	}
	c := w.pod("web").Status.Conditions
	if len(c) != 1 || c[0].Reason != "Unschedulable" || c[0].Status != "False" || c[0].Message != tooLarge {
		t.Errorf("conditions %+v", c)
	}
	if w.s.Pending("default", "web") != "unschedulable" {
		t.Errorf("waits in %q", w.s.Pending("default", "web"))
	}
	// The flush looks every 30 s for pods that have waited for more than 5 minutes;
	// the condition has changed the pod, so the second try is a new event.
	w.run(329 * sim.Second)
	if n := len(w.texts()); n != 1 {
		t.Errorf("%d events before the flush", n)
	}
	w.run(331 * sim.Second)
	if n := len(w.texts()); n != 2 {
		t.Errorf("%d events after the flush", n)
	}
	if n := w.recorded("NodeResourcesFit: Insufficient cpu"); n != 4 {
		t.Errorf("%d records of nodes that said no in two attempts on two nodes", n)
	}
}

func TestTheWaitForTheFlushIsPeriodic(t *testing.T) {
	w := newWorld(t, 2)
	w.put(waitingPod("web", "8"))
	w.run(sim.Second)
	if r := w.s.Reconcile(w.ctx(w.now), key); !r.Periodic || r.Next != 330*sim.Second {
		t.Errorf("%+v", r)
	}
}

func TestANewNodeMovesThePodThatItFitsAndNoOther(t *testing.T) {
	w := newWorld(t, 2)
	w.put(waitingPod("large", "8"))
	w.put(waitingPod("huge", "80"))
	w.run(10 * sim.Second)
	n := node("big", "zone-a")
	n.Status.Allocatable["cpu"] = api.MustQuantity("16")
	w.put(n)
	w.run(11 * sim.Second)
	if w.pod("large").Spec.NodeName != "big" || w.pod("huge").Spec.NodeName != "" {
		t.Errorf("large on %q, huge on %q", w.pod("large").Spec.NodeName, w.pod("huge").Spec.NodeName)
	}
	if n := w.recorded("default/large waiting Requeued: to be tried again because of Node/Add"); n != 1 {
		t.Errorf("%d records of the requeue of large", n)
	}
	if n := w.recorded("default/huge waiting Requeued"); n != 0 {
		t.Errorf("huge was tried again %d times", n)
	}
}

func TestADeletedPodMakesRoom(t *testing.T) {
	w := newWorld(t, 1)
	w.put(waitingPod("a", "3"))
	w.run(sim.Second)
	w.put(waitingPod("b", "3"))
	w.run(5 * sim.Second)
	if w.pod("b").Spec.NodeName != "" {
		t.Fatal("b fits")
	}
	w.Handle(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: "a"}, 0)
	w.run(6 * sim.Second)
	if w.pod("b").Spec.NodeName != "n0" {
		t.Error("b was not tried again")
	}
}

func TestAFinishedPodTakesNoRoom(t *testing.T) {
	w := newWorld(t, 1)
	w.put(waitingPod("a", "3"))
	w.run(sim.Second)
	done := *w.pod("a")
	done.Status.Phase = "Succeeded"
	w.put(&done)
	w.put(waitingPod("b", "3"))
	w.run(2 * sim.Second)
	if w.pod("b").Spec.NodeName != "n0" {
		t.Error("b does not fit")
	}
}

func TestPodsAreScheduledOneInAMillisecondByPriority(t *testing.T) {
	w := newWorld(t, 1)
	for i := range 3 {
		p := waitingPod("p"+strconv.Itoa(i), "100m")
		priority := int32(i)
		p.Spec.Priority = &priority
		w.put(p)
	}
	w.run(w.now + sim.Second)
	want := []string{"p2", "p1", "p0"}
	for i, s := range w.texts() {
		if !strings.HasPrefix(s, want[i]+" Scheduled") {
			t.Errorf("event %d is %s", i, s)
		}
	}
	var times []api.MicroTime
	for _, o := range w.Latest().List("Event", "") {
		times = append(times, o.(*api.Event).EventTime)
	}
	slices.Sort(times)
	if len(times) != 3 || times[1]-times[0] != 1000 || times[2]-times[1] != 1000 {
		t.Errorf("at %v µs", times)
	}
}

// Back-off of the scheduler's own failures: 1 s, 2 s, 4 s, ..., each end cut to the
// second of the clock, and looked for once a second after it.
func TestARefusedBindingIsTriedAgainWithBackOff(t *testing.T) {
	w := newWorld(t, 1)
	w.refuse = "no"
	w.put(waitingPod("web", "1"))
	w.run(20 * sim.Second)
	got := []string{}
	for _, l := range w.log {
		if strings.Contains(l, "failed SchedulerError: no") {
			got = append(got, strings.Fields(l)[1])
		}
	}
	if !slices.Equal(got, []string{"0.000s", "2.000s", "5.000s", "10.000s", "19.000s"}) {
		t.Errorf("tried at %v", got)
	}
	if c := w.pod("web").Status.Conditions[0]; c.Reason != "SchedulerError" || c.Message != "no" {
		t.Errorf("%+v", c)
	}
	w.refuse = ""
	w.run(sim.Minute)
	if w.pod("web").Spec.NodeName != "n0" || len(w.s.cache.assumed) > 1 {
		t.Error("not bound at last")
	}
}

func TestAPodOfAnotherSchedulerIsLeftAloneAndARecordSaysSo(t *testing.T) {
	w := newWorld(t, 1)
	p := waitingPod("web", "1")
	p.Spec.SchedulerName = "custom"
	w.put(p)
	w.run(sim.Minute)
	if len(w.texts()) != 0 || len(w.pod("web").Status.Conditions) != 0 || w.pod("web").Spec.NodeName != "" {
		t.Error("the pod was touched")
	}
	if n := w.recorded(`schedulerName "custom" is not this scheduler's`); n != 1 {
		t.Errorf("%d records", n)
	}
}

func TestAGatedPodWaitsWithoutAnEventUntilTheLastGateGoes(t *testing.T) {
	w := newWorld(t, 1)
	p := waitingPod("web", "1")
	p.Spec.SchedulingGates = []api.PodSchedulingGate{{Name: "a"}, {Name: "b"}}
	w.put(p)
	w.run(sim.Second)
	if w.s.Pending("default", "web") != "gated" || len(w.texts()) != 0 || w.recorded("waiting for scheduling gates: [a b]") != 1 {
		t.Errorf("%q %q", w.s.Pending("default", "web"), w.texts())
	}
	for _, gates := range [][]api.PodSchedulingGate{{{Name: "b"}}, nil} {
		now := *w.pod("web")
		now.Spec.SchedulingGates = gates
		w.put(&now)
		w.run(w.now + sim.Second)
		if bound := w.pod("web").Spec.NodeName != ""; bound != (gates == nil) {
			t.Errorf("gates %v: bound %t", gates, bound)
		}
	}
}

func TestWithoutNodesThePodIsToldSo(t *testing.T) {
	w := newWorld(t, 0)
	w.put(waitingPod("web", "1"))
	w.run(sim.Second)
	if got := w.texts(); !slices.Equal(got, []string{"web FailedScheduling: no nodes available to schedule pods"}) {
		t.Errorf("%q", got)
	}
	if r := w.s.Reconcile(w.ctx(w.now), key); !r.Periodic || r.Next != 2*sim.Second {
		t.Errorf("the next attempt is %+v", r)
	}
	w.put(node("n0", "zone-a"))
	w.run(5 * sim.Second)
	if w.pod("web").Spec.NodeName != "n0" {
		t.Error("not scheduled on the first node")
	}
}

func TestPreemptionMarksAndDeletesTheVictimAndNominatesTheNode(t *testing.T) {
	w := newWorld(t, 1)
	w.put(waitingPod("low", "3"))
	w.run(sim.Second)
	p := waitingPod("high", "3")
	priority := int32(100)
	p.Spec.Priority = &priority
	w.put(p)
	w.run(w.now + 1*sim.Millisecond)
	if w.pod("high").Status.NominatedNodeName != "n0" {
		t.Error("no node is nominated")
	}
	w.run(5 * sim.Second)
	want := []string{"low Scheduled: Successfully assigned default/low to n0",
		"high FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n0, preempting 1 victims",
		"low Preempted: Preempted by pod uid-high on node n0", "high Scheduled: Successfully assigned default/high to n0"}
	if got := w.texts(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if w.pod("low") != nil || w.recorded("victims default/low (priority 0)") != 1 {
		t.Error("the victim is there, or no record names it")
	}
}

func TestACloneGoesItsOwnWay(t *testing.T) {
	w := newWorld(t, 2)
	w.put(waitingPod("a", "3"))
	w.put(waitingPod("huge", "80"))
	w.run(sim.Second)
	c := &world{fakeHost: newFakeHost(t), s: w.s.Clone().(*Scheduler), now: w.now}
	c.store, c.seen, c.events = w.store.Clone(), w.seen, w.events.(*recorder.Recorder).Clone()
	for _, x := range []*world{w, c} {
		x.put(waitingPod("b", "3"))
		x.run(2 * sim.Second)
	}
	if a, b := w.pod("b").Spec.NodeName, c.pod("b").Spec.NodeName; a != b || a == "" {
		t.Errorf("b on %q and on %q", a, b)
	}
	c.put(waitingPod("c", "3"))
	c.run(3 * sim.Second)
	if c.pod("c").Spec.NodeName != "" {
		t.Error("c fits beside a and b")
	}
	w.Handle(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: "a"}, 0)
	w.run(3 * sim.Second)
	w.put(waitingPod("c", "3"))
	w.run(4 * sim.Second)
	if w.pod("c").Spec.NodeName == "" {
		t.Error("the original does not see that a is gone")
	}
	if n := len(c.s.cache.nodes["n0"].Pods) + len(c.s.cache.nodes["n1"].Pods); n != 2 {
		t.Errorf("%d pods in the clone's cache", n)
	}
}

func TestTheSameRunTwiceIsTheSame(t *testing.T) {
	logs := [2]string{}
	for i := range logs {
		w := newWorld(t, 5)
		for j := range 30 {
			w.put(waitingPod("p"+strconv.Itoa(j), strconv.Itoa(100+100*(j%9))+"m"))
		}
		w.run(sim.Minute)
		logs[i] = strings.Join(w.log, "\n")
	}
	if logs[0] != logs[1] {
		t.Error("two runs differ")
	}
}

func TestObjectsInTheStoreAreNotChanged(t *testing.T) {
	w := &world{fakeHost: newFakeHost(t), s: New()}
	w.store.DetectMutations()
	w.events = recorder.New()
	w.put(node("n0", "zone-a"))
	for i := range 5 {
		w.put(waitingPod("p"+strconv.Itoa(i), "1"))
	}
	w.run(sim.Minute)
	if err := w.store.CheckMutations(); err != nil {
		t.Error(err)
	}
}

// 150 nodes: half of the nodes that fit end the search, 100 at least, and the next
// pod's search begins where this one's ended.
func TestInALargeClusterTheSearchStopsEarlyAndRotates(t *testing.T) {
	w := newWorld(t, 150)
	w.put(waitingPod("a", "1"))
	w.run(w.now + 1)
	if w.s.rotation != 100 {
		t.Errorf("the next search begins at %d", w.s.rotation)
	}
	if n := w.recorded("feasible: 100"); n != 1 {
		t.Errorf("%d records of 100 feasible nodes", n)
	}
}

func TestNodesAreListedRoundTheZones(t *testing.T) {
	var k = newCache()
	for _, n := range []string{"a1 a", "a2 a", "a3 a", "b1 b", "c1 c", "c2 c"} {
		name, zone, _ := strings.Cut(n, " ")
		k.setNode(node(name, zone))
	}
	k.removeNode("a2")
	var got []string
	for _, n := range k.list() {
		got = append(got, n.Name())
	}
	if !slices.Equal(got, []string{"a1", "b1", "c1", "a3", "c2"}) {
		t.Errorf("%v", got)
	}
}

var _ actor.Host = (*fakeHost)(nil)
