package boundary

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func ops(name string) Op {
	switch name {
	case "echo":
		return func(args json.RawMessage) (any, error) { return args, nil }
	case "fail":
		return func(json.RawMessage) (any, error) { return nil, errors.New("it is so") }
	case "limit":
		return func(json.RawMessage) (any, error) { return nil, Errorf(Limit, "%d steps", 3) }
	case "panic":
		return func(json.RawMessage) (any, error) { panic("broken") }
	case "strict":
		return func(args json.RawMessage) (any, error) {
			var a struct{ N int }
			err := Decode(args, &a)
			return a, err
		}
	case "unencodable":
		return func(json.RawMessage) (any, error) { return func() {}, nil }
	}
	return nil
}

func TestAnswersCarryTheIDAndEitherAResultOrAnError(t *testing.T) {
	for request, want := range map[string]string{
		`{"id":7,"op":"echo","args":{"a":1}}`:   `{"id":7,"ok":{"a":1}}`,
		`{"id":8,"op":"fail"}`:                  `{"id":8,"err":{"code":"badRequest","message":"it is so"}}`,
		`{"id":9,"op":"limit"}`:                 `{"id":9,"err":{"code":"limit","message":"3 steps"}}`,
		`{"id":1,"op":"nothing"}`:               `{"id":1,"err":{"code":"badRequest","message":"no operation \"nothing\""}}`,
		`{"id":2,"op":"strict","args":{"N":1}}`: `{"id":2,"ok":{"N":1}}`,
		`{"id":2,"op":"strict","args":null}`:    `{"id":2,"ok":{"N":0}}`,
		`{"id":3,"op":"strict","args":{"M":1}}`: `{"id":3,"err":{"code":"badRequest","message":"args: json: unknown field \"M\""}}`,
		``:                                      `{"id":0,"err":{"code":"badRequest","message":"the request is no JSON: unexpected end of JSON input"}}`,
	} {
		if got := string(Handle([]byte(request), ops, nil)); got != want {
			t.Errorf("%s\n got %s\nwant %s", request, got, want)
		}
	}
}

func TestAPanicComesBackWithItsStackAndTheScenario(t *testing.T) {
	var a Answer
	answer := Handle([]byte(`{"id":4,"op":"panic"}`), ops, func() string { return "apply pod.yaml" })
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	if a.ID != 4 || a.Err == nil || a.Err.Code != Panic || a.Err.Message != "broken" || a.Err.Scenario != "apply pod.yaml" ||
		!strings.Contains(a.Err.Stack, "boundary") {
		t.Errorf("got %s", answer)
	}
	answer = Handle([]byte(`{"op":"panic"}`), ops, func() string { panic("again") })
	if !strings.Contains(string(answer), `"message":"broken"`) {
		t.Errorf("a scenario that panics hides the first panic: %s", answer)
	}
}

func TestAResultThatCannotBeEncodedIsAnError(t *testing.T) {
	if got := string(Handle([]byte(`{"op":"unencodable"}`), ops, nil)); !strings.Contains(got, `"badRequest"`) {
		t.Errorf("got %s", got)
	}
}

func FuzzHandle(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"echo","args":[1]}`))
	f.Add([]byte(`{"id":1e99}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		if answer := Handle(request, ops, nil); !json.Valid(answer) {
			t.Errorf("%q is answered with %q", request, answer)
		}
	})
}
