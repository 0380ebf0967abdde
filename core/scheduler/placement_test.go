package scheduler

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/internal/shared"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// outcome is what the real scheduler did with one pod.
type outcome struct {
	Pod, Node, Scheduled, Reason, Message string
	BestNodes                             []string
	FinalScores                           map[string]int64
	PluginScores                          map[string]map[string]int64
}

// TestOraclePlacementsHaveTheRealScores compares feasible nodes, the score of each
// plugin, totals, best nodes and messages with those of the real scheduler.
func TestOraclePlacementsHaveTheRealScores(t *testing.T) {
	dirs, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle"), "placement", "*"))
	var n, same struct{ scenarios, pods, scores, messages int }
	for _, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		var result struct{ Pods []outcome }
		if err := json.Unmarshal(b, &result); err != nil {
			t.Fatal(err)
		}
		n.scenarios++
		ok := true
		w := newPlacement(t, dir)
		for i, want := range result.Pods {
			n.pods++
			diff := w.compare(w.pods[i], want)
			if want.Message != "" {
				n.messages++
			}
			n.scores += len(want.FinalScores)
			if diff == "" {
				same.pods++
				same.scores += len(want.FinalScores)
				if want.Message != "" {
					same.messages++
				}
				continue
			}
			ok = false
			t.Errorf("%s %s: %s", filepath.Base(dir), want.Pod, diff)
		}
		if ok {
			same.scenarios++
		}
	}
	t.Logf("equal: %d of %d scenarios, %d of %d pods, %d of %d scored nodes, %d of %d messages", same.scenarios, n.scenarios,
		same.pods, n.pods, same.scores, n.scores, same.messages, n.messages)
}

// placement is one scenario: a scheduler that is fed by hand.
type placement struct {
	s    *Scheduler
	host *fakeHost
	pods []*api.Pod
}

func newPlacement(t *testing.T, dir string) *placement {
	w := &placement{s: New(), host: newFakeHost(t)}
	for _, n := range decode[*api.Node](t, filepath.Join(dir, "nodes.yaml")) {
		w.host.put(n)
	}
	for _, p := range decode[*api.Pod](t, filepath.Join(dir, "existing.yaml")) {
		w.host.put(defaulted(p))
	}
	for _, p := range decode[*api.Pod](t, filepath.Join(dir, "input.yaml")) {
		w.pods = append(w.pods, defaulted(p))
	}
	w.host.put(&api.Namespace{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: api.ObjectMeta{
		Name: "default", Labels: map[string]string{"kubernetes.io/metadata.name": "default"}}})
	w.s.absorb(w.host.ctx(0))
	return w
}

// compare schedules a pod, lets it go where the real one went, and tells what differs.
func (w *placement) compare(p *api.Pod, want outcome) string {
	info := f.NewPodInfo(p)
	y := w.s.newCycle(w.host.ctx(0), info, 1)
	r := y.schedule()
	w.s.rotation = y.rotation
	diff := ""
	note := func(s string) {
		if s != "" && diff == "" {
			diff = s
		}
	}
	if r.Failed != nil {
		y.postFilter(r.Failed)
		note(differ("message", r.Failed.Message(), want.Message))
		return diff
	}
	if r.Err != "" {
		return "error " + r.Err
	}
	if want.Node == "" {
		return "feasible on " + r.Node + ", but the real one said: " + want.Message
	}
	w.s.cache.addPod(want.Node, info)
	if len(want.FinalScores) == 0 {
		note(differ("node", r.Node, want.Node))
		return diff
	}
	scores := map[string]int64{}
	for i, n := range r.Feasible {
		scores[n.Name()] = r.Totals[i]
		note(differPlugins(n.Name(), r.Scores, i, want.PluginScores[n.Name()]))
	}
	note(differ("totals", printed(scores), printed(want.FinalScores)))
	var best []string
	first, _ := r.best()
	for i, n := range r.Feasible {
		if r.Totals[i] == r.Totals[first] {
			best = append(best, n.Name())
		}
	}
	sort.Strings(best)
	sort.Strings(want.BestNodes)
	note(differ("best", strings.Join(best, " "), strings.Join(want.BestNodes, " ")))
	return diff
}

func differPlugins(node string, got []Column, i int, want map[string]int64) string {
	m := map[string]int64{}
	for _, x := range got {
		m[x.Plugin.String()] = x.Final[i]
	}
	for _, notSimulated := range []string{"DynamicResources", "VolumeBinding"} {
		if want[notSimulated] == 0 {
			delete(want, notSimulated)
			delete(m, notSimulated)
		}
	}
	return differ("scores of "+node, printed(m), printed(want))
}

func differ(what, got, want string) string {
	if got == want {
		return ""
	}
	return what + " " + got + ", real " + want
}

func printed(m map[string]int64) string {
	s := ""
	for _, k := range slices.Sorted(maps.Keys(m)) {
		s += k + "=" + strconv.FormatInt(m[k], 10) + " "
	}
	return s
}

// defaulted fills in what the API server would, as far as the scheduler reads it.
func defaulted(p *api.Pod) *api.Pod {
	if p.Namespace == "" {
		p.Namespace = "default"
	}
	if p.Spec.SchedulerName == "" {
		p.Spec.SchedulerName = DefaultName
	}
	if p.UID == "" {
		p.UID = "uid-" + p.Name
	}
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		for name, q := range c.Resources.Limits {
			if _, ok := c.Resources.Requests[name]; !ok {
				if c.Resources.Requests == nil {
					c.Resources.Requests = map[string]api.Quantity{}
				}
				c.Resources.Requests[name] = q
			}
		}
	}
	if p.Spec.PriorityClassName == "system-node-critical" {
		n := int32(2000001000)
		p.Spec.Priority = &n
	}
	return p
}

// decode reads the documents of a YAML file that are of type T.
func decode[T api.Object](t *testing.T, path string) []T {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var out []T
	d := yaml.NewDecoder(file)
	for {
		var doc map[string]any
		if err := d.Decode(&doc); err != nil {
			return out
		}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := doc["kind"].(string)
		k := api.KindNamed(kind)
		if k == nil {
			continue
		}
		o := k.New()
		if err := json.Unmarshal(b, o); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if typed, ok := o.(T); ok {
			out = append(out, typed)
		}
	}
}

// fakeHost is an API server that stores what it is told.
type fakeHost struct {
	t      *testing.T
	store  *store.Store
	events actor.Recorder
	log    []string
	seen   uint64
	refuse string // message with which bindings are refused
}

var fakeIndex = store.Index{Name: "pod.node", Kind: "Pod", Values: func(o api.Object) []string {
	return []string{o.(*api.Pod).Spec.NodeName}
}}

func newFakeHost(t *testing.T) *fakeHost { return &fakeHost{t: t, store: store.New(fakeIndex)} }

func (h *fakeHost) put(o api.Object) {
	if _, err := h.store.Put(o, store.AnyRev, 0, 0); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fakeHost) ctx(now sim.Time) *actor.Ctx {
	ch, _ := h.store.Since(h.seen)
	h.seen = h.store.Rev()
	return actor.NewCtx(h, "scheduler", api.User{Name: "system:kube-scheduler"}, now, 0, h.store.Latest(), ch)
}
