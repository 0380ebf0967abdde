// Package trace holds the records of a run: what each component decided, about
// which object, why, and which record led to it. The page draws only records;
// golden files hold their canonical text. A record is data and never changes
// once it is written. Start reading at Record.
package trace

import (
	"strconv"
	"strings"

	"podwalk/core/sim"
)

// Stage is a station on the way of a pod, in the order of the line.
type Stage string

// The stations. A record that belongs to none leaves Stage empty.
const (
	Submitted  Stage = "submitted"
	Authorised Stage = "authorised"
	Admitted   Stage = "admitted"
	Stored     Stage = "stored"
	Scheduled  Stage = "scheduled"
	Volumes    Stage = "volumes"
	Pulled     Stage = "pulled"
	Sandbox    Stage = "sandbox"
	Init       Stage = "init"
	Started    Stage = "started"
	Probed     Stage = "probed"
	Ready      Stage = "ready"
	Endpoints  Stage = "endpoints"
	Ended      Stage = "ended"
)

// Stages lists the stations in the order of the line.
var Stages = []Stage{Submitted, Authorised, Admitted, Stored, Scheduled, Volumes, Pulled,
	Sandbox, Init, Started, Probed, Ready, Endpoints, Ended}

// Verdict is the outcome a record states.
type Verdict string

// The verdicts. Info states a fact without an outcome; Assumed states something
// the user did not say and Podwalk took for granted; NotSimulated something that
// Podwalk does not do.
const (
	Info         Verdict = "info"
	Passed       Verdict = "passed"
	Changed      Verdict = "changed"
	Denied       Verdict = "denied"
	Waiting      Verdict = "waiting"
	Failed       Verdict = "failed"
	Assumed      Verdict = "assumed"
	NotSimulated Verdict = "not simulated"
)

// Ref names the object a record is about.
type Ref struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String prints kind/namespace/name, as the keys of "describe" in the output of
// podwalk run but with the kind as it is written.
func (r Ref) String() string { return r.Kind + "/" + r.Namespace + "/" + r.Name }

// Detail is one named fact of a record, such as a node's verdict or a changed field.
type Detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Record is one decision or fact. Source is the component (kubectl, apiserver,
// admission/ServiceAccount, etcd, scheduler, kubelet, runtime, cni, ...).
type Record struct {
	ID      sim.Cause `json:"id"`
	Cause   sim.Cause `json:"cause,omitempty"`
	At      sim.Time  `json:"at"` // ns since the start of the run
	Source  string    `json:"source"`
	Stage   Stage     `json:"stage,omitempty"`
	Ref     Ref       `json:"ref"`
	Rev     uint64    `json:"rev,omitempty"` // store revision it produced
	Verdict Verdict   `json:"verdict"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Detail  []Detail  `json:"detail,omitempty"`
}

// String is the canonical text: one line, and one indented line a detail.
func (r Record) String() string {
	var b strings.Builder
	b.WriteString("#" + strconv.FormatUint(uint64(r.ID), 10))
	if r.Cause != 0 {
		b.WriteString("<#" + strconv.FormatUint(uint64(r.Cause), 10))
	}
	b.WriteString(" " + r.At.String() + " " + r.Source)
	if r.Stage != "" {
		b.WriteString(" [" + string(r.Stage) + "]")
	}
	b.WriteString(" " + r.Ref.String() + " " + string(r.Verdict))
	if r.Reason != "" {
		b.WriteString(" " + r.Reason)
	}
	if r.Message != "" {
		b.WriteString(": " + r.Message)
	}
	for _, d := range r.Detail {
		b.WriteString("\n    " + d.Name + ": " + strings.ReplaceAll(d.Value, "\n", "\n      "))
	}
	return b.String()
}

// Log is the growing list of the records of one run. Its zero value is ready.
// Clone is cheap: the records are shared.
type Log struct {
	// blocks hold blockSize records each but for the last. What is in a block never
	// changes; of several logs that share the last one only the eldest has the room
	// behind it.
	blocks [][]Record
	n      int
}

const blockSize = 256

// Append gives the record the next id, stores it and returns the id.
func (l *Log) Append(r Record) sim.Cause {
	last := l.n / blockSize
	if last == len(l.blocks) {
		l.blocks = append(l.blocks, make([]Record, 0, blockSize))
	} else if cap(l.blocks[last]) < blockSize {
		l.blocks[last] = append(make([]Record, 0, blockSize), l.blocks[last]...)
	}
	l.n++
	r.ID = sim.Cause(l.n)
	l.blocks[last] = append(l.blocks[last], r)
	return r.ID
}

// Len returns the number of records, which is also the last id.
func (l *Log) Len() int { return l.n }

// Get returns the record with an id.
func (l *Log) Get(id sim.Cause) (Record, bool) {
	if id == 0 || int(id) > l.n {
		return Record{}, false
	}
	i := int(id) - 1
	return l.blocks[i/blockSize][i%blockSize], true
}

// After returns the records whose id is greater than id.
func (l *Log) After(id sim.Cause) []Record {
	if int(id) >= l.n {
		return nil
	}
	out := make([]Record, 0, l.n-int(id))
	for i := int(id); i < l.n; {
		part := l.blocks[i/blockSize][i%blockSize:]
		out = append(out, part...)
		i += len(part)
	}
	return out
}

// Clone returns a log that grows independently of l.
func (l *Log) Clone() Log {
	blocks := append([][]Record(nil), l.blocks...)
	if last := len(blocks) - 1; last >= 0 {
		blocks[last] = blocks[last][:len(blocks[last]):len(blocks[last])]
	}
	return Log{blocks, l.n}
}
