package age

import (
	"testing"
	"time"
)

// The expectations are those of apimachinery/pkg/util/duration's documentation and
// its limits read from the source.
func TestAgesHaveTwoOrThreeFigures(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-2 * time.Second:             "<invalid>",
		-1900 * time.Millisecond:     "0s",
		0:                            "0s",
		119*time.Second + 999e6:      "119s",
		2 * time.Minute:              "2m",
		2*time.Minute + time.Second:  "2m1s",
		9*time.Minute + 59e9:         "9m59s",
		10*time.Minute + 59e9:        "10m",
		179 * time.Minute:            "179m",
		3 * time.Hour:                "3h",
		7*time.Hour + 59*time.Minute: "7h59m",
		8*time.Hour + 59*time.Minute: "8h",
		47 * time.Hour:               "47h",
		2 * day:                      "2d",
		7*day + 23*time.Hour:         "7d23h",
		8*day + 23*time.Hour:         "8d",
		729 * day:                    "729d",
		730 * day:                    "2y",
		731 * day:                    "2y1d",
		8 * 365 * day:                "8y",
	} {
		if got := Human(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	if got := Since(5e9, 0); got != "<unknown>" {
		t.Errorf("not set: %s", got)
	}
	if got := SinceMicro(5e9, 3_000_000); got != "2s" {
		t.Errorf("micro: %s", got)
	}
}
