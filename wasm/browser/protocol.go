package browser

import (
	"podwalk/core/scenario"
	"podwalk/core/trace"
	"podwalk/wasm/boundary"
)

// The arguments and results of the operations. web/src/protocol.ts is generated
// from this file, wasm/lint/protocol.go, the envelope in wasm/boundary, the records
// of core/trace and the state of core/scenario. Instants are virtual seconds since the
// start of the run, but for a record's At, which is in nanoseconds.

// About says what this program is.
type About struct {
	Version      string     `json:"version"`
	Kubernetes   string     `json:"kubernetes"`
	Go           string     `json:"go"`
	Kinds        []KindInfo `json:"kinds"`
	NotSimulated []string   `json:"notSimulated"`
	Faults       []Fault    `json:"faults"`
}

// Fault is something that can go wrong, or be put right: its name, the form of its
// arguments, and what it does.
type Fault struct {
	Name  string `json:"name"`
	Args  string `json:"args"`
	About string `json:"about"`
}

// KindInfo is a kind that the API server knows.
type KindInfo struct {
	Kind       string `json:"kind"`
	Plural     string `json:"plural"`
	APIVersion string `json:"apiVersion"`
	Namespaced bool   `json:"namespaced"`
}

// OpenArgs start a new run: the cluster that the files describe, then each
// document applied at its own instant; a file after the first waits until the work
// of the one before is done, a minute at most. For lets the run go on for so many seconds
// after the last document.
type OpenArgs struct {
	Files []boundary.File `json:"files"`
	Seed  *int64          `json:"seed,omitempty"`
	For   float64         `json:"for,omitempty"`
}

// OpenOK is the state at the last document. Its records come with the
// first advance.
type OpenOK struct {
	Branch string  `json:"branch"`
	Start  string  `json:"start"` // the instant of virtual time zero, RFC 3339
	Apply  []Apply `json:"apply"`
	State  State   `json:"state"`
}

// Apply is what became of one document.
type Apply struct {
	Object string          `json:"object"` // kind/namespace/name, empty for an error of the file
	File   string          `json:"file"`
	Line   int             `json:"line"`
	Exit   int             `json:"exit"`
	Stdout string          `json:"stdout"`
	Stderr string          `json:"stderr"`
	Marks  []boundary.Mark `json:"marks,omitempty"`
}

// AdvanceArgs say how far to run: up to an instant, or so many steps, or until
// nothing could change any more; what comes first ends it.
type AdvanceArgs struct {
	To             *float64 `json:"to,omitempty"`
	Steps          int      `json:"steps,omitempty"`
	UntilQuiescent bool     `json:"untilQuiescent,omitempty"`
}

// Progress is where the run stands, with the records since the last answer for
// this branch.
type Progress struct {
	Now       float64        `json:"now"`
	Rev       uint64         `json:"rev"`
	Records   []trace.Record `json:"records"`
	NextAt    *float64       `json:"nextAt"` // of the next queued item
	Quiescent bool           `json:"quiescent"`
	Limit     string         `json:"limit,omitempty"` // the limit that stopped the run
}

// DoArgs are an input from outside. Kind is apply or delete (of the documents of
// the files), kubectl, fault (whose name and arguments stand in Argv, such as
// node-down node-1; About lists them) or request (Argv says from whom, and where to:
// pod/NAMESPACE/NAME, node/NAME or outside, then a URL or NAME:PORT). Without At it happens at the head of the branch; before
// the head a new branch is forked there first.
type DoArgs struct {
	Kind  string          `json:"kind"`
	Files []boundary.File `json:"files,omitempty"`
	Argv  []string        `json:"argv,omitempty"`
	At    *float64        `json:"at,omitempty"`
}

// DoOK is what the input printed, and where the run stands.
type DoOK struct {
	Progress
	Branch string  `json:"branch,omitempty"` // if a new one was forked
	Apply  []Apply `json:"apply,omitempty"`
	Stdout string  `json:"stdout,omitempty"`
	Stderr string  `json:"stderr,omitempty"`
	Exit   int     `json:"exit,omitempty"`
	Sent   *Sent   `json:"sent,omitempty"` // of a request
}

