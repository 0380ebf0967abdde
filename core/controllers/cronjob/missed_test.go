package cronjob

import (
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/validation/cronspec"
)

// The cases follow utils.go, mostRecentScheduleTime: of several times that have
// come the newest counts, none before the starting deadline, more than 100 are many.
func TestTheNewestTimeThatHasComeCounts(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, "2026-11-30T"+s+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	deadline := int64(90)
	for _, c := range []struct {
		spec, created, last, now string
		deadline                 *int64
		want                     string
		n                        missed
	}{
		{"*/10 * * * *", "10:01:00", "", "10:09:59", nil, "", none},
		{"*/10 * * * *", "10:01:00", "", "10:10:00", nil, "10:10:00", none},
		{"*/10 * * * *", "10:01:00", "10:10:00", "10:19:00", nil, "", none},
		{"*/10 * * * *", "10:01:00", "", "10:35:00", nil, "10:30:00", few},
		{"*/10 * * * *", "10:01:00", "", "10:32:00", &deadline, "", none},
		{"*/10 * * * *", "10:01:00", "", "10:31:00", &deadline, "10:30:00", none},
		{"* * * * *", "01:00:30", "", "10:00:10", nil, "10:00:00", many},
		{"@every 7m", "10:01:00", "", "10:23:00", nil, "10:22:00", few},
	} {
		j := &api.CronJob{}
		j.CreationTimestamp = api.Time(at(c.created).Unix())
		j.Spec.StartingDeadlineSeconds = c.deadline
		if c.last != "" {
			l := api.Time(at(c.last).Unix())
			j.Status.LastScheduleTime = &l
		}
		s, err := cronspec.Parse(c.spec, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		_, got, n, err := mostRecent(j, at(c.now), s, true)
		text := ""
		if !got.IsZero() {
			text = got.Format("15:04:05")
		}
		if err != nil || text != c.want || n != c.n {
			t.Errorf("%+v: %q, %d, %v", c, text, n, err)
		}
	}
}

func TestAScheduleThatNeverComesIsInvalid(t *testing.T) {
	j := &api.CronJob{}
	j.CreationTimestamp = 1
	s, _ := cronspec.Parse("59 23 31 2 *", time.UTC)
	if _, _, _, err := mostRecent(j, time.Unix(1e9, 0), s, true); err == nil || err.Error() != "time difference between two schedules is less than 1 second" {
		t.Error(err)
	}
}
