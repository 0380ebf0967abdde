package scenario_test

import (
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// traceOf is the canonical text of the records up to an instant.
func traceOf(c *cluster.Cluster, until sim.Time) string {
	var b strings.Builder
	for _, r := range c.Records(0) {
		if r.At <= until {
			b.WriteString(r.String() + "\n")
		}
	}
	return b.String()
}

func play(t *testing.T, file string) *scenario.Session {
	s, _, bad := parse(t, file).Play(nil)
	if bad != nil {
		t.Fatal(bad)
	}
	return s
}

func TestRunningAgainGivesTheSameRecords(t *testing.T) {
	for _, file := range goldens(t) {
		a, b := play(t, file).Cluster(), play(t, file).Cluster()
		if x, y := traceOf(a, a.Now()), traceOf(b, b.Now()); x != y {
			t.Errorf("%s: two runs differ:\n%s", file, firstDifference(x, y))
		}
	}
}

func TestSeekingShowsWhatTheRunWasAtEveryMoment(t *testing.T) {
	for _, file := range goldens(t) {
		c := play(t, file).Cluster()
		whole := c.Now()
		for i := range sim.Time(9) {
			at := whole * i / 8
			past := c.Seek(at)
			if x, y := traceOf(c, at), traceOf(past, at); x != y {
				t.Fatalf("%s at %s: %s", file, at, firstDifference(x, y))
			}
			if past.Now() != at && at >= past.Now() {
				t.Fatalf("%s: sought %s, stands at %s", file, at, past.Now())
			}
		}
	}
}

func TestAForkThatGoesOnGivesTheSameRecords(t *testing.T) {
	for _, file := range goldens(t) {
		c := play(t, file).Cluster()
		end := c.Now()
		later := c.Clone()
		later.Run(cluster.Until{At: end + sim.Minute})
		fork := c.Fork(end)
		fork.Run(cluster.Until{At: end + sim.Minute})
		if x, y := traceOf(later, end+sim.Minute), traceOf(fork, end+sim.Minute); x != y {
			t.Errorf("%s: %s", file, firstDifference(x, y))
		}
		if x, y := traceOf(c, end), traceOf(later, end); x != y {
			t.Errorf("%s: running a clone changed the original: %s", file, firstDifference(x, y))
		}
	}
}

func TestAnExportedSessionPlaysAlike(t *testing.T) {
	for _, file := range goldens(t) {
		s := play(t, file)
		f, bad := scenario.ParseFile("export", []byte(s.Export()))
		if bad != nil {
			t.Fatal(bad)
		}
		again, _, problems := f.Play(nil)
		if problems != nil {
			t.Fatal(problems)
		}
		if x, y := traceOf(s.Cluster(), s.Cluster().Now()), traceOf(again.Cluster(), again.Cluster().Now()); x != y {
			t.Errorf("%s: %s", file, firstDifference(x, y))
		}
	}
}

func TestNoObjectChangesAfterItIsStored(t *testing.T) {
	for _, file := range goldens(t) {
		first := true
		_, _, bad := parse(t, file).Play(func(line int, s *scenario.Session) {
			if first {
				s.Cluster().DetectMutations()
				first = false
			}
			for _, b := range s.Cluster().Invariants() {
				t.Errorf("%s:%d: %s", file, line, b)
			}
		})
		if bad != nil {
			t.Fatal(bad)
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			other := "(nothing)"
			if i < len(y) {
				other = y[i]
			}
			return "  " + x[i] + "\n  " + other
		}
	}
	return "  the second has more records"
}
