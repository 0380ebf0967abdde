package apiserver

import (
	"slices"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// start is 2026-01-05 10:00:00 UTC in ns.
const start = 1767607200_000_000_000

type world struct {
	*Server
	st  *store.Store
	log trace.Log
	now sim.Time
	// user makes the requests of captured commands; the administrator if empty.
	user api.User
}

func newWorld(t testing.TB) *world {
	t.Helper()
	st := store.New()
	w := &world{st: st, Server: New(Config{Start: start, ServiceCIDR: "10.96.0.0/16"}, st)}
	w.Bootstrap(0, &w.log)
	return w
}

func (w *world) do(req api.Request) api.Response {
	w.now += sim.Millisecond
	return w.Handle(w.now, 0, &w.log, req)
}

func podKind() *api.Kind { return api.KindNamed("Pod") }

func simplePod(name string) *api.Pod {
	p := &api.Pod{ObjectMeta: api.ObjectMeta{Name: name, Namespace: "default"}}
	p.Spec.Containers = []api.Container{{Name: "app", Image: "nginx:1.27"}}
	return p
}

func (w *world) createPod(t testing.TB, p *api.Pod) *api.Pod {
	t.Helper()
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: p})
	if res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	return res.Object.(*api.Pod)
}

func (w *world) bindPod(t testing.TB, name, node string) {
	t.Helper()
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Name: name, Subresource: "binding",
		Options: map[string]string{"node": node}, User: api.User{Name: "system:kube-scheduler"}})
	if res.Status != nil {
		t.Fatal(res.Status.Message)
	}
}

func TestANewPodIsCompletedAndStored(t *testing.T) {
	w := newWorld(t)
	p := w.createPod(t, simplePod("web"))
	if p.UID == "" || p.Generation != 1 || p.Status.Phase != "Pending" || p.Status.QOSClass != "BestEffort" {
		t.Errorf("%+v", p)
	}
	if p.Spec.ServiceAccountName != "default" || len(p.Spec.Tolerations) != 2 || len(p.Spec.Volumes) != 1 {
		t.Errorf("%+v", p.Spec)
	}
	for _, r := range w.log.After(0) {
		if r.Ref.Name == "web" {
			t.Log(r.String())
		}
	}
}

func TestBindingSetsNodeConditionAndTopology(t *testing.T) {
	w := newWorld(t)
	n := &api.Node{ObjectMeta: api.ObjectMeta{Name: "n1", Labels: map[string]string{"topology.kubernetes.io/zone": "a"}}}
	if res := w.do(api.Request{Verb: api.Create, Kind: api.KindNamed("Node"), Object: n}); res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	w.createPod(t, simplePod("web"))
	w.bindPod(t, "web", "n1")
	p := w.st.Latest().Get("Pod", "default", "web").(*api.Pod)
	if p.Spec.NodeName != "n1" || p.Labels["topology.kubernetes.io/zone"] != "a" || p.Status.Conditions[0].Status != "True" {
		t.Errorf("%+v", p)
	}
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Name: "web", Subresource: "binding", Options: map[string]string{"node": "n2"}})
	if want := `Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"`; res.Status == nil || res.Status.Message != want {
		t.Errorf("%+v", res.Status)
	}
}

func TestDeletionWaitsForTheKubeletWhereThePodHasANode(t *testing.T) {
	w := newWorld(t)
	w.createPod(t, simplePod("a"))
	w.createPod(t, simplePod("b"))
	w.bindPod(t, "b", "n1")
	del := func(name string, grace *int64) api.Response {
		return w.do(api.Request{Verb: api.Delete, Kind: podKind(), Namespace: "default", Name: name, GracePeriodSeconds: grace})
	}
	if res := del("a", nil); !res.Deleted || w.st.Latest().Get("Pod", "default", "a") != nil {
		t.Errorf("a pod without a node is there after its deletion: %+v", res)
	}
	if res := del("b", nil); res.Deleted {
		t.Error("b is gone at once")
	}
	p := w.st.Latest().Get("Pod", "default", "b").(*api.Pod)
	if p.DeletionGracePeriodSeconds == nil || *p.DeletionGracePeriodSeconds != 30 || p.Generation != 2 {
		t.Errorf("%+v", p.ObjectMeta)
	}
	zero := int64(0)
	if res := del("b", &zero); !res.Deleted || w.st.Latest().Get("Pod", "default", "b") != nil {
		t.Errorf("b survives a deletion with grace 0: %+v", res)
	}
}

