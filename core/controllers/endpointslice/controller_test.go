package endpointslice

import (
	"strconv"
	"testing"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// world is a cluster of a store, an API server and one controller.
type world struct {
	t      testing.TB
	st     *store.Store
	server *apiserver.Server
	log    trace.Log
	now    sim.Time
	a      actor.Actor
	cursor uint64
	events []actor.Event
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, now: sim.Second, a: New(4 * sim.Millisecond), cursor: store.FirstRev}
	w.st = store.New(store.Index{Name: endpoint.Index, Kind: "Service", Values: endpoint.IndexValues},
		store.Index{Name: endpoint.SliceIndex, Kind: "EndpointSlice", Values: endpoint.SliceIndexValues})
	w.server = apiserver.New(apiserver.Config{Start: 1767607200e9, Controllers: []string{"ServiceAccount"}}, w.st)
	w.server.Bootstrap(0, &w.log)
	for i, zone := range []string{"zone-a", "zone-b"} {
		n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
		n.Name, n.Labels = "node-"+strconv.Itoa(i+1), map[string]string{"topology.kubernetes.io/zone": zone}
		n.Status.Allocatable = map[string]api.Quantity{"cpu": api.MustQuantity("4")}
		n.Status.Conditions = []api.NodeCondition{{Type: "Ready", Status: "True"}}
		w.put(n)
	}
	return w
}

func (w *world) Handle(req api.Request, cause sim.Cause) api.Response {
	return w.server.Handle(w.now, cause, &w.log, req)
}
func (w *world) Record(r trace.Record) sim.Cause   { return w.log.Append(r) }
func (w *world) Latest() store.Snapshot            { return w.st.Latest() }
func (w *world) Start() int64                      { return 1767607200e9 }
func (w *world) Random() sim.Random                { return sim.Random{} }
func (w *world) Events() actor.Recorder            { return w }
func (w *world) Event(_ *actor.Ctx, e actor.Event) { w.events = append(w.events, e) }
func (w *world) user() api.User {
	return api.User{Name: "system:serviceaccount:kube-system:" + w.a.Name()}
}
func (w *world) slices() (l []*api.EndpointSlice) { return existing(w.Latest(), w.service("web")) }
func (w *world) service(name string) *api.Service {
	return w.Latest().Get("Service", "default", name).(*api.Service)
}
func (w *world) put(o api.Object) { w.st.Put(o, store.AnyRev, w.now, 0) }

// look lets the controller look at a Service with a cache that shows everything.
func (w *world) look(name string) actor.Result {
	w.now += sim.Second
	changes, err := w.st.Since(w.cursor)
	if err != nil {
		w.t.Fatal(err)
	}
	w.cursor = w.st.Rev()
	ctx := actor.NewCtx(w, w.a.Name(), w.user(), w.now, 0, w.Latest(), changes)
	return w.a.Reconcile(ctx, endpoint.KeyOf("default", name))
}

func (w *world) serve(name string, labels map[string]string) *api.Service {
	s := &api.Service{Spec: api.ServiceSpec{Selector: labels, Ports: []api.ServicePort{{Port: 80}}}}
	s.Name, s.Namespace = name, "default"
	res := w.Handle(api.Request{Verb: api.Create, Kind: api.KindNamed("Service"), Namespace: "default", Object: s, User: api.User{Name: "system:admin", Groups: []string{"system:masters"}}}, 0)
	if res.Failed() {
		w.t.Fatal(res.Status.Message)
	}
	return res.Object.(*api.Service)
}

