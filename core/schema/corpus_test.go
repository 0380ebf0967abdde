package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"podwalk/core/codec"
	"podwalk/core/internal/shared"
)

// What the real server accepted must not be called an error: corpus.json says
// which manifests it did.
func TestManifestsThatTheRealServerAcceptsHaveNoErrors(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared.Dir(t, "oracle"), "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]struct {
		Exit   int
		Stderr string
	}
	if err := json.Unmarshal(raw, &answers); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for path, a := range answers {
		if a.Exit == 0 && a.Stderr == "" {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	set := New()
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(shared.Dir(t, "corpus"), path))
		if err != nil {
			t.Fatal(err)
		}
		docs, err := codec.Read(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for i := range docs {
			for _, h := range set.Check(&docs[i]) {
				if !h.Warning {
					t.Errorf("%s:%d:%d: %s: %s", path, h.Mark.Line, h.Mark.Column, h.Path, h.Message)
				}
			}
		}
	}
	t.Logf("%d manifests", len(paths))
}

// A refusal for an unknown field or a value of a wrong type is one that the
// schema can see, too.
func TestWhatTheRealServerCannotDecodeHasAHint(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared.Dir(t, "oracle"), "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]struct{ Stderr string }
	if err := json.Unmarshal(raw, &answers); err != nil {
		t.Fatal(err)
	}
	set, seen := New(), 0
	for path, a := range answers {
		if !undecodable.MatchString(a.Stderr) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(shared.Dir(t, "corpus"), path))
		if err != nil {
			t.Fatal(err)
		}
		docs, _ := codec.Read(text)
		seen++
		hints := 0
		for i := range docs {
			hints += len(set.Check(&docs[i]))
		}
		if hints == 0 {
			t.Errorf("%s has no hint, the server says %s", path, a.Stderr)
		}
	}
	t.Logf("%d manifests", seen)
}
