package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	realslice "k8s.io/endpointslice"
	"k8s.io/endpointslice/topologycache"
	endpointsliceutil "k8s.io/endpointslice/util"
	"k8s.io/klog/v2"

	"podwalk/core/actor"
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/controllers/endpointslice"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// ourSlices runs our controller over a store.
type ourSlices struct {
	st     *store.Store
	server *apiserver.Server
	log    trace.Log
	now    sim.Time
	a      actor.Actor
	cursor uint64
	events []string
}

func newOurSlices() *ourSlices {
	w := &ourSlices{a: endpointslice.New(0), cursor: store.FirstRev}
	w.st = store.New(store.Index{Name: endpoint.Index, Kind: "Service", Values: endpoint.IndexValues},
		store.Index{Name: endpoint.SliceIndex, Kind: "EndpointSlice", Values: endpoint.SliceIndexValues})
	w.server = apiserver.New(apiserver.Config{ServiceCIDR: "10.96.0.0/16,fd00:10:96::/112"}, w.st)
	w.server.Bootstrap(0, &w.log)
	return w
}

func (w *ourSlices) Handle(req api.Request, cause sim.Cause) api.Response {
	return w.server.Handle(w.now, cause, &w.log, req)
}
func (w *ourSlices) Record(r trace.Record) sim.Cause { return w.log.Append(r) }
func (w *ourSlices) Latest() store.Snapshot          { return w.st.Latest() }
func (w *ourSlices) Start() int64                    { return 0 }
func (w *ourSlices) Random() sim.Random              { return sim.Random{} }
func (w *ourSlices) Events() actor.Recorder          { return w }
func (w *ourSlices) Event(_ *actor.Ctx, e actor.Event) {
	w.events = append(w.events, e.Type+" "+e.Reason+" "+e.Message)
}

func (w *ourSlices) look(k sim.Key) {
	w.now += 5000 * sim.Second
	changes, _ := w.st.Since(w.cursor)
	w.cursor = w.st.Rev()
	user := api.User{Name: "system:serviceaccount:kube-system:" + w.a.Name()}
	w.a.Reconcile(actor.NewCtx(w, w.a.Name(), user, w.now, 0, w.Latest(), changes), k)
}

func (w *ourSlices) put(o api.Object) { w.st.Put(o, store.AnyRev, w.now, 0) }

// theirSlices runs the real reconciler over a fake API.
type theirSlices struct {
	client   *fake.Clientset
	nodes    cache.Indexer
	topology *topologycache.TopologyCache
	triggers *endpointsliceutil.TriggerTimeTracker
	recorder *record.FakeRecorder
	r        *realslice.Reconciler
}

func newTheirSlices() *theirSlices {
	w := &theirSlices{client: fake.NewSimpleClientset(), nodes: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}),
		topology: topologycache.NewTopologyCache(), triggers: endpointsliceutil.NewTriggerTimeTracker(), recorder: record.NewFakeRecorder(100)}
	n := 0
	w.client.PrependReactor("create", "endpointslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
		s := a.(clienttesting.CreateAction).GetObject().(*discoveryv1.EndpointSlice)
		if n++; s.Name == "" {
			s.Name = s.GenerateName + strconv.Itoa(n)
		}
		return false, s, nil
	})
	w.r = realslice.NewReconciler(w.client, corelisters.NewNodeLister(w.nodes), 100, endpointsliceutil.NewEndpointSliceTracker(), w.topology, w.recorder,
		endpointslice.ManagedBy, realslice.WithPreferSameTrafficDistributionEnabled(true))
	return w
}

