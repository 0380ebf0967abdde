package kubelet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// starts returns the instants at which containers of a name were started.
func (w *world) starts(name string) []sim.Time {
	var l []sim.Time
	for _, r := range w.log.After(0) {
		if r.Source == "runtime" && r.Reason == "StartContainer" && r.Detail[0].Value == name {
			l = append(l, r.At)
		}
	}
	return l
}

// ends returns the instants at which containers of a name ended.
func (w *world) ends(name string) []sim.Time {
	var l []sim.Time
	for _, r := range w.log.After(0) {
		if r.Source == "runtime" && r.Stage == "ended" && len(r.Detail) > 2 && r.Detail[0].Value == name && strings.HasSuffix(r.Message, "has ended") {
			l = append(l, r.At)
		}
	}
	return l
}

const crashing = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'sleep 1; exit 1']}]}}"

// The waits are those of client-go's flowcontrol.Backoff as the kubelet sets it up:
// 10 s doubling to 300 s, counted from the end of the container, never earlier, and
// at most half a resync period (and a beat of the sync loop) later.
func TestACrashingContainerIsRestartedAfterWaitsThatDoubleToFiveMinutes(t *testing.T) {
	w := newWorld(t)
	w.bind(crashing)
	w.run(30 * time.Minute)
	starts, ends := w.starts("app"), w.ends("app")
	want := []sim.Time{0, 10, 20, 40, 80, 160, 300, 300}
	if len(starts) < len(want)+1 {
		t.Fatalf("only %d starts", len(starts))
	}
	for i, wait := range want {
		got := starts[i+1] - ends[i]
		low, high := wait*sim.Second, wait*sim.Second+min(wait, 60)*sim.Second/2+4*sim.Second
		if wait > 60 {
			high = wait*sim.Second + 92*sim.Second // the last look before the end may come up to 1.5 periods late
		}
		if got < low || got > high {
			t.Errorf("restart %d came %v after the crash, want between %v and %v", i+1, got, low, high)
		}
	}
}

func TestTheBackOffStartsAnewAfterTenMinutesOfRunning(t *testing.T) {
	var l []backOff
	for i := range 5 {
		at := sim.Time(i) * sim.Minute
		l = grow(l, "app", at, at)
	}
	if l[0].wait != 160*sim.Second {
		t.Fatalf("wait after five crashes: %v", l[0].wait)
	}
	end := 4*sim.Minute + 10*sim.Minute
	if l = grow(l, "app", end, end); l[0].wait != 300*sim.Second {
		t.Errorf("a crash ten minutes after the last start: wait %v, want the longest", l[0].wait)
	}
	end += 10*sim.Minute + 1
	if find(l, "app").sinceEvent(end, end) {
		t.Error("a container that ran for more than ten minutes is in back-off")
	}
	if l = grow(l, "app", end, end); l[0].wait != 10*sim.Second {
		t.Errorf("a crash more than ten minutes after the last start: wait %v, want 10 s", l[0].wait)
	}
}

func TestAFailedPullIsTriedAgainAfterWaitsThatDouble(t *testing.T) {
	w := newWorld(t, images(oracleImages()...))
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'doesnotexist:1'}]}}")
	w.run(20 * time.Minute)
	var pulls []sim.Time
	for _, r := range w.log.After(0) {
		if r.Source == "runtime" && r.Reason == "PullImage" {
			pulls = append(pulls, r.At)
		}
	}
	for i, wait := range []sim.Time{10, 20, 40, 80, 160, 300} {
		if got := pulls[i+1] - pulls[i]; got < wait*sim.Second || got > wait*sim.Second+32*sim.Second {
			t.Errorf("pull %d came after %v, want %d s and at most two looks more", i+2, got, wait)
		}
	}
	if c := w.pod("web").Status.ContainerStatuses[0].State.Waiting; c == nil || c.Reason != "ImagePullBackOff" && c.Reason != "ErrImagePull" {
		t.Errorf("state %+v", c)
	}
}

