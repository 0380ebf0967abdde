// Package sim is the clockwork of a run: virtual time, one ordered queue of
// small data items, keyed random streams and cause ids. It knows nothing of
// Kubernetes, starts nothing by itself and never reads a real clock.
// Start reading at Queue.
package sim

import (
	"strconv"
	"time"
)

// Time is an instant of virtual time in nanoseconds since the start of the run.
type Time int64

// Common spans, in the unit of Time.
const (
	Microsecond Time = 1e3
	Millisecond Time = 1e6
	Second      Time = 1e9
	Minute           = 60 * Second
	Hour             = 60 * Minute
)

// Never is later than every instant of a run.
const Never Time = 1<<63 - 1

// Add returns t moved by d; it saturates at Never.
func (t Time) Add(d time.Duration) Time {
	if s := t + Time(d); d <= 0 || s >= t {
		return s
	}
	return Never
}

// Sub returns the span from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Duration returns t as a span since the start of the run.
func (t Time) Duration() time.Duration { return time.Duration(t) }

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / 1e9 }

// String prints t in seconds with millisecond digits, such as "12.400s".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) + "s"
}

// Cause is the id of the trace record that led to something; 0 is none.
type Cause uint64

// Key names what an actor shall look at. It is comparable data; the meaning of
// the parts is the actor's (usually kind, namespace and name of an object).
type Key struct {
	Kind, Namespace, Name string
}

// String joins the parts with slashes.
func (k Key) String() string { return k.Kind + "/" + k.Namespace + "/" + k.Name }
