// Package retry says when a controller looks again at what it failed at, as the
// rate limiter of its work queue does. It never decides that something failed.
// Start reading at Queue.
package retry

import (
	"maps"

	"podwalk/core/sim"
)

const (
	first   = 5 * sim.Millisecond
	longest = 1000 * sim.Second
)

// Queue counts the failures of keys. Its zero value is ready; it is part of what
// an actor clones (client-go/util/workqueue/default_rate_limiters.go,
// DefaultTypedControllerRateLimiter; the bucket of all keys is not simulated).
type Queue struct{ failures map[string]int }

// After counts a failure of key and returns how long to wait before the next try.
func (q *Queue) After(key string) sim.Time {
	if q.failures == nil {
		q.failures = map[string]int{}
	}
	n := q.failures[key]
	q.failures[key] = n + 1
	if n >= 18 { // 5 ms << 18 is above the longest wait
		return longest
	}
	return min(first<<n, longest)
}

// Failures returns how often key has failed since it was last forgotten.
func (q *Queue) Failures(key string) int { return q.failures[key] }

// Forget starts again with the shortest wait: the key succeeded, or is given up.
func (q *Queue) Forget(key string) { delete(q.failures, key) }

// Clone returns an independent copy.
func (q *Queue) Clone() Queue { return Queue{maps.Clone(q.failures)} }
