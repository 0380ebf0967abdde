package timezone

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// Every zone of the table tells the same time as Go's own data, twice a day for two
// years, but for those that the package comment names.
func TestZonesTellTheTimeOfTheirRules(t *testing.T) {
	n := 0
	for line := range strings.SplitSeq(table, "\n") {
		for _, g := range strings.Fields(line)[1:] {
			i := strings.LastIndexByte(g, '/') + 1
			for name := range strings.SplitSeq(g[i:], ",") {
				n++
				compare(t, g[:i]+name)
			}
		}
	}
	if n < 590 {
		t.Errorf("only %d zones", n)
	}
}

func compare(t *testing.T, name string) {
	t.Helper()
	got, err := Load(name)
	if err != nil {
		t.Error(name, err)
		return
	}
	want, err := time.LoadLocation(name)
	if err != nil || name == "Africa/Casablanca" || name == "Africa/El_Aaiun" {
		return
	}
	for at := time.Date(2026, 11, 30, 0, 30, 0, 0, time.UTC); at.Year() < 2029; at = at.Add(12 * time.Hour) {
		if a, b := at.In(got).Format(time.RFC3339), at.In(want).Format(time.RFC3339); a != b {
			t.Errorf("%s: %s, want %s", name, a, b)
			return
		}
	}
}

func TestUnknownZonesAreToldAsTimeTellsThem(t *testing.T) {
	for _, name := range []string{"Mars/Phobos", "europe/berlin", "Europe", "Europe/", "/", "Berlin", "Local", "Europe/Berlin,Paris"} {
		if l, err := Load(name); err == nil {
			t.Errorf("%q is %v", name, l)
		}
	}
	if _, err := Load("Mars/Phobos"); err == nil || err.Error() != "unknown time zone Mars/Phobos" {
		t.Error(err)
	}
	for _, name := range []string{"", "UTC"} {
		if l, err := Load(name); l != time.UTC || err != nil {
			t.Errorf("%q is %v, %v", name, l, err)
		}
	}
}