func (w *theirSlices) sync(t *testing.T, svc *corev1.Service, pods []*corev1.Pod) string {
	list, err := w.client.DiscoveryV1().EndpointSlices("default").List(context.Background(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=web"})
	if err != nil {
		t.Fatal(err)
	}
	var existing []*discoveryv1.EndpointSlice
	for i := range list.Items {
		existing = append(existing, &list.Items[i])
	}
	at := w.triggers.ComputeEndpointLastChangeTriggerTime("default", svc, pods)
	return errText(w.r.Reconcile(klog.Background(), svc, pods, existing, at))
}

func convert[T any](t *testing.T, from any) *T {
	raw, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	to := new(T)
	if err := json.Unmarshal(raw, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// told is what the slices say: names, order of endpoints and of slices are chance.
// Where hints follow the CPUs, which endpoint helps another zone is too.
func told(t *testing.T, list []any, auto bool) string {
	var out []string
	for _, o := range list {
		s := convert[api.EndpointSlice](t, o)
		var eps []string
		zones := map[string]int{}
		for _, e := range s.Endpoints {
			if auto && e.Hints != nil {
				zones[e.Hints.ForZones[0].Name]++
				e.Hints = nil
			}
			raw, _ := json.Marshal(e)
			eps = append(eps, string(raw))
		}
		slices.Sort(eps)
		ports, _ := json.Marshal(s.Ports)
		labels, _ := json.Marshal(s.Labels)
		if len(s.Ports) == 0 {
			ports = []byte("null")
		}
		out = append(out, fmt.Sprintln(s.AddressType, string(ports), string(labels), s.Annotations[endpoint.LastChange], zones)+strings.Join(eps, "\n"))
	}
	slices.Sort(out)
	return strings.Join(out, "\n--\n")
}

// worldOfPods changes a Service, its pods and the nodes at random.
type worldOfPods struct {
	r     *rand.Rand
	svc   *api.Service
	pods  map[string]*api.Pod
	nodes map[string]*api.Node
	tick  api.Time
}

func (w *worldOfPods) step() {
	w.tick += api.Time(w.r.Intn(3))
	switch n := w.r.Intn(20); {
	case n == 0:
		w.svc.Spec.PublishNotReadyAddresses = !w.svc.Spec.PublishNotReadyAddresses
	case n == 1:
		w.svc.Labels = map[string]string{"team": strconv.Itoa(w.r.Intn(3))}
	case n == 2:
		w.svc.Spec.TrafficDistribution = [](*string){nil, ptr("PreferClose"), ptr("PreferSameZone"), ptr("PreferSameNode")}[w.r.Intn(4)]
	case n == 3:
		w.svc.Annotations = []map[string]string{nil, {"service.kubernetes.io/topology-mode": "Auto"}, {"service.kubernetes.io/topology-aware-hints": "auto"}}[w.r.Intn(3)]
	case n == 4:
		w.svc.Spec.Ports = []api.ServicePort{{Name: "a", Port: 80, Protocol: "TCP", TargetPort: api.FromString("http")}, {Name: "b", Port: 81, Protocol: "TCP", TargetPort: api.FromInt(9090)},
			{Name: "c", Port: 53, Protocol: "UDP", TargetPort: api.FromString("dns")}}[:w.r.Intn(3)+1]
	case n == 5:
		w.svc.Spec.IPFamilies = [][]string{{"IPv4"}, {"IPv4", "IPv6"}}[w.r.Intn(2)]
	case n == 6:
		name := "node-" + strconv.Itoa(w.r.Intn(4))
		if w.nodes[name] != nil && w.r.Intn(3) == 0 {
			delete(w.nodes, name)
		} else {
			w.nodes[name] = w.node(name)
		}
	case n < 9:
		delete(w.pods, "p"+strconv.Itoa(w.r.Intn(12)))
	default:
		w.pod("p" + strconv.Itoa(w.r.Intn(12)))
	}
	// With both, what is remembered of hints depends on which family comes first, and
	// the real reconciler takes them from a map.
	if len(w.svc.Spec.IPFamilies) == 2 {
		w.svc.Annotations = nil
	}
}

func ptr(s string) *string { return &s }

func (w *worldOfPods) node(name string) *api.Node {
	n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	n.Name, n.Labels = name, map[string]string{}
	if w.r.Intn(5) > 0 {
		n.Labels["topology.kubernetes.io/zone"] = "zone-" + strconv.Itoa(w.r.Intn(3))
	}
	n.Status.Allocatable = map[string]api.Quantity{"cpu": api.MustQuantity("1" + strings.TrimPrefix(name, "node-"))}
	n.Status.Conditions = []api.NodeCondition{{Type: "Ready", Status: []string{"True", "True", "False"}[w.r.Intn(3)]}}
	return n
}

func (w *worldOfPods) pod(name string) {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name, p.UID, p.Labels = "default", name, "uid-"+name, map[string]string{"app": "web"}
	p.Spec.NodeName = "node-" + strconv.Itoa(w.r.Intn(4))
	p.Spec.Containers = []api.Container{{Name: "c", Ports: []api.ContainerPort{{Name: "http", ContainerPort: int32(8080 + w.r.Intn(2)), Protocol: "TCP"}}}}
	if w.r.Intn(3) == 0 {
		p.Spec.InitContainers = []api.Container{{Name: "s", RestartPolicy: ptr("Always"), Ports: []api.ContainerPort{{Name: "dns", ContainerPort: 53, Protocol: "UDP"}}}}
	}
	if w.r.Intn(4) == 0 {
		p.Spec.Hostname, p.Spec.Subdomain = name, "web"
	}
	p.Status.Phase = []string{"Running", "Running", "Running", "Succeeded"}[w.r.Intn(4)]
	if w.r.Intn(8) > 0 {
		p.Status.PodIP = "10.244.0." + name[1:]
		p.Status.PodIPs = []api.PodIP{{IP: p.Status.PodIP}}
		if w.r.Intn(2) == 0 {
			p.Status.PodIPs = append(p.Status.PodIPs, api.PodIP{IP: "fd00:244::" + name[1:]})
		}
	}
	if w.r.Intn(6) > 0 {
		p.Status.Conditions = []api.PodCondition{{Type: "Ready", Status: []string{"True", "True", "False"}[w.r.Intn(3)], LastTransitionTime: w.tick}}
	}
	if w.r.Intn(6) == 0 {
		at := w.tick
		p.DeletionTimestamp = &at
	}
	w.pods[name] = p
}

func TestSlicesSayWhatThoseOfTheRealReconcilerSay(t *testing.T) {
	for seed := range int64(rounds(40)) {
		runSlices(t, seed)
	}
}

func runSlices(t *testing.T, seed int64) {
	w := &worldOfPods{r: rand.New(rand.NewSource(seed)), pods: map[string]*api.Pod{}, nodes: map[string]*api.Node{}, tick: 1767607200}
	w.svc = &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	w.svc.Namespace, w.svc.Name, w.svc.UID, w.svc.CreationTimestamp = "default", "web", "uid-web", w.tick
	w.svc.Spec = api.ServiceSpec{Type: "ClusterIP", ClusterIP: "10.96.1.1", ClusterIPs: []string{"10.96.1.1"}, IPFamilies: []string{"IPv4"}, Selector: map[string]string{"app": "web"},
		Ports: []api.ServicePort{{Port: 80, Protocol: "TCP", TargetPort: api.FromInt(80)}}}
	ours, theirs := newOurSlices(), newTheirSlices()
	for step := range 60 {
		w.step()
		ours.take(w)
		ours.look(endpoint.KeyOf("default", "web"))
		wrong := theirs.take(t, w)
		auto := w.svc.Annotations != nil
		got, want := told(t, ours.list(), auto), told(t, theirs.list(t), auto)
		if got != want {
			t.Fatalf("seed %d step %d\n--- got\n%s\n--- want\n%s", seed, step, got, want)
		}
		gotEvents, wantEvents := unordered(strings.Join(ours.events, "\n")), unordered(theirs.events(wrong))
		if ours.events = nil; gotEvents != wantEvents {
			t.Fatalf("seed %d step %d: events\n got %q\nwant %q", seed, step, gotEvents, wantEvents)
		}
	}
}

// unordered sorts the events, and the errors of a message: they come in the order
// of maps.
func unordered(events string) string {
	lines := strings.Split(events, "\n")
	for i, l := range lines {
		if head, list, ok := strings.Cut(l, "["); ok {
			errs := strings.Split(strings.TrimSuffix(list, "]"), ", ")
			slices.Sort(errs)
			lines[i] = head + strings.Join(errs, ", ")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// take puts the world into our store; only what changed is written.
func (w *ourSlices) take(from *worldOfPods) {
	put := func(o api.Object) {
		m := o.Meta()
		old := w.Latest().Get(o.ObjectType().Kind, m.Namespace, m.Name)
		c := api.DeepCopy(o)
		if old != nil {
			c.Meta().ResourceVersion = old.Meta().ResourceVersion
		}
		if old == nil || !api.Equal(old, c) {
			w.put(c)
		}
	}
	put(from.svc)
	for _, k := range slices.Sorted(maps.Keys(from.pods)) {
		put(from.pods[k])
	}
	for _, k := range slices.Sorted(maps.Keys(from.nodes)) {
		put(from.nodes[k])
	}
	for _, o := range append(w.Latest().List("Pod", ""), w.Latest().List("Node", "")...) {
		if m := o.Meta(); from.pods[m.Name] == nil && from.nodes[m.Name] == nil {
			w.st.Delete(api.RefOf(o), store.AnyRev, w.now, 0)
		}
	}
}

func (w *ourSlices) list() (l []any) {
	for _, o := range w.Latest().List("EndpointSlice", "default") {
		if o.Meta().Name != "kubernetes" {
			l = append(l, o)
		}
	}
	return l
}

func (w *theirSlices) take(t *testing.T, from *worldOfPods) string {
	var nodes []*corev1.Node
	var listed []any
	for _, k := range slices.Sorted(maps.Keys(from.nodes)) {
		n := convert[corev1.Node](t, from.nodes[k])
		nodes, listed = append(nodes, n), append(listed, n)
	}
	w.nodes.Replace(listed, "")
	w.topology.SetNodes(klog.Background(), nodes)
	var pods []*corev1.Pod
	for _, k := range slices.Sorted(maps.Keys(from.pods)) {
		pods = append(pods, convert[corev1.Pod](t, from.pods[k]))
	}
	return w.sync(t, convert[corev1.Service](t, from.svc), pods)
}

func (w *theirSlices) list(t *testing.T) (l []any) {
	list, err := w.client.DiscoveryV1().EndpointSlices("default").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		l = append(l, &list.Items[i])
	}
	return l
}

// events are those of the reconciler, and the one that its controller adds.
func (w *theirSlices) events(wrong string) string {
	var l []string
	for len(w.recorder.Events) > 0 {
		l = append(l, <-w.recorder.Events)
	}
	if wrong != "" {
		l = append(l, "Warning FailedToUpdateEndpointSlices Error updating Endpoint Slices for Service default/web: "+wrong)
	}
	return strings.Join(l, "\n")
}
