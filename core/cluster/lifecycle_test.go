package cluster_test

import (
	"slices"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/sim"
)

// rig is a cluster that a test talks to as the admin.
type rig struct {
	*cluster.Cluster
	t *testing.T
}

func newRig(t *testing.T, cfg cluster.Config) rig {
	r := rig{cluster.New(cfg), t}
	r.pass(sim.Second)
	return r
}

func (r rig) pass(d sim.Time) { r.Run(cluster.Until{At: r.Now() + d}) }

func (r rig) do(req api.Request) api.Response {
	r.t.Helper()
	req.User = cluster.Admin()
	res := r.Request(0, req)
	if res.Failed() {
		r.t.Fatal(res.Status.Message)
	}
	return res
}

// create stores an object that is given as YAML.
func (r rig) create(namespace, text string) api.Object {
	r.t.Helper()
	kind := ""
	for _, l := range strings.Split(text, "\n") {
		if k, ok := strings.CutPrefix(l, "kind: "); ok {
			kind = k
		}
	}
	return r.do(api.Request{Verb: api.Create, Kind: api.KindNamed(kind), Namespace: namespace, Body: []byte(text)}).Object
}

func (r rig) delete(kind, namespace, name, policy string) {
	r.t.Helper()
	r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed(kind), Namespace: namespace, Name: name, Propagation: policy})
}

func (r rig) patch(kind, namespace, name, body string) {
	r.t.Helper()
	r.do(api.Request{Verb: api.Patch, Kind: api.KindNamed(kind), Namespace: namespace, Name: name,
		PatchType: "application/merge-patch+json", Body: []byte(body)})
}

func (r rig) fault(line string) {
	r.t.Helper()
	words := strings.Fields(line)
	if _, wrong := r.Inject(cluster.Fault{Name: words[0], Args: words[1:]}); wrong != "" {
		r.t.Fatal(wrong)
	}
}

func (r rig) has(kind, namespace, name string) bool {
	return r.Latest().Get(kind, namespace, name) != nil
}

func (r rig) node(name string) *api.Node { return r.Latest().Get("Node", "", name).(*api.Node) }

func (r rig) pod(name string) *api.Pod {
	p, _ := r.Latest().Get("Pod", "default", name).(*api.Pod)
	return p
}

func taints(n *api.Node) string {
	var l []string
	for _, t := range n.Spec.Taints {
		l = append(l, t.Key+":"+t.Effect)
	}
	return strings.Join(l, " ")
}

// events lists the messages of the events with a reason, in order of their names.
func (r rig) events(reason string) (l []string) {
	r.Latest().Each("Event", "", func(o api.Object) bool {
		if e := o.(*api.Event); e.Reason == reason {
			l = append(l, e.Message)
		}
		return true
	})
	return l
}

func configMap(name, owners, finalizers string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", ownerReferences: [" + owners + "], finalizers: [" + finalizers + "]}\n"
}

func ref(o api.Object, blocks string) string {
	return "{apiVersion: v1, kind: ConfigMap, name: " + o.Meta().Name + ", uid: " + o.Meta().UID + ", blockOwnerDeletion: " + blocks + "}"
}

// The messages are those of the case describe/namespace-terminating of the oracle.
func TestANamespaceSaysWhatItWaitsForUntilItIsGone(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.create("", "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n")
	r.pass(sim.Second)
	r.create("team", configMap("held", "", "example.com/hold"))
	r.create("team", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {terminationGracePeriodSeconds: 3, containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]}\n")
	r.pass(5 * sim.Second)
	r.delete("Namespace", "", "team", "Background")
	r.pass(4 * sim.Second)
	if p := r.Latest().Get("Pod", "team", "web").(*api.Pod); p.DeletionTimestamp != nil {
		t.Error("the content is touched before five seconds have passed")
	}
	r.pass(2 * sim.Second)
	if p := r.Latest().Get("Pod", "team", "web").(*api.Pod); p.DeletionTimestamp == nil || r.Latest().Get("ConfigMap", "team", "held").Meta().DeletionTimestamp != nil {
		t.Error("pods go first, and nothing else while there are some")
	}
	r.pass(20 * sim.Second)
	ns := r.Latest().Get("Namespace", "", "team").(*api.Namespace)
	want := []string{"NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
		"NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed",
		"NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization",
		"NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: configmaps. has 1 resource instances",
		"NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"}
	for i, c := range ns.Status.Conditions {
		if got := c.Type + " " + c.Status + " " + c.Reason + " " + c.Message; got != want[i] {
			t.Errorf("%s\nwant %s", got, want[i])
		}
	}
	if len(ns.Status.Conditions) != len(want) || !r.Quiescent() {
		t.Errorf("%d conditions, quiescent %v", len(ns.Status.Conditions), r.Quiescent())
	}
	r.patch("ConfigMap", "team", "held", `{"metadata":{"finalizers":null}}`)
	r.pass(20 * sim.Second)
	if r.has("Namespace", "", "team") {
		t.Error("the namespace is still there")
	}
}

