package workload

import (
	"testing"

	"podwalk/core/sim"
)

func TestALoopThatChangesNothingIsNotCalledAgain(t *testing.T) {
	for script, want := range map[string]struct{ never, periodic bool }{
		`while true; do sleep 1; done`:                     {true, true},
		`trap "exit 0" TERM; while true; do sleep 1; done`: {true, true},
		`while :; do :; done`:                              {true, true},
		`i=0; while :; do i=$(((i+1)%7)); sleep 1; done`:   {true, true},
		`until test -f /tmp/ready; do sleep 1; done`:       {false, true},
		`tail -f /etc/passwd`:                              {false, true},
		`while true; do echo hello; sleep 10; done`:        {false, false},
		`while true; do date > /dev/null; sleep 1; done`:   {false, false},
		`i=0; while true; do i=$((i+1)); sleep 1; done`:    {false, false},
		`while true; do sleep $((RANDOM % 5 + 5)); done`:   {false, false},
		`sleep 3600`:     {false, false},
		`sleep infinity`: {true, true},
	} {
		b, p := begin(t, testImage("busybox"), "sh", "-c", script)
		step := b.drive(p, 100*sim.Second)
		if got := step.Next == sim.Never; got != want.never || step.Periodic != want.periodic {
			t.Errorf("%s: %+v", script, step)
		}
	}
}

// A loop of a second and a millisecond looks at its trap at the end of each sleep:
// so does one that was not called in between.
func TestAParkedLoopIsInTheRightPhaseWhenASignalComes(t *testing.T) {
	const script = `trap "exit 0" TERM; while true; do sleep 1; done`
	const period = sim.Second + sim.Millisecond // true costs one
	for _, at := range []sim.Time{7 * sim.Second, 100 * sim.Second, 100*sim.Second + 123*sim.Millisecond, sim.Hour + 1} {
		b, p := begin(t, testImage("busybox"), "sh", "-c", script)
		b.drive(p, at)
		b.now = at
		p.Signal(SIGTERM, b)
		step := b.drive(p, 2*sim.Hour)
		start := 2 * sim.Millisecond // trap and the first true
		want := start + ((at-start)/period+1)*period - sim.Millisecond
		if (at-start)%period > sim.Second {
			want += period
		}
		if diff := b.now - want; !step.Done || diff < 0 || diff > 3*sim.Millisecond {
			t.Errorf("signalled at %s it ended at %s, want %s: %+v", at, b.now, want, step)
		}
	}
}

func TestWaitingForAFileEndsWhenTheFileComes(t *testing.T) {
	b, p := begin(t, testImage("busybox"), "sh", "-c", `until test -f /tmp/ready; do sleep 1; done; echo go`)
	b.drive(p, 50*sim.Second)
	b.now = 50 * sim.Second
	b.WriteFile("/tmp/ready", nil, false)
	if step := b.drive(p, sim.Minute*2); !step.Done || b.text() != "go" {
		t.Errorf("%+v %q", step, b.text())
	}
}
