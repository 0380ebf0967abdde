package workload

import (
	"slices"
	"testing"

	"podwalk/core/sim"
)

// clonePrograms use every kind of state: frames, pipes, substitutions, traps,
// functions, files, timers, servers.
var clonePrograms = []struct {
	image string
	argv  []string
}{
	{"busybox:1.36", []string{"sh", "-c", `i=0; while [ $i -lt 4 ]; do echo "$i $(date +%s; sleep 1)"; i=$((i+1)); sleep 1; done; exit 3`}},
	{"busybox:1.36", []string{"sh", "-c", `f() { local x=$1; sleep 1; echo "$x $(echo $x; sleep 1)"; }; for a in 1 2 3; do f $a; done | while read l; do echo "<$l>"; done`}},
	{"busybox:1.36", []string{"sh", "-c", `trap 'echo bye' EXIT; (sleep 2; echo bg) & seq 5 | { read a; sleep 1; cat; }; wait; cat <<X | tr a-z A-Z
doc
X
`}},
	{"bash:5", []string{"bash", "-c", `a=(x y); a[1]=z; declare -A m; m[k]=$RANDOM; for ((i=0;i<3;i++)); do echo ${a[@]} ${m[k]} $i; sleep 1; a+=($i); done; echo ${#a[@]} > /tmp/f; cat /tmp/f`}},
	{"busybox:1.36", []string{"sh", "-c", `tail -f /tmp/log & for i in 1 2 3; do echo $i >> /tmp/log; sleep 1; done; kill $!; wait $!; echo $?`}},
	{"busybox:1.36", []string{"sh", "-c", `trap "exit 9" TERM; while true; do sleep 1; done`}},
	{"postgres:16", nil},
	{"nginx:1.27", nil},
	{"polinux/stress:1.0.4", []string{"stress", "--vm", "1", "--vm-bytes", "300M", "-t", "5"}},
}

func TestACloneRunsOnAsTheOriginalAtEveryCut(t *testing.T) {
	for _, c := range clonePrograms {
		img := resolve(t, c.image)
		spec := Spec{Image: img, Argv: Argv(img, c.argv, nil), Env: append(slices.Clone(img.Env), "POSTGRES_PASSWORD=x"), Epoch: epoch}
		whole := newBench(img)
		p := whole.start(t, spec)
		last := whole.drive(p, 20*sim.Second)
		lines, memory := whole.lines, p.Memory(20*sim.Second)

		b := newBench(img)
		p = b.start(t, spec)
		for cut := 0; cut < 400; cut++ {
			copied := b.clone()
			q := p.Clone()
			if cut%7 == 0 {
				copied.main = q
				step := copied.drive(q, 20*sim.Second)
				if step != last || !slices.Equal(copied.lines, lines) || q.Memory(20*sim.Second) != memory {
					t.Fatalf("%v cut at %s: %+v, want %+v\n%q\n%q", c.argv, b.now, step, last, copied.lines, lines)
				}
			}
			step := p.Run(b)
			if step.Done || step.Next > 20*sim.Second {
				break
			}
			b.now = step.Next
		}
		if !slices.Equal(b.lines, lines) {
			t.Errorf("%v: the original was changed by its clones\n%q\n%q", c.argv, b.lines, lines)
		}
	}
}

func TestTheSameStartGivesTheSameRun(t *testing.T) {
	for _, c := range clonePrograms {
		img := resolve(t, c.image)
		var first []string
		for range 3 {
			b, p := begin(t, img, Argv(img, c.argv, nil)...)
			b.drive(p, 20*sim.Second)
			if first == nil {
				first = b.lines
			}
			if !slices.Equal(first, b.lines) {
				t.Errorf("%v: %q then %q", c.argv, first, b.lines)
			}
		}
	}
}
