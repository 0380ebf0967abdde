package scenario_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// written are files by name.
type written map[string]string

func (w written) Open(name string) ([]kubectl.File, error) {
	text, ok := w[name]
	if !ok {
		return nil, kubectl.ErrNotExist
	}
	return []kubectl.File{{Name: name, Text: []byte(text)}}, nil
}

// The answers in testdata/custom.json were printed by kubectl and kube-apiserver
// v1.37.2: a definition with every sort of schema and objects that break each rule of
// it, then definitions with one fault each.
func TestCustomKindsAnswerAsTheRealServerDid(t *testing.T) {
	text, err := os.ReadFile("testdata/custom.json")
	if err != nil {
		t.Fatal(err)
	}
	var given struct {
		Files written
		Runs  []struct {
			Argv           []string
			Stdout, Stderr string
		}
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	s, bad := scenario.Open(scenario.Options{Open: given.Files})
	if bad != nil {
		t.Fatal(bad)
	}
	for _, r := range given.Runs {
		got := s.Kubectl(r.Argv, nil)
		s.Cluster().Run(cluster.Until{Quiescent: true, At: s.Cluster().Now() + 5*sim.Second})
		for _, pair := range [][2]string{{got.Stdout, r.Stdout}, {got.Stderr, r.Stderr}} {
			if g, w := maskedLines(pair[0]), maskedLines(pair[1]); !slices.Equal(g, w) {
				t.Errorf("kubectl %s\n got %s\nwant %s", strings.Join(r.Argv, " "), strings.Join(g, "\n"), strings.Join(w, "\n"))
			}
		}
	}
}
