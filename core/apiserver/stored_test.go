package apiserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
)

// masked are the values that differ between any two runs.
var masked = regexp.MustCompile(`kube-api-access-[a-z0-9]{5}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// plain turns an object into generic values without what differs between runs and
// without the status, which moves on; kept is what of the status is the server's.
func plain(v any) map[string]any {
	m, ok := codec.ToValue(v).(map[string]any)
	if !ok {
		return nil
	}
	if s, ok := m["status"].(map[string]any); ok {
		m["qosClass"] = s["qosClass"]
		delete(m, "status")
	}
	meta, _ := m["metadata"].(map[string]any)
	for _, k := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
		delete(meta, k)
	}
	without(meta, "annotations", "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision")
	without(meta, "labels", "topology.kubernetes.io/zone")
	if spec, ok := m["spec"].(map[string]any); ok {
		delete(spec, "nodeName")
		for _, k := range []string{"clusterIP", "clusterIPs"} {
			if spec[k] != "None" && fmt.Sprint(spec[k]) != "[None]" {
				delete(spec, k)
			}
		}
		maskPorts(spec)
	}
	return mask(m).(map[string]any)
}

func maskPorts(spec map[string]any) {
	ports, _ := spec["ports"].([]any)
	for _, p := range ports {
		if q, ok := p.(map[string]any); ok && q["nodePort"] != nil {
			q["nodePort"] = "set"
		}
	}
}

func without(m map[string]any, in string, keys ...string) {
	inner, ok := m[in].(map[string]any)
	if !ok {
		return
	}
	for _, k := range keys {
		delete(inner, k)
	}
	if len(inner) == 0 {
		delete(m, in)
	}
}

func mask(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = mask(x[k])
		}
	case []any:
		for i := range x {
			x[i] = mask(x[i])
		}
	case string:
		return masked.ReplaceAllString(x, "MASKED")
	}
	return v
}

// difference lists where two generic values differ.
func difference(path string, got, want any) []string {
	a, aMap := got.(map[string]any)
	b, bMap := want.(map[string]any)
	if aMap && bMap {
		var out []string
		for _, k := range keysOf(a, b) {
			out = append(out, difference(path+"."+k, a[k], b[k])...)
		}
		return out
	}
	x, xList := got.([]any)
	y, yList := want.([]any)
	if xList && yList && len(x) == len(y) {
		var out []string
		for i := range x {
			out = append(out, difference(path+"["+strconv.Itoa(i)+"]", x[i], y[i])...)
		}
		return out
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		return []string{path + ": got " + string(g) + ", want " + string(w)}
	}
	return nil
}

func keysOf(maps ...map[string]any) []string {
	seen := map[string]bool{}
	for _, m := range maps {
		for k := range m {
			seen[k] = true
		}
	}
	list := make([]string, 0, len(seen))
	for k := range seen {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}

// compareStored compares what the server has stored with what a real one had.
func compareStored(t *testing.T, w *world, name, wantFile string) (equal, total int) {
	for _, n := range objects(t, wantFile) {
		k := api.KindFor(n.Str("apiVersion"), n.Str("kind"))
		if k == nil || n.Str("metadata", "name") == "" {
			continue
		}
		total++
		got := w.st.Latest().Get(k.Kind, n.Str("metadata", "namespace"), n.Str("metadata", "name"))
		if got == nil {
			t.Errorf("%s: %s %s is not stored", name, k.Kind, n.Str("metadata", "name"))
			continue
		}
		diff := difference("", plain(got), plain(n))
		if len(diff) == 0 {
			equal++
			continue
		}
		if why := notYet[name]; why != "" {
			t.Logf("%s: %s", name, why)
			continue
		}
		t.Errorf("%s: %s %s:\n  %s", name, k.Kind, n.Str("metadata", "name"), strings.Join(diff, "\n  "))
	}
	return equal, total
}

func compareGroup(t *testing.T, group string) {
	equal, total := 0, 0
	for _, dir := range caseDirs(t, group) {
		wanted := filepath.Join(dir, "get.yaml")
		if _, err := os.Stat(wanted); err != nil {
			continue
		}
		w := newWorld(t)
		w.setUp(t, dir)
		for _, name := range []string{"input.yaml", "input.json"} {
			for _, n := range objects(t, filepath.Join(dir, name)) {
				w.send(n, name)
			}
		}
		e, n := compareStored(t, w, group+"/"+filepath.Base(dir), wanted)
		equal, total = equal+e, total+n
	}
	t.Logf("%s: %d of %d stored objects are equal", group, equal, total)
}

func TestOracleDefaultingStoresTheSameObjects(t *testing.T) { compareGroup(t, "defaulting") }
func TestOracleAdmissionStoresTheSameObjects(t *testing.T)  { compareGroup(t, "admission") }
func TestOracleValidationStoresTheSameObjects(t *testing.T) { compareGroup(t, "validation") }

// sendAll creates what a file holds and returns what kubectl would say of it:
// what was refused last.
func (w *world) sendAll(t *testing.T, file, name string) string {
	warnings, errs := "", ""
	for _, n := range objects(t, file) {
		res, text, _ := w.send(n, name)
		if res.Status != nil {
			errs += text
		} else {
			warnings += text
		}
	}
	return warnings + errs
}

// The corpus is manifests of others; the oracle holds what a real server returned
// right after it had accepted one.
func TestOracleCorpusIsStoredTheSame(t *testing.T) {
	corpus := shared.Dir(t, "corpus")
	oracle := shared.Dir(t, "oracle")
	b, err := os.ReadFile(filepath.Join(oracle, "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries map[string]struct {
		Exit           int
		Stdout, Stderr string
	}
	if err := json.Unmarshal(b, &entries); err != nil {
		t.Fatal(err)
	}
	paths := make([]string, 0, len(entries))
	for p := range entries {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	equal, total, refused := 0, 0, 0
	for _, p := range paths {
		w := newWorld(t)
		said := w.sendAll(t, filepath.Join(corpus, p), p)
		if want := entries[p].Stderr; said != want && !strings.Contains(want, "resource mapping not found") && !strings.HasPrefix(want, "error: error parsing") {
			t.Errorf("%s: said\n%swant\n%s", p, said, want)
			refused++
		}
		wanted := filepath.Join(oracle, "corpus", p)
		if _, err := os.Stat(wanted); err == nil {
			e, n := compareStored(t, w, p, wanted)
			equal, total = equal+e, total+n
		}
	}
	t.Logf("corpus: %d of %d stored objects are equal, %d answers differ", equal, total, refused)
}