// pod puts a running pod into the store.
func (w *world) pod(i int, app string, ready bool) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name, p.UID = "default", "p"+strconv.Itoa(i), "uid-"+strconv.Itoa(i)
	p.Labels, p.Spec.NodeName = map[string]string{"app": app}, "node-"+strconv.Itoa(i%2+1)
	p.Status.Phase, p.Status.PodIP = "Running", "10.244."+strconv.Itoa(i/250)+"."+strconv.Itoa(i%250+2)
	p.Status.PodIPs = []api.PodIP{{IP: p.Status.PodIP}}
	status := "False"
	if ready {
		status = "True"
	}
	p.Status.Conditions = []api.PodCondition{{Type: "Ready", Status: status, LastTransitionTime: 1767607200}}
	w.put(p)
	return p
}

func web() map[string]string { return map[string]string{"app": "web"} }

// The sizes are those of the oracle's network/many.
func TestAHundredAndFiveEndpointsFillOneSliceAndBeginAnother(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	for i := range 105 {
		w.pod(i, "web", true)
	}
	w.look("web")
	l := w.slices()
	if len(l) != 2 || len(l[0].Endpoints)+len(l[1].Endpoints) != 105 || max(len(l[0].Endpoints), len(l[1].Endpoints)) != 100 {
		t.Fatalf("%d slices", len(l))
	}
	for i := 105; i < 110; i++ {
		w.pod(i, "web", true)
	}
	w.look("web")
	if l = w.slices(); len(l) != 2 || max(len(l[0].Endpoints), len(l[1].Endpoints)) != 100 || len(l[0].Endpoints)+len(l[1].Endpoints) != 110 {
		t.Errorf("five more did not go into the slice with room: %d slices", len(l))
	}
}

func TestAChangeOfOneEndpointWritesItsSliceOnly(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	for i := range 250 {
		w.pod(i, "web", true)
	}
	w.look("web")
	rev := w.st.Rev()
	w.pod(7, "web", false)
	w.look("web")
	changes, _ := w.st.Since(rev)
	if len(changes) != 2 || changes[1].Object().ObjectType().Kind != "EndpointSlice" {
		t.Fatalf("%d changes after that of the pod", len(changes)-1)
	}
	for _, e := range changes[1].New.(*api.EndpointSlice).Endpoints {
		if e.TargetRef.Name == "p7" && *e.Conditions.Ready {
			t.Error("the endpoint is still ready")
		}
	}
	w.now += 2 * sim.Second
	if w.look("web"); w.st.Rev() != rev+2 {
		t.Error("a look at what is as it shall be wrote something")
	}
}

// As the oracle's network/selector-change shows it.
func TestAServiceThatSelectsNothingKeepsAnEmptySliceOfTheSameName(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	w.pod(1, "web", true)
	w.look("web")
	name := w.slices()[0].Name
	s := w.service("web").Copy().(*api.Service)
	s.Spec.Selector = map[string]string{"app": "api"}
	w.put(s)
	w.look("web")
	l := w.slices()
	if len(l) != 1 || l[0].Name != name || l[0].Endpoints != nil || l[0].Ports != nil {
		t.Errorf("slices %+v", l)
	}
}

func TestAPodOnANodeThatIsGoneIsLeftOutAndTriedAgainAfterASecond(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	w.pod(1, "web", true)
	p := w.pod(2, "web", true).Copy().(*api.Pod)
	p.Spec.NodeName = "gone"
	w.put(p)
	res := w.look("web")
	if l := w.slices(); len(l) != 1 || len(l[0].Endpoints) != 1 {
		t.Fatalf("slices %+v", l)
	}
	const want = "Error updating Endpoint Slices for Service default/web: skipping Pod p2 for Service default/web: Node gone Not Found"
	if len(w.events) != 1 || w.events[0].Reason != "FailedToUpdateEndpointSlices" || w.events[0].Message != want {
		t.Errorf("events %+v", w.events)
	}
	if res.Next != w.now+sim.Second {
		t.Errorf("next look at %v, now %v", res.Next, w.now)
	}
}

