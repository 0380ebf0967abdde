// Package recorder writes API Events as the two recorders of the real components
// do: the older one of the kubelet and the controllers, which counts, combines
// and limits (legacy.go, lru.go), and the events.k8s.io one of the scheduler,
// which keeps series (series.go). It never decides that something is worth an
// event. Start reading at Recorder.
package recorder

import (
	"encoding/hex"
	"maps"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Recorder is the event recorder of a whole cluster. Each component and host has
// a correlator of its own, as each real process has. It implements
// actor.Recorder.
type Recorder struct {
	sources map[string]*correlator // by component and host
	series  *series
	names   nameClock
	owner   *byte // what this Recorder may change in place; the rest is shared with clones
}

var _ actor.Recorder = (*Recorder)(nil)

// New returns a recorder that has seen nothing.
func New() *Recorder {
	owner := new(byte)
	return &Recorder{sources: map[string]*correlator{}, series: newSeries(owner), owner: owner}
}

// Clone returns an independent recorder. It copies little: both sides copy a
// correlator when they next change it.
func (r *Recorder) Clone() *Recorder {
	r.owner = new(byte)
	c := *r
	c.owner = new(byte)
	c.sources = maps.Clone(r.sources)
	c.names.used = maps.Clone(r.names.used)
	return &c
}

// Event records one occurrence: it leaves a trace record and creates or updates
// an Event through the API server.
func (r *Recorder) Event(c *actor.Ctx, e actor.Event) {
	r.Tick(c)
	ev := r.newEvent(c, e)
	if e.Action != "" {
		r.observeSeries(c, e, ev)
		return
	}
	r.observeLegacy(c, e, ev)
}

// newEvent fills in what both recorders share
// (client-go/tools/record/event.go and tools/events/event_recorder.go, makeEvent).
func (r *Recorder) newEvent(c *actor.Ctx, e actor.Event) *api.Event {
	ref := reference(e.Regarding)
	ref.FieldPath = e.FieldPath
	namespace := ref.Namespace
	if namespace == "" {
		namespace = "default"
	}
	ev := &api.Event{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Event"},
		InvolvedObject: ref, Reason: e.Reason, Message: e.Message, Type: e.Type}
	ev.Namespace = namespace
	ev.Name = r.names.next(c, ref.Name)
	if e.Related != nil {
		related := reference(e.Related)
		ev.Related = &related
	}
	return ev
}

func reference(o api.Object) api.ObjectReference {
	m, t := o.Meta(), o.ObjectType()
	return api.ObjectReference{APIVersion: t.APIVersion, Kind: t.Kind, Namespace: m.Namespace,
		Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
}

// note leaves the trace record of an occurrence and returns a context whose
// writes are caused by it. count is how often it has been seen; held says why
// nothing is written, "" if something is.
func note(c *actor.Ctx, e actor.Event, count int32, held string) *actor.Ctx {
	from := e.Component
	if e.Host != "" {
		from += ", " + e.Host
	}
	detail := []trace.Detail{{Name: "type", Value: e.Type}, {Name: "from", Value: from},
		{Name: "count", Value: strconv.Itoa(int(count))}}
	if e.FieldPath != "" {
		detail = append(detail, trace.Detail{Name: "field", Value: e.FieldPath})
	}
	if held != "" {
		detail = append(detail, trace.Detail{Name: "not written", Value: held})
	}
	caused := *c
	caused.Cause = c.Record(trace.Record{Source: "event", Ref: actor.RefOf(e.Regarding), Verdict: trace.Info,
		Reason: e.Reason, Message: e.Message, Detail: detail})
	return &caused
}

// rewrite applies change to the stored Event of that name. It reports whether
// there is one.
func rewrite(c *actor.Ctx, namespace, name string, change func(*api.Event)) bool {
	old, ok := c.Host.Latest().Get("Event", namespace, name).(*api.Event)
	if !ok {
		return false
	}
	ev := *old
	change(&ev)
	return !c.Update(&ev).Failed()
}

// nameClock gives Events of one object, name and instant different names: the
// real clock never stands still between two of them.
type nameClock struct {
	at   sim.Time
	used map[string]int64 // names of objects with events in this instant
}

// next returns <object>.<hex ns since 1970> (client-go/tools/record/util/util.go).
func (n *nameClock) next(c *actor.Ctx, object string) string {
	if n.used == nil || n.at != c.Now() {
		n.at, n.used = c.Now(), map[string]int64{}
	}
	ns := c.Host.Start() + int64(c.Now()) + n.used[object]
	n.used[object]++
	name := object + "." + strconv.FormatInt(ns, 16)
	if isSubdomain(name) {
		return name
	}
	return uuid(c, name)
}

func isSubdomain(s string) bool {
	if len(s) > 253 {
		return false
	}
	for i := range len(s) {
		edge := i == 0 || i == len(s)-1 || s[i-1] == '.' || s[i+1] == '.'
		switch b := s[i]; {
		case b >= 'a' && b <= 'z' || b >= '0' && b <= '9':
		case (b == '-' || b == '.') && !edge:
		default:
			return false
		}
	}
	return true
}

// uuid stands in for a name that would not be valid.
func uuid(c *actor.Ctx, name string) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(c.Random("event name", name, uint64(i)))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
