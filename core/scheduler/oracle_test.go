package scheduler

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	"podwalk/core/internal/shared"
	"podwalk/core/sim"
)

// TestOracleSchedulingEventsAreTheRealOnes runs the captured scheduling cases with
// the scheduler alone, over an API that only stores, and compares its events.
func TestOracleSchedulingEventsAreTheRealOnes(t *testing.T) {
	root := shared.Dir(t, "oracle")
	dirs, _ := filepath.Glob(filepath.Join(root, "cases", "scheduling", "*"))
	cases, lines, same := 0, 0, 0
	for _, dir := range dirs {
		want := realEvents(t, dir)
		got := runCase(t, root, dir)
		lines += max(len(want), len(got))
		if slices.Equal(want, got) {
			cases++
			same += len(want)
			continue
		}
		for _, l := range want {
			if slices.Contains(got, l) {
				same++
			}
		}
		t.Errorf("%s\n real  %s\n here  %s", filepath.Base(dir), strings.Join(want, "\n       "), strings.Join(got, "\n       "))
	}
	t.Logf("equal: %d of %d cases, %d of %d events", cases, len(dirs), same, lines)
}

var masked = regexp.MustCompile(`by pod [^ ]+`)

// line prints what is compared of an event.
func line(e *api.Event) string {
	return e.InvolvedObject.Name + " " + e.Reason + " " + e.Action + ": " + masked.ReplaceAllString(e.Message, "by pod UID")
}

// realEvents returns the scheduler's events of a case in order of creation. Repeats
// after a change of the pod are left out: how often it is tried again depends on
// what other components do meanwhile.
func realEvents(t *testing.T, dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "events*.json"))
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var l []*api.Event
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatal(err)
		}
		out = distinct(out, l)
	}
	return out
}

func distinct(out []string, l []*api.Event) []string {
	for _, e := range l {
		if s := line(e); e.ReportingController == DefaultName && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// priorities are the PriorityClasses of the cases.
var priorities = map[string]int32{"high": 1000, "low": 10, "mid": 100, "never": 1000}

// runCase feeds a case's commands to the scheduler and returns its events.
func runCase(t *testing.T, root, dir string) []string {
	h := newFakeHost(t)
	h.events = recorder.New()
	nodes := filepath.Join(dir, "nodes.yaml")
	if _, err := os.Stat(nodes); err != nil {
		nodes = filepath.Join(root, "nodes.yaml")
	}
	for _, n := range decode[*api.Node](t, nodes) {
		h.put(n)
	}
	s := New()
	now := h.settle(s, 0)
	b, err := os.ReadFile(filepath.Join(dir, "transcript.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(string(b), "\n") {
		if cmd, ok := strings.CutPrefix(l, "$ kubectl "); ok {
			now = h.do(s, dir, strings.Fields(cmd), now+sim.Second)
		}
	}
	h.settle(s, now)
	var l []*api.Event
	for _, o := range h.Latest().List("Event", "") {
		l = append(l, o.(*api.Event))
	}
	slices.SortFunc(l, func(a, b *api.Event) int { return h.age(a) - h.age(b) })
	return distinct(nil, l)
}

// age returns when an object was first written.
func (h *fakeHost) age(o api.Object) int {
	changes, _ := h.store.Since(1)
	for i, c := range changes {
		if c.Object().Meta().Name == o.Meta().Name && c.Object().ObjectType().Kind == o.ObjectType().Kind {
			return i
		}
	}
	return -1
}

// do carries one command line out, as far as the cases need it.
func (h *fakeHost) do(s *Scheduler, dir string, argv []string, now sim.Time) sim.Time {
	switch argv[0] {
	case "apply":
		for _, o := range decode[api.Object](h.t, filepath.Join(dir, argv[2])) {
			h.admit(o)
			now += 20 * sim.Millisecond
			s.Reconcile(h.ctx(now), key)
		}
	case "cordon", "taint", "label":
		names := argv[1:]
		if argv[0] != "cordon" {
			names = argv[2:3]
		}
		for _, name := range names {
			n := *h.Latest().Get("Node", "", name).(*api.Node)
			change(&n, argv)
			h.put(&n)
		}
	case "create":
		n := &api.Node{}
		if err := json.Unmarshal([]byte(strings.Trim(strings.Join(argv[4:], " "), "'")), n); err != nil {
			h.t.Fatal(err)
		}
		h.put(n)
	case "delete":
		c := *h.Latest().Get("PersistentVolumeClaim", "default", argv[2]).(*api.PersistentVolumeClaim)
		at := api.Time(1)
		c.DeletionTimestamp = &at
		h.put(&c)
	}
	return h.settle(s, now)
}

func change(n *api.Node, argv []string) {
	switch argv[0] {
	case "cordon":
		n.Spec.Unschedulable = true
	case "label":
		k, v, _ := strings.Cut(argv[3], "=")
		n.Labels = with(n.Labels, k, v)
	case "taint":
		kv, effect, _ := strings.Cut(argv[3], ":")
		k, v, _ := strings.Cut(kv, "=")
		n.Spec.Taints = append(slices.Clone(n.Spec.Taints), api.Taint{Key: k, Value: v, Effect: effect})
	}
}

// admit stores an object with what the server would fill in.
func (h *fakeHost) admit(o api.Object) {
	m := o.Meta()
	m.UID = "00000000-0000-0000-0000-" + (m.Name + "000000000000")[:12]
	switch o := o.(type) {
	case *api.Pod:
		defaulted(o)
		if p, ok := priorities[o.Spec.PriorityClassName]; ok {
			o.Spec.Priority = &p
		}
	case *api.PersistentVolumeClaim:
		m.Namespace = "default"
	case *api.PersistentVolume:
		o.Status.Phase = "Available"
	}
	h.put(o)
}

// settle runs the scheduler, and a stand-in for the volume controller, until
// nothing but periodic work is left, for ten seconds at most: as long as the cases
// were looked at.
func (h *fakeHost) settle(s *Scheduler, now sim.Time) sim.Time {
	for till := now + 10*sim.Second; now < till; {
		r := s.Reconcile(h.ctx(now), key)
		if h.store.Rev() != h.seen || h.bindClaims() {
			now = max(now+sim.Millisecond, min(r.Next, now+2*sim.Millisecond))
			continue
		}
		if r.Periodic || r.Next == 0 || r.Next == sim.Never {
			return now
		}
		now = max(now+1, r.Next)
	}
	return now
}

// bindClaims does for one claim what the volume controller does.
func (h *fakeHost) bindClaims() bool {
	for _, o := range h.Latest().List("PersistentVolumeClaim", "") {
		c := *o.(*api.PersistentVolumeClaim)
		if c.Spec.VolumeName != "" || c.Spec.StorageClassName == nil {
			continue
		}
		class, _ := h.Latest().Get("StorageClass", "", *c.Spec.StorageClassName).(*api.StorageClass)
		for _, o := range h.Latest().List("PersistentVolume", "") {
			v := *o.(*api.PersistentVolume)
			if v.Spec.ClaimRef == nil && class != nil || v.Spec.StorageClassName != *c.Spec.StorageClassName {
				continue
			}
			v.Spec.ClaimRef = &api.ObjectReference{Namespace: c.Namespace, Name: c.Name, UID: c.UID}
			v.Status.Phase = "Bound"
			h.put(&v)
			c.Spec.VolumeName = v.Name
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			h.put(&c)
			return true
		}
	}
	return false
}