// 2 endpoints over zones with 4 CPUs each: one for each (topologycache_test.go of
// k8s.io/endpointslice has such cases).
func TestHintsByCPUSpreadEndpointsOverTheZones(t *testing.T) {
	w := newWorld(t)
	s := w.serve("web", web()).Copy().(*api.Service)
	s.Annotations = map[string]string{"service.kubernetes.io/topology-mode": "Auto"}
	w.put(s)
	// All in zone-b: two of the four must serve zone-a.
	for _, i := range []int{1, 3, 5, 7} {
		w.pod(i, "web", true)
	}
	w.look("web")
	zones := map[string]int{}
	for _, e := range w.slices()[0].Endpoints {
		zones[e.Hints.ForZones[0].Name]++
	}
	if zones["zone-a"] != 2 || zones["zone-b"] != 2 {
		t.Errorf("hints %v", zones)
	}
	if len(w.events) != 1 || w.events[0].Message != "Topology Aware Hints has been enabled, addressType: IPv4" {
		t.Errorf("events %+v", w.events)
	}
}

func TestAKeyThatIsBeingWrittenIsLookedAtOnlyAfterwards(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	w.look("web")
	w.pod(1, "web", true)
	w.now -= sim.Second // the same instant as the look before
	if res := w.look("web"); res.Next != w.now+4*sim.Millisecond {
		t.Errorf("next %v, now %v", res.Next, w.now)
	}
}

// Otherwise a second slice would be made beside the one it does not see.
func TestACacheThatDoesNotShowTheOwnWriteIsNotActedUpon(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	before := w.Latest()
	w.look("web")
	w.now += sim.Second
	ctx := actor.NewCtx(w, w.a.Name(), w.user(), w.now, 0, before, nil)
	if res := w.a.Reconcile(ctx, endpoint.KeyOf("default", "web")); res.Next != w.now+sim.Second || len(w.slices()) != 1 {
		t.Errorf("next look %v after now, %d slices", res.Next-w.now, len(w.slices()))
	}
	if w.look("web"); len(w.slices()) != 1 || len(w.events) > 0 {
		t.Errorf("%d slices, events %v", len(w.slices()), w.events)
	}
}

func BenchmarkOneEndpointOfTenThousandChanges(b *testing.B) {
	w := newWorld(b)
	for i := range 1000 {
		w.serve("s"+strconv.Itoa(i), map[string]string{"app": "a" + strconv.Itoa(i)})
	}
	for i := range 10000 {
		w.pod(i, "a"+strconv.Itoa(i%1000), true)
	}
	for i := range 1000 {
		w.look("s" + strconv.Itoa(i))
	}
	ready := false
	for b.Loop() {
		b.StopTimer()
		w.pod(4711, "a711", ready)
		ready = !ready
		b.StartTimer()
		w.look("s711")
	}
}

// A pod that becomes ready is told of once, as the last station of its way.
func TestAPodThatJoinsTheEndpointsLeavesARecordOnce(t *testing.T) {
	w := newWorld(t)
	w.serve("web", web())
	w.pod(0, "web", true)
	w.pod(1, "web", false)
	joined := func() (names []string) {
		for _, r := range w.log.After(0) {
			if r.Stage == trace.Endpoints && r.Ref.Kind == "Pod" {
				names = append(names, r.Ref.Name)
			}
		}
		return names
	}
	w.look("web")
	if got := joined(); len(got) != 1 || got[0] != "p0" {
		t.Fatalf("joined: %v, want p0", got)
	}
	w.pod(1, "web", true)
	w.look("web")
	w.pod(2, "web", false)
	w.look("web")
	if got := joined(); len(got) != 2 || got[1] != "p1" {
		t.Errorf("joined: %v, want p0 and p1", got)
	}
}

func BenchmarkOneEndpointOfAServiceWithTenThousandChanges(b *testing.B) {
	w := newWorld(b)
	w.serve("web", web())
	for i := range 10000 {
		w.pod(i, "web", true)
	}
	w.look("web")
	ready := false
	for b.Loop() {
		w.pod(4711, "web", ready)
		ready = !ready
		w.look("web")
	}
}
