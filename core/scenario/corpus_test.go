package scenario_test

import (
	"os"
	"path/filepath"
	"podwalk/core/cel"
	"sort"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/shared"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/trace"
)

// TestEveryPodManifestOfTheCorpusComesToAnExplainedEnd runs each manifest that
// holds a Pod, alone in a default cluster, for ten virtual minutes at most, and
// logs what became of its pods. A pod that is neither ready nor completed must
// have an event, a container's reason or a record that says why.
func TestEveryPodManifestOfTheCorpusComesToAnExplainedEnd(t *testing.T) {
	root := shared.Dir(t, "corpus")
	index, err := os.ReadFile(filepath.Join(root, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, row := range strings.Split(string(index), "\n")[1:] {
		cells := strings.Split(row, "\t")
		if len(cells) < 2 || !contains(strings.Split(cells[1], ","), "Pod") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, cells[0]))
		if err != nil {
			t.Fatal(err)
		}
		f := kubectl.File{Name: filepath.Base(cells[0]), Text: text}
		s, _, exit, bad := scenario.Run(scenario.RunOptions{Options: scenario.Options{Expressions: cel.New(),
			Files: []scenario.Source{{Name: f.Name, Files: []kubectl.File{f}}}}})
		if bad != nil {
			t.Errorf("%s: %v", cells[0], bad)
			continue
		}
		for _, b := range s.Cluster().Invariants() {
			t.Errorf("%s: %s", cells[0], b)
		}
		count[[]string{"all ready or completed", "not ready, explained", "refused"}[exit]]++
		t.Logf("%s: exit %d%s", cells[0], exit, outcome(t, cells[0], s))
	}
	keys := []string{}
	for k := range count {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Logf("%s: %d", k, count[k])
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// outcome says in a line what became of each pod, and fails where a pod stands
// still without a reason that can be read.
func outcome(t *testing.T, file string, s *scenario.Session) string {
	var b strings.Builder
	for _, a := range s.Applied {
		if a.Exit != 0 {
			b.WriteString("; " + strings.TrimSpace(a.Stderr))
		}
	}
	st, err := s.StateAt(s.Cluster().Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range st.Pods {
		why := reason(s, p)
		b.WriteString("; " + p.Name + " " + p.Status + " " + p.Ready + why)
		if p.Status != "Running" && p.Status != "Completed" && why == "" {
			t.Errorf("%s: pod %s is %s and nothing says why", file, p.Name, p.Status)
		}
	}
	return b.String()
}

func reason(s *scenario.Session, p scenario.PodState) string {
	for _, o := range s.Cluster().Latest().ByIndex("event.object", p.UID) {
		if e := o.(*api.Event); e.Type == "Warning" {
			return " (" + e.Reason + ": " + e.Message + ")"
		}
	}
	for _, c := range p.Containers {
		if c.Init && c.State == "running" && p.Status != "Running" {
			return " (init container " + c.Name + " runs)"
		}
	}
	for _, r := range s.Cluster().Records(0) {
		bad := r.Verdict == trace.Failed || r.Verdict == trace.Waiting || r.Verdict == trace.NotSimulated
		if bad && r.Ref.Name == p.Name && r.Ref.Kind == "Pod" {
			return " (" + r.Reason + " " + r.Message + ")"
		}
	}
	return ""
}
