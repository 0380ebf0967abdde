package difftest

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"podwalk/core/codec"
)

// sharedDir returns a folder beside the project, or skips the test.
func sharedDir(t testing.TB, sub string) string {
	t.Helper()
	dir := os.Getenv("PODWALK_SHARED")
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for d := wd; d != filepath.Dir(d); d = filepath.Dir(d) {
			if _, err := os.Stat(filepath.Join(d, "shared", sub)); err == nil {
				dir = filepath.Join(d, "shared")
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, sub)); dir == "" || err != nil {
		t.Skip("no shared folder beside the project")
	}
	return filepath.Join(dir, sub)
}

// manifests returns the YAML and JSON files of the shared folders by path.
func manifests(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, sub := range []string{"corpus", "cases", "oracle/cases"} {
		err := filepath.WalkDir(sharedDir(t, sub), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".yaml") && !strings.HasSuffix(p, ".yml") && !strings.HasSuffix(p, ".json") {
				return err
			}
			text, err := os.ReadFile(p)
			if len(text) < 200000 {
				files[p] = text
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// realRead reads a file as kubectl's stream visitor does: JSON texts as they are
// sent, and the error behind "error parsing FILE: ".
func realRead(text []byte) (docs []string, failure string) {
	d := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		ext := runtime.RawExtension{}
		if err := d.Decode(&ext); err != nil {
			if err == io.EOF {
				return docs, ""
			}
			return docs, err.Error()
		}
		ext.Raw = bytes.TrimSpace(ext.Raw)
		if len(ext.Raw) == 0 || bytes.Equal(ext.Raw, []byte("null")) {
			continue
		}
		var v any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(ext.Raw, &v); err != nil {
			docs = append(docs, "undecodable: "+err.Error())
			continue
		}
		out, err := json.Marshal(v)
		if err != nil {
			out = []byte(err.Error())
		}
		docs = append(docs, string(out))
	}
}

func ourRead(text []byte) (docs []string, failure string) {
	list, err := codec.Read(text)
	for i := range list {
		docs = append(docs, string(codec.ToJSON(&list[i])))
	}
	return docs, errText(err)
}

// compareRead reports whether both readers agree.
func compareRead(t *testing.T, name string, text []byte) bool {
	t.Helper()
	want, wantErr := realRead(text)
	got, gotErr := ourRead(text)
	if strings.Join(got, "\n") == strings.Join(want, "\n") && gotErr == wantErr {
		return true
	}
	t.Errorf("%s: differs\n%.800q\ngot  %.600q %q\nwant %.600q %q", name, text, got, gotErr, want, wantErr)
	return false
}

func TestManifestsAreReadAsKubectlReadsThem(t *testing.T) {
	files := manifests(t)
	for name, text := range files {
		compareRead(t, filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name), text)
	}
	t.Log(len(files), "files compared")
}

// mutate changes a text in a few places, as people and tools do by mistake.
func mutate(r *rand.Rand, text []byte) []byte {
	snippets := []string{"\t", ":", ": ", "- ", "\n", "\n  ", "\r\n", "\"", "'", "{", "}", "[", "]", ",", "#", " #", "|", ">", "|-\n", ">+\n", "&a ", "*a", "<<: *a", "!", "!!str ", "!!int ",
		"!!binary ", "%", "%YAML 1.1\n", "@", "`", "---", "---\n", "...\n", "--- x\n", "? ", "yes", "0777", "0o17", "1e3", "1_000", ".inf", "~", "null", "2001-01-01", "12:30:45", "\\", "\\x41", "é", "\u2028", "\u0085",
		"\xff", "\x00", "\xef\xbb\xbf", "    ", "  ", "{{ .Values.x }}", "a: b: c", "x", "\\\n", "''", "\"\"", "0x1F", "-", "=", "1.0", "18446744073709551615", "!<tag:yaml.org,2002:str> ", "!foo!bar ", "%TAG ! tag:x\n"}
	out := append([]byte(nil), text...)
	for range 1 + r.Intn(3) {
		if len(out) == 0 {
			return out
		}
		at := r.Intn(len(out) + 1)
		switch r.Intn(5) {
		case 0, 1, 2:
			s := snippets[r.Intn(len(snippets))]
			out = append(out[:at:at], append([]byte(s), out[at:]...)...)
		case 3:
			end := min(len(out), at+1+r.Intn(4))
			out = append(out[:at:at], out[end:]...)
		case 4:
			lines := bytes.SplitAfter(out, []byte("\n"))
			i, j := r.Intn(len(lines)), r.Intn(len(lines))
			lines[i] = append(bytes.Repeat([]byte(" "), r.Intn(3)), lines[j]...)
			out = bytes.Join(lines, nil)
		}
	}
	return out
}

func TestMutatedManifestsAreReadAsKubectlReadsThem(t *testing.T) {
	files := manifests(t)
	var texts [][]byte
	for _, name := range sortedNames(files) {
		if len(files[name]) < 3000 {
			texts = append(texts, files[name])
		}
	}
	r := rand.New(rand.NewSource(6))
	bad, errors := 0, 0
	n := rounds(40000)
	for range n {
		text := mutate(r, texts[r.Intn(len(texts))])
		if _, e := ourRead(text); e != "" {
			errors++
		}
		if !compareRead(t, "mutation", text) {
			if bad++; bad > 10 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%d texts compared, %d of them wrong", n, errors)
}

func sortedNames(m map[string][]byte) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// scraps are small texts made of YAML's own characters.
func TestYAMLScrapsAreReadAsKubectlReadsThem(t *testing.T) {
	words := strings.Split("a|b|: |:|- |-|? |?|{|}|[|]|,|, |\n|\n|\n  |\n    |\n |#| #|'|\"|&a |*a|&b|*b|<<: |!!str |!!int |!|!x |!!binary |>|>\n  |>-\n |>+|>2|-\n|+|1|0x|.5|e|true|~|null|---|---\n|...|\t| \t|%YAML 1.1\n---\n|%TAG !e! x\n|!e!y |\\n|\\|\\u00e9|é|\r\n|\r|<<|=|@|`|\u2028|\u0085|''|0b1|_", "|")
	words = append(words, "|", "|\n  ", "|-\n ", "|+\n", "| #", "|2\n", "{a: b}", "[a, b]", "a: 1\n", "- x\n")
	bad := 0
	for i, s := range pieces(rounds(150000), 7, words) {
		if i%2 == 0 {
			s = "k: " + s
		}
		if !compareRead(t, "scrap", []byte(s)) {
			if bad++; bad > 10 {
				t.Fatal("too many differences")
			}
		}
	}
}

func TestYAMLIsWrittenAsKubectlWritesIt(t *testing.T) {
	files := manifests(t)
	n := 0
	for name, text := range files {
		docs, _ := codec.Read(text)
		for i := range docs {
			n++
			compareWrite(t, name, &docs[i])
		}
	}
	t.Log(n, "documents compared")
}

func compareWrite(t *testing.T, name string, doc *codec.Node) bool {
	t.Helper()
	want, err := yaml.JSONToYAML(codec.ToJSON(doc))
	if got := codec.ToYAML(doc); err == nil && got != string(want) {
		t.Errorf("%s: written as\n%.1500s\nwant\n%.1500s", name, got, want)
		return false
	}
	return true
}

func TestStringsAreWrittenAsKubectlWritesThem(t *testing.T) {
	// Without U+0085: known difference yaml/next-line.
	words := strings.Split("a|b| |  |\n|\t|:|: |#| #|-|- |?|'|\"|\\|é|\u2028|\u00a0|😀|\ufeff|yes|1|0|:30|.|~|null|2001-01-02|long words to go beyond the width |x.y/z-|{|}|[|]|,|&|*|!|@|`|=|<<|1_0|0x1|e|\r|\x01|---|...", "|")
	words = append(words, "|", ">", "%", strings.Repeat("w", 40)+" ")
	bad := 0
	for i, s := range pieces(rounds(60000), 8, words) {
		var v any = map[string]any{"k": s, s: []any{s, map[string]any{"a": s}}, "n": []any{[]any{s, int64(i)}, float64(i) / 8, nil, true}}
		if i%5 == 0 {
			v = s
		}
		n := codec.ToNode(v)
		if !compareWrite(t, "string", &n) {
			if bad++; bad > 5 {
				t.Fatal("too many differences")
			}
		}
	}
}
