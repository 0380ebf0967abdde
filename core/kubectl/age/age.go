// Package age prints durations as kubectl does: two or three significant figures
// for a reader. It reads no clock: the present is a parameter.
package age

import (
	"strconv"
	"time"

	"podwalk/core/api"
)

// Human prints a duration, such as 119s, 2m1s, 10m, 3h5m, 2d3h
// (apimachinery/pkg/util/duration.HumanDuration).
func Human(d time.Duration) string {
	seconds := int64(d / time.Second)
	if seconds < 0 || seconds < 2*60 {
		return underTwoMinutes(seconds)
	}
	minutes, hours := int64(d/time.Minute), int64(d/time.Hour)
	days := hours / 24
	switch {
	case minutes < 10:
		return pair(minutes, "m", seconds%60, "s")
	case minutes < 3*60:
		return num(minutes) + "m"
	case hours < 8:
		return pair(hours, "h", minutes%60, "m")
	case hours < 48:
		return num(hours) + "h"
	case hours < 8*24:
		return pair(days, "d", hours%24, "h")
	case hours < 2*365*24:
		return num(days) + "d"
	case hours < 8*365*24:
		return pair(days/365, "y", days%365, "d")
	}
	return num(days/365) + "y"
}

// underTwoMinutes also covers an instant that lies a little in the future.
func underTwoMinutes(seconds int64) string {
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	}
	return num(seconds) + "s"
}

func pair(a int64, unit string, b int64, small string) string {
	if b == 0 {
		return num(a) + unit
	}
	return num(a) + unit + num(b) + small
}

func num(n int64) string { return strconv.FormatInt(n, 10) }

// Since prints how long ago t was at now (ns since 1970), or <unknown> when it
// is not set.
func Since(now int64, t api.Time) string {
	if t == 0 {
		return "<unknown>"
	}
	return Human(time.Duration(now - int64(t)*int64(time.Second)))
}

// SinceMicro is Since for an instant in microseconds.
func SinceMicro(now int64, t api.MicroTime) string {
	if t == 0 {
		return "<unknown>"
	}
	return Human(time.Duration(now - int64(t)*int64(time.Microsecond)))
}