func TestDependentsFollowTheirOwnerInTheBackground(t *testing.T) {
	r := newRig(t, cluster.Config{})
	a := r.create("default", configMap("a", "", ""))
	b := r.create("default", configMap("b", ref(a, "false"), ""))
	other := r.create("default", configMap("other", "", ""))
	r.create("default", configMap("c", ref(b, "false"), ""))
	r.create("default", configMap("shared", ref(a, "false")+","+ref(other, "false"), ""))
	r.delete("ConfigMap", "default", "a", "Background")
	r.pass(sim.Second)
	if r.has("ConfigMap", "default", "b") || r.has("ConfigMap", "default", "c") {
		t.Error("a dependent has outlived its owner")
	}
	shared := r.Latest().Get("ConfigMap", "default", "shared")
	if shared == nil || len(shared.Meta().OwnerReferences) != 1 || shared.Meta().OwnerReferences[0].Name != "other" {
		t.Errorf("an object with another owner: %v", shared)
	}
}

func TestAForegroundDeletionWaitsForWhatBlocksIt(t *testing.T) {
	r := newRig(t, cluster.Config{})
	a := r.create("default", configMap("a", "", ""))
	b := r.create("default", configMap("b", ref(a, "true"), ""))
	r.create("default", configMap("c", ref(b, "true"), "example.com/hold"))
	r.delete("ConfigMap", "default", "a", "Foreground")
	r.pass(sim.Second)
	if !r.has("ConfigMap", "default", "a") || !r.has("ConfigMap", "default", "b") {
		t.Fatal("an owner is gone before what blocks it")
	}
	r.patch("ConfigMap", "default", "c", `{"metadata":{"finalizers":null}}`)
	r.pass(sim.Second)
	if r.has("ConfigMap", "default", "a") || r.has("ConfigMap", "default", "b") || r.has("ConfigMap", "default", "c") {
		t.Error("the foreground deletion has not ended")
	}
}

func TestOrphansOutliveTheirOwner(t *testing.T) {
	r := newRig(t, cluster.Config{})
	a := r.create("default", configMap("a", "", ""))
	r.create("default", configMap("b", ref(a, "true"), ""))
	r.delete("ConfigMap", "default", "a", "Orphan")
	r.pass(sim.Second)
	b := r.Latest().Get("ConfigMap", "default", "b")
	if r.has("ConfigMap", "default", "a") || b == nil || len(b.Meta().OwnerReferences) != 0 {
		t.Errorf("the orphan is %v", b)
	}
}

// pkg/controller/garbagecollector/graph_builder.go, reportInvalidNamespaceOwnerRef.
func TestAnOwnerInAnotherNamespaceIsNone(t *testing.T) {
	r := newRig(t, cluster.Config{})
	a := r.create("kube-public", configMap("a", "", ""))
	r.create("default", configMap("b", ref(a, "true"), ""))
	r.pass(sim.Second)
	want := `ownerRef [v1/ConfigMap, namespace: default, name: a, uid: ` + a.Meta().UID + `] does not exist in namespace "default"`
	if l := r.events("OwnerRefInvalidNamespace"); len(l) != 1 || l[0] != want {
		t.Errorf("events %q", l)
	}
	if r.has("ConfigMap", "default", "b") || !r.has("ConfigMap", "kube-public", "a") {
		t.Error("the dependent is still there, or the wrong one is gone")
	}
}

