package cluster

import (
	"strconv"
	"testing"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/kubelet"
	"podwalk/core/sim"
)

// roller does random things to one Deployment.
type roller struct {
	t    *testing.T
	c    *Cluster
	seed uint64
	n    uint64
}

func (r *roller) of(n int) int {
	r.n++
	return sim.Random{Seed: r.seed}.Intn("rollout-test", "dice", r.n, n)
}

func (r *roller) do(req api.Request) api.Response {
	req.User = Admin()
	res := r.c.Request(0, req)
	if res.Failed() && res.Status.Reason != api.ReasonNotFound {
		r.t.Errorf("seed %d: %s %s: %s", r.seed, req.Verb, req.Name, res.Status.Message)
	}
	return res
}

func (r *roller) patch(kind, name, body string) {
	r.do(api.Request{Verb: api.Patch, Kind: api.KindNamed(kind), Namespace: "default", Name: name, Body: []byte(body), PatchType: "application/merge-patch+json"})
}

func (r *roller) create(kind, body string) {
	r.do(api.Request{Verb: api.Create, Kind: api.KindNamed(kind), Namespace: "default", Body: []byte(body)})
}

func (r *roller) deployment() *api.Deployment {
	return r.c.Latest().Get("Deployment", "default", "web").(*api.Deployment)
}

func (r *roller) sets() []*api.ReplicaSet {
	var out []*api.ReplicaSet
	for _, o := range r.c.Latest().ByIndex("replicaset.owner", r.deployment().UID) {
		out = append(out, o.(*api.ReplicaSet))
	}
	return out
}

func deploymentJSON(replicas int, strategy string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":` + strconv.Itoa(replicas) +
		`,"progressDeadlineSeconds":60,"revisionHistoryLimit":3,"selector":{"matchLabels":{"app":"web"}},"strategy":` + strategy +
		`,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"terminationGracePeriodSeconds":2,"containers":[{"name":"app","image":"nginx:1.27"}]}}}}`
}

var strategies = []string{`{"type":"Recreate","rollingUpdate":null}`, `{"type":"RollingUpdate"}`,
	`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}`, `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"50%","maxUnavailable":0}}`,
	`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":3,"maxUnavailable":"100%"}}`}

// disturb does one thing that a user may do.
func (r *roller) disturb() {
	d := r.deployment()
	switch r.of(12) {
	case 0, 1:
		r.patch("Deployment", "web", `{"spec":{"replicas":`+strconv.Itoa(r.of(8))+`}}`)
	case 2, 3:
		image := []string{"nginx:1.27", "nginx:1.28", "nginx:1.29"}[r.of(3)]
		r.patch("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"`+image+`"}]}}}}`)
	case 4:
		r.patch("Deployment", "web", `{"spec":{"paused":`+strconv.FormatBool(!d.Spec.Paused)+`}}`)
	case 5:
		r.patch("Deployment", "web", `{"spec":{"strategy":`+strategies[r.of(len(strategies))]+`}}`)
	case 6:
		r.patch("Deployment", "web", `{"spec":{"minReadySeconds":`+strconv.Itoa(r.of(4))+`}}`)
	case 7:
		if p := r.pod(); p != nil {
			r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: p.Name})
		}
	case 8:
		if p := r.pod(); p != nil {
			r.patch("Pod", p.Name, `{"metadata":{"labels":{"app":"released"}}}`)
		}
	case 9:
		for _, p := range podcontrol.Orphans(r.c.Latest(), "default") {
			r.patch("Pod", p.Name, `{"metadata":{"labels":{"app":"web"}}}`)
		}
	case 10:
		r.noQuota()
		r.create("ResourceQuota", `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":"`+strconv.Itoa(r.of(8))+`"}}}`)
	case 11:
		r.noQuota()
	}
}

func (r *roller) noQuota() {
	r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("ResourceQuota"), Namespace: "default", Name: "q"})
}

// pod returns some pod that a set has, or nil.
func (r *roller) pod() *api.Pod {
	for _, s := range r.sets() {
		if list := podcontrol.Owned(r.c.Latest(), s); len(list) > 0 {
			return list[r.of(len(list))]
		}
	}
	return nil
}

// Whatever is done to a Deployment and whenever: in the end it is as its spec
// says, at no moment there are more pods than the strategy allows of what was last
// wanted, and a run in a clone is the same.
func TestRandomRolloutsEndAsTheSpecSays(t *testing.T) {
	for seed := range uint64(100) {
		r := &roller{t: t, c: New(Config{Seed: seed}), seed: seed}
		r.create("Deployment", deploymentJSON(r.of(6), strategies[r.of(len(strategies))]))
		for range 12 {
			r.c.Run(Until{At: r.c.Now() + sim.Time(r.of(3000))*sim.Millisecond})
			r.disturb()
		}
		r.noQuota()
		r.patch("Deployment", "web", `{"spec":{"paused":false}}`)
		twin := r.c.Clone()
		r.c.Run(Until{At: r.c.Now() + 20*sim.Minute}) // longer than any wait for a retry
		twin.Run(Until{At: twin.Now() + 20*sim.Minute})
		if twin.Rev() != r.c.Rev() || twin.Now() != r.c.Now() {
			t.Errorf("seed %d: a clone ends at revision %d (%v), the run at %d (%v)", seed, twin.Rev(), twin.Now(), r.c.Rev(), r.c.Now())
		}
		r.settled()
		if bad := r.c.Invariants(); bad != nil {
			t.Errorf("seed %d: %v", seed, bad)
		}
		if t.Failed() {
			return
		}
	}
}

