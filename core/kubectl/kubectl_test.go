package kubectl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/measured"
	"podwalk/core/kubectl"
)

func TestOracleObjectsArePrintedAsTheYAMLTheyCameFrom(t *testing.T) {
	var score measured.Score
	for _, s := range measured.Snapshots(t, "get.yaml") {
		text := s.Read("get", "yaml")
		o := measured.Object(t, text)
		if o == nil {
			continue
		}
		m := o.Meta()
		r := run(newFake(o), nil, "get "+o.ObjectType().Kind+" "+m.Name+" -o yaml -n "+or(m.Namespace, "default"))
		if d := score.Add(s.Group, r.Stdout, text); d != "" {
			t.Errorf("%s: %s%s", s.Name(), d, r.Stderr)
		}
	}
	score.Log(t, "get -o yaml")
}

func or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

// refusals are answers that a real server gives and the fake does not.
func TestOracleFilesThatKubectlItselfRefuses(t *testing.T) {
	for _, name := range []string{
		"file-apiversion-missing", "file-bad-indent", "file-colon-in-value", "file-comment-only", "file-kind-missing", "file-scalar", "file-tab",
		"file-yes-no", "apiversion-unknown", "apiversion-old-deployment", "kind-unknown", "kind-crd-missing", "name-missing",
		"name-number", "type-annotation-number", "generatename-apply", "namespace-mismatch", "no-file-flag", "file-multidoc", "file-list-kind",
		"file-json", "file-stdin", "bom", "crlf", "duplicate-key", "file-multidoc-empty-between", "unknown-fields-three", "type-port-string",
		"file-directory",
	} {
		s := session(t, "validation", name)
		c := s.Commands[len(s.Commands)-1]
		for _, one := range s.Commands {
			if strings.Contains(one.Cmd, "apply") {
				c = one
				break
			}
		}
		line := c.Cmd
		if _, rest, ok := strings.Cut(line, "| "); ok {
			line = rest
		}
		if _, rest, ok := strings.Cut(line, "&& kubectl"); ok {
			line = "kubectl" + rest
		}
		d := files(t, s.Dir)
		d["-"] = d["input.yaml"]
		d["d/a.yaml"] = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\nspec:\n  containers:\n  - name: app\n    image: nginx\n"
		d["d/b.yaml"] = "kind: Nope\n"
		r := run(newFake(), d, strings.TrimPrefix(line, "kubectl "))
		if r.Stdout != c.Stdout || r.Stderr != c.Stderr || r.Exit != c.Exit {
			t.Errorf("%s: %s\n got %d %q %q\nwant %d %q %q", name, line, r.Exit, r.Stdout, r.Stderr, c.Exit, c.Stdout, c.Stderr)
		}
		joined := ""
		for _, e := range r.Objects {
			joined += e.Stdout + e.Stderr
		}
		if len(r.Objects) > 0 && len(joined) != len(c.Stdout+c.Stderr) {
			t.Errorf("%s: the entries hold %q", name, joined)
		}
	}
}

func session(t *testing.T, group, name string) measured.Session {
	t.Helper()
	for _, s := range measured.Sessions(t, group) {
		if s.Case == name {
			return s
		}
	}
	t.Fatalf("no case %s/%s", group, name)
	return measured.Session{}
}

func files(t *testing.T, dir string) disk {
	t.Helper()
	d := disk{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if b, err := os.ReadFile(filepath.Join(dir, f.Name())); err == nil {
			d[f.Name()] = string(b)
		}
	}
	return d
}

func TestAVerbThatIsNotSimulatedSaysSo(t *testing.T) {
	r := run(newFake(), nil, "-n x kustomize dir")
	if r.Exit != 1 || r.Stderr != "not simulated: kubectl kustomize\n" {
		t.Errorf("%+v", r)
	}
}

