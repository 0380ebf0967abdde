package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const podText = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: nginx:1.27
`

// answer is the part of Played and of an error that the tests read.
type answer struct {
	Apply    []struct{ Object, Stdout, Stderr string }
	Get      map[string]string
	Describe map[string]string
	Events   []struct{ Reason string }
	Records  []json.RawMessage
	Session  []struct{ Cmd, Stdout string }
	Printed  []string
	Exit     int
	Now      float64
	Limit    string
	Error    Problem
}

func post(t *testing.T, h http.Handler, body, media string) (int, answer) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/play", strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%d: %v\n%s", w.Code, err, w.Body)
	}
	return w.Code, a
}

func handler() http.Handler { return New(Replay{Bounds: DefaultLimits()}) }

func asJSON(v any) string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}

func TestAManifestIsPlayedWhateverItsMediaType(t *testing.T) {
	manifest := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "app", "image": "nginx:1.27"}}}}
	for media, body := range map[string]string{"application/yaml": podText, "": podText, "text/plain; charset=utf-8": podText,
		"application/json": asJSON(manifest)} {
		status, a := post(t, handler(), body, media)
		if status != 200 || a.Exit != 0 || len(a.Records) == 0 || !strings.Contains(a.Get["pods"], "Running") ||
			!strings.HasPrefix(a.Describe["pod/default/web"], "Name:") || len(a.Events) != 5 {
			t.Errorf("%q: %d %+v", media, status, a)
		}
	}
}

func TestAPlayRequestHasSeedScriptAndTime(t *testing.T) {
	seed := int64(3)
	status, a := post(t, handler(), asJSON(PlayRequest{Files: []File{{"pod.yaml", podText}}, Seed: &seed, For: "30s",
		Script: "$ kubectl get pods\nwait 10s\n$ kubectl delete -f pod.yaml\n"}), "application/json")
	if status != 200 || len(a.Session) != 2 || !strings.Contains(a.Session[0].Stdout, "web") ||
		!strings.Contains(a.Session[1].Stdout, `pod "web" deleted`) || a.Now < 40 {
		t.Errorf("%d %+v", status, a)
	}
}

func TestAScenarioPrintsItsDirectives(t *testing.T) {
	text := "apply pod.yaml\n" + podText + "----\n\nadvance until=quiescent\n----\n"
	status, a := post(t, handler(), text, "text/vnd.podwalk.scenario")
	if status != 200 || len(a.Printed) != 2 || a.Printed[0] != "pod/web created\n" || !strings.HasPrefix(a.Printed[1], "quiescent at ") {
		t.Errorf("%d %+v", status, a)
	}
}

func TestMistakesAndLimitsAreNamed(t *testing.T) {
	files := []File{{"pod.yaml", podText}}
	for _, c := range []struct {
		body, media string
		status      int
		message     string
	}{
		{"", "", 400, "no body"},
		{" \n", "", 400, "no body"},
		{strings.Repeat("#", 1<<20+1), "", 413, "the body is larger than 1 MiB"},
		{asJSON(PlayRequest{Files: files, For: "25h"}), "", 413, "more than 24h0m0s of virtual time"},
		{asJSON(PlayRequest{Files: files, Script: "wait 20h\nwait 20h\n"}), "", 413, "more than 24h0m0s of virtual time"},
		{asJSON(PlayRequest{Files: files, For: "soon"}), "", 400, "duration above 0"},
		{asJSON(PlayRequest{Files: files, Script: "rm -rf\n"}), "", 400, "script:1: "},
		{asJSON(PlayRequest{Files: files, Scenario: "x"}), "", 400, "a scenario says everything itself"},
		{`{"files":[]}`, "", 400, "no files"},
		{`{"files":[],"speed":2}`, "", 400, `unknown field "speed"`},
		{"get pods\n----\n----\nnever closed\n", "text/vnd.podwalk.scenario", 400, "scenario:1: "},
		{"apiVersion: sim.podwalk.dev/v1\nkind: Cluster\ncni: none\n", "", 400, "manifest.yaml:3: cni: Unsupported value"},
	} {
		status, a := post(t, handler(), c.body, c.media)
		if status != c.status || !strings.Contains(a.Error.Message, c.message) {
			t.Errorf("%.60q: %d %q, want %d %q", c.body, status, a.Error.Message, c.status, c.message)
		}
	}
}

func TestARunStopsAtTheLimitOfSteps(t *testing.T) {
	h := New(Replay{Bounds: Limits{Body: 1 << 20, Steps: 30, For: time.Hour}})
	if status, a := post(t, h, podText, ""); status != 200 || a.Limit != "steps" || a.Exit != 1 {
		t.Errorf("%d, limit %q, exit %d", status, a.Limit, a.Exit)
	}
}

func TestOtherMethodsAndPathsAreRefused(t *testing.T) {
	for _, c := range []struct {
		method, path string
		status       int
	}{{http.MethodGet, "/play", 405}, {http.MethodDelete, "/play", 405}, {http.MethodGet, "/", 404}, {http.MethodPost, "/play/x", 404}} {
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
}

func TestARequestWithoutABodyIsNoPanic(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/play", nil)
	r.Body = nil // as in the Worker
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest {
		t.Errorf("got %d", w.Code)
	}
}

// broken panics, as a bug in the simulator would.
type broken struct{ Replay }

func (broken) Play(PlayRequest) (*Played, error) { panic("a bug") }

func TestAPanicIsAnAnswer(t *testing.T) {
	status, a := post(t, New(broken{Replay{Bounds: DefaultLimits()}}), podText, "")
	if status != 500 || a.Error.Code != "panic" || a.Error.Message != "a bug" || a.Error.Stack == "" {
		t.Errorf("%d %+v", status, a.Error)
	}
}

func TestRequestsInParallelDoNotMeet(t *testing.T) {
	h := handler()
	var all sync.WaitGroup
	for _, name := range []string{"one", "two", "three", "four"} {
		all.Add(1)
		go func() {
			defer all.Done()
			_, a := post(t, h, strings.Replace(podText, "web", name, 1), "")
			if len(a.Apply) != 1 || a.Apply[0].Object != "pod/default/"+name {
				t.Errorf("%s: %+v", name, a.Apply)
			}
		}()
	}
	all.Wait()
}
