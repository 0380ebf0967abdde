package recorder

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// TTL is how long the API server keeps an Event after its last write
// (kube-apiserver --event-ttl).
const TTL = sim.Hour

// ExpiresAt returns when an Event goes; start is the instant of virtual time zero
// in ns since 1970.
func ExpiresAt(e *api.Event, start int64) sim.Time {
	last := max(actor.SimTime(start, e.CreationTimestamp), actor.SimTime(start, e.LastTimestamp))
	last = max(last, microTime(start, e.EventTime))
	if e.Series != nil {
		last = max(last, microTime(start, e.Series.LastObservedTime))
	}
	return last + TTL
}

func microTime(start int64, t api.MicroTime) sim.Time { return sim.Time(int64(t)*1000 - start) }

// Expired returns the Events whose time is over, ordered by namespace and name.
func Expired(s store.Snapshot, start int64, now sim.Time) []*api.Event {
	var gone []*api.Event
	s.Each("Event", "", func(o api.Object) bool {
		if e, ok := o.(*api.Event); ok && ExpiresAt(e, start) <= now {
			gone = append(gone, e)
		}
		return true
	})
	return gone
}
