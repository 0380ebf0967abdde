package cronspec

import (
	"testing"
	"time"

	"podwalk/core/validation/timezone"
)

// The times follow from the calendar; 30 November 2026 is a Monday.
func TestTheNextTimeIsTheFirstThatSuits(t *testing.T) {
	for _, c := range []struct{ spec, zone, from, want string }{
		{"*/5 * * * *", "", "2026-11-30T10:02:10Z", "2026-11-30T10:05:00Z"},
		{"*/5 * * * *", "", "2026-11-30T10:05:00Z", "2026-11-30T10:10:00Z"},
		{"30 3 * * 1-5", "", "2026-12-04T03:30:00Z", "2026-12-07T03:30:00Z"},
		{"0 0 13 * 5", "", "2026-11-30T00:00:00Z", "2026-12-04T00:00:00Z"}, // a 13th or a Friday
		{"0 0 13 * *", "", "2026-11-30T00:00:00Z", "2026-12-13T00:00:00Z"},
		{"0 0 29 feb *", "", "2026-11-30T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 31 2 *", "", "2026-11-30T00:00:00Z", ""},
		{"5/20 10-12/2 * * sun", "", "2026-11-30T00:00:00Z", "2026-12-06T10:05:00Z"},
		{"@hourly", "", "2026-11-30T10:02:10Z", "2026-11-30T11:00:00Z"},
		{"@weekly", "", "2026-11-30T10:02:10Z", "2026-12-06T00:00:00Z"},
		{"@monthly", "", "2026-11-30T10:02:10Z", "2026-12-01T00:00:00Z"},
		{"@yearly", "", "2026-11-30T10:02:10Z", "2027-01-01T00:00:00Z"},
		{"@every 1h30m", "", "2026-11-30T10:02:10Z", "2026-11-30T11:32:10Z"},
		{"0 9 * * *", "America/New_York", "2026-11-30T00:00:00Z", "2026-11-30T14:00:00Z"},
		{"0 9 * * *", "America/New_York", "2026-07-01T00:00:00Z", "2026-07-01T13:00:00Z"},
		{"TZ=Asia/Kolkata 0 0 * * *", "", "2026-11-30T00:00:00Z", "2026-11-30T18:30:00Z"},
	} {
		zone, err := timezone.Load(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(c.spec, zone)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		from, _ := time.Parse(time.RFC3339, c.from)
		got := ""
		if n := s.Next(from); !n.IsZero() {
			got = n.Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("%s after %s: %s, want %s", c.spec, c.from, got, c.want)
		}
	}
}

func TestWhatIsNoScheduleIsAnError(t *testing.T) {
	for _, spec := range []string{"", "* * * *", "60 * * * *", "* * 0 * *", "5-3 * * * *", "*/0 * * * *", "@never", "@every x", "TZ=Mars/Base * * * * *", "TZ=UTC", "a * * * *"} {
		if s, err := Parse(spec, time.UTC); err == nil {
			t.Errorf("%q is %+v", spec, s)
		}
	}
}
