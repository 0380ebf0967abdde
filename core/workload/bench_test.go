package workload

import (
	"runtime"
	"testing"

	"podwalk/core/sim"
)

// quiet is a world that keeps no lines.
type quiet struct{ *bench }

func (q quiet) Log(stream, line string) {}

func BenchmarkAProcessFromStartToRest(b *testing.B) {
	cache := NewCache()
	for _, c := range []struct {
		name, image string
		argv        []string
	}{
		{"nginx", "nginx:1.27", nil},
		{"loop", "busybox:1.36", []string{"sh", "-c", `trap "exit 0" TERM; while true; do sleep 1; done`}},
		{"exit", "busybox:1.36", []string{"sh", "-c", "exit 1"}},
	} {
		img := resolve(b, c.image)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := quiet{newBench(img)}
				p, err := Start(Spec{Image: img, Argv: Argv(img, c.argv, nil), Env: img.Env, Cache: cache}, w)
				if err != nil {
					b.Fatal(err)
				}
				for s := p.Run(w); !s.Done && s.Next < sim.Hour; s = p.Run(w) {
					w.now = s.Next
				}
			}
		})
	}
}

func BenchmarkACommandOfABusyShell(b *testing.B) {
	img := resolve(b, "busybox:1.36")
	w := quiet{newBench(img)}
	var p *Process
	for b.Loop() {
		if p == nil || p.stopped {
			p, _ = Start(Spec{Image: img, Argv: []string{"sh", "-c", `i=0; while :; do i=$((i+1)); done`}, Env: img.Env}, w)
			w.now = 0
		}
		w.now = p.Run(w).Next
	}
}

// An idle process may take 8 KB; without its file system it takes less than half.
func TestAnIdleProcessIsSmall(t *testing.T) {
	img := resolve(t, "nginx:1.27")
	const n = 2000
	cache := NewCache()
	for _, argv := range [][]string{Argv(img, nil, nil), {"sh", "-c", `trap "exit 0" TERM; while true; do sleep 1; done`}} {
		list := make([]*Process, n)
		worlds := make([]*FS, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range list {
			b := newBench(img)
			w := quiet{b}
			p, err := Start(Spec{Image: img, Argv: argv, Env: img.Env, Cache: cache}, w)
			if err != nil {
				t.Fatal(err)
			}
			for s := p.Run(w); s.Next < sim.Hour; s = p.Run(w) {
				w.now = s.Next
			}
			list[i], worlds[i] = p, b.FS
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		size := (after.HeapAlloc - before.HeapAlloc) / n
		t.Logf("%s: %d bytes", argv[0], size)
		if size > 8<<10 {
			t.Errorf("%s: %d bytes", argv[0], size)
		}
		runtime.KeepAlive(list)
		runtime.KeepAlive(worlds)
	}
}