// settled checks that the Deployment is complete and its sets and pods agree.
func (r *roller) settled() {
	d, fail := r.deployment(), func(what string) { r.t.Errorf("seed %d: %s\n%+v", r.seed, what, r.deployment().Status) }
	want, st := *d.Spec.Replicas, d.Status
	if st.ObservedGeneration != d.Generation || st.Replicas != want || st.UpdatedReplicas != want || st.AvailableReplicas != want || st.UnavailableReplicas != 0 {
		fail("the status does not say that the rollout of generation " + strconv.Itoa(int(d.Generation)) + " with " + strconv.Itoa(int(want)) + " replicas is over")
	}
	for _, c := range st.Conditions {
		if c.Type == "Progressing" && c.Reason != "NewReplicaSetAvailable" {
			fail("Progressing is " + c.Reason)
		}
	}
	full, old := 0, 0
	for _, s := range r.sets() {
		n := 0
		for _, p := range podcontrol.Owned(r.c.Latest(), s) {
			if podcontrol.IsActive(p) {
				n++
				if image := d.Spec.Template.Spec.Containers[0].Image; p.Spec.Containers[0].Image != image {
					fail(p.Name + " does not run " + image)
				}
			}
		}
		if n != int(*s.Spec.Replicas) || s.Status.Replicas != int32(n) || s.Status.ReadyReplicas != int32(n) || s.Status.ObservedGeneration != s.Generation {
			fail(s.Name + " has " + strconv.Itoa(n) + " pods and another status")
		}
		if s.Annotations["deployment.kubernetes.io/revision"] == d.Annotations["deployment.kubernetes.io/revision"] {
			full += n
		} else if old++; n > 0 {
			fail(s.Name + " is old and has pods")
		}
	}
	if full != int(want) || old > 3 {
		fail("the newest set has " + strconv.Itoa(full) + " pods, and there are " + strconv.Itoa(old) + " old sets")
	}
}

// A set that cannot have its pods says so, and so does the Deployment
// (deployment/progress.go); when the obstacle goes, it goes on.
func TestARolloutThatAQuotaStopsSaysWhy(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.create("ResourceQuota", `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":"2"}}}`)
	r.c.Run(Until{At: sim.Second})
	r.create("Deployment", deploymentJSON(4, strategies[1]))
	r.c.Run(Until{At: 2 * sim.Minute})
	reasons := map[string]string{}
	for _, c := range r.deployment().Status.Conditions {
		reasons[c.Type] = c.Status + " " + c.Reason
	}
	if reasons["ReplicaFailure"] != "True FailedCreate" || reasons["Progressing"] != "False ProgressDeadlineExceeded" || reasons["Available"] != "False MinimumReplicasUnavailable" {
		t.Errorf("conditions: %v", reasons)
	}
	r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("ResourceQuota"), Namespace: "default", Name: "q"})
	r.c.Run(Until{Quiescent: false, At: 20 * sim.Minute})
	r.settled()
}

// 200 replicas become ready, and the work grows as they do: each pod is written by
// the set's controller, the scheduler and the kubelet, with its events, so that
// writes are proportional to pods.
func TestTheWorkOfManyReplicasGrowsAsTheyDo(t *testing.T) {
	writes, steps := map[int]uint64{}, map[int]int{}
	for _, n := range []int{50, 200} {
		r := &roller{t: t, c: New(Config{Nodes: manyNodes(4)}), seed: 1}
		before := r.c.Rev()
		r.create("Deployment", deploymentJSON(n, strategies[1]))
		steps[n] = r.c.Run(Until{Quiescent: true, At: 5 * sim.Minute})
		writes[n] = r.c.Rev() - before
		if ready := r.deployment().Status.ReadyReplicas; ready != int32(n) {
			t.Fatalf("%d of %d replicas are ready at %v", ready, n, r.c.Now())
		}
	}
	t.Logf("writes %v, looks %v", writes, steps)
	if writes[200] > 5*writes[50] || writes[200] > 20*200 || steps[200] > 5*steps[50] {
		t.Errorf("writes %v and looks %v do not grow as replicas do", writes, steps)
	}
}

func manyNodes(n int) []*api.Node {
	var out []*api.Node
	for i := range n {
		one := node("n"+strconv.Itoa(i), nil)
		one.Spec.PodCIDR = kubelet.PodCIDR(i)
		one.Spec.PodCIDRs = []string{one.Spec.PodCIDR}
		out = append(out, one)
	}
	return out
}
