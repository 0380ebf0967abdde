package statefulset

import "testing"

// statefulPodRegex of stateful_set_utils.go is (.*)-([0-9]+)$, and the ordinal has
// to fit 32 bits.
func TestNamesOfPodsHoldTheirSetAndOrdinal(t *testing.T) {
	for name, want := range map[string]struct {
		set     string
		ordinal int
	}{
		"db-0": {"db", 0}, "my-db-12": {"my-db", 12}, "db-007": {"db", 7}, "db": {"", none}, "db-": {"", none}, "5": {"", none},
		"db-x1": {"", none}, "db-99999999999": {"db", none}, "-3": {"", 3},
	} {
		if set, ordinal := parse(name); set != want.set || ordinal != want.ordinal {
			t.Errorf("%s: %q, %d", name, set, ordinal)
		}
	}
}
