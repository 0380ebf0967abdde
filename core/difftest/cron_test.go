package difftest

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"

	"podwalk/core/validation/cronspec"
	"podwalk/core/validation/timezone"
)

// Random schedules in random zones come due at the times that the library of the
// real controller finds. Australia/Lord_Howe is left out: it shifts by half an hour,
// at which the library misses times that suit.
func TestSchedulesComeDueAsInTheRealLibrary(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Adelaide", "America/Sao_Paulo", "Asia/Kathmandu"}
	compared := 0
	for range 3000 {
		spec, name := randomSpec(rng), zones[rng.Intn(len(zones))]
		zone, err := timezone.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		ours, oursErr := cronspec.Parse(spec, zone)
		real, realErr := cron.ParseStandard("TZ=" + name + " " + spec)
		if (oursErr == nil) != (realErr == nil) {
			t.Errorf("%s: %v, want %v", spec, oursErr, realErr)
			continue
		}
		if oursErr != nil {
			continue
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rng.Int63n(int64(3 * 365 * 24 * time.Hour))))
		for range 5 {
			got, want := ours.Next(at), real.Next(at)
			if !got.Equal(want) {
				t.Errorf("%s in %s after %s: %s, want %s", spec, name, at.Format(time.RFC3339), got, want.UTC())
				break
			}
			if compared++; want.IsZero() {
				break
			}
			at = want
		}
	}
	t.Logf("%d times compared", compared)
}

func randomSpec(rng *rand.Rand) string {
	if rng.Intn(20) == 0 {
		return []string{"@yearly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 90s", "@every 36h", "@nope"}[rng.Intn(9)]
	}
	var out []string
	for i, f := range []struct{ min, max int }{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}} {
		one := func() string {
			if i >= 3 && rng.Intn(6) == 0 {
				return [][]string{{"jan", "FEB", "oct"}, {"sun", "Wed", "FRI"}}[i-3][rng.Intn(3)]
			}
			return strconv.Itoa(f.min + rng.Intn(f.max-f.min+2) - rng.Intn(2)*rng.Intn(2))
		}
		part := "*"
		switch rng.Intn(7) {
		case 0:
			part = one()
		case 1:
			part = one() + "-" + one()
		case 2:
			part = "*/" + strconv.Itoa(rng.Intn(12))
		case 3:
			part = one() + "," + one()
		case 4:
			part = one() + "/" + strconv.Itoa(1+rng.Intn(9))
		case 5:
			part = "?"
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}
