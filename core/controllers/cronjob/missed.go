package cronjob

import (
	"errors"
	"time"

	"podwalk/core/api"
	"podwalk/core/validation/cronspec"
)

// delta is how long after a scheduled time the controller looks.
const delta = 100 * time.Millisecond

// missed says how many scheduled times lie behind.
type missed int

const (
	none missed = iota
	few
	many // more than 100
)

func timeOf(t api.Time) time.Time { return time.Unix(int64(t), 0).UTC() }

// mostRecent returns the instant from which times count, the newest scheduled one
// that has come (zero if none has), and how many there are about
// (utils.go mostRecentScheduleTime).
func mostRecent(c *api.CronJob, now time.Time, s *cronspec.Schedule, withDeadline bool) (earliest, recent time.Time, n missed, err error) {
	earliest = timeOf(c.CreationTimestamp)
	if t := c.Status.LastScheduleTime; t != nil {
		earliest = timeOf(*t)
	}
	if d := c.Spec.StartingDeadlineSeconds; withDeadline && d != nil {
		if from := now.Add(-time.Duration(*d) * time.Second); from.After(earliest) {
			earliest = from
		}
	}
	first := s.Next(earliest)
	second := s.Next(first)
	switch {
	case now.Before(first):
		return earliest, time.Time{}, none, nil
	case now.Before(second):
		return earliest, first, none, nil
	}
	step := int64(second.Sub(first).Round(time.Second).Seconds())
	if step < 1 {
		return earliest, time.Time{}, none, errors.New("time difference between two schedules is less than 1 second")
	}
	count := int64(now.Sub(first).Seconds())/step + 1
	from := first.Add(time.Duration((count-2)*step) * time.Second)
	for t := s.Next(from); !t.IsZero() && !t.After(now); t = s.Next(t) {
		recent = t
	}
	n = few
	if count > 100 {
		n = many
	}
	return earliest, recent, n, nil
}

// wait is how long it is to the next look (nextScheduleTimeDuration).
func wait(c *api.CronJob, now time.Time, s *cronspec.Schedule) time.Duration {
	earliest, recent, n, err := mostRecent(c, now, s, false)
	switch {
	case err != nil, recent.IsZero() && n != none:
		recent = now
	case recent.IsZero():
		recent = earliest
	}
	return s.Next(recent).Add(delta).Sub(now)
}
