package runtime

import (
	"strings"
	"testing"
	"time"

	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// rig is one runtime with the clock and the records of a test.
type rig struct {
	t   *testing.T
	rt  *Runtime
	now sim.Time
	log trace.Log
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, rt: New(Config{Latency: sim.DefaultLatency(), Catalogue: workload.Default()})}
	r.rt.Node("node-1").Configure(Host{Address: "172.18.0.2", PodCIDR: "10.244.1.0/29", CPUs: 4,
		Images: []HostImage{{Names: []string{"busybox:1.36"}, Size: 123}}})
	return r
}

func (r *rig) m() *Machine { return r.rt.Node("node-1") }

func (r *rig) call() Call {
	return Call{Now: r.now, Ref: trace.Ref{Kind: "Pod", Namespace: "default", Name: "web"}, Record: r.log.Append}
}

func ref(t *testing.T, name string) workload.Reference {
	p, err := workload.ParseReference(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start makes a container that runs a shell script.
func (r *rig) start(uid, script string, change func(*ContainerConfig)) *Container {
	r.t.Helper()
	if len(r.m().Sandboxes(uid)) == 0 {
		if _, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: uid, Namespace: "default", Name: uid, Hostname: uid}); err != nil {
			r.t.Fatal(err)
		}
	}
	info, ok := r.m().ImageStatus(r.call(), ref(r.t, "busybox:1.36"))
	if !ok {
		r.t.Fatal("busybox is not there")
	}
	cfg := &ContainerConfig{Name: "app", Image: info.Image, ImageRef: info.Ref, Command: []string{"sh", "-c", script}, Termination: "/dev/termination-log"}
	if change != nil {
		change(cfg)
	}
	ct, err := r.m().CreateContainer(r.call(), r.m().Sandboxes(uid)[0].ID, cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.m().StartContainer(r.call(), ct.ID); err != nil {
		r.t.Fatal(err)
	}
	return ct
}

// run advances a container to an instant.
func (r *rig) run(id string, until sim.Time) {
	for next := r.now; next <= until; {
		r.now = max(r.now, next)
		n, _, _ := r.rt.Run(r.now, Key("node-1", id), r.log.Append)
		if n <= next {
			r.t.Fatalf("%v: wants to run again at %v", next, n)
		}
		next = n
	}
	r.now = until
}

func (r *rig) text(id string) string {
	var b strings.Builder
	for _, l := range r.m().ContainerStatus(id).Logs() {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestAnImageOfTheNodeIsThereWithTheSizeThatTheNodeStates(t *testing.T) {
	r := newRig(t)
	info, ok := r.m().ImageStatus(r.call(), ref(t, "docker.io/library/busybox:1.36"))
	if !ok || info.Size != 123 || !strings.HasPrefix(info.Ref, "docker.io/library/busybox@sha256:") {
		t.Fatalf("%+v %v", info, ok)
	}
	if _, ok := r.m().ImageStatus(r.call(), ref(t, "busybox:1.35")); ok {
		t.Error("another tag is there too")
	}
}

func TestAPullTakesTimeByItsSizeAndFillsTheStore(t *testing.T) {
	r := newRig(t)
	p := r.m().StartPull(ref(t, "nginx:1.27"), false)
	lat := sim.DefaultLatency()
	want := lat.PullResolve + sim.Time(float64(p.Info.Size)/float64(lat.PullPerSecond)*float64(sim.Second))
	if p.Err != nil || p.Took != want {
		t.Fatalf("took %v, want %v (%v)", p.Took, want, p.Err)
	}
	if _, err := r.m().PullImage(r.call(), p); err != nil {
		t.Fatal(err)
	}
	if again := r.m().StartPull(ref(t, "nginx:1.27"), false); again.Took != lat.PullResolve {
		t.Errorf("pulling what is there takes %v", again.Took)
	}
	if list := r.m().ListImages(); len(list) != 2 || list[0].Size < list[1].Size {
		t.Errorf("images %+v", list)
	}
}

func TestARangeWithoutFreeAddressMakesNoSandbox(t *testing.T) {
	r := newRig(t)
	for _, uid := range []string{"a", "b", "c", "d", "e"} {
		if _, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: uid, Name: uid}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: "f", Name: "f"})
	if err == nil || !strings.HasPrefix(err.Error(), `rpc error: code = Unknown desc = failed to setup network for sandbox "`) ||
		!strings.HasSuffix(err.Error(), `": plugin type="ptp" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.244.1.1-10.244.1.6`) {
		t.Fatalf("error %v", err)
	}
	if err := r.m().StopPodSandbox(r.call(), r.m().Sandboxes("a")[0].ID); err != nil {
		t.Fatal(err)
	}
	box, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: "f", Name: "f"})
	if err != nil || box.IP != "10.244.1.2" {
		t.Errorf("after one was given back: %v %v", box, err)
	}
}

func TestAnUnknownHandlerMakesNoSandbox(t *testing.T) {
	r := newRig(t)
	_, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: "a", Handler: "kata"})
	if err == nil || err.Error() != `rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "kata" is configured` {
		t.Fatalf("error %v", err)
	}
}

func TestAProcessRunsWritesAndEnds(t *testing.T) {
	r := newRig(t)
	ct := r.start("web", "hostname; echo err >&2; echo -n bye > /dev/termination-log; sleep 2; exit 7", nil)
	r.run(ct.ID, sim.Second)
	if s := r.m().ContainerStatus(ct.ID); s.State != Running || r.text(ct.ID) != "web\nerr\n" {
		t.Fatalf("state %v, log %q", s.State, r.text(ct.ID))
	}
	before, _ := r.m().Changed("web")
	r.run(ct.ID, 5*sim.Second)
	s := r.m().ContainerStatus(ct.ID)
	after, at := r.m().Changed("web")
	if s.State != Exited || s.ExitCode != 7 || s.Reason != "Error" || s.TerminationMessage() != "bye" || after == before || at != s.Finished {
		t.Errorf("%+v, changed %d at %v", s, after, at)
	}
}