// The texts are those of kubectl v1.37.2, but for the plugins that it looks for.
func TestAnUnknownVerbNamesThoseThatItMayMean(t *testing.T) {
	for line, want := range map[string]string{
		"nosuch":    "error: unknown command \"nosuch\" for \"kubectl\"\nnot simulated: a plugin such as kubectl-nosuch\n",
		"gett pods": "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tset\n\tget\n",
	} {
		if r := run(newFake(), nil, line); r.Exit != 1 || r.Stderr != want || r.Stdout != "" {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

func TestMarksStandAtTheFieldThatAnErrorNames(t *testing.T) {
	text := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {a.b/c: d}\nspec:\n  containers:\n  - name: app\n    image: nginx\n    ports:\n    - containerPort: 70000\n"
	docs, err := codec.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]int32{
		"spec.containers[0].ports[0].containerPort": {11, 22},
		"spec.containers[0].livenessProbe.exec":     {8, 5},
		"metadata.labels[a.b/c]":                    {5, 19},
		"spec.containers[3]":                        {7, 3},
		"nowhere":                                   {4, 9},
	} {
		if m := kubectl.Locate(&docs[0], path); m.Line != want[0] || m.Column != want[1] {
			t.Errorf("%s: %d:%d, want %v", path, m.Line, m.Column, want)
		}
	}
}

func TestARefusedDocumentDoesNotStopTheOthersAndHasItsMark(t *testing.T) {
	f := newFake()
	f.refuse = func(r api.Request) *api.Response {
		if r.Verb != api.Create || !strings.Contains(string(r.Body), `"two"`) {
			return nil
		}
		return &api.Response{
			Warnings: []string{"look out"},
			Status: &api.Status{Status: "Failure", Reason: api.ReasonInvalid, Message: "Pod \"two\" is invalid", Details: &api.StatusDetails{
				Kind: "Pod", Name: "two", Causes: []api.StatusCause{{Field: "spec.containers", Message: "Required value"}},
			}},
		}
	}
	r := run(f, disk{"f.yaml": pod("one") + "---\n" + pod("two") + "---\nkind: X\napiVersion: v9\n"}, "apply -f f.yaml")
	if r.Exit != 1 || r.Stdout != "pod/one created\n" {
		t.Errorf("%+v", r)
	}
	// Several errors lose the words "error:"; the one of reading comes first.
	want := "Warning: look out\n" +
		"resource mapping not found for name: \"\" namespace: \"\" from \"f.yaml\": no matches for kind \"X\" in version \"v9\"\nensure CRDs are installed first\n" +
		"Error from server (Invalid): error when creating \"f.yaml\": Pod \"two\" is invalid\n"
	if r.Stderr != want {
		t.Errorf("got %q", r.Stderr)
	}
	if len(r.Objects) != 3 || r.Objects[0].Ref.Name != "one" || r.Objects[0].Exit != 0 {
		t.Errorf("%+v", r.Objects)
	}
	for _, m := range r.Marks {
		if m.Message == "spec.containers: Required value" && (m.Line != 13 || m.Column != 3) {
			t.Errorf("%+v", m)
		}
	}
}

func pod(name string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n  containers:\n  - name: app\n    image: nginx\n"
}

func TestApplyTellsEachDocumentBeforeItIsApplied(t *testing.T) {
	var told []int
	file := kubectl.File{Name: "f.yaml", Text: []byte(pod("one") + "---\n" + pod("two"))}
	list := kubectl.Apply(newFake(), file, kubectl.Options{}, func(n int) bool { told = append(told, n); return true })
	if len(told) != 2 || len(list) != 2 || list[1].Line != 9 || list[1].Stdout != "pod/two created\n" {
		t.Errorf("%v %+v", told, list)
	}
}

func TestBadFilesEndInAnEntryAndNeverInAPanic(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "error: no objects passed to apply\n",
		"\n---\n# only words\n---\n": "error: no objects passed to apply\n",
		"apiVersion: v1\nkind: List\nitems: []\n": "error: no objects passed to apply\n",
		"a\x00b":           "",
		"\xff\xfe\xfd":     "",
		"kind: [":          "",
		"items: [1, null]": "",
		"{}":               "",
		"- a":              "",
		"kind: Pod\napiVersion: v1\nmetadata: []\n": "",
		"kind: Pod\napiVersion: v1\nspec: 3\n":      "",
	} {
		list := kubectl.Apply(newFake(), kubectl.File{Name: "f.yaml", Text: []byte(text)}, kubectl.Options{}, nil)
		if len(list) == 0 || list[0].Exit != 1 || list[0].Stderr == "" || want != "" && list[0].Stderr != want {
			t.Errorf("%q: %+v", text, list)
		}
	}
}

func FuzzApplyTakesAnyBytes(f *testing.F) {
	f.Add([]byte(pod("web") + "---\n" + pod("a")))
	f.Add([]byte("kind: List\napiVersion: v1\nitems:\n- {}\n- kind: X\n"))
	f.Add([]byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a, annotations: {x: 1}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fk := newFake()
		for range 2 { // made, then merged
			out := ""
			list := kubectl.Apply(fk, kubectl.File{Name: "f.yaml", Text: text}, kubectl.Options{}, nil)
			for _, e := range list {
				out += e.Stdout + e.Stderr
			}
			r := kubectl.Run(fk, disk{"f.yaml": string(text)}, []string{"apply", "-f", "f.yaml", "--dry-run=client"}, kubectl.Options{})
			if len(list) == 0 || out == "" || r.Stdout+r.Stderr == "" {
				t.Errorf("%q said nothing", text)
			}
		}
	})
}

func TestFlagsAreReadAsTheRealOnesAre(t *testing.T) {
	for line, want := range map[string]string{
		"get pods --bogus":           "error: unknown flag: --bogus\nSee 'kubectl get --help' for usage.\n",
		"get pods -x":                "error: unknown shorthand flag: 'x' in -x\nSee 'kubectl get --help' for usage.\n",
		"get pods -n":                "error: flag needs an argument: 'n' in -n\nSee 'kubectl get --help' for usage.\n",
		"--kubeconfig k.yaml get po": "error: stat k.yaml: no such file or directory\n",
		"get pods -w":                "not simulated: kubectl get --watch without --request-timeout\n",
		"get pods -A --no-headers=x": "error: invalid argument \"x\" for \"--no-headers\" flag: strconv.ParseBool: parsing \"x\": invalid syntax\nSee 'kubectl get --help' for usage.\n",
		"get -An kube-system po":     "No resources found\n",
		"-n kube-system get po":      "No resources found in kube-system namespace.\n",
		"describe":                   "error: You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n",
	} {
		if r := run(newFake(), nil, line); r.Stderr != want {
			t.Errorf("%s: %q", line, r.Stderr)
		}
	}
}

func TestCommandLinesAreSplitAndJoinedAgain(t *testing.T) {
	for line, want := range map[string][]string{
		`a 'b c' "d \"e\"" f\ g`: {"a", "b c", `d "e"`, "f g"},
		`-p '{"x":{}}'`:          {"-p", `{"x":{}}`},
		`a "" 'open`:             {"a", "", "open"},
	} {
		got := kubectl.SplitLine(line)
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q", line, got)
		}
		if again := kubectl.SplitLine(kubectl.JoinLine(got)); strings.Join(again, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q", line, again)
		}
	}
}