func TestADeletedPodGetsItsGracePeriodAndThenIsKilled(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {terminationGracePeriodSeconds: 5, containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]}}")
	w.run(5 * time.Second)
	w.delete("web", 5)
	deleted := w.now
	w.run(20 * time.Second)
	ends := w.ends("app")
	if len(ends) != 1 || ends[0] < deleted+5*sim.Second || ends[0] > deleted+6*sim.Second+100*sim.Millisecond {
		t.Fatalf("a process that ignores SIGTERM ended at %v, was deleted at %v", ends, deleted)
	}
	if w.pod("web") != nil {
		t.Error("the pod is still there")
	}
	if !slices.Contains(w.events("web"), "Killing: Stopping container app") {
		t.Errorf("events %q", w.events("web"))
	}
	if len(w.kubelet.pods) != 0 || len(w.rt.Node("worker-1").Pods()) != 0 {
		t.Error("the kubelet or its machine remembers the pod")
	}
}

func TestAForceDeletedPodIsStillStoppedOnTheNode(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {terminationGracePeriodSeconds: 3, containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]}}")
	w.run(5 * time.Second)
	w.Handle(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: "web"}, 0)
	second := w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity]}]}}")
	w.run(20 * time.Second)
	if ends := w.ends("app"); len(ends) != 1 || ends[0] < 8*sim.Second {
		t.Errorf("the first pod's container ended at %v", ends)
	}
	if p := w.pod("web"); p.UID != second.UID || p.Status.Phase != "Running" {
		t.Errorf("the second pod of that name is %s", p.Status.Phase)
	}
	if uids := w.rt.Node("worker-1").Pods(); len(uids) != 1 {
		t.Errorf("the machine has %d pods", len(uids))
	}
}

func TestSidecarsStopAfterTheMainContainersInReverseOrder(t *testing.T) {
	w := newWorld(t)
	loop := "command: [sh, -c, 'trap \"exit 0\" TERM; while true; do sleep 1; done']"
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {initContainers: [{name: one, image: 'busybox:1.36', restartPolicy: Always, " + loop +
		"}, {name: two, image: 'busybox:1.36', restartPolicy: Always, " + loop + "}], containers: [{name: app, image: 'busybox:1.36', " + loop + "}]}}")
	w.run(10 * time.Second)
	if p := w.pod("web"); p.Status.Phase != "Running" {
		t.Fatalf("phase %s", p.Status.Phase)
	}
	w.delete("web", 30)
	w.run(40 * time.Second)
	app, two, one := w.ends("app"), w.ends("two"), w.ends("one")
	if len(app) != 1 || len(two) != 1 || len(one) != 1 || !(app[0] <= two[0] && two[0] <= one[0]) || app[0] == one[0] {
		t.Fatalf("app %v, two %v, one %v", app, two, one)
	}
}

func TestAContainerWhoseProgramIsMissingIsAStartError(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', command: [nosuchthing]}]}}")
	w.run(10 * time.Second)
	s := w.pod("web").Status
	x := s.ContainerStatuses[0].State.Terminated
	if s.Phase != "Failed" || x == nil || x.ExitCode != 128 || x.Reason != "StartError" || !strings.Contains(x.Message, `exec: "nosuchthing": executable file not found in $PATH`) {
		t.Fatalf("phase %s, state %+v", s.Phase, x)
	}
	found := false
	for _, e := range w.events("web") {
		found = found || strings.HasPrefix(e, "Failed: Error: failed to create containerd task: ")
	}
	if !found {
		t.Errorf("events %q", w.events("web"))
	}
}

func TestAContainerThatTakesMoreMemoryThanItsLimitIsKilled(t *testing.T) {
	w := newWorld(t, images(hungry()))
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {restartPolicy: Never, containers: [{name: app, image: 'hungry:1', resources: {limits: {memory: 64Mi}}}]}}")
	w.run(time.Minute)
	x := w.pod("web").Status.ContainerStatuses[0].State.Terminated
	if x == nil || x.Reason != "OOMKilled" || x.ExitCode != 137 {
		t.Fatalf("state %+v", w.pod("web").Status.ContainerStatuses[0].State)
	}
}

func TestTheTerminationMessageIsWhatTheProgramWrote(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'echo -n sleeping > /dev/termination-log; exit 3']}]}}")
	p := w.bind("{apiVersion: v1, kind: Pod, metadata: {name: log}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', terminationMessagePolicy: FallbackToLogsOnError, command: [sh, -c, 'echo one; echo two; exit 3']}]}}")
	w.run(10 * time.Second)
	if got := w.pod("web").Status.ContainerStatuses[0].State.Terminated.Message; got != "sleeping" {
		t.Errorf("message %q", got)
	}
	if got := w.pod(p.Name).Status.ContainerStatuses[0].State.Terminated.Message; got != "one\ntwo\n" {
		t.Errorf("message from the log %q", got)
	}
}
