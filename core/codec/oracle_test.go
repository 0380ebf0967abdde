package codec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/shared"
)

// owned is what codec writes in kubectl's messages; everything else of a message
// belongs to others.
var owned = regexp.MustCompile(`error parsing|json: cannot unmarshal|strict decoding error|unknown field|quantities must match|unable to parse quantity|illegal base64`)

// complaint is what kubectl or the server says about a file because of its text
// or types, or "".
func complaint(text []byte) string {
	docs, err := Read(text)
	if err != nil {
		return "error parsing " + "FILE" + ": " + err.Error()
	}
	for i := range docs {
		for _, n := range items(&docs[i]) {
			if _, r := DecodeMeta(n); r != nil {
				return r.Error()
			}
			if _, r := DecodeObject(n); r != nil {
				return r.Error()
			}
		}
	}
	return ""
}

// items returns the elements of a List, or the document itself.
func items(n *Node) []*Node {
	l := n.Get("items")
	if l == nil || n.Str("kind") != "List" {
		return []*Node{n}
	}
	var out []*Node
	for i := range l.Items {
		out = append(out, &l.Items[i])
	}
	return out
}

func TestOracleRefusalsOfTextsAndTypesAreWordForWord(t *testing.T) {
	dir := shared.Dir(t, "oracle/cases")
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*", "apply.stderr"))
	equal, compared, refused := 0, 0, 0
	for _, f := range cases {
		stderr, _ := os.ReadFile(f)
		text, err := os.ReadFile(filepath.Join(filepath.Dir(f), "input.yaml"))
		if err != nil || foreign(text) {
			continue
		}
		compared++
		got := strings.ReplaceAll(complaint(text), "FILE", "input.yaml")
		name := strings.TrimPrefix(filepath.Dir(f), dir)
		if checkComplaint(t, name, got, string(stderr)) {
			equal++
		}
		if got != "" {
			refused++
		}
	}
	t.Logf("%d of %d cases agree, %d of them are refused for their text or types", equal, compared, refused)
}

// foreign reports files that kubectl refuses before it looks at types (values that
// are no objects) and those of custom kinds, whose schema the server has.
func foreign(text []byte) bool {
	docs, _ := Read(text)
	for i := range docs {
		if docs[i].Kind != Map || docs[i].Str("apiVersion") == "example.com/v1" {
			return true
		}
	}
	return false
}

// checkComplaint compares with what kubectl printed. Without strict validation an
// unknown field is a warning of the same words.
func checkComplaint(t *testing.T, name, got, stderr string) bool {
	t.Helper()
	words := strings.TrimPrefix(got, "strict decoding error: ")
	if got == "" && owned.MatchString(stderr) && !strings.Contains(stderr, "patch") {
		t.Errorf("%s: nothing is refused, kubectl says %s", name, stderr)
		return false
	}
	if !strings.Contains(stderr, words) {
		t.Errorf("%s: %s\nkubectl says %s", name, got, stderr)
		return false
	}
	return true
}

func TestOracleCorpusRefusalsOfTextsAndTypesAreWordForWord(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared.Dir(t, "oracle"), "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct{ Stderr string }
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	corpus := shared.Dir(t, "corpus")
	equal, refused := 0, 0
	for _, name := range sortedKeys(cases) {
		text, err := os.ReadFile(filepath.Join(corpus, name))
		if err != nil {
			t.Log(err)
			continue
		}
		got := strings.ReplaceAll(complaint(text), "FILE", name)
		if checkComplaint(t, name, got, cases[name].Stderr) {
			equal++
		}
		if got != "" {
			refused++
		}
	}
	t.Logf("%d of %d files agree, %d of them are refused for their text or types", equal, len(cases), refused)
}

