package measured

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
)

// Search renders a text at moments around and after start (ns since 1970) until it
// equals want: the moment of a capture was not noted, but all ages of the text must
// agree at one and the same. It returns the text with the most equal lines.
func Search(start int64, want string, render func(now int64) string) (text string, same int) {
	same = -1
	best := start
	try := func(at int64) {
		got := render(at)
		if n := sameLines(got, want); n > same {
			text, same, best = got, n, at
		}
	}
	for at := start - 3e9; at < start+int64(60*time.Second) && text != want; at += int64(200 * time.Millisecond) {
		try(at)
	}
	for at := start; at < start+int64(10*time.Minute) && text != want; at += int64(time.Second) {
		try(at)
	}
	for at, last := best-1e9, best+1e9; at < last && text != want; at += int64(2 * time.Millisecond) {
		try(at)
	}
	return text, same
}

// Last returns when the newest of the events was last seen.
func Last(events []api.Object) int64 {
	last := int64(0)
	for _, o := range events {
		e := o.(*api.Event)
		last = max(last, int64(e.LastTimestamp)*1e9, int64(e.EventTime)*1e3)
	}
	return last
}

// Before leaves out the events that came after a moment; their names end with the
// nanosecond of their making.
func Before(events []api.Object, now int64) []api.Object {
	var out []api.Object
	for _, o := range events {
		name := o.Meta().Name
		if made, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 16, 64); err != nil || made <= now {
			out = append(out, o)
		}
	}
	return out
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func sameLines(got, want string) int {
	a, b := lines(got), lines(want)
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// Score counts equal lines for each group of cases.
type Score struct{ equal, total map[string]int }

// Add compares two texts and says how they differ first, "" if they do not.
func (s *Score) Add(group, got, want string) string {
	if s.total == nil {
		s.equal, s.total = map[string]int{}, map[string]int{}
	}
	s.equal[group] += sameLines(got, want)
	s.total[group] += len(lines(want))
	a, b := append(lines(got), "<end>"), append(lines(want), "<end>")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n got %q\nwant %q", i+1, a[i], b[i])
		}
	}
	return ""
}

// Log prints the score of each group.
func (s *Score) Log(t testing.TB, what string) {
	t.Helper()
	var groups []string
	for g := range s.total {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		t.Logf("%s: %s: %d of %d lines equal", what, g, s.equal[g], s.total[g])
	}
}
