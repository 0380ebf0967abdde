package endpointslicemirroring

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

type world struct {
	st     *store.Store
	server *apiserver.Server
	log    trace.Log
	now    sim.Time
	events []actor.Event
}

func newWorld() *world {
	w := &world{st: store.New(store.Index{Name: endpoint.SliceIndex, Kind: "EndpointSlice", Values: endpoint.SliceIndexValues})}
	w.server = apiserver.New(apiserver.Config{}, w.st)
	w.server.Bootstrap(0, &w.log)
	s := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	s.Namespace, s.Name = "default", "web"
	w.st.Put(s, store.AnyRev, 0, 0)
	return w
}

func (w *world) Handle(req api.Request, cause sim.Cause) api.Response {
	return w.server.Handle(w.now, cause, &w.log, req)
}
func (w *world) Record(r trace.Record) sim.Cause   { return w.log.Append(r) }
func (w *world) Latest() store.Snapshot            { return w.st.Latest() }
func (w *world) Start() int64                      { return 0 }
func (w *world) Random() sim.Random                { return sim.Random{} }
func (w *world) Events() actor.Recorder            { return w }
func (w *world) Event(_ *actor.Ctx, e actor.Event) { w.events = append(w.events, e) }
func (w *world) slices() []*api.EndpointSlice      { return existing(w.Latest(), key("default", "web")) }

// mirror stores an Endpoints object and lets a new controller look at it.
func (w *world) mirror(labels map[string]string, subsets ...api.EndpointSubset) {
	e := &api.Endpoints{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}, Subsets: subsets}
	e.Namespace, e.Name, e.UID, e.Labels = "default", "web", "uid-web", labels
	w.st.Put(e, store.AnyRev, 0, 0)
	w.now += sim.Second
	a := New(0)
	a.Reconcile(actor.NewCtx(w, a.Name(), api.User{Name: "system:serviceaccount:kube-system:" + a.Name()}, w.now, 0, w.Latest(), nil), key("default", "web"))
}

func addresses(from, n int) (list []api.EndpointAddress) {
	for i := range n {
		list = append(list, api.EndpointAddress{IP: "10.1." + strconv.Itoa((from+i)/250) + "." + strconv.Itoa((from+i)%250+1)})
	}
	return list
}

func subset(port int32, list ...api.EndpointAddress) api.EndpointSubset {
	return api.EndpointSubset{Addresses: list, Ports: []api.EndpointPort{{Port: port, Protocol: "TCP"}}}
}

func TestEachGroupOfPortsAndFamilyHasASliceOfItsOwn(t *testing.T) {
	w := newWorld()
	w.mirror(map[string]string{"team": "a"}, subset(80, api.EndpointAddress{IP: "10.1.0.1"}, api.EndpointAddress{IP: "fd00::1"}), subset(81, api.EndpointAddress{IP: "10.1.0.2"}))
	var got []string
	for _, s := range w.slices() {
		got = append(got, s.AddressType+" "+s.Endpoints[0].Addresses[0])
		if s.Labels["team"] != "a" || s.Labels[managedBy] != ManagedBy || s.OwnerReferences[0].Kind != "Endpoints" {
			t.Errorf("labels %v owner %+v", s.Labels, s.OwnerReferences)
		}
	}
	if len(got) != 3 || !strings.Contains(strings.Join(got, ","), "IPv6 fd00::1") {
		t.Errorf("slices %v", got)
	}
	rev := w.st.Rev()
	if w.mirror(map[string]string{"team": "a"}, subset(81, api.EndpointAddress{IP: "10.1.0.2"}), subset(80, api.EndpointAddress{IP: "fd00::1"}, api.EndpointAddress{IP: "10.1.0.1"})); w.st.Rev() != rev+1 {
		t.Error("the same in another order is written again")
	}
}

func TestAThousandAddressesOfASubsetAreMirroredAndTheRestIsTold(t *testing.T) {
	w := newWorld()
	w.mirror(nil, subset(80, addresses(0, 1003)...))
	if l := w.slices(); len(l) != 1 || len(l[0].Endpoints) != 1000 {
		t.Fatalf("%d slices", len(l))
	}
	const want = "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 3 addresses were skipped"
	if len(w.events) != 1 || w.events[0].Reason != "TooManyAddressesToMirror" || w.events[0].Message != want {
		t.Errorf("events %+v", w.events)
	}
}

func TestWhatShallNotBeMirroredLosesItsSlices(t *testing.T) {
	w := newWorld()
	w.mirror(nil, subset(80, addresses(0, 2)...))
	if len(w.slices()) != 1 {
		t.Fatal("nothing is mirrored")
	}
	w.mirror(map[string]string{skipMirror: "true"}, subset(80, addresses(0, 2)...))
	if n := len(w.slices()); n != 0 {
		t.Errorf("%d slices are left", n)
	}
}