// TestOracleObjectsArePrintedAsTheyWere decodes what `kubectl get -o yaml` printed
// into our structs and prints it again.
func TestOracleObjectsArePrintedAsTheyWere(t *testing.T) {
	dir := shared.Dir(t, "oracle")
	files, _ := filepath.Glob(filepath.Join(dir, "cases", "*", "*", "get*.yaml"))
	err := filepath.WalkDir(filepath.Join(dir, "corpus"), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	equal, objects := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n, same := printedAgain(t, strings.TrimPrefix(f, dir), string(text))
		objects += n
		if same {
			equal++
		}
	}
	t.Logf("%d of %d files equal, %d objects", equal, len(files), objects)
}

func printedAgain(t *testing.T, name, text string) (objects int, same bool) {
	t.Helper()
	docs, err := Read([]byte(text))
	if err != nil || len(docs) != 1 {
		t.Errorf("%s: %d documents, %v", name, len(docs), err)
		return 0, false
	}
	doc := docs[0]
	if doc.Str("kind") == "List" {
		l := doc.Get("items")
		l.Items = slices.Clone(l.Items)
		for i := range l.Items {
			l.Items[i] = throughStructs(t, name, &l.Items[i])
			objects++
		}
	} else {
		doc = throughStructs(t, name, &doc)
		objects = 1
	}
	got := ToYAML(&doc)
	if got != text {
		t.Errorf("%s differs at %s", name, firstDifference(got, text))
	}
	return objects, got == text
}

func throughStructs(t *testing.T, name string, n *Node) Node {
	t.Helper()
	o, r := DecodeObject(n)
	if r != nil {
		t.Errorf("%s: %s", name, r.Error())
	}
	if o == nil {
		return *n
	}
	return ToNode(o)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return g[i] + "\nwant " + strings.Join(w[min(i, len(w)):min(i+2, len(w))], " | ")
		}
	}
	return "the end"
}

func TestOracleEventsAreDecodedStrictly(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle/cases"), "*", "*", "events*.json"))
	events := 0
	for _, f := range files {
		text, _ := os.ReadFile(f)
		list, err := ParseJSON(text)
		if err != nil {
			t.Fatal(f, err)
		}
		l := &list
		if list.Kind == Map {
			l = list.Get("items")
		}
		if l == nil {
			continue
		}
		for i := range l.Items {
			events++
			var e api.Event
			if r := Decode(&l.Items[i], &e); r != nil {
				t.Error(f, r.Error())
			}
			want := l.Items[i]
			if got := string(ToJSON(&e)); got != canonical(want) {
				t.Errorf("%s: %s\nwant %s", f, got, canonical(want))
			}
		}
	}
	t.Log(events, "events")
}

func canonical(n Node) string {
	r := resolver{}
	normalise(&n, &r)
	return string(ToJSON(&n))
}

// TestOracleOutputIsPrintedAgain reads what kubectl printed with -o json and -o
// yaml in the captured sessions and prints it again.
func TestOracleOutputIsPrintedAgain(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle/cases"), "*", "*", "case.json"))
	asJSON, asYAML := 0, 0
	for _, f := range files {
		var c struct {
			Commands []struct{ Cmd, Stdout string }
		}
		raw, _ := os.ReadFile(f)
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(f, err)
		}
		for _, cmd := range c.Commands {
			if !strings.HasPrefix(cmd.Cmd, "kubectl get ") || strings.Contains(cmd.Cmd, "kyaml") {
				continue
			}
			docs, err := Read([]byte(cmd.Stdout))
			if err != nil || len(docs) != 1 || docs[0].Kind != Map || docs[0].Str("apiVersion") == "" {
				continue
			}
			doc := docs[0]
			got := ToYAML(&doc)
			if strings.HasPrefix(cmd.Stdout, "{") {
				got = string(ToJSONIndent(&doc))
				asJSON++
			} else {
				asYAML++
			}
			if got != cmd.Stdout {
				t.Errorf("%s %s: differs at %s", f, cmd.Cmd, firstDifference(got, cmd.Stdout))
			}
		}
	}
	t.Log(asJSON, "times JSON,", asYAML, "times YAML")
}
