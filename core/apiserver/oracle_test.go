package apiserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"podwalk/core/admission/resourcequota"
	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
)

// oracleCase is what a real cluster was given and what it answered.
type oracleCase struct {
	dir      string
	ID       string
	Commands []struct {
		Cmd, Stdout, Stderr string
		Exit                int
	}
}

func readCase(t *testing.T, dir string) *oracleCase {
	t.Helper()
	c := &oracleCase{dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is what the command that sends input.yaml said on its standard error, and
// as whom it was run.
func (c *oracleCase) answer() (said, user string, ok bool) {
	for _, cmd := range c.Commands {
		if strings.HasPrefix(cmd.Cmd, "kubectl apply -f input.yaml") || strings.HasPrefix(cmd.Cmd, "kubectl create -f input.yaml") {
			_, user, _ = strings.Cut(cmd.Cmd, "--as=")
			return cmd.Stderr, user, true
		}
	}
	return "", "", false
}

// objects reads the documents of a file as kubectl sends them.
func objects(t *testing.T, file string) []codec.Node {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	nodes, err := codec.Read(b)
	if err != nil {
		return nil
	}
	var out []codec.Node
	for _, n := range nodes {
		if strings.HasSuffix(n.Str("kind"), "List") && n.Get("items") != nil {
			out = append(out, n.Get("items").Items...)
			continue
		}
		out = append(out, n)
	}
	return out
}

// send creates the object of a document; known is false where the API lacks the
// kind, which kubectl would say itself.
func (w *world) send(n codec.Node, file string) (res api.Response, text string, known bool) {
	k := api.KindFor(n.Str("apiVersion"), n.Str("kind"))
	if n.Str("kind") == "pod" {
		k = podKind() // kubectl finds the resource whatever its case
	}
	if k == nil {
		return api.Response{}, "", false
	}
	namespace := n.Str("metadata", "namespace")
	if namespace == "" {
		namespace = "default"
	}
	res = w.do(api.Request{Verb: api.Create, Kind: k, Namespace: namespace, Body: codec.ToJSON(n), FieldValidation: "Strict", User: w.user})
	for _, warning := range res.Warnings {
		text += "Warning: " + warning + "\n"
	}
	return res, wrap(res.Status, file) + text, true
}

// wrap is kubectl's way to say what the server refused.
func wrap(st *api.Status, file string) string {
	switch {
	case st == nil:
		return ""
	case st.Reason != api.ReasonInvalid:
		return "Error from server (" + st.Reason + "): error when creating \"" + file + "\": " + st.Message + "\n"
	}
	head := "The " + st.Details.Kind + " \"" + st.Details.Name + "\" is invalid"
	var list []string
	seen := map[string]bool{}
	for _, c := range st.Details.Causes {
		line := c.Field + ": " + c.Message
		if !seen[line] {
			seen[line] = true
			list = append(list, line)
		}
	}
	if len(list) == 1 {
		return head + ": " + list[0] + "\n"
	}
	return head + ": \n* " + strings.Join(list, "\n* ") + "\n"
}

func caseDirs(t *testing.T, group string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(shared.Dir(t, "oracle/cases/"+group), "*"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(dirs)
	return dirs
}

// kubectlOnly are cases that kubectl decides without the server, by the start of
// what it prints.
func kubectlOnly(stderr string) bool {
	for _, p := range []string{"error:", "Please enter"} {
		if strings.HasPrefix(stderr, p) {
			return true
		}
	}
	return false
}

func (w *world) setUp(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "setup*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	for _, f := range files {
		for _, n := range objects(t, f) {
			if res, _, known := w.send(n, filepath.Base(f)); known && res.Status != nil {
				t.Logf("%s: %s: %s", filepath.Base(dir), filepath.Base(f), res.Status.Message)
			}
		}
		w.countQuotas(t)
	}
}

// countQuotas writes the status of the quotas, as their controller would.
func (w *world) countQuotas(t *testing.T) {
	for _, o := range w.st.Latest().List("ResourceQuota", "") {
		q := *o.(*api.ResourceQuota)
		q.Status = api.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: resourcequota.Used(w.st.Latest(), &q)}
		if res := w.do(api.Request{Verb: api.Update, Kind: api.KindNamed("ResourceQuota"), Namespace: q.Namespace, Name: q.Name, Subresource: "status",
			Object: &q, User: api.User{Name: "system:serviceaccount:kube-system:resourcequota-controller"}}); res.Failed() {
			t.Fatal(res.Status.Message)
		}
	}
}

// notYet names the cases that need what is not simulated, with the reason.
var notYet = map[string]string{
	"admission/vap-deny-message":     noCEL,
	"admission/vap-deny-messageexpr": noCEL,
	"admission/vap-runtime-error":    noCEL,
	"admission/vap-two":              noCEL,
	"admission/vap-variables":        noCEL,
	"admission/vap-warn":             noCEL,
	"admission/map-jsonpatch":        noCEL,
	"admission/map-sidecar":          noCEL,
	"update/ephemeral-debug":         "kubectl debug is not a command of this test",
}

const noCEL = "CEL expressions are not simulated"

func compareAnswers(t *testing.T, group string) {
	equal, total := 0, 0
	for _, dir := range caseDirs(t, group) {
		c := readCase(t, dir)
		want, user, ok := c.answer()
		if !ok || kubectlOnly(want) {
			continue
		}
		total++
		got := runCase(t, dir, user)
		if got == want {
			equal++
			continue
		}
		if why := notYet[c.ID]; why != "" {
			t.Logf("%s: %s", c.ID, why)
			continue
		}
		t.Errorf("%s:\n got %s\nwant %s", c.ID, got, want)
	}
	t.Logf("%s: %d of %d answers are equal", group, equal, total)
}

func runCase(t *testing.T, dir, user string) string {
	w := newWorld(t)
	w.setUp(t, dir)
	if user != "" {
		w.user = api.User{Name: user, Groups: []string{"system:authenticated"}}
	}
	name := "input.yaml"
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		name = "input.json"
	}
	errs, warnings := "", ""
	for _, n := range objects(t, filepath.Join(dir, name)) {
		res, text, _ := w.send(n, name)
		if res.Status != nil {
			errs += text
		} else {
			warnings += text
		}
	}
	return errs + warnings
}

func TestOracleValidationAnswers(t *testing.T) { compareAnswers(t, "validation") }
func TestOracleAdmissionAnswers(t *testing.T)  { compareAnswers(t, "admission") }