func TestAnOutdatedUpdateIsAConflict(t *testing.T) {
	w := newWorld(t)
	w.createPod(t, simplePod("web"))
	p := *w.st.Latest().Get("Pod", "default", "web").(*api.Pod)
	p.ResourceVersion, p.Labels = "1", map[string]string{"a": "b"}
	res := w.do(api.Request{Verb: api.Update, Kind: podKind(), Namespace: "default", Name: "web", Object: &p})
	want := `Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again`
	if res.Status == nil || res.Status.Message != want || res.Status.Code != 409 {
		t.Errorf("%+v", res.Status)
	}
}

func (w *world) request(t testing.TB, req api.Request) api.Response {
	t.Helper()
	res := w.do(req)
	if res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	return res
}

func TestANamespaceStaysUntilItsControllerLetsItGo(t *testing.T) {
	w := newWorld(t)
	w.request(t, api.Request{Verb: api.Create, Kind: api.KindNamed("Namespace"), Object: &api.Namespace{ObjectMeta: api.ObjectMeta{Name: "team"}}})
	p := simplePod("web")
	p.Namespace = "team"
	w.request(t, api.Request{Verb: api.Create, Kind: podKind(), Namespace: "team", Object: p})
	w.request(t, api.Request{Verb: api.Create, Kind: podKind(), Namespace: "team", Name: "web", Subresource: "binding", Options: map[string]string{"node": "n1"}})
	w.request(t, api.Request{Verb: api.Delete, Kind: api.KindNamed("Namespace"), Name: "team"})
	ns, _ := w.st.Latest().Get("Namespace", "", "team").(*api.Namespace)
	if ns == nil || ns.Status.Phase != "Terminating" {
		t.Fatalf("%+v", ns)
	}
	other := simplePod("late")
	other.Namespace = "team"
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "team", Object: other})
	if want := `pods "late" is forbidden: unable to create new content in namespace team because it is being terminated`; res.Status == nil || res.Status.Message != want {
		t.Errorf("%+v", res.Status)
	}
	w.request(t, api.Request{Verb: api.Delete, Kind: api.KindNamed("Namespace"), Name: "team"})
	if w.st.Latest().Get("Namespace", "", "team") == nil {
		t.Error("a second deletion removes the namespace")
	}
	empty := *w.st.Latest().Get("Namespace", "", "team").(*api.Namespace)
	empty.Spec.Finalizers = nil
	w.request(t, api.Request{Verb: api.Update, Kind: api.KindNamed("Namespace"), Name: "team", Subresource: "finalize", Object: &empty})
	if w.st.Latest().Get("Namespace", "", "team") != nil {
		t.Error("the namespace is still there")
	}
}

