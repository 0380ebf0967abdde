package endpoint

import (
	"maps"

	"podwalk/core/sim"
)

// Pace lets a controller look at a key as often as a worker of the real one would:
// a key that is being worked on is looked at again only afterwards, so changes in
// the meantime are taken together; a failure is tried again later and later. The
// zero value is not ready: Request and First must be set.
type Pace struct {
	Request sim.Time // what one write takes
	First   sim.Time // the wait after a first failure
	Longest sim.Time
	of      map[sim.Key]turn
}

type turn struct {
	free     sim.Time // the worker is done
	rev      uint64   // of the latest write: a cache that shows less is out of date
	failures int
}

// maxRetries is how often a failing key is tried before it is dropped.
const maxRetries = 15

// Busy returns when a key can be looked at, or 0 for now.
func (p *Pace) Busy(k sim.Key, now sim.Time) sim.Time {
	if t := p.of[k]; t.free > now {
		return t.free
	}
	return 0
}

// Stale reports whether a cache at a revision does not show yet what was written for
// a key; the real controllers fail then and try again.
func (p *Pace) Stale(k sim.Key, rev uint64) bool { return p.of[k].rev > rev }

// podsPerMillisecond is how many pods a worker looks at in a millisecond.
const podsPerMillisecond = 200

// Look is what a look at a key did.
type Look struct {
	Pods   int    // that it looked at
	Writes int    // that it made
	Rev    uint64 // of the store after them
	Failed bool
}

// Done notes a look. It returns when the key is to be tried again, or 0.
func (p *Pace) Done(k sim.Key, now sim.Time, l Look) sim.Time {
	t := p.of[k]
	t.free = now + sim.Time(l.Writes)*p.Request + sim.Time(l.Pods/podsPerMillisecond)*sim.Millisecond
	if l.Writes > 0 {
		t.rev = l.Rev
	}
	var again sim.Time
	switch {
	case l.Failed && t.failures < maxRetries:
		again = max(now+min(p.First<<t.failures, p.Longest), t.free)
		t.failures++
	default:
		t.failures = 0
	}
	if p.of == nil {
		p.of = map[sim.Key]turn{}
	}
	p.of[k] = t
	return again
}

// Forget drops a key of something that is gone.
func (p *Pace) Forget(k sim.Key) { delete(p.of, k) }

// Clone returns an independent copy.
func (p *Pace) Clone() Pace {
	c := *p
	c.of = maps.Clone(p.of)
	return c
}
