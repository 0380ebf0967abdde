package recorder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/internal/shared"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// host stores what it is told to, and nothing else.
type host struct {
	t      *testing.T
	store  *store.Store
	log    trace.Log
	events *Recorder
	writes int
}

func newHost(t *testing.T) *host { return &host{t: t, store: store.New(), events: New()} }

func (h *host) Handle(r api.Request, _ sim.Cause) api.Response {
	h.writes++
	rev := uint64(0)
	if r.Verb == api.Update {
		rev = store.AnyRev
	}
	if _, err := h.store.Put(r.Object, rev, 0, 0); err != nil {
		h.t.Errorf("%s %s: %v", r.Verb, r.Object.Meta().Name, err)
	}
	return api.Response{Object: r.Object}
}

func (h *host) Record(r trace.Record) sim.Cause { return h.log.Append(r) }
func (h *host) Latest() store.Snapshot          { return h.store.Latest() }
func (h *host) Start() int64                    { return 1_700_000_000e9 }
func (h *host) Random() sim.Random              { return sim.Random{Seed: 1} }
func (h *host) Events() actor.Recorder          { return h.events }

func (h *host) at(t sim.Time) *actor.Ctx {
	return actor.NewCtx(h, "kubelet", api.User{Name: "u"}, t, 0, h.Latest(), nil)
}

func (h *host) list() []*api.Event {
	var l []*api.Event
	for _, o := range h.Latest().List("Event", "") {
		l = append(l, o.(*api.Event))
	}
	return l
}

func pod(name string) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Name, p.Namespace, p.UID, p.ResourceVersion = name, "ns", "uid-"+name, "7"
	return p
}

func backOff(msg string) actor.Event {
	return actor.Event{Regarding: pod("web"), FieldPath: "spec.containers{app}", Type: "Warning", Reason: "BackOff",
		Message: msg, Component: "kubelet", Host: "node-1"}
}

func TestARepeatedEventIsCountedInPlace(t *testing.T) {
	h := newHost(t)
	for i := range 3 {
		h.events.Event(h.at(sim.Time(i)*10*sim.Second), backOff("again"))
	}
	l := h.list()
	if len(l) != 1 || l[0].Count != 3 || l[0].LastTimestamp-l[0].FirstTimestamp != 20 {
		t.Fatalf("%+v", l)
	}
	if l[0].Name != "web.17979cfe362a0000" || l[0].Namespace != "ns" || l[0].InvolvedObject.FieldPath != "spec.containers{app}" {
		t.Errorf("%s %+v", l[0].Name, l[0].InvolvedObject)
	}
	if h.log.Len() != 3 {
		t.Errorf("%d records of 3 occurrences", h.log.Len())
	}
}

// The tenth different message within ten minutes goes into the combined event,
// which names no reporting component (oracle: FailedCreate of a quota).
func TestTenSimilarEventsAreCombined(t *testing.T) {
	h := newHost(t)
	for i := range 12 {
		h.events.Event(h.at(sim.Time(i)*sim.Second), backOff("m"+strconv.Itoa(i)))
	}
	var combined *api.Event
	for _, e := range h.list() {
		if strings.HasPrefix(e.Message, "(combined from similar events): ") {
			combined = e
		}
	}
	if len(h.list()) != 10 || combined == nil || combined.Count != 3 || combined.Message != "(combined from similar events): m11" || combined.ReportingController != "" {
		t.Fatalf("%d events, combined %+v", len(h.list()), combined)
	}
}

func TestASourceMayWriteABurstOf25AndThenOneInFiveMinutes(t *testing.T) {
	h := newHost(t)
	for range 40 {
		h.events.Event(h.at(0), backOff("same"))
	}
	if h.writes != 25 {
		t.Errorf("%d writes at once", h.writes)
	}
	h.events.Event(h.at(5*sim.Minute-1), backOff("same"))
	h.events.Event(h.at(5*sim.Minute), backOff("same"))
	h.events.Event(h.at(9*sim.Minute), backOff("same"))
	if h.writes != 26 {
		t.Errorf("%d writes after the first refill", h.writes)
	}
	if c := h.list()[0].Count; c != 42 {
		t.Errorf("count %d: what is not written is counted all the same", c)
	}
}

func failedScheduling(rev string) actor.Event {
	p := pod("web")
	p.ResourceVersion = rev
	return actor.Event{Regarding: p, Type: "Warning", Reason: "FailedScheduling", Message: "m",
		Component: "default-scheduler", Host: "cp", Action: "Scheduling"}
}

