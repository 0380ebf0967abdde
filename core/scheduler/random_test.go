package scheduler

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
)

// randomRun does random things to a small cluster. between is called before each.
func randomRun(t *testing.T, seed uint64, between func(*world)) *world {
	w := newWorld(t, 3)
	r := sim.Random{Seed: seed}
	n := uint64(0)
	roll := func(limit int) int { n++; return r.Intn("test", "roll", n, limit) }
	for step := range 60 {
		between(w)
		name := "p" + strconv.Itoa(roll(20))
		switch roll(6) {
		case 0, 1, 2:
			if w.pod(name) == nil {
				p := waitingPod(name, strconv.Itoa(1+roll(5)))
				priority := int32(roll(3))
				p.UID = "uid-" + name + "-" + strconv.Itoa(step)
				p.Spec.Priority = &priority
				p.Labels = map[string]string{"app": "a"}
				w.put(p)
			}
		case 3:
			if w.pod(name) != nil {
				w.Handle(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: name}, 0)
			}
		case 4:
			o := node("n"+strconv.Itoa(roll(5)), "zone-"+strconv.Itoa(roll(2)))
			o.Spec.Unschedulable = roll(4) == 0
			w.put(o)
		case 5:
			if p := w.pod(name); p != nil {
				done := *p
				done.Status.Phase = "Failed"
				w.put(&done)
			}
		}
		w.run(w.now + sim.Time(roll(2000))*sim.Millisecond)
	}
	return w
}

func TestCloningAtAnyMomentChangesNothing(t *testing.T) {
	for seed := range uint64(20) {
		plain := randomRun(t, seed, func(*world) {})
		cloned := randomRun(t, seed, func(w *world) {
			old := w.s
			w.s, w.events = w.s.Clone().(*Scheduler), w.events.(*recorder.Recorder).Clone()
			old.Reconcile(quiet{&fakeHost{store: w.store.Clone(), seen: w.seen}}.ctx(w.now), key)
		})
		if a, b := strings.Join(plain.log, "\n"), strings.Join(cloned.log, "\n"); a != b {
			t.Fatalf("seed %d: the logs differ", seed)
		}
	}
}

// The cache that changes have built equals one that is loaded from the store.
func TestTheCacheIsWhatTheStoreSays(t *testing.T) {
	for seed := range uint64(20) {
		w := randomRun(t, seed, func(*world) {})
		w.run(w.now + sim.Minute)
		fresh := New()
		fresh.load(w.Latest())
		if len(w.s.cache.list()) != len(fresh.cache.list()) {
			t.Fatalf("seed %d: %d nodes, not %d", seed, len(w.s.cache.list()), len(fresh.cache.list()))
		}
		for name, want := range fresh.cache.nodes {
			got := w.s.cache.nodes[name]
			if got == nil || !equal(got, want) {
				t.Errorf("seed %d: node %s: %+v, not %+v", seed, name, got, want)
			}
		}
	}
}

func equal(a, b *f.NodeInfo) bool {
	return len(a.Pods) == len(b.Pods) && a.Requested.MilliCPU == b.Requested.MilliCPU && a.NonZero.Memory == b.NonZero.Memory && a.Unschedulable == b.Unschedulable
}

// No node is given more than it has, whatever happens at once.
func TestNoNodeIsOvercommitted(t *testing.T) {
	for seed := range uint64(20) {
		w := randomRun(t, seed, func(*world) {})
		for _, n := range w.s.cache.list() {
			if n.Requested.MilliCPU > n.Allocatable.MilliCPU {
				t.Errorf("seed %d: node %s has %d of %d", seed, n.Name(), n.Requested.MilliCPU, n.Allocatable.MilliCPU)
			}
		}
	}
}

func TestALateOrRepeatedLookIsHarmless(t *testing.T) {
	plain := newWorld(t, 2)
	twice := newWorld(t, 2)
	for _, w := range []*world{plain, twice} {
		for i := range 5 {
			w.put(waitingPod("p"+strconv.Itoa(i), "1"))
		}
		if w == twice {
			for range 3 {
				w.s.Reconcile(w.ctx(w.now), key)
			}
		}
		w.run(sim.Second)
	}
	for i := range 5 {
		name := "p" + strconv.Itoa(i)
		if a, b := plain.pod(name).Spec.NodeName, twice.pod(name).Spec.NodeName; a == "" || a != b {
			t.Errorf("%s on %q and on %q", name, a, b)
		}
	}
}
