package workload

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"podwalk/core/sim"
)

func declared(t *testing.T, text string) ImageDecl {
	t.Helper()
	var d ImageDecl
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

const appDecl = `{"apiVersion": "sim.podwalk.dev/v1", "kind": "Image", "metadata": {"name": "shop/app"}, "spec": {
	"tags": ["1.0"], "seconds": 3, "size": "64Mi", "env": ["MODE=test"],
	"program": {"startup": "2s", "exits": true, "after": "30s", "code": 7,
		"logs": [{"line": "hello"}, {"line": "tick", "after": "10s", "every": "10s", "stream": "stderr"}],
		"memory": [{"bytes": "10Mi"}, {"after": "20s", "bytes": "200Mi"}],
		"ports": [{"port": 8080}],
		"answers": [{"path": "/ready", "code": 503, "until": "15s"}, {"path": "/ready", "code": 200}, {"path": "/slow*", "code": 200, "delay": "5s"}],
		"ignoresTerm": true}}}`

func TestADeclaredProgramDoesWhatItsDocumentSays(t *testing.T) {
	d := declared(t, appDecl)
	if faults := d.Validate(); len(faults) > 0 {
		t.Fatal(faults)
	}
	ref, _ := ParseReference("shop/app:1.0")
	out := Default().With([]ImageDecl{d}).Resolve(ref, "linux/amd64")
	if out.Image == nil || !out.Slower || out.Slow != 3*time.Second || out.Image.Size != 64<<20 {
		t.Fatalf("%+v", out)
	}
	b, p := begin(t, out.Image, Argv(out.Image, nil, nil)...)
	b.drive(p, sim.Second)
	if len(p.Listening()) != 0 {
		t.Error("it listens before it is up")
	}
	b.drive(p, 12*sim.Second)
	b.now = 12 * sim.Second
	p.Signal(SIGTERM, b)
	for _, c := range []struct {
		at   sim.Time
		path string
		code int
	}{{12 * sim.Second, "/ready", 503}, {16 * sim.Second, "/ready", 200}, {16 * sim.Second, "/slowly", 200}, {16 * sim.Second, "/other", 404}} {
		if b.now = c.at; p.Serve(8080, Request{Path: c.path}, b).Code != c.code {
			t.Errorf("%s at %s is not %d", c.path, c.at, c.code)
		}
	}
	if m := p.Memory(20*sim.Second) >> 20; m != 200 {
		t.Errorf("%d MiB after 20 s", m)
	}
	step := b.drive(p, sim.Minute)
	if !step.Done || step.Code != 7 || b.now != 30*sim.Second || b.text() != "hello\ntick\ntick\ntick" {
		t.Errorf("%+v at %s: %q", step, b.now, b.text())
	}
}

func TestDocumentsAreCheckedFieldByField(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "apiVersion: must be sim.podwalk.dev/v1; kind: must be Image; spec.image: is required: the image that the document describes",
		`{"apiVersion":"sim.podwalk.dev/v1","kind":"Image","spec":{"image":"A/B","pull":"never","seconds":-1,"size":"big","tools":"x"}}`: `spec.image: couldn't parse image name "A/B": invalid reference format: repository name (B) must be lowercase; ` +
			`spec.pull: must be one of ok, slow, not found, unauthorized, denied, rate limited, tls, dns, timeout, refused, unavailable, wrong platform, not "never"; ` +
			`spec.seconds: must be between 0 and 86400; spec.size: must be a size such as 64Mi, not "big"; spec.tools: must be one of busybox, alpine, debian, ubuntu, fedora, full, none, not "x"`,
		`{"apiVersion":"sim.podwalk.dev/v1","kind":"Image","spec":{"image":"a","program":{"after":"soon","code":300,"logs":[{"line":"x","every":"1us"}],"memory":[{"after":"2s","bytes":"1"},{"after":"1s","bytes":"1"}],"ports":[{"port":0}],"answers":[{"code":99}]}}}`: `spec.program.exits: must be true where after, code or signal is set; spec.program.code: must be between 0 and 255; ` +
			`spec.program.logs[0].every: must be at least 1ms; spec.program.memory[1].after: must not be before the point above it; spec.program.ports[0].port: must be between 1 and 65535; ` +
			`spec.program.answers[0].code: must be between 100 and 599`,
	} {
		d := declared(t, text)
		var got []string
		for _, f := range d.Validate() {
			got = append(got, f.Path+": "+f.Message)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, s, want)
		}
	}
}

func TestTheLastDocumentThatFitsWins(t *testing.T) {
	c := Default().With([]ImageDecl{{Spec: ImageDeclSpec{Image: "nginx", Pull: "denied"}}, {Spec: ImageDeclSpec{Image: "nginx:run", Size: "1Mi"}}})
	for name, found := range map[string]bool{"nginx:1.27": false, "nginx:run": true} {
		ref, _ := ParseReference(name)
		if out := c.Resolve(ref, ""); (out.Image != nil) != found {
			t.Errorf("%s: %+v", name, out)
		}
	}
	ref, _ := ParseReference("nginx:run")
	img := c.Resolve(ref, "").Image
	b, p := begin(t, img, Argv(img, nil, nil)...)
	if b.drive(p, sim.Second); len(p.Listening()) != 1 || img.Size != 1<<20 {
		t.Errorf("a document without a program changes only what it says: %v %d", p.Listening(), img.Size)
	}
}

func TestAnImageForAnotherPlatformIsRefused(t *testing.T) {
	c := Default().With([]ImageDecl{{Spec: ImageDeclSpec{Image: "win/app", Platforms: []string{"windows/amd64"}}}})
	ref, _ := ParseReference("win/app:1")
	out := c.Resolve(ref, "linux/amd64")
	if out.Image != nil || out.Code != "NotFound" || out.Message != `failed to pull and unpack image "docker.io/win/app:1": no match for platform in manifest: not found` {
		t.Errorf("%+v", out)
	}
}
