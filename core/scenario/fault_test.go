package scenario_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// workloads are what the random faults strike: pods that somebody replaces, and one
// that nobody does.
const workloads = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 2
      tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
      containers:
      - {name: app, image: 'nginx:1.27', readinessProbe: {httpGet: {port: 80}, periodSeconds: 3}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}], terminationGracePeriodSeconds: 1}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: app, image: 'nginx:1.27'}], terminationGracePeriodSeconds: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec:
  containers:
  - {name: app, image: 'busybox:1.36', command: [sleep, infinity]}
`

// strike is a fault and what heals it.
type strike struct{ fault, heal string }

var strikes = []strike{
	{"node-down NODE", "node-up NODE"}, {"node-down NODE", "node-up NODE"}, {"kubelet-stop NODE", "kubelet-start NODE"},
	{"network-cut NODE", "network-heal NODE"}, {"pressure NODE memory", "relief NODE memory"}, {"pressure NODE disk", "relief NODE disk"},
	{"pressure NODE pid 10", "relief NODE pid"}, {"registry-down", "registry-up"}, {"component-stop scheduler", "component-start scheduler"},
	{"component-stop controller-manager", "component-start controller-manager"}, {"component-stop apiserver", "component-start apiserver"},
	{"container-kill POD", ""}, {"container-kill POD", ""},
}

type faultRun struct {
	t     *testing.T
	s     *scenario.Session
	seed  uint64
	drawn uint64
}

func (r *faultRun) draw(n int) int {
	r.drawn++
	return sim.Random{Seed: r.seed}.Intn("faults", "test", r.drawn, n)
}

func (r *faultRun) step(d sim.Time) {
	c := r.s.Cluster()
	c.Run(cluster.Until{At: c.Now() + d})
	r.check()
}

func (r *faultRun) check() {
	for _, bad := range r.s.Cluster().Invariants() {
		r.t.Errorf("seed %d at %s: %s", r.seed, r.s.Cluster().Now(), bad)
	}
}

func (r *faultRun) fault(line string) {
	words := strings.Fields(line)
	if res := r.s.Fault(words[0], words[1:]); res.Exit != 0 && words[0] != "container-kill" {
		r.t.Errorf("seed %d: %s: %s", r.seed, line, res.Stderr)
	}
	r.check()
}

// start opens a cluster and applies the workloads.
func startFaults(t *testing.T, seed uint64) *faultRun {
	s, bad := scenario.Open(scenario.Options{Seed: &seed})
	if bad != nil {
		t.Fatal(bad)
	}
	s.Cluster().DetectMutations()
	s.Apply([]scenario.Source{{Name: "w.yaml", Files: []kubectl.File{{Name: "w.yaml", Text: []byte(workloads)}}}})
	return &faultRun{t: t, s: s, seed: seed}
}

// strike lets some faults happen and heals them all, each after a while of its own.
func (r *faultRun) strike() {
	type open struct {
		heal string
		at   sim.Time
	}
	var pending []open
	c := r.s.Cluster()
	for range 4 + r.draw(5) {
		r.step(sim.Time(r.draw(20_000)) * sim.Millisecond)
		x := strikes[r.draw(len(strikes))]
		node := "node-" + strconv.Itoa(1+r.draw(3))
		pod := "alone"
		if pods := c.Latest().List("Pod", "default"); len(pods) > 0 {
			pod = pods[r.draw(len(pods))].Meta().Name
		}
		with := strings.NewReplacer("NODE", node, "POD", pod)
		r.fault(with.Replace(x.fault))
		if x.heal != "" {
			pending = append(pending, open{with.Replace(x.heal), c.Now() + sim.Time(r.draw(120_000))*sim.Millisecond})
		}
	}
	for len(pending) > 0 {
		first := 0
		for i := range pending {
			if pending[i].at < pending[first].at {
				first = i
			}
		}
		r.step(max(pending[first].at-c.Now(), 0))
		heal := pending[first].heal
		if node, ok := strings.CutPrefix(heal, "kubelet-start "); ok && r.off(node) {
			heal = "node-up " + node
		}
		r.fault(heal)
		pending = append(pending[:first], pending[first+1:]...)
	}
}

// off reports whether the machine of a node has been taken its power: the kubelet can
// be started with it only.
func (r *faultRun) off(node string) bool {
	down := false
	for _, rec := range r.s.Cluster().Records(0) {
		if rec.Source == "fault" && rec.Ref.Name == node {
			down = rec.Reason == "node-down" || down && rec.Reason != "node-up"
		}
	}
	return down
}

// healed reports what is not as it should be long after all faults are over.
func (r *faultRun) healed() {
	c := r.s.Cluster()
	c.Run(cluster.Until{At: c.Now() + 8*sim.Minute})
	c.Run(cluster.Until{Quiescent: true, At: c.Now() + 30*sim.Minute})
	r.check()
	if !c.Quiescent() {
		r.t.Errorf("seed %d: not quiescent at %s", r.seed, c.Now())
	}
	v := c.Latest()
	v.Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		for _, x := range n.Status.Conditions {
			if want := map[bool]string{true: "True", false: "False"}[x.Type == "Ready"]; x.Status != want {
				r.t.Errorf("seed %d: node %s has %s=%s", r.seed, n.Name, x.Type, x.Status)
			}
		}
		for _, taint := range n.Spec.Taints {
			if taint.Key != "node-role.kubernetes.io/control-plane" {
				r.t.Errorf("seed %d: node %s has the taint %s", r.seed, n.Name, taint.Key)
			}
		}
		return true
	})
	if d := v.Get("Deployment", "default", "web").(*api.Deployment); d.Status.ReadyReplicas != 4 || d.Status.UnavailableReplicas != 0 {
		r.t.Errorf("seed %d: the Deployment is %+v", r.seed, d.Status)
	}
	if d := v.Get("DaemonSet", "default", "agent").(*api.DaemonSet); d.Status.NumberReady != 3 || d.Status.NumberUnavailable != 0 {
		r.t.Errorf("seed %d: the DaemonSet is %+v", r.seed, d.Status)
	}
	if d := v.Get("StatefulSet", "default", "db").(*api.StatefulSet); d.Status.ReadyReplicas != 2 {
		r.t.Errorf("seed %d: the StatefulSet is %+v", r.seed, d.Status)
	}
	v.Each("Pod", "default", func(o api.Object) bool {
		p := o.(*api.Pod)
		over := p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded"
		ready := false
		for _, x := range p.Status.Conditions {
			ready = ready || x.Type == "Ready" && x.Status == "True"
		}
		if !over && !ready || p.DeletionTimestamp != nil {
			r.t.Errorf("seed %d: pod %s on %s is %s, ready %v, deleted %v", r.seed, p.Name, p.Spec.NodeName, p.Status.Phase, ready, p.DeletionTimestamp)
		}
		return true
	})
	if n := len(v.List("Lease", "kube-node-lease")); n > 0 {
		r.t.Errorf("seed %d: %d leases are not renewed", r.seed, n)
	}
}

// faultSeeds is how many random runs there are; PODWALK_SEEDS says another number.
func faultSeeds() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("PODWALK_SEEDS"), 10, 64); err == nil {
		return n
	}
	return 100
}

// Whatever goes wrong and is put right: the workloads are whole again, and the run is
// the same when it is run again, sought, forked or exported.
func TestAfterRandomFaultsEverythingIsReadyAgain(t *testing.T) {
	for seed := range faultSeeds() {
		r := startFaults(t, seed)
		r.strike()
		r.healed()
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, r.s.Export())
		}
		if seed%10 == 0 {
			r.compare()
		}
	}
}

func (r *faultRun) compare() {
	c := r.s.Cluster()
	end := c.Now()
	whole := traceOf(c, end)
	again := startFaults(r.t, r.seed)
	again.strike()
	again.healed()
	if other := traceOf(again.s.Cluster(), end); other != whole {
		r.t.Errorf("seed %d: two runs differ: %s", r.seed, firstDifference(whole, other))
	}
	for i := range sim.Time(5) {
		at := end * i / 5
		if x, y := traceOf(c, at), traceOf(c.Seek(at), at); x != y {
			r.t.Errorf("seed %d: sought at %s: %s", r.seed, at, firstDifference(x, y))
		}
	}
	fork := c.Fork(end / 2)
	for _, cmd := range c.Commands()[len(fork.Commands()):] {
		fork.Do(cmd)
	}
	fork.Run(cluster.Until{At: end})
	if other := traceOf(fork, end); other != whole {
		r.t.Errorf("seed %d: a fork differs: %s", r.seed, firstDifference(whole, other))
	}
	f, bad := scenario.ParseFile("export", []byte(r.s.Export()))
	if bad != nil {
		r.t.Fatal(bad)
	}
	played, _, problems := f.Play(nil)
	if problems != nil {
		r.t.Fatal(problems)
	}
	if other := traceOf(played.Cluster(), end); other != whole {
		r.t.Errorf("seed %d: the export differs: %s", r.seed, firstDifference(whole, other))
	}
}
