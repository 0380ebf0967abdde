package scheduler

import (
	"maps"
	"slices"

	f "podwalk/core/scheduler/framework"
	"podwalk/core/scheduler/prioritysort"
	"podwalk/core/sim"
)

// The timing of the queue (pkg/scheduler/backend/queue/scheduling_queue.go).
const (
	backoffWindow    = sim.Second // expiries and the look for them are aligned to it
	maxUnschedulable = 5 * sim.Minute
	flushPeriod      = 30 * sim.Second
)

// place is the part of the queue that a pod is in.
type place uint8

const (
	nowhere place = iota
	active
	backoff
	errorBackoff // after an error of the scheduler itself; never tried early
	unschedulable
)

var placeNames = [...]string{"", "active", "backoff", "backoff", "unschedulable"}

type podKey struct{ namespace, name string }

// queued is a pod that waits to be scheduled.
type queued struct {
	key       podKey
	info      *f.PodInfo
	place     place
	index     int      // in its heap
	seq       uint64   // order of arrival, for ties
	since     sim.Time // of the latest arrival
	flushed   sim.Time // when it was last moved because it had waited long
	attempts  int
	failures  int      // attempts that found it unschedulable
	errors    int      // consecutive errors
	expires   sim.Time // of the back-off, -1: to be worked out
	rejecters f.Set    // plugins that said no
	gated     bool
	gate      f.ID
	idle      bool // the next attempt cannot end otherwise unless a node comes
	cause     sim.Cause
}

// queue holds all waiting pods. It is copied when a clone of it is changed.
type queue struct {
	start   sim.Time // offset of virtual zero in its second, for the windows
	seq     uint64
	pods    map[podKey]*queued
	active  podHeap
	backoff podHeap
	errors  podHeap
	parked  [32]int  // of the unschedulable pods: how many each plugin rejected
	free    int      // of the unschedulable pods: how many no plugin rejected
	flushAt sim.Time // no unschedulable pod has waited too long before
	// of the back-off (podInitialBackoffSeconds, podMaxBackoffSeconds)
	initial, most sim.Time
}

func newQueue(startNS int64, initial, most sim.Time) queue {
	q := queue{initial: initial, most: most, start: sim.Time(startNS % int64(sim.Second)), pods: map[podKey]*queued{}, flushAt: sim.Never}
	q.setLess()
	return q
}

func (q *queue) setLess() {
	q.active.less = func(a, b *queued) bool {
		if a.info.Priority == b.info.Priority && a.since == b.since {
			return a.seq < b.seq
		}
		return prioritysort.Less(a.info.Priority, a.since, b.info.Priority, b.since)
	}
	q.backoff.less = func(a, b *queued) bool {
		if a.expires != b.expires {
			return a.expires < b.expires
		}
		return q.active.less(a, b)
	}
	q.errors.less = q.backoff.less
}

func (q *queue) clone() *queue {
	c := *q
	c.pods = make(map[podKey]*queued, len(q.pods))
	for k, p := range q.pods {
		copied := *p
		c.pods[k] = &copied
	}
	for _, h := range []*podHeap{&c.active, &c.backoff, &c.errors} {
		h.pods = slices.Clone(h.pods)
		for i, p := range h.pods {
			h.pods[i] = c.pods[p.key]
		}
	}
	c.setLess()
	return &c
}

// align cuts an instant to the second of the clock on the wall.
func (q *queue) align(t sim.Time) sim.Time { return t - (t+q.start)%backoffWindow }

// expiry returns when the back-off of a pod ends; it doubles with each attempt.
func (q *queue) expiry(p *queued) sim.Time {
	if p.expires >= 0 {
		return p.expires
	}
	n := p.failures
	if p.errors > 0 {
		n = p.errors
	}
	if n == 0 {
		return 0
	}
	d := q.most
	if shift := n - 1; shift < 62 && q.initial <= q.most>>shift {
		d = q.initial << shift
	}
	p.expires = q.align(p.since + d)
	return p.expires
}

func (q *queue) backingOff(p *queued, now sim.Time) bool {
	n := p.failures + p.errors
	return n > 0 && q.expiry(p) >= q.align(now)
}

// put moves a pod into a part of the queue.
func (q *queue) put(p *queued, to place) {
	q.take(p)
	q.pods[p.key] = p
	p.place = to
	switch to {
	case active:
		q.active.push(p)
	case backoff:
		q.expiry(p)
		q.backoff.push(p)
	case errorBackoff:
		q.expiry(p)
		q.errors.push(p)
	case unschedulable:
		q.count(p, 1)
		q.flushAt = min(q.flushAt, flushTime(p))
	}
}

// take removes a pod from wherever it is.
func (q *queue) take(p *queued) {
	switch p.place {
	case active:
		q.active.remove(p.index)
	case backoff:
		q.backoff.remove(p.index)
	case errorBackoff:
		q.errors.remove(p.index)
	case unschedulable:
		q.count(p, -1)
	}
	p.place = nowhere
	delete(q.pods, p.key)
}

func (q *queue) count(p *queued, n int) {
	if p.rejecters == 0 {
		q.free += n
	}
	for id := range f.ID(len(q.parked)) {
		if p.rejecters.Has(id) {
			q.parked[id] += n
		}
	}
}

// pop removes and returns the next pod, one that backs off if no other waits
// (feature SchedulerPopFromBackoffQ), or nil.
func (q *queue) pop() *queued {
	p := q.active.top()
	if p == nil {
		p = q.backoff.top()
	}
	if p != nil {
		q.take(p)
	}
	return p
}

// completeBackoff makes the pods active whose back-off is over.
func (q *queue) completeBackoff(now sim.Time) {
	for _, h := range []*podHeap{&q.backoff, &q.errors} {
		for p := h.top(); p != nil && !q.backingOff(p, now); p = h.top() {
			q.put(p, active)
		}
	}
}

// waiting returns the unschedulable pods that want accepts, in order of arrival.
func (q *queue) waiting(want func(*queued) bool) []*queued {
	var l []*queued
	for p := range maps.Values(q.pods) {
		if p.place == unschedulable && want(p) {
			l = append(l, p)
		}
	}
	slices.SortFunc(l, func(a, b *queued) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return l
}

// next returns when the queue must be looked at again, and whether that cannot
// change anything by itself.
func (q *queue) next() (at sim.Time, periodic bool) {
	p := q.errors.top()
	if p == nil {
		return q.flushAt, true
	}
	busy := slices.ContainsFunc(q.errors.pods, func(p *queued) bool { return !p.idle })
	return min(q.flushAt, p.expires+backoffWindow), !busy
}

// overdue returns the unschedulable pods that have waited too long, and notes
// when the next one will have.
func (q *queue) overdue(now sim.Time) []*queued {
	if now < q.flushAt {
		return nil
	}
	q.flushAt = sim.Never
	return q.waiting(func(p *queued) bool {
		at := flushTime(p)
		if at > now {
			q.flushAt = min(q.flushAt, at)
		}
		return at <= now
	})
}

// flushTime returns the first tick of the flush at which the pod has waited too long.
func flushTime(p *queued) sim.Time {
	t := max(p.since, p.flushed) + maxUnschedulable
	return t - t%flushPeriod + flushPeriod
}
