package apiserver

import (
	"encoding/json"
	"os"
	"sort"
	"strings"
	"testing"

	"podwalk/core/api"
)

// TestMistakesInNewObjectsAreAnsweredAsTheRealServerDoes sends objects with one
// mistake each. testdata/answers.tsv was printed by kube-apiserver v1.37.2.
func TestMistakesInNewObjectsAreAnsweredAsTheRealServerDoes(t *testing.T) {
	text, err := os.ReadFile("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		cells := strings.Split(line, "\t")
		k := api.KindNamed(cells[0])
		res := w.do(api.Request{Verb: api.Create, Kind: k, Namespace: "default", Body: []byte(cells[1]), FieldValidation: "Strict", DryRun: true, User: w.user})
		var want, got []string
		for _, cell := range cells[2:] {
			var c []string
			if err := json.Unmarshal([]byte(cell), &c); err != nil {
				t.Fatal(err)
			}
			want = append(want, strings.Join(c, " "))
		}
		if res.Status != nil && res.Status.Details != nil {
			for _, c := range res.Status.Details.Causes {
				got = append(got, c.Type+" "+c.Field+" "+c.Message)
			}
		}
		sort.Strings(want)
		sort.Strings(got)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("line %d: %s\n got %q\nwant %q", i+2, cells[1], got, want)
		}
	}
}
