package explain

import (
	"testing"

	"podwalk/core/sim"
	"podwalk/core/trace"
)

func TestAChainRunsFromTheFirstCauseToTheRecord(t *testing.T) {
	var log trace.Log
	apply := log.Append(trace.Record{Source: "kubectl"})
	stored := log.Append(trace.Record{Source: "etcd", Cause: apply})
	log.Append(trace.Record{Source: "controller", Cause: apply})
	bound := log.Append(trace.Record{Source: "scheduler", Cause: stored})
	var got []string
	for _, r := range Chain(log.Get, bound) {
		got = append(got, r.Source)
	}
	if len(got) != 3 || got[0] != "kubectl" || got[1] != "etcd" || got[2] != "scheduler" {
		t.Errorf("got %v, want kubectl, etcd, scheduler", got)
	}
	if c := Chain(log.Get, 99); c != nil {
		t.Errorf("a record that is not there has the chain %v", c)
	}
}

func TestACauseThatIsNoEarlierRecordEndsTheChain(t *testing.T) {
	loop := func(id sim.Cause) (trace.Record, bool) { return trace.Record{ID: id, Cause: id}, true }
	if c := Chain(loop, 5); len(c) != 1 {
		t.Errorf("got %d records, want 1", len(c))
	}
}

func TestARecordIsSaidWithItsSourceAndObject(t *testing.T) {
	for _, c := range []struct {
		r    trace.Record
		want string
	}{
		{trace.Record{Source: "scheduler", Ref: trace.Ref{Kind: "Pod", Name: "web"}, Reason: "Scheduled", Message: "bound to node-1"}, "scheduler, Pod web: bound to node-1"},
		{trace.Record{Source: "podwalk", Reason: "Limit"}, "podwalk: Limit"},
		{trace.Record{Source: "apiserver", Verdict: trace.Passed}, "apiserver: passed"},
	} {
		if got := Say(c.r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
