package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"podwalk/core/admission/expression"
	"strings"
	"time"

	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// PlayRequest is what to run: files as podwalk run takes them, or a scenario.
type PlayRequest struct {
	Files    []File `json:"files,omitempty"`
	Scenario string `json:"scenario,omitempty"` // instead of files
	Seed     *int64 `json:"seed,omitempty"`
	For      string `json:"for,omitempty"`    // a duration, from the last document on
	Script   string `json:"script,omitempty"` // lines as --script takes them
}

// File is a named text.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Played is what became of it: the object that podwalk run -o json prints, with
// its exit status, and of a scenario what each directive printed.
type Played struct {
	scenario.Output
	Exit    int      `json:"exit"`
	Printed []string `json:"printed,omitempty"`
}

// Limits bound a request; a Session has some.
type Limits struct {
	Body  int64         // bytes
	Steps uint64        // items of the queue
	For   time.Duration // virtual time
}

func (l Limits) run() scenario.Limits {
	return scenario.Limits{MaxSteps: l.Steps, MaxTime: sim.Time(l.For)}
}

// readPlay reads the body of a request: a PlayRequest as JSON, a scenario (media
// type text/vnd.podwalk.scenario), or else a manifest in YAML or JSON.
func readPlay(w http.ResponseWriter, r *http.Request, l Limits) (PlayRequest, error) {
	var req PlayRequest
	if r.Body == nil {
		return req, Problem{Code: "badRequest", Message: "the request has no body"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, l.Body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return req, Problem{Code: "limit", Message: "the body is larger than " + size(l.Body)}
	case err != nil:
		return req, err
	case len(bytes.TrimSpace(body)) == 0:
		return req, Problem{Code: "badRequest", Message: "the request has no body"}
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case media == "text/vnd.podwalk.scenario":
		return PlayRequest{Scenario: string(body)}, nil
	case isPlayRequest(body):
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(&req); err != nil {
			return req, Problem{Code: "badRequest", Message: "the play request: " + err.Error()}
		}
		return req, nil
	}
	return PlayRequest{Files: []File{{Name: "manifest.yaml", Text: string(body)}}}, nil
}

// isPlayRequest tells a PlayRequest from a manifest in JSON, which has a kind.
func isPlayRequest(body []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(body, &keys) != nil {
		return false
	}
	_, manifest := keys["kind"]
	return !manifest && (keys["files"] != nil || keys["scenario"] != nil)
}

func size(n int64) string {
	b, _ := json.Marshal(n)
	if n%(1<<20) == 0 {
		b, _ = json.Marshal(n >> 20)
		return string(b) + " MiB"
	}
	return string(b) + " bytes"
}

// Replay is the Session without state.
type Replay struct {
	Bounds Limits
	// Expressions makes what runs the expressions of admission policies, one for each
	// request; nil is a build without it.
	Expressions func() expression.Engine
}

// DefaultLimits suit a request that somebody waits for.
func DefaultLimits() Limits {
	return Limits{Body: 1 << 20, Steps: 200_000, For: 24 * time.Hour}
}

// Limits returns the bounds.
func (r Replay) Limits() Limits { return r.Bounds }

// Play runs the files or the scenario of a request in a cluster of its own.
func (r Replay) Play(req PlayRequest) (*Played, error) {
	switch {
	case req.Scenario != "" && (req.Files != nil || req.Script != "" || req.For != "" || req.Seed != nil):
		return nil, Problem{Code: "badRequest", Message: "a scenario says everything itself: no files, script, for or seed beside it"}
	case req.Scenario != "":
		return r.scenario(req.Scenario)
	case len(req.Files) == 0:
		return nil, Problem{Code: "badRequest", Message: "no files to run"}
	}
	o, err := r.options(req)
	if err != nil {
		return nil, err
	}
	o.Expressions = r.engine()
	s, lines, exit, bad := scenario.Run(o)
	if bad != nil {
		return nil, wrong(bad)
	}
	return &Played{Output: s.Output(lines), Exit: exit}, nil
}

func (r Replay) options(req PlayRequest) (scenario.RunOptions, error) {
	var o scenario.RunOptions
	o.Limits = r.Bounds.run()
	if req.Seed != nil {
		seed := uint64(*req.Seed)
		o.Seed = &seed
	}
	if req.For != "" {
		d, err := time.ParseDuration(req.For)
		if err != nil || d <= 0 {
			return o, Problem{Code: "badRequest", Message: "for: want a duration above 0, such as 90s"}
		}
		o.For = d
	}
	files := texts{}
	for _, f := range req.Files {
		k := kubectl.File{Name: f.Name, Text: []byte(f.Text)}
		o.Files = append(o.Files, scenario.Source{Name: f.Name, Files: []kubectl.File{k}})
		files[f.Name] = k
	}
	if req.Script != "" {
		lines, bad := scenario.ParseScript("script", []byte(req.Script))
		if bad != nil {
			return o, *bad
		}
		o.Script, o.Open = lines, files
	}
	return o, r.within(o)
}

func (r Replay) engine() expression.Engine {
	if r.Expressions == nil {
		return nil
	}
	return r.Expressions()
}

// within checks the virtual time that a run would take.
func (r Replay) within(o scenario.RunOptions) error {
	total := o.For
	for _, l := range o.Script {
		total += l.Wait
	}
	if total > r.Bounds.For || total < 0 {
		return Problem{Code: "limit", Message: "the run would take more than " + r.Bounds.For.String() + " of virtual time"}
	}
	return nil
}

func (r Replay) scenario(text string) (*Played, error) {
	f, bad := scenario.ParseFile("scenario", []byte(text))
	if bad != nil {
		return nil, *bad
	}
	f.Limits, f.Expressions = r.Bounds.run(), r.engine()
	s, printed, problems := f.Play(nil)
	if problems != nil {
		return nil, wrong(problems)
	}
	return &Played{Output: s.Output(nil), Printed: printed}, nil
}

// wrong joins problems, one a line.
func wrong(problems []scenario.Problem) Problem {
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Error())
	}
	return Problem{Code: "badRequest", Message: strings.Join(lines, "\n")}
}

// texts opens the files of a request for the kubectl lines of its script.
type texts map[string]kubectl.File

// Open returns the file with that name.
func (t texts) Open(name string) ([]kubectl.File, error) {
	f, ok := t[name]
	if !ok {
		return nil, errors.New("the path \"" + name + "\" does not exist")
	}
	return []kubectl.File{f}, nil
}
