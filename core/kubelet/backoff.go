package kubelet

import "podwalk/core/sim"

const (
	backOffInitial = 10 * sim.Second  // pkg/kubelet/kubelet.go, newCrashLoopBackOff
	backOffMax     = 300 * sim.Second // also of image pulls
)

// backOff is an entry of a back-off table: it doubles with each failure and is
// forgotten when twice the longest wait has passed
// (client-go/util/flowcontrol/backoff.go).
type backOff struct {
	key    string
	wait   sim.Time
	update sim.Time
	text   string // of image pulls: the error that caused it
}

func find(list []backOff, key string) *backOff {
	for i := range list {
		if list[i].key == key {
			return &list[i]
		}
	}
	return nil
}

// grow notes a failure at an instant; now is the present one.
func grow(list []backOff, key string, event, now sim.Time) []backOff {
	b := find(list, key)
	switch {
	case b == nil:
		list = append(list, backOff{key: key})
		b = &list[len(list)-1]
		b.wait = backOffInitial
	case event-b.update > 2*backOffMax:
		b.wait = backOffInitial
	default:
		b.wait = min(2*b.wait, backOffMax)
	}
	b.update = now
	return list
}

// sinceEvent reports whether the wait after an event is not over
// (IsInBackOffSince).
func (b *backOff) sinceEvent(event, now sim.Time) bool {
	return b != nil && event-b.update <= 2*backOffMax && now-event < b.wait
}

// sinceUpdate reports whether the wait after the last failure is not over
// (IsInBackOffSinceUpdate).
func (b *backOff) sinceUpdate(now sim.Time) bool {
	return b != nil && now-b.update <= 2*backOffMax && now-b.update < b.wait
}