func TestTheRecordsOfARequestFormOneChain(t *testing.T) {
	w := newWorld(t)
	before := w.log.Len()
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", FieldValidation: "Strict",
		Body: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"app","image":"nginx:1.27"}]}}`)})
	if res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	var sources []string
	last := sim.Cause(0)
	for _, r := range w.log.After(sim.Cause(before)) {
		if last != 0 && r.Cause != last {
			t.Errorf("%s is not caused by the record before", r.String())
		}
		if r.Ref.Name != "web" {
			t.Errorf("%s does not name the pod", r.String())
		}
		last = sim.Cause(r.ID)
		sources = append(sources, r.Source)
	}
	want := []string{"apiserver", "authentication", "authorization", "apiserver", "apiserver", "admission/NamespaceLifecycle", "admission/ServiceAccount",
		"admission/Priority", "admission/DefaultTolerationSeconds", "admission/RuntimeClass", "validation"}
	if len(sources) < len(want) || !slices.Equal(sources[:5], want[:5]) || sources[len(sources)-1] != "etcd" {
		t.Errorf("%q", sources)
	}
	for _, s := range want {
		if !slices.Contains(sources, s) {
			t.Errorf("no record of %s in %q", s, sources)
		}
	}
}

func TestAnObjectWithAFinalizerGoesWhenTheFinalizerDoes(t *testing.T) {
	w := newWorld(t)
	k := api.KindNamed("ConfigMap")
	m := &api.ConfigMap{ObjectMeta: api.ObjectMeta{Name: "c", Finalizers: []string{"example.com/wait"}}}
	w.request(t, api.Request{Verb: api.Create, Kind: k, Namespace: "default", Object: m})
	if res := w.request(t, api.Request{Verb: api.Delete, Kind: k, Namespace: "default", Name: "c"}); res.Deleted {
		t.Fatal("deleted in spite of its finalizer")
	}
	stored := w.st.Latest().Get("ConfigMap", "default", "c")
	if d := stored.Meta(); d.DeletionTimestamp == nil || d.DeletionGracePeriodSeconds == nil || *d.DeletionGracePeriodSeconds != 0 {
		t.Errorf("%+v", d)
	}
	w.request(t, api.Request{Verb: api.Patch, Kind: k, Namespace: "default", Name: "c", PatchType: MergePatch, Body: []byte(`{"metadata":{"finalizers":null}}`)})
	if w.st.Latest().Get("ConfigMap", "default", "c") != nil {
		t.Error("still there without its finalizer")
	}
}

func TestADryRunStoresNothing(t *testing.T) {
	w := newWorld(t)
	rev := w.st.Rev()
	res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: simplePod("web"), DryRun: true})
	if res.Status != nil || res.Object.Meta().UID == "" || w.st.Rev() != rev {
		t.Errorf("%+v, revision %d after %d", res, w.st.Rev(), rev)
	}
	res = w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "nowhere", Object: &api.Pod{ObjectMeta: api.ObjectMeta{Name: "web", Namespace: "nowhere"}}, DryRun: true})
	if res.Status == nil || res.Status.Message != `namespaces "nowhere" not found` || res.Status.Code != 404 {
		t.Errorf("%+v", res.Status)
	}
}

func TestADeletionWithAnOldPreconditionIsAConflict(t *testing.T) {
	w := newWorld(t)
	w.createPod(t, simplePod("web"))
	res := w.do(api.Request{Verb: api.Delete, Kind: podKind(), Namespace: "default", Name: "web", PreconditionUID: "other"})
	if res.Status == nil || res.Status.Code != 409 || w.st.Latest().Get("Pod", "default", "web") == nil {
		t.Errorf("%+v", res.Status)
	}
}

func TestUnknownFieldsAreRefusedWarnedOfOrIgnored(t *testing.T) {
	body := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"app","image":"nginx","imagee":"x"}]}}`)
	for mode, want := range map[string]string{"Strict": "BadRequest", "Warn": "warning", "Ignore": ""} {
		res := newWorld(t).do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Body: body, FieldValidation: mode})
		got := ""
		switch {
		case res.Status != nil:
			got = res.Status.Reason
		case len(res.Warnings) > 0:
			got = "warning"
			if res.Warnings[0] != `unknown field "spec.containers[0].imagee"` {
				t.Error(res.Warnings)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q: %+v", mode, got, want, res.Status)
		}
	}
}

func TestACloneDrawsTheSameNamesAndAddresses(t *testing.T) {
	w := newWorld(t)
	st := w.st.Clone()
	c := &world{Server: w.Clone(st), st: st}
	make := func(w *world) (string, string) {
		p := simplePod("")
		p.GenerateName = "web-"
		w.request(t, api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: simplePod("a")})
		s := &api.Service{ObjectMeta: api.ObjectMeta{Name: "s"}}
		s.Spec.Ports = []api.ServicePort{{Port: 80}}
		pod := w.request(t, api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: p}).Object
		service := w.request(t, api.Request{Verb: api.Create, Kind: api.KindNamed("Service"), Namespace: "default", Object: s}).Object.(*api.Service)
		return pod.Meta().Name, service.Spec.ClusterIP
	}
	name, ip := make(w)
	if n, i := make(c); n != name || i != ip {
		t.Errorf("%s %s, in the clone %s %s", name, ip, n, i)
	}
}