const sleeper = `apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  nodeName: NODE
  tolerations: [TOLERATIONS]
  containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]
`

func (r rig) sleeper(name, node, tolerations string) {
	r.t.Helper()
	r.create("default", strings.NewReplacer("NAME", name, "NODE", node, "TOLERATIONS", tolerations).Replace(sleeper))
}

// pkg/controller/podgc/gc_controller.go: looks every 20 s, a quarantine of 40 s.
func TestPodsOfANodeThatIsGoneAreCollected(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.sleeper("a", "node-1", "")
	r.pass(10 * sim.Second)
	r.delete("Node", "", "node-1", "Background")
	r.pass(40 * sim.Second)
	if r.pod("a") == nil {
		t.Fatal("collected before the quarantine is over")
	}
	r.pass(40 * sim.Second)
	if r.pod("a") != nil {
		t.Error("the pod of a node that is gone is still there")
	}
	if l := r.events("RemovingNode"); len(l) != 1 || l[0] != "Node node-1 event: Removing Node node-1 from Controller" {
		t.Errorf("events %q", l)
	}
}

func TestPodsThatShallEndGoFromANodeOutOfService(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.sleeper("a", "node-1", "")
	r.pass(10 * sim.Second)
	r.fault("node-down node-1")
	r.pass(70 * sim.Second)
	r.patch("Node", "", "node-1", `{"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute"}]}}`)
	r.pass(30 * sim.Second)
	if r.pod("a") != nil {
		t.Error("the pod is still there")
	}
}

// pkg/controller/ttl/ttl_controller.go: more than 100 nodes, 15 seconds; less than 90
// again, none.
func TestManyNodesMayKeepSecretsLonger(t *testing.T) {
	var nodes []*api.Node
	for i := range 101 {
		n := &api.Node{}
		n.Name = "n" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		nodes = append(nodes, n)
	}
	r := newRig(t, cluster.Config{Nodes: nodes})
	ttl := func() string { return r.node("naa").Annotations["node.alpha.kubernetes.io/ttl"] }
	if ttl() != "15" {
		t.Errorf("with 101 nodes: %s", ttl())
	}
	for _, n := range nodes[89:] {
		r.delete("Node", "", n.Name, "Background")
	}
	r.pass(sim.Second)
	if ttl() != "0" {
		t.Errorf("with 89 nodes: %s", ttl())
	}
}

// The order and the texts are those of controllers/zz-node-notready of the oracle,
// where 53 s passed after the last heartbeat.
func TestANodeThatIsNotHeardOfIsTaintedAndItsPodsAreEvicted(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.sleeper("keeper", "node-1", "")
	r.sleeper("short", "node-1", "{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}")
	r.pass(9 * sim.Second)
	r.fault("kubelet-stop node-1")
	r.pass(44 * sim.Second)
	if taints(r.node("node-1")) != "" {
		t.Error("tainted before its grace is over")
	}
	r.pass(12 * sim.Second)
	if got := taints(r.node("node-1")); got != "node.kubernetes.io/unreachable:NoSchedule node.kubernetes.io/unreachable:NoExecute" {
		t.Errorf("taints %q", got)
	}
	for _, c := range r.node("node-1").Status.Conditions {
		if c.Status != "Unknown" || c.Reason != "NodeStatusUnknown" || c.Message != "Kubelet stopped posting node status." {
			t.Errorf("condition %+v", c)
		}
	}
	r.pass(6 * sim.Second)
	if k, s := r.pod("keeper"), r.pod("short"); k.DeletionTimestamp != nil || s.DeletionTimestamp == nil {
		t.Error("the pod that tolerates five seconds goes, the other one stays")
	}
	r.fault("kubelet-start node-1")
	r.pass(45 * sim.Second)
	if got := taints(r.node("node-1")); got != "" || r.pod("short") != nil || r.pod("keeper") == nil {
		t.Errorf("after the kubelet is back: taints %q", got)
	}
	want := map[string]string{"NodeNotReady": "Node node-1 status is now: NodeNotReady", "Starting": "Starting kubelet.",
		"NodeReady": "Node node-1 status is now: NodeReady", "NodeHasSufficientMemory": "Node node-1 status is now: NodeHasSufficientMemory"}
	for reason, message := range want {
		if l := r.events(reason); !slices.Contains(l, message) {
			t.Errorf("%s: %q", reason, l)
		}
	}
	if l := r.events("TaintManagerEviction"); strings.Join(l, ", ") != "Cancelling deletion of Pod default/keeper, Marking for deletion Pod default/short" {
		t.Errorf("evictions %q", l)
	}
}

