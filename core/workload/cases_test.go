package workload

import (
	"testing"

	"podwalk/core/sim"
)

// The commands of the measured kubelet cases and of the troubleshooting cases, with
// the code and the time that those state.
func TestTheCommandsOfTheCasesEndAsMeasured(t *testing.T) {
	for _, c := range []struct {
		image string
		argv  []string
		done  bool
		code  int
		after sim.Time
	}{
		{"busybox:1.36", []string{"sh", "-c", `trap "exit 0" TERM; while true; do sleep 1; done`}, false, 0, 0},
		{"busybox:1.36", []string{"sh", "-c", "sleep 1"}, true, 0, sim.Second},
		{"busybox:1.36", []string{"sleep", "3600"}, false, 0, 0},
		{"busybox:1.36", []string{"true"}, true, 0, 0},
		{"busybox:1.36", []string{"sh", "-c", "exit 1"}, true, 1, 0},
		{"busybox:1.36", []string{"sh", "-c", "exit 3"}, true, 3, 0},
		{"busybox:1.36", []string{"sh", "-c", "exit 42"}, true, 42, 0},
		{"busybox:1.36", []string{"sh", "-c", "sleep 1; exit 1"}, true, 1, sim.Second},
		{"busybox:1.36", []string{"sh", "-c", "sleep 2; exit 1"}, true, 1, 2 * sim.Second},
		{"busybox:1.36", []string{"sh", "-c", "touch /tmp/healthy; sleep 5; rm -f /tmp/healthy; sleep 600"}, false, 0, 0},
		{"busybox:1.36", []string{"sh", "-c", "echo done; exit 0"}, true, 0, 0},
		{"busybox:1.36", []string{"sh", "-c", "dump-metrics --all"}, true, 127, 0},
		{"busybox:1.36", []string{"sh", "-c", "dd if=/dev/zero of=/cache/big bs=1M count=64; sleep 3600"}, false, 0, 0},
		{"nginx:1.27", []string{"nginx", "-g", "daemon off;"}, false, 0, 0},
		{"perl", []string{"perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"}, true, 0, 4 * sim.Second},
		{"docker.io/library/bash:5", []string{"bash", "-c", `echo "Hello world!" && sleep 5 && exit 42`}, true, 42, 5 * sim.Second},
	} {
		b, p := begin(t, resolve(t, c.image), c.argv...)
		step := b.drive(p, sim.Minute)
		if step.Done != c.done || step.Code != c.code {
			t.Errorf("%q: %+v", c.argv, step)
		}
		if diff := b.now - c.after; c.done && (diff < 0 || diff > 5*sim.Millisecond) {
			t.Errorf("%q ended after %s, want %s", c.argv, b.now, c.after)
		}
	}
}

func TestAProbeSeesTheFilesOfTheContainer(t *testing.T) {
	img := resolve(t, "busybox:1.36")
	b, p := begin(t, img, "sh", "-c", "touch /tmp/ok; sleep 20; rm /tmp/ok; sleep 3600")
	for _, at := range []sim.Time{sim.Second, 19 * sim.Second} {
		b.drive(p, at)
		b.now = at
		probe := b.start(t, Spec{Image: img, Env: img.Env, PID: 9, Argv: []string{"cat", "/tmp/ok"}})
		if step := b.drive(probe, at+sim.Second); step.Code != 0 {
			t.Errorf("at %s: %+v", at, step)
		}
		b.now = at
	}
	b.drive(p, 21*sim.Second)
	b.now = 21 * sim.Second
	probe := b.start(t, Spec{Image: img, Env: img.Env, PID: 9, Argv: []string{"cat", "/tmp/ok"}})
	step := b.drive(probe, sim.Minute)
	if out := string(probe.Output(1)); step.Code != 1 || out != "cat: can't open '/tmp/ok': No such file or directory\n" {
		t.Errorf("%+v %q", step, out)
	}
}

func TestPiIsRight(t *testing.T) {
	const want = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
	if got := pi(len(want) - 1); got != want {
		t.Errorf("%s", got)
	}
}

// Of an image that nobody has described the files are supposed to be there.
func TestFilesOfAnUnknownImageAreSupposedToExist(t *testing.T) {
	for _, script := range []string{"cp /sample.war /app && test -f /app", "sh /opt/start.sh -x", ". /etc/app/config && /opt/app/run"} {
		img := resolve(t, "someone/sample:v1")
		b, p := begin(t, img, "sh", "-c", script)
		if step := b.drive(p, sim.Minute); step.Code != 0 || len(b.records) == 0 {
			t.Errorf("%s: %+v %q %q", script, step, b.plain, b.records)
		}
	}
}

func TestAnInstalledPackageCanBeCalled(t *testing.T) {
	b, p := begin(t, resolve(t, "ubuntu:24.04"), "bash", "-c", "curl x; apt-get update && apt-get install -y curl netcat-openbsd; curl -s http://nosuch/; command -v nc")
	b.drive(p, sim.Minute)
	if want := "bash: line 1: curl: command not found\n/usr/bin/nc"; b.text() != want {
		t.Errorf("%q", b.text())
	}
}
