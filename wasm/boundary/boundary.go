// Package boundary is the line between JavaScript and Go: one synchronous
// function, JSON bytes in and JSON bytes out. It reads the envelope, finds the
// operation, and turns errors and panics into answers. It knows no operation.
// Start reading at Handle.
package boundary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
)

// Request is one call.
type Request struct {
	ID   int64           `json:"id"`
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Answer is what comes back: OK or Err.
type Answer struct {
	ID  int64           `json:"id"`
	OK  json.RawMessage `json:"ok,omitempty"`
	Err *Err            `json:"err,omitempty"`
}

// Codes of an Err.
const (
	BadRequest = "badRequest"
	NotFound   = "notFound"
	Limit      = "limit"
	Panic      = "panic"
)

// Err says why there is no result. Stack and Scenario come with a panic: where it
// was, and the run that led to it.
type Err struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Stack    string `json:"stack,omitempty"`
	Scenario string `json:"scenario,omitempty"`
}

func (e *Err) Error() string { return e.Code + ": " + e.Message }

// Errorf makes an Err.
func Errorf(code, format string, args ...any) *Err {
	return &Err{Code: code, Message: fmt.Sprintf(format, args...)}
}

// File is a file of the editor.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Mark is something to show at a place in a file. Lines and columns count from 1;
// the end column is just behind the last character.
type Mark struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Severity  string `json:"severity"` // error, warning or info
	Message   string `json:"message"`
	Source    string `json:"source,omitempty"` // yaml, schema or kubectl
}

// Op carries out one operation. Its result is encoded as JSON; an error that is
// no *Err has the code badRequest.
type Op func(args json.RawMessage) (any, error)

// Appender is a result that writes itself as JSON.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// Ops finds an operation by its name, or returns nil.
type Ops func(name string) Op

// Handle answers one request, whatever the bytes are. scenario, which may be nil,
// is asked for the run when an operation panics.
func Handle(request []byte, ops Ops, scenario func() string) []byte {
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return encode(Answer{Err: Errorf(BadRequest, "the request is no JSON: %v", err)})
	}
	a := Answer{ID: r.ID}
	op := ops(r.Op)
	if op == nil {
		a.Err = Errorf(BadRequest, "no operation %q", r.Op)
		return encode(a)
	}
	well, bad := call(op, r, scenario)
	if bad != nil {
		a.Err = bad
		return encode(a)
	}
	return well
}

// call carries out an operation and returns the whole answer, in which the result,
// which may be large, is written in its place.
func call(op Op, r Request, scenario func() string) (well []byte, bad *Err) {
	defer func() {
		if p := recover(); p != nil {
			well, bad = nil, &Err{Code: Panic, Message: fmt.Sprint(p), Stack: string(debug.Stack()), Scenario: told(scenario)}
		}
	}()
	b := append(strconv.AppendInt([]byte(`{"id":`), r.ID, 10), `,"ok":`...)
	result, err := op(r.Args)
	if a, fast := result.(Appender); err == nil && fast {
		return append(a.AppendJSON(b), '}'), nil
	}
	if err == nil {
		var ok []byte
		if ok, err = json.Marshal(result); err == nil {
			return append(append(b, ok...), '}'), nil
		}
	}
	if !errors.As(err, &bad) {
		bad = &Err{Code: BadRequest, Message: err.Error()}
	}
	return nil, bad
}

// told asks for the scenario of a run that may be broken.
func told(scenario func() string) (text string) {
	if scenario == nil {
		return ""
	}
	defer func() {
		if p := recover(); p != nil {
			text = ""
		}
	}()
	return scenario()
}

func encode(a Answer) []byte {
	b, err := json.Marshal(a)
	if err != nil {
		panic("boundary: " + err.Error()) // an Answer always encodes
	}
	return b
}

// Decode reads the arguments of an operation strictly: a field that the operation
// does not know is an error. No arguments are empty ones.
func Decode(args json.RawMessage, into any) error {
	if len(args) == 0 || string(args) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return Errorf(BadRequest, "args: %v", err)
	}
	return nil
}
