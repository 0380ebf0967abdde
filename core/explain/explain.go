// Package explain answers "why?" from the records of a run: the chain of causes
// that led to a record, and each link in a sentence. It decides nothing and
// changes nothing. Start reading at Chain.
package explain

import (
	"slices"

	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Chain returns the records from the first cause to the record with the id, in
// that order; get finds a record. It is empty if there is no such record.
func Chain(get func(sim.Cause) (trace.Record, bool), id sim.Cause) []trace.Record {
	var chain []trace.Record
	for r, ok := get(id); ok; r, ok = get(r.Cause) {
		chain = append(chain, r)
		if r.Cause >= r.ID {
			break // a cause comes before its effect
		}
	}
	slices.Reverse(chain)
	return chain
}

// Say tells a record as a sentence.
func Say(r trace.Record) string {
	said := r.Message
	if said == "" {
		said = r.Reason
	}
	if said == "" {
		said = string(r.Verdict)
	}
	about := r.Ref.Kind + " " + r.Ref.Name
	if r.Ref.Name == "" {
		return r.Source + ": " + said
	}
	return r.Source + ", " + about + ": " + said
}
