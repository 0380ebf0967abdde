package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: app, image: \"nginx:1.27\"}\n"

// podwalk runs a command line and returns its exit status, stdout and stderr.
func podwalk(t *testing.T, stdin string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit := command(args, strings.NewReader(stdin), &out, &errs)
	return exit, out.String(), errs.String()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

type output struct {
	Apply []struct {
		Object, Stdout, Stderr string
		Exit                   int
	}
	Get, Describe map[string]string
	Events        []map[string]any
	Objects       []map[string]any
	Session       []struct {
		Cmd, Stdout, Stderr string
		Exit                int
	}
	Now       float64
	Quiescent bool
	Limit     string
}

func runJSON(t *testing.T, stdin string, want int, args ...string) output {
	t.Helper()
	exit, out, errs := podwalk(t, stdin, append([]string{"run", "-o", "json"}, args...)...)
	if exit != want {
		t.Fatalf("exit %d, want %d\n%s%s", exit, want, out, errs)
	}
	var o output
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return o
}

func TestAPodThatBecomesReadyExitsZero(t *testing.T) {
	o := runJSON(t, pod, 0, "-")
	if len(o.Apply) != 1 || o.Apply[0].Object != "pod/default/web" || o.Apply[0].Stdout != "pod/web created\n" {
		t.Errorf("apply: %+v", o.Apply)
	}
	if !o.Quiescent || o.Now <= 0 {
		t.Errorf("quiescent %v at %v", o.Quiescent, o.Now)
	}
	if !strings.Contains(o.Get["pods"], "Running") || !strings.Contains(o.Describe["pod/default/web"], "Successfully assigned default/web to node-") {
		t.Errorf("get %q\ndescribe %q", o.Get["pods"], o.Describe["pod/default/web"])
	}
	if o.Describe["node//node-1"] == "" || o.Get["nodes"] == "" {
		t.Error("the nodes are missing")
	}
	if _, ok := o.Get["events"]; ok || len(o.Events) < 4 {
		t.Errorf("%d events; they belong into events alone", len(o.Events))
	}
}

func TestExitStatuses(t *testing.T) {
	never := strings.Replace(pod, "nginx:1.27", "nginx:no-such-tag", 1)
	refused := strings.Replace(pod, "name: web", "name: Web", 1)
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        int
		stderr      string
	}{
		{"a pod that cannot start", never, []string{"--for", "60s", "-"}, 1, ""},
		{"a refused document", refused, []string{"-"}, 2, ""},
		{"refused wins over not ready", never + "---\n" + refused, []string{"--for", "30s", "-"}, 2, ""},
		{"an empty file", "", []string{"-"}, 2, ""},
		{"no file", "", nil, 3, "no FILE given"},
		{"an unreadable file", "", []string{"/no/such/file.yaml"}, 3, "no such file"},
		{"--for 0", pod, []string{"--for", "0", "-"}, 3, "--for 0: want a duration"},
		{"--for -1s", pod, []string{"--for", "-1s", "-"}, 3, "--for -1s: want a duration"},
		{"--for beyond a year", pod, []string{"--for", "8761h", "-"}, 3, "--for 8761h"},
		{"--seed x", pod, []string{"--seed", "x", "-"}, 3, "--seed x"},
		{"-o xml", pod, []string{"-o", "xml", "-"}, 3, "-o xml"},
		{"an unknown flag", pod, []string{"--nope", "-"}, 3, "nope"},
		{"stdin twice", pod, []string{"-", "-"}, 3, "only once"},
	} {
		exit, out, errs := podwalk(t, c.stdin, append([]string{"run"}, c.args...)...)
		if exit != c.want || !strings.Contains(errs, c.stderr) {
			t.Errorf("%s: exit %d, want %d; stderr %q", c.name, exit, c.want, errs)
		}
		if exit == 3 && out != "" {
			t.Errorf("%s: stdout is %q", c.name, out)
		}
	}
}

func TestBadDocumentsOfTheSimulationNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an unknown kind", "apiVersion: sim.podwalk.dev/v1\nkind: Clutser\n", `x.yaml:2: no kind "Clutser"`},
		{"an unknown version", "apiVersion: sim.podwalk.dev/v2\nkind: Cluster\n", `x.yaml:1: no version "sim.podwalk.dev/v2"`},
		{"an unknown field", "apiVersion: sim.podwalk.dev/v1\nkind: Cluster\nkublet: {}\n", `x.yaml:3: unknown field "spec.kublet"`},
		{"a wrong type", "apiVersion: sim.podwalk.dev/v1\nkind: Cluster\nseed: many\n", "x.yaml:3: "},
		{"an unknown plugin", "apiVersion: sim.podwalk.dev/v1\nkind: Cluster\ncni: weave\n", `x.yaml:3: cni: Unsupported value: "weave"`},
		{"two Clusters", "apiVersion: sim.podwalk.dev/v1\nkind: Cluster\n---\napiVersion: sim.podwalk.dev/v1\nkind: Cluster\n", "x.yaml:4: more than one Cluster"},
		{"a scheduler's unknown field", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nprofiles:\n- plugin: {}\n", `x.yaml:4: strict decoding error: unknown field "profiles[0].plugin"`},
		{"a scheduler's bad number", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nprofiles: []\nparallelism: 0\n", "x.yaml:4: parallelism: Invalid value: 0: should be an integer value greater than zero"},
		{"a scheduler's unknown plugin", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nprofiles:\n- plugins:\n    filter: {enabled: [{name: Nope}]}\n",
			`x.yaml:5: initializing profiles: creating profile for scheduler name default-scheduler: FilterPlugin "Nope" does not exist`},
		{"a scheduler's bad argument", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nprofiles:\n- pluginConfig:\n  - name: InterPodAffinity\n    args:\n      hardPodAffinityWeight: 101\n",
			"x.yaml:7: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]"},
		{"a scheduler's old version", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3\n", `x.yaml:2: no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"`},
		{"two configurations", "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\n---\nkind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\n", "x.yaml:4: more than one KubeSchedulerConfiguration"},
		{"two nodes of one name", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n", `two nodes named "a"`},
		{"a bad pull result", "apiVersion: sim.podwalk.dev/v1\nkind: Image\nmetadata: {name: x}\nspec: {image: x, pull: perhaps}\n", "x.yaml:4: "},
	} {
		name := file(t, "x.yaml", c.text)
		exit, out, errs := podwalk(t, "", "run", name)
		if exit != 3 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, stderr %q, want %q", c.name, exit, errs, c.want)
		}
	}
}

func TestANodesFileHoldsOnlyNodesAndACluster(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a pod", pod, "only Nodes"},
		{"nothing", "", "no Nodes"},
		{"no YAML", "a: [", "n.yaml:"},
		{"an invalid name", "apiVersion: v1\nkind: Node\nmetadata: {name: A_b}\n", "a lowercase RFC 1123 subdomain"},
		{"an unknown field", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspek: {}\n", `n.yaml:4: unknown field "spek"`},
	} {
		n := file(t, "n.yaml", c.text)
		exit, out, errs := podwalk(t, pod, "run", "--nodes", n, "-")
		if exit != 3 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.name, exit, out, errs)
		}
	}
	n := file(t, "n.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: only}\n")
	o := runJSON(t, pod, 0, "--nodes", n, "-")
	if strings.Contains(o.Get["nodes"], "node-1") || !strings.Contains(o.Get["pods"], "only") {
		t.Errorf("nodes %s\npods %s", o.Get["nodes"], o.Get["pods"])
	}
}

func TestANodeDocumentReplacesTheDefaultNodesAndIsAnnounced(t *testing.T) {
	o := runJSON(t, pod+"---\napiVersion: v1\nkind: Node\nmetadata: {name: big}\nstatus: {capacity: {cpu: \"64\"}}\n", 0, "-")
	if o.Apply[1].Object != "node//big" || o.Apply[1].Stdout != "node/big created\n" {
		t.Errorf("apply: %+v", o.Apply)
	}
	if strings.Contains(o.Get["nodes"], "node-1") || !strings.Contains(o.Get["pods"], "big") {
		t.Errorf("nodes %s\npods %s", o.Get["nodes"], o.Get["pods"])
	}
}

func TestAFileIsAppliedInTheWordsOfKubectl(t *testing.T) {
	empty := file(t, "empty.yaml", "")
	o := runJSON(t, "", 2, empty)
	if len(o.Apply) != 1 || o.Apply[0].Object != "" || o.Apply[0].Stderr != "error: no objects passed to apply\n" {
		t.Errorf("an empty file: %+v", o.Apply)
	}
	for _, c := range []struct{ name, text, want string }{
		{"NUL bytes", "apiVersion: v1\nkind: Pod\n\x00\n", "yaml: control characters are not allowed"},
		{"invalid UTF-8", "apiVersion: v1\nkind: \xff\xfe\n", "yaml: invalid"},
		{"a tab", "apiVersion: v1\n\tkind: Pod\n", "yaml: line 2"},
	} {
		name := file(t, "bad.yaml", c.text)
		o := runJSON(t, "", 2, name)
		if len(o.Apply) != 1 || !strings.HasPrefix(o.Apply[0].Stderr, "error: error parsing "+name+": error converting YAML to JSON: ") || !strings.Contains(o.Apply[0].Stderr, c.want) {
			t.Errorf("%s: %+v", c.name, o.Apply)
		}
	}
	o = runJSON(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, image: b, imagePullPolicyy: x}]}\n", 2, "-")
	want := `Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagePullPolicyy"` + "\n"
	if o.Apply[0].Stderr != want {
		t.Errorf("stderr %q", o.Apply[0].Stderr)
	}
}

func TestAScriptIsASessionAfterTheFiles(t *testing.T) {
	script := file(t, "s.txt", "# look, then wait\n$ kubectl get pod web\nwait 5s\n$ kubectl frobnicate\n$ kubectl delete pod web\nwait quiescent\n$ kubectl get pods\n")
	o := runJSON(t, pod, 0, "--script", script, "-")
	if len(o.Session) != 4 {
		t.Fatalf("session: %+v", o.Session)
	}
	if s := o.Session[1]; s.Exit != 1 || !strings.Contains(s.Stdout+s.Stderr, "not simulated") {
		t.Errorf("an unknown verb: %+v", s)
	}
	if s := o.Session[2]; s.Exit != 0 || s.Stdout != "pod \"web\" deleted from default namespace\n" {
		t.Errorf("delete: %+v", s)
	}
	if s := o.Session[3]; s.Stderr != "No resources found in default namespace.\n" {
		t.Errorf("get after delete: %+v", s)
	}
	for text, want := range map[string]string{"kubectl get pods\n": "s.txt:1", "\nwait soon\n": "s.txt:2", "$ rm -rf /\n": "s.txt:1"} {
		bad := file(t, "s.txt", text)
		if exit, _, errs := podwalk(t, pod, "run", "--script", bad, "-"); exit != 3 || !strings.Contains(errs, want) {
			t.Errorf("script %q: exit %d, stderr %q", text, exit, errs)
		}
	}
}

func TestAFolderIsReadAsKubectlReadsIt(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.yaml": pod, "a.yml": strings.Replace(pod, "web", "first", 1), "notes.txt": "no", "c.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`} {
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
	}
	os.Mkdir(filepath.Join(dir, "sub"), 0o755)
	os.WriteFile(filepath.Join(dir, "sub", "d.yaml"), []byte(pod), 0o644)
	o := runJSON(t, "", 0, dir)
	var got []string
	for _, a := range o.Apply {
		got = append(got, a.Object)
	}
	if strings.Join(got, " ") != "pod/default/first pod/default/web configmap/default/c" {
		t.Errorf("applied %v", got)
	}
}

func TestAnotherUserMayNothing(t *testing.T) {
	o := runJSON(t, pod, 2, "--as", "alice", "-")
	if !strings.Contains(o.Apply[0].Stderr, `User "alice" cannot get resource "pods" in API group "" in the namespace "default"`) {
		t.Errorf("stderr %q", o.Apply[0].Stderr)
	}
}

func TestShellsThatNeverEndAreBounded(t *testing.T) {
	for _, script := range []string{"while true; do :; done", "x=a; while true; do x=$x$x; done", ":(){ :|:& };:"} {
		text := strings.Replace(pod, `image: "nginx:1.27"`, `image: "busybox:1.36", command: ["sh", "-c", "`+script+`"]`, 1)
		if exit, _, errs := podwalk(t, text, "run", "-o", "json", "--for", "20s", "-"); exit > 1 {
			t.Errorf("%s: exit %d %s", script, exit, errs)
		}
	}
}

// A line of a script sends a request and prints where it came.
func TestAScriptSendsRequests(t *testing.T) {
	script := file(t, "s.txt", "$ podwalk request outside http://10.96.0.1\n$ podwalk request node/node-1 tcp://10.96.0.1:443\n$ podwalk request me http://x\n")
	o := runJSON(t, pod, 0, "--script", script, "-")
	if len(o.Session) != 3 {
		t.Fatalf("session: %+v", o.Session)
	}
	if s := o.Session[0]; s.Exit != 1 || !strings.Contains(s.Stdout, "\n=> timeout\n") {
		t.Errorf("a cluster address from outside: %+v", s)
	}
	if s := o.Session[1]; s.Exit != 0 || !strings.HasSuffix(s.Stdout, "=> connected\n") {
		t.Errorf("the API server from a node: %+v", s)
	}
	if s := o.Session[2]; s.Exit != 1 || s.Stderr != "error: want pod/NAMESPACE/NAME, node/NAME or outside, not \"me\"\n" {
		t.Errorf("nobody: %+v", s)
	}
}
