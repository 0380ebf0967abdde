package browser

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

const crashText = `apiVersion: v1
kind: Pod
metadata:
  name: crash
spec:
  containers:
  - name: app
    image: busybox:1.36
    command: ["sh", "-c", "echo started; exit 1"]
`

// request makes the bytes of one call.
func request(id int, op string, args any) []byte {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	b, err := json.Marshal(map[string]any{"id": id, "op": op, "args": json.RawMessage(raw)})
	if err != nil {
		panic(err)
	}
	return b
}

type m = map[string]any

func open(text string) m { return m{"files": []m{{"name": "pod.yaml", "text": text}}} }

// tour is a session in which every operation is called.
func tour() [][]byte {
	calls := []struct {
		op   string
		args any
	}{
		{"about", m{}}, {"open", open(podText)}, {"advance", m{"to": 600, "untilQuiescent": true}}, {"state", m{}},
		{"kubectl", m{"argv": []string{"describe", "pod", "web"}}},
		{"get", m{"kind": "Pod", "namespace": "default", "name": "web", "format": "yaml"}},
		{"seek", m{"to": 1}}, {"kubectl", m{"argv": []string{"get", "pods", "-o", "wide"}}},
		{"do", m{"kind": "kubectl", "argv": []string{"delete", "pod", "web"}, "at": 5}}, {"advance", m{"to": 60}},
		{"branches", m{}}, {"switch", m{"branch": "main"}}, {"records", m{"after": 3, "limit": 5}},
		{"explain", m{"record": 12}}, {"fork", m{"at": 2}}, {"advance", m{"steps": 50}}, {"export", m{}},
		{"open", m{"files": []m{{"name": "pod.yaml", "text": crashText}}, "seed": 5, "for": 30}},
		{"advance", m{"to": 900}}, {"kubectl", m{"argv": []string{"get", "events"}}},
		{"kubectl", m{"argv": []string{"logs", "crash", "--previous"}, "at": 300}},
		{"do", m{"kind": "apply", "files": []m{{"name": "web.yaml", "text": podText}}}}, {"advance", m{"to": 1000}}, {"export", m{}},
		{"open", open(podText + "---\n" + serviceText)}, {"advance", m{"to": 60, "untilQuiescent": true}},
		{"do", m{"kind": "request", "argv": []string{"pod/default/web", "http://front"}}},
		{"do", m{"kind": "request", "argv": []string{"outside", "tcp://nowhere:1"}}}, {"do", m{"kind": "request", "argv": []string{"me"}}},
		{"rules", m{"node": "node-1"}}, {"rules", m{"node": "node-1", "mode": "ipvs", "at": 1}}, {"rules", m{"node": "none"}},
		{"matrix", m{"namespace": "default"}}, {"do", m{"kind": "fault", "argv": []string{"node-down", "node-1"}}}, {"advance", m{"to": 120}},
		{"open", open("apiVersion: sim.podwalk.dev/v1\nkind: Cluster\ncni: none\n")},
	}
	var out [][]byte
	for i, c := range calls {
		out = append(out, request(i+1, c.op, c.args))
	}
	return out
}

// scenarios are the golden files, each imported and its records asked for.
func scenarios(t *testing.T) [][]byte {
	files, err := filepath.Glob("../../core/scenario/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var out [][]byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, request(len(out), "import", Text{Text: string(text)}),
			request(len(out), "records", m{}), request(len(out), "state", m{}))
	}
	return out
}

// The same requests are answered by this process and by play.wasm: the answers,
// records included, must be the same bytes.
func TestTheBrowsersProgramGivesTheSameTraceAsTheNativeOne(t *testing.T) {
	build := os.Getenv("PODWALK_BUILD")
	if build == "" {
		t.Skip("PODWALK_BUILD names no folder of built programs")
	}
	requests := append(tour(), scenarios(t)...)
	cmd := exec.Command("node", "../node.mjs", filepath.Join(build, "wasm_exec.js"), filepath.Join(build, "play.wasm"), "podwalkHandle")
	cmd.Stdin = bytes.NewReader(append(bytes.Join(requests, []byte("\n")), '\n'))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.Bytes())
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	p := newPlayer()
	for i, r := range requests {
		if native := string(p.handle(r)); native != answers[i] {
			t.Errorf("%.300s\n native %s", r, difference(native, answers[i]))
		}
	}
}

// difference shows where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-80)
	return "…" + a[from:min(len(a), i+120)] + "\n   wasm …" + b[from:min(len(b), i+120)]
}
