package podcontrol

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/store"
)

func pod(name, node, phase string, readyAt api.Time) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Name, p.UID, p.Namespace = name, name, "default"
	p.Spec.NodeName, p.Status.Phase = node, phase
	p.CreationTimestamp = 1000
	if readyAt != 0 {
		p.Status.Conditions = []api.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: readyAt}}
	}
	return p
}

// Each pod goes before the next by one rule of ActivePodsWithRanks, in the order in
// which its comment lists them; "now" is 2^20 s, so that ages of 2^19 and of 2^10
// seconds have other magnitudes.
func TestPodsAreDeletedByRank(t *testing.T) {
	const now = int64(1<<20) * 1e9
	restarted := pod("f-restarted", "n", "Running", 1000)
	restarted.Status.ContainerStatuses = []api.ContainerStatus{{RestartCount: 3}}
	cheap := pod("d-cheap", "n", "Running", 1000)
	cheap.Annotations = map[string]string{DeletionCost: "-5"}
	odd := pod("g-old", "n", "Running", 1000)
	odd.Annotations = map[string]string{DeletionCost: "+7"} // not a number in the server's eyes: 0
	want := []*api.Pod{
		pod("a-unassigned", "", "Pending", 0),
		pod("b-pending", "n", "Pending", 0),
		pod("c-unready", "n", "Running", 0),
		cheap,
		pod("e1-crowded", "crowded", "Running", 1000),
		pod("e2-young", "n", "Running", 1<<20-1<<10),
		restarted,
		odd,
	}
	list := make([]*api.Pod, len(want))
	for i, p := range want {
		list[len(want)-1-i] = p
	}
	sortRanked(list, map[string]int{"crowded": 2, "n": 1}, now)
	for i := range want {
		if list[i] != want[i] {
			t.Fatalf("place %d has %s, want %s", i, list[i].Name, want[i].Name)
		}
	}
}

// Ages of 1200 and 2000 s are of one magnitude in ns (2^40); such are told apart by UID alone, so that the newest is not
// always the one that goes (LogarithmicScaleDown).
func TestPodsOfLikeAgeGoByUID(t *testing.T) {
	list := []*api.Pod{pod("z", "n", "Running", 1<<20-1200), pod("a", "n", "Running", 1<<20-2000)}
	sortRanked(list, map[string]int{}, int64(1<<20)*1e9)
	if list[0].Name != "a" {
		t.Errorf("%s goes first", list[0].Name)
	}
	SortActive(list)
	if list[0].Name != "z" {
		t.Errorf("by plain age %s goes first", list[0].Name)
	}
}

func TestBatchesDoubleUntilOneFails(t *testing.T) {
	for _, c := range []struct{ n, failAt, calls, made int }{{0, 0, 0, 0}, {10, 0, 10, 10}, {10, 1, 1, 0}, {10, 3, 3, 2}, {10, 4, 7, 6}} {
		calls := 0
		made, err := SlowStart(c.n, func() *api.Status {
			if calls++; calls == c.failAt {
				return api.NewInternalError("no")
			}
			return nil
		})
		if calls != c.calls || made != c.made || (err != nil) != (c.failAt > 0) {
			t.Errorf("%+v: %d calls, %d made, %v", c, calls, made, err)
		}
	}
}

func TestExpectationsEndWithWhatTheCacheIsTold(t *testing.T) {
	var e Expectations
	key := func(p *api.Pod) string { return "k" }
	e.ExpectCreations("k", 2)
	added := store.Change{New: pod("a", "", "Pending", 0)}
	e.Observe([]store.Change{added}, key)
	clone := e.Clone()
	if e.Satisfied("k") {
		t.Error("one of two creations is enough")
	}
	e.CreationFailed("k", 1)
	if !e.Satisfied("k") || clone.Satisfied("k") {
		t.Error("a failed creation is still awaited, or a clone shares the count")
	}
	e.ExpectDeletions("k", []string{"a"})
	going := pod("a", "n", "Running", 0)
	at := api.Time(5)
	going.DeletionTimestamp = &at
	e.Observe([]store.Change{{Old: pod("b", "", "", 0)}, {Old: pod("a", "n", "Running", 0), New: pod("a", "n", "Running", 0)}}, key)
	if e.Satisfied("k") {
		t.Error("another pod's end, or a change that is no end, counts")
	}
	e.Observe([]store.Change{{Old: pod("a", "n", "Running", 0), New: going}}, key)
	if !e.Satisfied("k") {
		t.Error("a pod that is marked as going is still awaited")
	}
}

// The letters are those of the real encoder (apimachinery/pkg/util/rand): no vowels
// and nothing that looks alike; a sum of 32 bits has at most ten digits.
func TestAHashHasTheRealShape(t *testing.T) {
	seen := map[string]bool{}
	for n := range int32(50) {
		tpl := &api.PodTemplateSpec{}
		tpl.Spec.NodeName = strconv.Itoa(int(n))
		for _, h := range []string{Hash(tpl, nil), Hash(tpl, &n)} {
			if len(h) > 10 || strings.Trim(h, "bcdfghjklmnpqrstvwxz2456789") != "" || seen[h] {
				t.Errorf("hash %q", h)
			}
			seen[h] = true
		}
	}
	if got := SafeEncode("1234567890"); got != "56789bcdf4" { // each byte modulo 27
		t.Errorf("SafeEncode is %q", got)
	}
}
