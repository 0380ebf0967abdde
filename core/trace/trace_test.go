package trace

import "testing"

func TestARecordPrintsItsIDCauseTimeSourceStageObjectAndVerdict(t *testing.T) {
	r := Record{ID: 7, Cause: 3, At: 1_500_000_000, Source: "scheduler", Stage: Scheduled,
		Ref: Ref{"Pod", "default", "web"}, Verdict: Passed, Reason: "Scheduled", Message: "to node-1",
		Detail: []Detail{{"node-2", "taint"}, {"diff", "a\nb"}}}
	want := "#7<#3 1.500s scheduler [scheduled] Pod/default/web passed Scheduled: to node-1\n    node-2: taint\n    diff: a\n      b"
	if r.String() != want {
		t.Fatalf("got  %s\nwant %s", r, want)
	}
}

func TestAClonedLogGrowsAlone(t *testing.T) {
	var l Log
	l.Append(Record{Message: "one"})
	c := l.Clone()
	l.Append(Record{Message: "two"})
	c.Append(Record{Message: "other"})
	if r, _ := l.Get(2); r.Message != "two" || r.ID != 2 {
		t.Fatal(r)
	}
	if r, _ := c.Get(2); r.Message != "other" {
		t.Fatal(r)
	}
	if n := len(c.After(1)); n != 1 || c.After(2) != nil {
		t.Fatal("After is wrong")
	}
	if _, ok := c.Get(0); ok {
		t.Fatal("there is no record 0")
	}
}
