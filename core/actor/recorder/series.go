package recorder

import (
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// The clocks of the events.k8s.io broadcaster, which start with the component
// (client-go/tools/events/event_broadcaster.go).
const (
	// FinishTime is how long an event may be repeated before it counts as a new
	// one, and how often that is looked for.
	FinishTime = 6 * sim.Minute
	// RefreshTime is how often a running series is written again.
	RefreshTime = 30 * sim.Minute
)

// series is the broadcaster's cache of the events that may be repeated.
type series struct {
	owner *byte
	cache map[seriesKey]*running
	order []seriesKey // of insertion
	tick  sim.Time    // last tick of FinishTime that was looked at
}

// seriesKey is what repeats have in common. The reference holds the object's
// resourceVersion, so an object that changed starts a new event.
type seriesKey struct {
	typ, action, reason, component, instance string
	regarding, related                       api.ObjectReference
}

// running is an event and how often it came; it is never changed in place.
type running struct {
	event *api.Event // as it was first created
	at    sim.Time   // first occurrence
	count int32      // 0 while it came once
	last  sim.Time
}

func newSeries(owner *byte) *series {
	return &series{owner: owner, cache: map[seriesKey]*running{}}
}

func (r *Recorder) ownSeries() *series {
	if s := r.series; s.owner != r.owner {
		r.series = &series{r.owner, maps.Clone(s.cache), slices.Clone(s.order), s.tick}
	}
	return r.series
}

// observeSeries is recordToSink: the first occurrence creates an Event, the second
// gives it a series of count 2, later ones are only counted until the series is
// refreshed or has ended.
func (r *Recorder) observeSeries(c *actor.Ctx, e actor.Event, ev *api.Event) {
	ev.EventTime = c.MicroTime()
	ev.Action = e.Action
	ev.ReportingController = e.Component
	ev.ReportingInstance = e.Component + "-" + e.Host
	s := r.ownSeries()
	key := keyOf(ev)
	old := s.cache[key]
	if old == nil {
		s.cache[key] = &running{event: ev, at: c.Now()}
		s.order = append(s.order, key)
		note(c, e, 1, "").Create(shallow(ev))
		return
	}
	now := &running{event: old.event, at: old.at, count: max(old.count, 1) + 1, last: c.Now()}
	s.cache[key] = now
	if now.count > 2 {
		note(c, e, now.count, "a series is written again after 30 minutes, or when it has ended")
		return
	}
	now.write(note(c, e, now.count, ""))
}

func keyOf(ev *api.Event) seriesKey {
	k := seriesKey{ev.Type, ev.Action, ev.Reason, ev.ReportingController, ev.ReportingInstance, ev.InvolvedObject, api.ObjectReference{}}
	if ev.Related != nil {
		k.related = *ev.Related
	}
	return k
}

// shallow copies an event, so that the store does not freeze the cache's.
func shallow(ev *api.Event) *api.Event {
	c := *ev
	return &c
}

// write puts the series into the stored Event, or creates it where it is gone.
func (n *running) write(c *actor.Ctx) {
	s := &api.EventSeries{Count: n.count, LastObservedTime: api.MicroTime((c.Host.Start() + int64(n.last)) / 1000)}
	if old, ok := c.Host.Latest().Get("Event", n.event.Namespace, n.event.Name).(*api.Event); ok && old.Series != nil && *old.Series == *s {
		return
	}
	if rewrite(c, n.event.Namespace, n.event.Name, func(ev *api.Event) { ev.Series = s }) {
		return
	}
	ev := shallow(n.event)
	ev.Series = s
	c.Create(ev)
}

// Tick does what the broadcaster's clocks do: it refreshes the running series and
// ends those that were not repeated. It is harmless at any time.
func (r *Recorder) Tick(c *actor.Ctx) {
	from := r.series.tick
	now := c.Now() - c.Now()%FinishTime
	if now <= from {
		return
	}
	s := r.ownSeries()
	s.tick = now
	if now/RefreshTime > from/RefreshTime {
		for _, k := range s.order {
			if n := s.cache[k]; n.count > 0 {
				n.write(c)
			}
		}
	}
	s.order = slices.DeleteFunc(s.order, func(k seriesKey) bool { return s.finish(c, k) })
}

// finish reports whether the event of a key has ended, and forgets it then.
func (s *series) finish(c *actor.Ctx, k seriesKey) bool {
	n := s.cache[k]
	if max(n.at, n.last) >= c.Now()-FinishTime {
		return false
	}
	if n.count > 0 {
		n.write(c)
	}
	delete(s.cache, k)
	return true
}

// NextTick returns when Tick has something to look at, or Never.
func (r *Recorder) NextTick(now sim.Time) sim.Time {
	if len(r.series.order) == 0 {
		return sim.Never
	}
	return now - now%FinishTime + FinishTime
}
