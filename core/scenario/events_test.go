package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/sim"
)

// event is what of an event two runs have in common.
type event struct {
	Type, Reason, Message string
	Count                 int
	InvolvedObject        struct{ Kind, Name, FieldPath string }
	Source                struct{ Component string }
	ReportingComponent    string
	Series                struct{ Count int }
}

func (e event) line() string {
	return e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name + " " + e.InvolvedObject.FieldPath + "  " + e.Type + "  " + e.Reason +
		"  x" + strconv.Itoa(max(e.Count, e.Series.Count, 1)) + "  " + e.Source.Component + e.ReportingComponent + "  " + e.Message
}

// told compares all events at the end of a case, whatever their order.
func (m measured) told(sh shell, begun sim.Time) (best comparison) {
	raw, err := os.ReadFile(filepath.Join(m.dir, "events.json"))
	var want []event
	if err != nil || json.Unmarshal(raw, &want) != nil {
		return best
	}
	now := sh.s.Cluster().Now()
	end := begun + sim.Time(m.Seconds*1000)*sim.Millisecond
	s := sh.s.Fork(now)
	for i, at := range []sim.Time{end - unsure, end - unsure/2, end, end + unsure} {
		at = max(at, now)
		runTo(s, at)
		var got struct{ Items []event }
		res := s.ReadAt(at, []string{"get", "events", "-o", "json", "-n", m.Namespace})
		if json.Unmarshal([]byte(res.Stdout), &got) != nil {
			continue
		}
		c := comparison{drawn: sh.drawn.clone()}
		c.add("events.json", eventLines(want), eventLines(got.Items))
		if i == 0 || c.equal > best.equal {
			best = c
		}
	}
	return best
}

func eventLines(events []event) string {
	var lines []string
	for _, e := range events {
		lines = append(lines, mask(e.line()))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
