package kubelet

import (
	"strings"
	"testing"
	"time"

	"podwalk/core/sim"
)

// restart stops the kubelet for a while.
func (w *world) restart(gap time.Duration) {
	w.kubelet.Stop("worker-1")
	w.run(time.Duration(w.now) + gap)
	for _, k := range w.kubelet.Start("worker-1") {
		w.queue.Push(sim.Item{At: w.now, Actor: "kubelet", Key: k})
	}
}

func TestContainersRunOnWhileTheKubeletIsStopped(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'while true; do date +%s; sleep 10; done']}]}}")
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: ends}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', command: [sleep, '30']}]}}")
	w.run(10 * time.Second)
	before := w.pod("web").Status.ContainerStatuses[0]
	revs := w.store.Rev()
	w.kubelet.Stop("worker-1")
	w.run(70 * time.Second)
	if w.store.Rev() != revs {
		t.Error("a stopped kubelet wrote something")
	}
	if _, why := w.logOf("web", "app", nil); !strings.HasSuffix(why, ":10250: connect: connection refused") {
		t.Errorf("the log of a node without a kubelet: %v", why)
	}
	for _, k := range w.kubelet.Start("worker-1") {
		w.queue.Push(sim.Item{At: w.now, Actor: "kubelet", Key: k})
	}
	if text, _ := w.logOf("web", "app", nil); len(text) < 7*11 {
		t.Errorf("log after the stop %q", text)
	}
	w.run(80 * time.Second)
	after := w.pod("web").Status.ContainerStatuses[0]
	if after.ContainerID != before.ContainerID || after.RestartCount != 0 || after.State.Running == nil {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	if p := w.pod("ends"); p.Status.Phase != "Succeeded" {
		t.Errorf("the pod that ended meanwhile is %s", p.Status.Phase)
	}
}

func TestARestartedKubeletEndsWhatWasDeletedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {terminationGracePeriodSeconds: 2, containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]}}")
	w.run(10 * time.Second)
	w.kubelet.Stop("worker-1")
	w.delete("web", 2)
	w.run(60 * time.Second)
	if w.pod("web") == nil || len(w.ends("app")) != 0 {
		t.Fatal("the pod was ended without a kubelet")
	}
	w.restart(0)
	w.run(70 * time.Second)
	if w.pod("web") != nil || len(w.ends("app")) != 1 {
		t.Errorf("pod %v, ends %v", w.pod("web"), w.ends("app"))
	}
}
