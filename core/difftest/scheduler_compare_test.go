package difftest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"podwalk/core/api"
	"podwalk/core/scheduler"
	"podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	ourstore "podwalk/core/store"
)

// TestSchedulerAgreesWithTheRealPlugins compares, on random clusters, every node's
// verdict, every score, and the victims of a preemption.
func TestSchedulerAgreesWithTheRealPlugins(t *testing.T) {
	clusters := 5000
	if testing.Short() {
		clusters = 300
	}
	compareClusters(t, clusters, func(seed int64) string { return "" })
}

// TestConfiguredSchedulersAgreeWithTheRealPlugins does so with random configurations.
func TestConfiguredSchedulersAgreeWithTheRealPlugins(t *testing.T) {
	clusters := 3000
	if testing.Short() {
		clusters = 300
	}
	compareClusters(t, clusters, func(seed int64) string { return dice{rand.New(rand.NewSource(seed))}.config() })
}

func compareClusters(t *testing.T, clusters int, config func(seed int64) string) {
	verdicts, scores, victims, bad := 0, 0, 0, 0
	var r *realScheduler
	var ours *scheduler.Profile
	for seed := range int64(clusters) {
		if doc := config(seed / 4); seed%4 == 0 {
			r, ours = schedulers(t, doc)
		}
		c := newSchedCluster(seed)
		want := r.answer(t, c)
		got := ourAnswer(t, ours, c)
		verdicts, scores, victims = verdicts+len(want.nodes), scores+len(want.scores), victims+len(want.victims)
		if diff := want.diff(got); diff != "" {
			if bad++; bad <= 10 {
				t.Errorf("cluster %d:\n%s%s", seed, config(seed/4), diff)
			}
		}
	}
	t.Logf("%d of %d clusters agree: %d rejections, %d scored nodes, %d dry runs of a preemption", clusters-bad, clusters, verdicts, scores, victims)
}

func (a *schedAnswer) diff(b schedAnswer) string {
	var l []string
	note := func(what, real, here string) {
		if real != here {
			l = append(l, fmt.Sprintf("  %s\n    real %s\n    here %s", what, real, here))
		}
	}
	note("error", a.err, b.err)
	if a.err != "" {
		return strings.Join(l, "\n")
	}
	note("PreFilter", a.preFilter, b.preFilter)
	for _, m := range []struct {
		what       string
		real, here map[string]string
	}{{"verdict", a.nodes, b.nodes}, {"score", a.scores, b.scores}, {"victims", a.victims, b.victims}} {
		names := map[string]bool{}
		for n := range m.real {
			names[n] = true
		}
		for n := range m.here {
			names[n] = true
		}
		for _, n := range slices.Sorted(maps.Keys(names)) {
			note(m.what+" of "+n, m.real[n], m.here[n])
		}
	}
	// Equal candidates are chosen among by chance.
	if a.chosen != b.chosen && (a.ranks[a.chosen] == "" || a.ranks[a.chosen] != b.ranks[b.chosen]) {
		note("chosen", a.chosen+" "+a.ranks[a.chosen], b.chosen+" "+b.ranks[b.chosen])
	}
	return strings.Join(l, "\n")
}

// ourAnswer asks Podwalk's scheduler.
func ourAnswer(t testing.TB, profile *scheduler.Profile, c *schedCluster) schedAnswer {
	st := ourstore.New()
	var objects []runtime.Object
	for _, n := range c.nodes {
		objects = append(objects, n)
	}
	for _, p := range c.pods {
		objects = append(objects, p)
	}
	for _, b := range c.budgets {
		objects = append(objects, b)
	}
	for _, o := range append(objects, c.others...) {
		if _, err := st.Put(schedObject(t, o), 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	e := scheduler.Evaluate(profile, st.Latest(), sim.Random{Seed: 1}, schedObject(t, c.pod).(*api.Pod))
	a := schedAnswer{nodes: map[string]string{}, scores: map[string]string{}, victims: map[string]string{}, ranks: map[string]string{}, err: e.Err}
	if e.Err != "" {
		return a
	}
	if e.Failed.PreFilter != "" {
		a.preFilter = ourStatus(e.Failed.Absent)
	}
	for _, n := range e.Failed.Nodes {
		a.nodes[n.Node] = ourStatus(n.Status)
	}
	for i, n := range e.Feasible {
		final := map[string]int64{}
		for _, x := range e.Scores {
			final[x.Plugin.String()] = x.Final[i]
		}
		a.scores[n.Name()] = scoreText(final, e.Totals[i])
	}
	if a.preFilter == "" && e.Failed.Absent != nil {
		for _, n := range c.nodes {
			if a.nodes[n.Name] == "" && a.scores[n.Name] == "" {
				a.nodes[n.Name] = "not allowed"
			}
		}
	}
	a.preemption(&e)
	return a
}

func ourStatus(st *framework.Status) string {
	reasons := slices.Sorted(slices.Values(st.Reasons))
	return st.Code.String() + " " + st.Plugin.String() + ": " + strings.Join(reasons, ", ")
}

func (a *schedAnswer) preemption(e *scheduler.Evaluation) {
	if e.Preemption == nil {
		if len(e.Feasible) == 0 {
			a.chosen = strings.TrimPrefix(e.Failed.PostFilter, "preemption: ")
		}
		return
	}
	a.chosen = e.Preemption.Node
	for _, x := range e.Preemption.Search {
		if x.No != "" {
			reasons := strings.Split(x.No, ", ")
			sort.Strings(reasons)
			a.victims[x.Node] = "no: " + strings.Join(reasons, ", ")
			continue
		}
		var names []string
		var rank victimRank
		for _, v := range x.Victims {
			names = append(names, v.Pod.Name)
			var start *metav1.Time
			if s := v.Pod.Status.StartTime; s != nil {
				at := metav1.Unix(int64(*s), 0)
				start = &at
			}
			rank.add(v.Priority, start)
		}
		sort.Strings(names)
		a.victims[x.Node] = fmt.Sprintf("%d violations: %s", x.Violations, strings.Join(names, " "))
		a.ranks[x.Node] = rank.text(x.Violations)
	}
}

// schedObject turns a real object into Podwalk's.
func schedObject(t testing.TB, o runtime.Object) api.Object {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	k := api.KindNamed(kinds[0].Kind)
	x := k.New()
	if err := json.Unmarshal(b, x); err != nil {
		t.Fatal(err)
	}
	x.ObjectType().APIVersion, x.ObjectType().Kind = k.APIVersion(), k.Kind
	return x
}
