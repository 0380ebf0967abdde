package recorder

import (
	"slices"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// The limits of the correlator (client-go/tools/record/events_cache.go).
const (
	similarMax      = 10              // so many different messages of one reason ...
	similarInterval = 10 * sim.Minute // ... each within this of the one before are combined
	spamBurst       = 25              // events of one source about one object ...
	spamRefill      = 5 * sim.Minute  // ... and then one in this time
	combinedPrefix  = "(combined from similar events): "
)

// correlator filters, combines and counts the events of one process. The values
// in its caches are never changed in place.
type correlator struct {
	owner   *byte
	similar lru[similar]
	seen    lru[seen]
	spam    lru[bucket]
}

// similar is what the aggregator knows of events that differ only in message.
type similar struct {
	messages []string // the oldest first
	last     sim.Time
}

// seen is the Event that an occurrence was last written to.
type seen struct {
	name  string
	count int32
	first api.Time
}

// bucket holds the tokens of a source and object as of an instant.
type bucket struct {
	tokens float64
	at     sim.Time
}

func (r *Recorder) correlatorOf(e actor.Event) *correlator {
	id := e.Component + "/" + e.Host
	k := r.sources[id]
	switch {
	case k == nil:
		k = &correlator{r.owner, newLRU[similar](), newLRU[seen](), newLRU[bucket]()}
	case k.owner != r.owner:
		k = &correlator{r.owner, k.similar.clone(), k.seen.clone(), k.spam.clone()}
	}
	r.sources[id] = k
	return k
}

// observeLegacy is EventCorrelate and recordEvent of the older recorder.
func (r *Recorder) observeLegacy(c *actor.Ctx, e actor.Event, ev *api.Event) {
	ev.Source = api.EventSource{Component: e.Component, Host: e.Host}
	ev.ReportingController, ev.ReportingInstance = e.Component, e.Host
	ev.FirstTimestamp, ev.LastTimestamp, ev.Count = c.Time(), c.Time(), 1
	k := r.correlatorOf(e)
	key := eventKey(ev)
	if k.combine(ev, c.Now()) {
		key = similarKey(ev, e)
		ev.Name = r.names.next(c, ev.InvolvedObject.Name)
		ev.Message = combinedPrefix + ev.Message
		ev.ReportingController, ev.ReportingInstance = "", ""
	}
	k.observe(key, ev)
	if !k.allow(spamKey(ev), c.Now()) {
		note(c, e, ev.Count, "a source may write 25 events about an object, and then one every 5 minutes")
		return
	}
	w := note(c, e, ev.Count, "")
	if ev.Count > 1 && rewrite(w, ev.Namespace, ev.Name, func(old *api.Event) {
		old.Count, old.LastTimestamp, old.Message = ev.Count, ev.LastTimestamp, ev.Message
	}) {
		k.seen.put(eventKey(ev), seen{ev.Name, ev.Count, ev.FirstTimestamp})
		return
	}
	if !w.Create(ev).Failed() {
		k.seen.put(eventKey(ev), seen{ev.Name, ev.Count, ev.FirstTimestamp})
	}
}

// combine notes the message and reports whether so many differ that the event
// goes into the combined one. Upstream then forgets a message at random; here it
// is the oldest.
func (k *correlator) combine(ev *api.Event, now sim.Time) bool {
	key := similarKey(ev, actor.Event{Component: ev.ReportingController, Host: ev.ReportingInstance})
	rec, ok := k.similar.get(key)
	if !ok || now-rec.last > similarInterval {
		rec = similar{}
	}
	rec.last = now
	if !slices.Contains(rec.messages, ev.Message) {
		rec.messages = append(slices.Clone(rec.messages), ev.Message)
	}
	full := len(rec.messages) >= similarMax
	if full {
		rec.messages = rec.messages[1:]
	}
	k.similar.put(key, rec)
	return full
}

// observe counts ev if its key has been seen, and gives it the name it had then.
func (k *correlator) observe(key string, ev *api.Event) {
	if last, ok := k.seen.get(key); ok {
		ev.Name, ev.FirstTimestamp, ev.Count = last.name, last.first, last.count+1
	}
	k.seen.put(key, seen{ev.Name, ev.Count, ev.FirstTimestamp})
}

func (k *correlator) allow(key string, now sim.Time) bool {
	b, ok := k.spam.get(key)
	if !ok {
		b = bucket{tokens: spamBurst, at: now}
	}
	b.tokens = min(spamBurst, b.tokens+float64(now-b.at)/float64(spamRefill))
	b.at = now
	ok = b.tokens >= 1
	if ok {
		b.tokens--
	}
	k.spam.put(key, b)
	return ok
}

// The keys join the same parts as upstream's, in getEventKey, getSpamKey and
// EventAggregatorByReasonFunc.

func eventKey(ev *api.Event) string {
	o := &ev.InvolvedObject
	return strings.Join([]string{ev.Source.Component, ev.Source.Host, o.Kind, o.Namespace, o.Name, o.FieldPath,
		o.UID, o.APIVersion, ev.Type, ev.Reason, ev.Message}, "\x00")
}

func spamKey(ev *api.Event) string {
	o := &ev.InvolvedObject
	return strings.Join([]string{ev.Source.Component, ev.Source.Host, o.Kind, o.Namespace, o.Name,
		o.UID, o.APIVersion, ev.Type}, "\x00")
}

func similarKey(ev *api.Event, from actor.Event) string {
	o := &ev.InvolvedObject
	return strings.Join([]string{ev.Source.Component, ev.Source.Host, o.Kind, o.Namespace, o.Name,
		o.UID, o.APIVersion, ev.Type, ev.Reason, from.Component, from.Host}, "\x00")
}
