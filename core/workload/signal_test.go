package workload

import (
	"strings"
	"testing"

	"podwalk/core/sim"
)

// Pid 1 gets only signals for which it has a handler (man 7 pid_namespaces); a
// shell looks at a trap when its foreground command is over (POSIX trap).
func TestPid1ReactsToSigtermAsItsProgramDoes(t *testing.T) {
	for _, c := range []struct {
		name  string
		image string
		argv  []string
		done  bool
		code  int
		after sim.Time // since the signal, which comes at 2.5 s
	}{
		{"a bare sleep does not notice", "busybox:1.36", []string{"sleep", "3600"}, false, 0, 0},
		{"nor does the sleep that a shell became", "busybox:1.36", []string{"sh", "-c", "sleep 3600"}, false, 0, 0},
		{"a shell without a trap does not notice", "busybox:1.36", []string{"sh", "-c", "sleep 1; sleep 3600"}, false, 0, 0},
		{"a trap runs when the sleep is over", "busybox:1.36", []string{"sh", "-c", `trap "exit 0" TERM; while true; do sleep 1; done`}, true, 0, 500 * sim.Millisecond},
		{"a trap interrupts wait at once", "busybox:1.36", []string{"sh", "-c", `trap "exit 7" TERM; sleep 100 & wait`}, true, 7, 0},
		{"a trap waits for a long sleep", "busybox:1.36", []string{"sh", "-c", `trap "exit 0" TERM; sleep 100; echo x`}, true, 0, 97500 * sim.Millisecond},
		{"an ignored signal stays ignored", "busybox:1.36", []string{"sh", "-c", `trap "" TERM; while true; do sleep 1; done`}, false, 0, 0},
		{"nginx ends with 0", "nginx:1.27", nil, true, 0, 0},
		{"redis ends with 0", "redis:7.2", nil, true, 0, 0},
		{"nginx behind a shell that execs ends too", "nginx:1.27", []string{"sh", "-c", `exec nginx -g "daemon off;"`}, true, 0, 0},
		{"an unknown server ends with 143", "example.com/app:1", nil, true, 143, 0},
		{"pause ends with 0", "registry.k8s.io/pause:3.9", nil, true, 0, 0},
		{"python has no handler", "python:3.12", []string{"python3", "-m", "http.server"}, false, 0, 0},
	} {
		img := resolve(t, c.image)
		b, p := begin(t, img, Argv(img, c.argv, nil)...)
		b.drive(p, 2500*sim.Millisecond)
		b.now = 2500 * sim.Millisecond
		p.Signal(SIGTERM, b)
		step := b.drive(p, 10*sim.Minute)
		took := b.now - 2500*sim.Millisecond - c.after
		if step.Done != c.done || step.Code != c.code || c.done && (took < -2*sim.Millisecond || took > 60*sim.Millisecond) {
			t.Errorf("%s: %+v after %s", c.name, step, took)
		}
	}
}

func TestASignalFromAnExecSessionReachesPid1(t *testing.T) {
	img := resolve(t, "nginx:1.27")
	b, p := begin(t, img, Argv(img, nil, nil)...)
	b.drive(p, sim.Second)
	hook := b.start(t, Spec{Image: img, Env: img.Env, PID: 30, Argv: []string{"/bin/sh", "-c", "nginx -s quit; while killall -0 nginx; do sleep 1; done"}})
	hook.Run(b)
	if step := b.drive(p, sim.Minute); !step.Done || step.Code != 0 {
		t.Errorf("nginx: %+v", step)
	}
}

func TestABackgroundProcessDiesByTheSignalThatItIsSent(t *testing.T) {
	b, step := runScript(t, "busybox", "sh", `sleep 100 & p=$!; kill $p; wait $p; echo $?; sleep 100 & kill -9 $!; wait $!; echo $?`)
	if got := strings.Join(b.stream("stdout"), " "); got != "143 137" || step.Code != 0 {
		t.Errorf("%q %+v", b.lines, step)
	}
}

func TestSignalNamesAreThoseOfLinux(t *testing.T) {
	for name, want := range map[string]int{"TERM": 15, "SIGTERM": 15, "15": 15, "SIGQUIT": 3, "KILL": 9, "SIGRTMIN+3": 37, "WINCH": 28, "nope": -1, "": -1} {
		if got := SignalNumber(name); got != want {
			t.Errorf("%q is %d, want %d", name, got, want)
		}
	}
}
