package apiserver

import (
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

func TestANamespaceGoesWhenItsLastPodHasEnded(t *testing.T) {
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
	zero := int64(0)
	w.request(t, api.Request{Verb: api.Delete, Kind: podKind(), Namespace: "team", Name: "web", GracePeriodSeconds: &zero})
	if w.st.Latest().Get("Namespace", "", "team") != nil {
		t.Error("the namespace is still there")
	}
}

func TestAClaimInUseGoesWithItsPod(t *testing.T) {
	w := newWorld(t)
	claimKind := api.KindNamed("PersistentVolumeClaim")
	claim := &api.PersistentVolumeClaim{ObjectMeta: api.ObjectMeta{Name: "data"}}
	claim.Spec.AccessModes = []string{"ReadWriteOnce"}
	claim.Spec.Resources.Requests = map[string]api.Quantity{"storage": api.NewQuantity(1<<30, api.BinarySI)}
	w.request(t, api.Request{Verb: api.Create, Kind: claimKind, Namespace: "default", Object: claim})
	p := simplePod("db")
	p.Spec.Volumes = []api.Volume{{Name: "d", PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}
	w.createPod(t, p)
	w.request(t, api.Request{Verb: api.Delete, Kind: claimKind, Namespace: "default", Name: "data"})
	if c := w.st.Latest().Get("PersistentVolumeClaim", "default", "data"); c == nil || c.Meta().DeletionTimestamp == nil {
		t.Fatalf("a claim in use is gone, or not marked: %+v", c)
	}
	w.request(t, api.Request{Verb: api.Delete, Kind: podKind(), Namespace: "default", Name: "db"})
	if w.st.Latest().Get("PersistentVolumeClaim", "default", "data") != nil {
		t.Error("the claim is still there")
	}
}