func TestTheSecondIsomorphicEventStartsASeries(t *testing.T) {
	h := newHost(t)
	h.events.Event(h.at(0), failedScheduling("7"))
	h.events.Event(h.at(sim.Second), failedScheduling("8"))
	for i := range 3 {
		h.events.Event(h.at(sim.Time(i+2)*sim.Second), failedScheduling("8"))
	}
	l := h.list()
	if len(l) != 2 || l[0].Series != nil || l[1].Series == nil || l[1].Series.Count != 2 {
		t.Fatalf("%+v", l)
	}
	h.events.Tick(h.at(6 * sim.Minute))
	if c := h.list()[1].Series.Count; c != 2 {
		t.Errorf("count %d before six minutes had passed since the last", c)
	}
	h.events.Tick(h.at(12 * sim.Minute))
	if s := h.list()[1].Series; s.Count != 4 || h.events.NextTick(12*sim.Minute) != sim.Never {
		t.Errorf("series at its end: %+v", s)
	}
	h.events.Event(h.at(13*sim.Minute), failedScheduling("8"))
	if len(h.list()) != 3 {
		t.Errorf("an event after the end of the series did not start anew")
	}
}

func TestTheSchedulersEventHasTheFormOfTheRealOne(t *testing.T) {
	h := newHost(t)
	h.events.Event(h.at(1500*sim.Millisecond), failedScheduling("7"))
	b, _ := json.Marshal(h.list()[0])
	for _, part := range []string{`"eventTime":"2023-11-14T22:13:21.500000Z"`, `"firstTimestamp":null`, `"lastTimestamp":null`,
		`"source":{}`, `"action":"Scheduling"`, `"reportingComponent":"default-scheduler"`, `"reportingInstance":"default-scheduler-cp"`} {
		if !strings.Contains(string(b), part) {
			t.Errorf("no %s in %s", part, b)
		}
	}
}

func TestACloneAndItsOriginalCountApart(t *testing.T) {
	h := newHost(t)
	h.events.Event(h.at(0), backOff("same"))
	h.events.Event(h.at(0), failedScheduling("7"))
	c := h.events.Clone()
	other := &host{t: t, store: h.store.Clone(), events: c}
	for range 3 {
		h.events.Event(h.at(sim.Second), backOff("same"))
		h.events.Event(h.at(sim.Second), failedScheduling("7"))
	}
	c.Event(other.at(sim.Second), backOff("same"))
	c.Event(other.at(sim.Second), failedScheduling("7"))
	if n, m := h.list()[0].Count+h.list()[1].Count, other.list()[0].Count+other.list()[1].Count; n != 4 || m != 2 {
		t.Errorf("counts %d and %d", n, m)
	}
	if n := h.events.series.cache[h.events.series.order[0]].count; n != 4 {
		t.Errorf("series counts %d", n)
	}
}

func TestAnEventExpiresAnHourAfterItsLastOccurrence(t *testing.T) {
	h := newHost(t)
	h.events.Event(h.at(0), backOff("same"))
	h.events.Event(h.at(10*sim.Minute), backOff("same"))
	if n := len(Expired(h.Latest(), h.Start(), 70*sim.Minute-1)); n != 0 {
		t.Errorf("%d too early", n)
	}
	if n := len(Expired(h.Latest(), h.Start(), 70*sim.Minute)); n != 1 {
		t.Errorf("%d expired", n)
	}
}

func TestTheCacheForgetsWhatWasUsedLongestAgo(t *testing.T) {
	l := newLRU[int]()
	for i := range lruSize {
		l.put(strconv.Itoa(i), i)
	}
	l.get("0")
	l.put("one more", 1)
	if _, ok := l.get("1"); ok {
		t.Error("kept the oldest")
	}
	if v, ok := l.get("0"); !ok || v != 0 {
		t.Error("forgot what was used")
	}
}

// Every captured event that was combined or repeated has the fields that ours have.
func TestOracleEventsHaveTheFieldsThatWeWrite(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle"), "cases/*/*/events*.json"))
	total, legacy := 0, 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var l []*api.Event
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, e := range l {
			total++
			if e.Action == "" {
				legacy++
			}
			checkForm(t, f, e)
		}
	}
	t.Logf("%d events, %d of them legacy", total, legacy)
}

func checkForm(t *testing.T, file string, e *api.Event) {
	combined := strings.HasPrefix(e.Message, combinedPrefix)
	series := e.Action != ""
	if series != (e.Source == api.EventSource{}) || series != (e.EventTime != 0) || series == (e.Count != 0) ||
		series == (e.FirstTimestamp != 0) || combined == (e.ReportingController != "") {
		t.Errorf("%s: %s %s has another form", file, e.Name, e.Reason)
	}
	if i := strings.LastIndexByte(e.Name, '.'); e.Name[:i] != e.InvolvedObject.Name {
		t.Errorf("%s: name %s", file, e.Name)
	}
}
