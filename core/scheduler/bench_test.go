package scheduler

import (
	"strconv"
	"testing"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// quiet is a host that costs next to nothing: what is measured is the scheduler.
type quiet struct{ *fakeHost }

func (quiet) Record(trace.Record) sim.Cause { return 1 }
func (q quiet) Events() actor.Recorder      { return q }
func (quiet) Event(*actor.Ctx, actor.Event) {}
func (q quiet) ctx(now sim.Time) *actor.Ctx {
	ch, _ := q.store.Since(q.seen)
	q.seen = q.store.Rev()
	return actor.NewCtx(q, "scheduler", api.User{}, now, 0, q.store.Latest(), ch)
}

func benchmarkPods(b *testing.B, nodes, pods int, shape func(*api.Pod, int)) {
	for b.Loop() {
		b.StopTimer()
		h := quiet{&fakeHost{store: store.New()}}
		for i := range nodes {
			n := node("n"+strconv.Itoa(i), "zone-"+strconv.Itoa(i%3))
			n.Status.Allocatable["cpu"] = api.MustQuantity("32")
			h.put(n)
		}
		s := New()
		s.Reconcile(h.ctx(0), key)
		for i := range pods {
			p := waitingPod("p"+strconv.Itoa(i), "100m")
			shape(p, i)
			h.put(p)
		}
		b.StartTimer()
		now := sim.Time(0)
		for range pods + 5 {
			now += sim.Millisecond
			s.Reconcile(h.ctx(now), key)
		}
		b.StopTimer()
		if n := len(s.queue.pods); n > 0 {
			b.Fatalf("%d pods are left", n)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(pods*b.N)/b.Elapsed().Seconds(), "pods/s")
}

func plain(*api.Pod, int) {}

func BenchmarkBasic4Nodes200Pods(b *testing.B)      { benchmarkPods(b, 4, 200, plain) }
func BenchmarkBasic100Nodes1000Pods(b *testing.B)   { benchmarkPods(b, 100, 1000, plain) }
func BenchmarkBasic5000Nodes2000Pods(b *testing.B)  { benchmarkPods(b, 5000, 2000, plain) }
func BenchmarkBasic15000Nodes2000Pods(b *testing.B) { benchmarkPods(b, 15000, 2000, plain) }

func BenchmarkSpreading5000Nodes1000Pods(b *testing.B) {
	benchmarkPods(b, 5000, 1000, func(p *api.Pod, i int) {
		p.Labels = map[string]string{"app": "a"}
		p.Spec.TopologySpreadConstraints = []api.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone",
			WhenUnsatisfiable: "DoNotSchedule", LabelSelector: &api.LabelSelector{MatchLabels: p.Labels}}}
	})
}

func BenchmarkAntiAffinity5000Nodes1000Pods(b *testing.B) {
	benchmarkPods(b, 5000, 1000, func(p *api.Pod, i int) {
		p.Labels = map[string]string{"app": "a"}
		p.Spec.Affinity = &api.Affinity{PodAntiAffinity: &api.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []api.PodAffinityTerm{
			{TopologyKey: "kubernetes.io/hostname", LabelSelector: &api.LabelSelector{MatchLabels: p.Labels}}}}}
	})
}
