// Package measured reads the captured sessions and objects of a real cluster, and
// compares texts with them line by line. For tests only.
package measured

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
)

// Snapshot is one moment of a case.
type Snapshot struct {
	Group, Case string // "kubelet", "crashloop"
	Suffix      string // ".later" or ""
	Dir         string
}

// Name prints group/case and the suffix.
func (s Snapshot) Name() string { return s.Group + "/" + s.Case + s.Suffix }

// Snapshots lists the moments that have a file of that name ("describe.txt"), in
// order.
func Snapshots(t testing.TB, file string) []Snapshot {
	t.Helper()
	root := shared.Dir(t, "oracle/cases")
	base, ext, _ := strings.Cut(file, ".")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", base+"*."+ext))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	var out []Snapshot
	for _, p := range paths {
		dir := filepath.Dir(p)
		suffix := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p), base), "."+ext)
		out = append(out, Snapshot{filepath.Base(filepath.Dir(dir)), filepath.Base(dir), suffix, dir})
	}
	return out
}

// Read returns a file of the snapshot ("events", "json"), "" if there is none.
func (s Snapshot) Read(base, ext string) string {
	b, err := os.ReadFile(filepath.Join(s.Dir, base+s.Suffix+"."+ext))
	if err != nil {
		return ""
	}
	return string(b)
}

// Object decodes YAML of one object of a known kind; nil for other kinds.
func Object(t testing.TB, text string) api.Object {
	t.Helper()
	docs, err := codec.Read([]byte(text))
	if err != nil || len(docs) == 0 {
		t.Fatalf("no object: %v", err)
	}
	o, bad := codec.DecodeObject(&docs[0])
	if bad != nil {
		t.Fatal(bad.Error())
	}
	return o
}

// Events decodes events.json in the order in which a server lists them.
func Events(t testing.TB, text string) []api.Object {
	t.Helper()
	var list []*api.Event
	if text != "" {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortStableFunc(list, func(a, b *api.Event) int { return strings.Compare(a.Name, b.Name) })
	var out []api.Object
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

// Command is one line of a session and what the real program answered.
type Command struct {
	Cmd    string `json:"cmd"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// Session is the list of commands of a case.
type Session struct {
	Group, Case, Dir string
	Namespace        string    `json:"namespace"`
	Commands         []Command `json:"commands"`
}

// Sessions reads the cases of a group.
func Sessions(t testing.TB, group string) []Session {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shared.Dir(t, "oracle/cases"), group, "*", "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	var out []Session
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(p)
		s := Session{Group: group, Case: filepath.Base(dir), Dir: dir}
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}