func TestAProcessThatIgnoresItsStopSignalIsKilledWhenTheGraceIsOver(t *testing.T) {
	r := newRig(t)
	ct := r.start("web", "trap '' TERM; while true; do sleep 1; done", nil)
	r.run(ct.ID, sim.Second)
	if err := r.m().StopContainer(r.call(), ct.ID, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	r.run(ct.ID, 5*sim.Second)
	if r.m().ContainerStatus(ct.ID).State != Running {
		t.Fatal("it ended too early")
	}
	r.run(ct.ID, 7*sim.Second)
	if s := r.m().ContainerStatus(ct.ID); s.State != Exited || s.ExitCode != 137 || s.Finished != 6*sim.Second {
		t.Errorf("%+v", s)
	}
}

func TestACommandRunsBesideTheMainProcess(t *testing.T) {
	r := newRig(t)
	ct := r.start("web", "echo one > /tmp/file; sleep 100", nil)
	r.run(ct.ID, sim.Second)
	n, err := r.m().ExecSync(r.call(), ct.ID, []string{"cat", "/tmp/file", "/tmp/none"})
	if err != nil {
		t.Fatal(err)
	}
	x := r.m().ExecPoll(r.call(), ct.ID, n)
	for !x.Done {
		r.now = x.Next
		x = r.m().ExecPoll(r.call(), ct.ID, n)
	}
	if x.Code != 1 || x.Stdout != "one\n" || x.Stderr != "cat: can't open '/tmp/none': No such file or directory\n" {
		t.Errorf("%+v", x)
	}
	if _, err := r.m().ExecSync(r.call(), ct.ID, []string{"nosuch"}); err == nil || !strings.Contains(err.Error(), "failed to exec in container: failed to start exec") {
		t.Errorf("error %v", err)
	}
}

func TestContainersOfAPodShareVolumesAndTheNetwork(t *testing.T) {
	r := newRig(t)
	r.m().SetVolume("web", "v", workload.NewTree())
	share := func(c *ContainerConfig) { c.Mounts = []Mount{{Volume: "v", Path: "/v"}} }
	one := r.start("web", "echo hello > /v/file; sleep 100", share)
	r.run(one.ID, sim.Second)
	two := r.start("web", "cat /v/file", func(c *ContainerConfig) { share(c); c.Name = "two" })
	r.run(two.ID, 2*sim.Second)
	if got := r.text(two.ID); got != "hello\n" {
		t.Errorf("log %q", got)
	}
}

func TestACloneGoesItsOwnWay(t *testing.T) {
	r := newRig(t)
	r.m().SetVolume("web", "v", workload.NewTree())
	ct := r.start("web", "i=0; while true; do i=$((i+1)); echo $i; echo $i > /v/last; sleep 1; done", func(c *ContainerConfig) {
		c.Mounts = []Mount{{Volume: "v", Path: "/v"}}
	})
	r.run(ct.ID, 3*sim.Second)
	other := *r
	other.rt = r.rt.Clone()
	other.log = r.log.Clone()
	r.run(ct.ID, 6*sim.Second)
	first := r.text(ct.ID)
	if got := other.text(ct.ID); got == first || !strings.HasPrefix(first, got) {
		t.Fatalf("the clone moved: %q", got)
	}
	other.run(ct.ID, 6*sim.Second)
	if got := other.text(ct.ID); got != first {
		t.Errorf("the clone says %q, the original %q", got, first)
	}
	other.run(ct.ID, 20*sim.Second)
	a, _ := r.m().Volume("web", "v").Read("last")
	b, _ := other.m().Volume("web", "v").Read("last")
	if string(a) == string(b) || r.text(ct.ID) != first {
		t.Errorf("the original has %q, the clone %q", a, b)
	}
}

func TestALogKeepsItsNewestLines(t *testing.T) {
	var b logBuffer
	line := strings.Repeat("x", 1<<20)
	for range 25 {
		b.add(LogLine{Text: line})
	}
	if b.bytes > MaxLog || len(b.lines) < 4 {
		t.Errorf("%d bytes in %d lines", b.bytes, len(b.lines))
	}
}

func TestAFileCannotBeMountedOnADirectory(t *testing.T) {
	r := newRig(t)
	v := workload.NewTree()
	_ = v.Put("key", []byte("x"), 0o644, 0, 0)
	r.m().SetVolume("web", "v", v)
	if _, err := r.m().RunPodSandbox(r.call(), SandboxConfig{UID: "web", Name: "web"}); err != nil {
		t.Fatal(err)
	}
	info, _ := r.m().ImageStatus(r.call(), ref(t, "busybox:1.36"))
	ct, err := r.m().CreateContainer(r.call(), r.m().Sandboxes("web")[0].ID, &ContainerConfig{Name: "app", Image: info.Image,
		Command: []string{"true"}, Mounts: []Mount{{Volume: "v", Path: "/etc", Sub: "key", Source: "/src"}}})
	if err != nil {
		t.Fatal(err)
	}
	err = r.m().StartContainer(r.call(), ct.ID)
	s := r.m().ContainerStatus(ct.ID)
	if err == nil || !strings.Contains(err.Error(), `error mounting "/src" to rootfs at "/etc": `) || s.Reason != "StartError" || s.ExitCode != 128 {
		t.Errorf("error %v, status %+v", err, s)
	}
}
