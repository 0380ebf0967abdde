package kubelet

import (
	"strconv"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/sim"
)

const benchPod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27', resources: {requests: {cpu: 1m}}}]}}"

// BenchmarkBindToReady brings 100 pods from bound to Ready on one node.
func BenchmarkBindToReady(b *testing.B) {
	p := decode[*api.Pod](b, benchPod)
	defaultPod(p)
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		w := newWorld(b)
		w.run(time.Second)
		b.StartTimer()
		for i := range 100 {
			q := api.DeepCopy(p)
			q.Name, q.UID = "web-"+strconv.Itoa(i), "uid-"+strconv.Itoa(i)
			w.put(q)
		}
		w.run(2 * time.Minute)
		b.StopTimer()
		if got := w.pod("web-99"); got.Status.Phase != "Running" {
			b.Fatal(got.Status.Phase)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "µs/pod")
}

// BenchmarkHourOfACrashLoop is one virtual hour of a container that exits at once.
func BenchmarkHourOfACrashLoop(b *testing.B) {
	for range b.N {
		b.StopTimer()
		w := newWorld(b)
		b.StartTimer()
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'exit 1']}]}}")
		w.run(time.Hour)
	}
}

// BenchmarkHourOfAnIdlePod is one virtual hour of a pod with probes to which nothing
// happens.
func BenchmarkHourOfAnIdlePod(b *testing.B) {
	for range b.N {
		b.StopTimer()
		w := newWorld(b)
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27', readinessProbe: {tcpSocket: {port: 80}}}]}}")
		w.run(time.Minute)
		b.StartTimer()
		w.run(61 * time.Minute)
	}
}

var _ = sim.Second