// Sent is what became of a request: the records of its hops, the symptom of the
// first that failed, or the answer.
type Sent struct {
	Records []uint64 `json:"records"`
	Symptom string   `json:"symptom,omitempty"`
	Code    int      `json:"code,omitempty"` // HTTP status
	Body    string   `json:"body,omitempty"`
}

// RulesArgs ask for the rules that the kube-proxy of a node has written. Mode is
// iptables, ipvs or nftables; without it the cluster's own.
type RulesArgs struct {
	Node string   `json:"node"`
	Mode string   `json:"mode,omitempty"`
	At   *float64 `json:"at,omitempty"`
}

// RulesOK are the rules, line by line, and the cluster's own mode.
type RulesOK struct {
	Mode  string   `json:"mode"`
	Lines []string `json:"lines"`
}

// MatrixArgs ask who reaches the pods of a namespace, "" is all.
type MatrixArgs struct {
	Namespace string   `json:"namespace,omitempty"`
	At        *float64 `json:"at,omitempty"`
}

// MatrixOK is who reaches whom: a row for each sender, a column for each port of
// each receiver. Where the plugin does not enforce policies it is what they would
// say.
type MatrixOK struct {
	Plugin   string         `json:"plugin"`
	Enforces bool           `json:"enforces"`
	From     []string       `json:"from"`
	To       []string       `json:"to"`
	Cells    [][]MatrixCell `json:"cells"`
}

// MatrixCell is the verdict of the policies on one pair; Why is said of a refusal.
type MatrixCell struct {
	Allowed bool   `json:"allowed"`
	Self    bool   `json:"self,omitempty"`
	Why     string `json:"why,omitempty"`
}

// SeekArgs move the view.
type SeekArgs struct {
	To float64 `json:"to"`
}

// SeekOK is the state at the view.
type SeekOK struct {
	Now   float64 `json:"now"`
	State State   `json:"state"`
}

// StateArgs ask for the state, at the view or at an instant.
type StateArgs struct {
	At *float64 `json:"at,omitempty"`
}

// State is what the stage draws.
type State = scenario.State

// KubectlArgs run a kubectl line that only reads, at the view or at an instant.
type KubectlArgs struct {
	Argv  []string        `json:"argv"`
	Files []boundary.File `json:"files,omitempty"`
	User  string          `json:"user,omitempty"`
	At    *float64        `json:"at,omitempty"`
}

// KubectlOK is what it printed.
type KubectlOK struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// GetArgs ask for one object as text.
type GetArgs struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Format    string   `json:"format"` // yaml or json
	At        *float64 `json:"at,omitempty"`
}

// GetOK is that text.
type GetOK struct {
	Text string `json:"text"`
}

// RecordsArgs ask for records again: those after an id, of an object, at most so
// many.
type RecordsArgs struct {
	After uint64     `json:"after,omitempty"`
	Ref   *trace.Ref `json:"ref,omitempty"`
	Limit int        `json:"limit,omitempty"`
}

// RecordsOK are those records.
type RecordsOK struct {
	Records []trace.Record `json:"records"`
}

// ExplainArgs ask why there is a record.
type ExplainArgs struct {
	Record uint64 `json:"record"`
}

// ExplainOK is the chain from the first cause to the record, and what a person
// would say of each.
type ExplainOK struct {
	Chain []trace.Record `json:"chain"`
	Text  []string       `json:"text"`
	Hint  string         `json:"hint,omitempty"`
}

// ForkArgs ask for a new branch that begins at an instant of the present one.
type ForkArgs struct {
	At float64 `json:"at"`
}

// ForkOK names it; it is the present one from now on.
type ForkOK struct {
	Branch string `json:"branch"`
}

// SwitchArgs choose the present branch; the answer is a Progress.
type SwitchArgs struct {
	Branch string `json:"branch"`
}

// Branch is an item of the answer to branches: a branch with where it comes from; the first has no From.
type Branch struct {
	Name string  `json:"name"`
	From string  `json:"from,omitempty"`
	At   float64 `json:"at"`
}

// Text is a scenario file: the result of export, the argument of import.
type Text struct {
	Text string `json:"text"`
}
