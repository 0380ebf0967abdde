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

// The records around the end of a block, which a clone copies and its elder fills.
func TestALogIsWholeAcrossItsBlocks(t *testing.T) {
	var l Log
	for range blockSize - 1 {
		l.Append(Record{Message: "old"})
	}
	c := l.Clone()
	for range 3 {
		l.Append(Record{Message: "elder"})
		c.Append(Record{Message: "clone"})
	}
	late := c.Clone()
	late.Append(Record{Message: "late"})
	for _, x := range []struct {
		log  Log
		want []string
	}{
		{l, []string{"old", "elder", "elder", "elder"}},
		{c, []string{"old", "clone", "clone", "clone"}},
		{late, []string{"old", "clone", "clone", "clone", "late"}},
	} {
		got := x.log.After(blockSize - 2)
		if len(got) != len(x.want) || x.log.Len() != blockSize-2+len(x.want) {
			t.Fatalf("%d records after %d of %d, want %v", len(got), blockSize-2, x.log.Len(), x.want)
		}
		for i, r := range got {
			if one, ok := x.log.Get(r.ID); !ok || r.Message != x.want[i] || one.Message != r.Message || int(r.ID) != blockSize-1+i {
				t.Errorf("record %d is %s, want %s", r.ID, r, x.want[i])
			}
		}
	}
}
