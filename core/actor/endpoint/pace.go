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

// podsPerMillisecond is how many pods a worker looks at in a millisecond.
const podsPerMillisecond = 200

// Done notes a look at so many pods that wrote so often, and how it ended. It
// returns when the key is to be tried again, or 0.
func (p *Pace) Done(k sim.Key, now sim.Time, pods, writes int, failed bool) sim.Time {
	t := p.of[k]
	t.free = now + sim.Time(writes)*p.Request + sim.Time(pods/podsPerMillisecond)*sim.Millisecond
	if !failed {
		t.failures = 0
	}
	var again sim.Time
	if failed && t.failures < maxRetries {
		again = max(now+min(p.First<<t.failures, p.Longest), t.free)
		t.failures++
	} else if failed {
		t.failures = 0
	}
	switch {
	case t.free <= now && t.failures == 0:
		delete(p.of, k)
	default:
		if p.of == nil {
			p.of = map[sim.Key]turn{}
		}
		p.of[k] = turn{free: t.free, failures: t.failures}
	}
	return again
}

// Clone returns an independent copy.
func (p *Pace) Clone() Pace {
	c := *p
	c.of = maps.Clone(p.of)
	return c
}
