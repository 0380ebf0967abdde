package browser

import (
	"fmt"
	"strings"
	"testing"

	"podwalk/core/sim"
)

// deploymentText is a Deployment on nodes of its own, ten pods a node.
func deploymentText(replicas int) string {
	var b strings.Builder
	for i := range (replicas + 9) / 10 {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Node\nmetadata: {name: node-%d, labels: {topology.kubernetes.io/zone: zone-%d}}\n"+
			"status: {capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}\n---\n", i, i%3)
	}
	fmt.Fprintf(&b, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "nginx:1.27", resources: {requests: {cpu: 10m, memory: 16Mi}}}
`, replicas)
	return b.String()
}

// BenchmarkReplicas brings the replicas of a Deployment to Ready; the time of one
// replica should not grow with their number.
func BenchmarkReplicas(b *testing.B) {
	for _, n := range []int{100, 200, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				deployed(b, n)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/replica")
		})
	}
}

// deployed returns a player in which the replicas of a Deployment are all ready.
func deployed(tb testing.TB, n int) *player {
	p := newPlayer()
	do[OpenOK](tb, p, "open", open(deploymentText(n)))
	c := p.current.session.Cluster()
	for first := true; first || !c.Quiescent() && c.Now() < sim.Minute; first = false {
		p.handle(request(1, "advance", m{"to": 60, "steps": 20_000, "untilQuiescent": true}))
	}
	for _, w := range do[State](tb, p, "state", m{}).Workloads {
		if w.Kind == "Deployment" && int(w.Ready) != n {
			tb.Fatalf("%d of %d are ready", w.Ready, n)
		}
	}
	return p
}

// BenchmarkIdle is ten minutes in which nothing happens to 10,000 pods.
func BenchmarkIdle(b *testing.B) {
	p := deployed(b, 10_000)
	now := p.current.session.Cluster().Now().Seconds()
	for b.Loop() {
		now += 600
		p.handle(request(1, "advance", m{"to": now, "steps": 2_000_000}))
	}
}