// node_lifecycle_controller.go, handleDisruption: when no node is heard of, it is the
// controller that is cut off.
func TestWhenEveryNodeIsLostNoneIsTaintedForEviction(t *testing.T) {
	r := newRig(t, cluster.Config{})
	for _, n := range []string{"control-plane", "node-1", "node-2", "node-3"} {
		r.fault("network-cut " + n)
	}
	r.pass(2 * sim.Minute)
	for _, n := range []string{"node-1", "node-2", "node-3"} {
		if got := taints(r.node(n)); got != "node.kubernetes.io/unreachable:NoSchedule" {
			t.Errorf("%s: taints %q", n, got)
		}
	}
	r.fault("network-heal node-1")
	r.pass(30 * sim.Second)
	for _, n := range []string{"node-2", "node-3"} {
		if got := taints(r.node(n)); got != "node.kubernetes.io/unreachable:NoSchedule node.kubernetes.io/unreachable:NoExecute" {
			t.Errorf("%s, when another is back: taints %q", n, got)
		}
	}
	if got := taints(r.node("node-1")); got != "" {
		t.Errorf("node-1: taints %q", got)
	}
}

// A zone's nodes are tainted at 0.1 a second (--node-eviction-rate).
func TestNodesOfAZoneAreTaintedOneAfterTheOther(t *testing.T) {
	r := newRig(t, cluster.Config{})
	for _, n := range []string{"node-2", "node-3"} {
		r.patch("Node", "", n, `{"metadata":{"labels":{"topology.kubernetes.io/zone":"zone-a"}}}`)
	}
	r.pass(9 * sim.Second)
	r.fault("node-down node-1")
	r.fault("node-down node-2")
	r.pass(58 * sim.Second)
	lost := 0
	for _, n := range []string{"node-1", "node-2"} {
		if strings.Contains(taints(r.node(n)), "NoExecute") {
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("%d nodes are tainted for eviction at once", lost)
	}
	r.pass(10 * sim.Second)
	if !strings.Contains(taints(r.node("node-1")), "NoExecute") || !strings.Contains(taints(r.node("node-2")), "NoExecute") {
		t.Error("ten seconds later both have to be")
	}
}

func TestANodeThatNobodyReportsIsSaidToBeSo(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.create("", "apiVersion: v1\nkind: Node\nmetadata: {name: edge}\n")
	r.pass(6 * sim.Second)
	if l := r.events("RegisteredNode"); len(l) != 1 || l[0] != "Node edge event: Registered Node edge in Controller" {
		t.Errorf("events %q", l)
	}
	if n := r.node("edge"); len(n.Status.Conditions) != 0 || taints(n) != "" || n.Annotations["node.alpha.kubernetes.io/ttl"] != "0" {
		t.Errorf("a new node: %v, taints %q", n.Status.Conditions, taints(n))
	}
	r.pass(70 * sim.Second)
	for _, c := range r.node("edge").Status.Conditions {
		if c.Status != "Unknown" || c.Reason != "NodeStatusNeverUpdated" || c.Message != "Kubelet never posted node status." {
			t.Errorf("condition %+v", c)
		}
	}
	if len(r.node("edge").Status.Conditions) != 4 || !r.Quiescent() {
		t.Errorf("%d conditions, quiescent %v", len(r.node("edge").Status.Conditions), r.Quiescent())
	}
}

// pkg/kubelet/eviction: 100Mi of memory is the default threshold; the pod that takes
// more than it asks for goes before the one that does not.
func TestANodeThatRunsShortOfMemoryEvictsAndRefuses(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.sleeper("loose", "node-1", "")
	r.create("default", "apiVersion: v1\nkind: Pod\nmetadata: {name: modest}\nspec: {nodeName: node-1, containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], resources: {requests: {memory: 64Mi}}}]}\n")
	r.pass(10 * sim.Second)
	r.fault("pressure node-1 memory 104857000")
	r.pass(15 * sim.Second)
	p := r.pod("loose")
	if p.Status.Phase != "Failed" || p.Status.Reason != "Evicted" || !strings.HasPrefix(p.Status.Message, "The node was low on resource: memory. Threshold quantity: 100Mi, available: 104857000. Container app was using ") {
		t.Errorf("%s %s %s", p.Status.Phase, p.Status.Reason, p.Status.Message)
	}
	found := false
	for _, c := range p.Status.Conditions {
		found = found || c.Type == "DisruptionTarget" && c.Reason == "TerminationByKubelet" && c.Message == p.Status.Message
	}
	if !found {
		t.Errorf("conditions %+v", p.Status.Conditions)
	}
	if q := r.pod("modest"); q.Status.Phase != "Running" {
		t.Errorf("the pod within its request is %s", q.Status.Phase)
	}
	if got := taints(r.node("node-1")); got != "node.kubernetes.io/memory-pressure:NoSchedule" {
		t.Errorf("taints %q", got)
	}
	r.sleeper("late", "node-1", "")
	r.pass(2 * sim.Second)
	if q := r.pod("late"); q.Status.Reason != "Evicted" || q.Status.Message != "Pod was rejected: The node had condition: [MemoryPressure]. " {
		t.Errorf("a pod that comes later: %s %q", q.Status.Reason, q.Status.Message)
	}
	r.fault("relief node-1 memory")
	r.pass(6 * sim.Minute)
	if got := taints(r.node("node-1")); got != "" {
		t.Errorf("five minutes after the relief: taints %q", got)
	}
}

func TestWhileTheAPIServerStandsStillNothingIsWrittenAndContainersGoOn(t *testing.T) {
	r := newRig(t, cluster.Config{})
	r.sleeper("a", "node-1", "")
	r.pass(10 * sim.Second)
	r.fault("component-stop apiserver")
	rev := r.Rev()
	r.fault("container-kill a")
	r.pass(30 * sim.Second)
	if r.Rev() != rev {
		t.Errorf("revision %d, was %d", r.Rev(), rev)
	}
	res := r.Request(0, api.Request{Verb: api.List, Kind: api.KindNamed("Pod"), Namespace: "default", User: cluster.Admin()})
	if !res.Failed() || res.Status.Message != "The connection to the server 172.18.0.2:6443 was refused - did you specify the right host or port?" {
		t.Errorf("a request is answered: %+v", res.Status)
	}
	r.fault("component-start apiserver")
	r.pass(15 * sim.Second)
	if s := r.pod("a").Status.ContainerStatuses[0]; s.RestartCount != 1 || s.State.Running == nil {
		t.Errorf("the container that was killed meanwhile: %+v", s)
	}
}

func TestAFaultThatCannotBeSaysSo(t *testing.T) {
	r := newRig(t, cluster.Config{})
	for line, want := range map[string]string{
		"node-down nowhere":            `fault node-down: there is no machine "nowhere"`,
		"node-down":                    "fault node-down: want NODE",
		"pressure node-1 love":         `fault pressure: want memory, disk or pid, not "love"`,
		"pressure node-1 memory -3":    `fault pressure: LEFT "-3" is no amount`,
		"container-kill nobody":        `fault container-kill: no pod "nobody" runs in namespace default`,
		"component-stop etcd":          `fault component-stop: want apiserver, scheduler, controller-manager, kube-proxy or cni, not "etcd"`,
		"kubelet-start node-1":         "",
		"registry-down a b":            "fault registry-down: want [HOST]",
		"network-heal node-1 at once":  "fault network-heal: want NODE",
		"relief node-1 disk":           "",
		"component-start scheduler":    "",
		"container-kill default/x app": `fault container-kill: no pod "x" runs in namespace default`,
	} {
		words := strings.Fields(line)
		if _, wrong := r.Inject(cluster.Fault{Name: words[0], Args: words[1:]}); wrong != want {
			t.Errorf("%s: %q, want %q", line, wrong, want)
		}
	}
	if _, wrong := r.Inject(cluster.Fault{Name: "earthquake"}); !strings.HasPrefix(wrong, `no fault "earthquake": want node-down, `) {
		t.Errorf("%q", wrong)
	}
}
