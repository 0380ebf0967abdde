package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"podwalk/core/cel"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// addPresent adds the images of which the first event on a node says that they are
// already there.
func (m *measured) addPresent() {
	raw, err := os.ReadFile(filepath.Join(m.dir, "watch.jsonl"))
	if err != nil {
		return
	}
	pulled := map[string]bool{}
	for _, l := range strings.Split(string(raw), "\n") {
		var e struct {
			Object struct {
				Reason, Message string
				Source          struct{ Host string }
			}
		}
		if json.Unmarshal([]byte(l), &e) != nil || e.Object.Reason != "Pulled" {
			continue
		}
		_, rest, _ := strings.Cut(e.Object.Message, `"`)
		image, rest, _ := strings.Cut(rest, `"`)
		node := e.Object.Source.Host
		if strings.HasPrefix(rest, " already present") && !pulled[node+image] && !contains(m.Images[node], image) {
			if m.Images == nil {
				m.Images = map[string][]string{}
			}
			m.Images[node] = append(m.Images[node], image)
		}
		pulled[node+image] = true
	}
}

// unlisted are the steps that were taken before some cases without being listed
// among their commands; their titles and outcomes tell them.
var unlisted = map[string][]string{
	"scheduling/cordoned-all":     {"cordon control-plane", "cordon worker-1", "cordon worker-2"},
	"scheduling/mixed-cordon-cpu": {"cordon worker-1"},
	"scheduling/taints":           {"taint nodes worker-1 worker-2 dedicated=db:NoSchedule"},
	"scheduling/taints-two-kinds": {"taint nodes worker-1 a=b:NoSchedule", "taint nodes worker-2 c=d:NoExecute"},
}

// prepare applies the set-up files that no command names, each with time to
// settle.
func (m measured) prepare(t *testing.T, s *scenario.Session) {
	lines := unlisted[m.ID]
	files, _ := filepath.Glob(filepath.Join(m.dir, "setup*.yaml"))
	for _, f := range files {
		named := false
		for _, c := range m.Commands {
			named = named || strings.Contains(c.Cmd, filepath.Base(f))
		}
		if !named {
			lines = append(lines, "apply -f "+filepath.Base(f))
		}
	}
	for _, l := range lines {
		if res := s.Kubectl(strings.Fields(l), nil); res.Exit != 0 {
			t.Logf("%s: kubectl %s: %s", m.ID, l, res.Stderr)
		}
		s.Cluster().Run(cluster.Until{Quiescent: true, At: s.Cluster().Now() + 3*sim.Second})
	}
}

// open builds the cluster of a case: its nodes with the images they had, the
// resync period of the real run, and the images that its runtime knew.
func (m measured) open(t *testing.T, root string, seed uint64, dir string) *scenario.Session {
	nodes, err := os.ReadFile(filepath.Join(m.dir, "nodes.yaml"))
	if err != nil {
		if nodes, err = os.ReadFile(filepath.Join(root, "nodes.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	nodes, later := laterNodes(t, root, nodes)
	var files []kubectl.File
	sim := "apiVersion: sim.podwalk.dev/v1\nkind: Cluster\nkubelet: {syncFrequency: 10s, pullSeconds: 0.7}\n"
	inputs, _ := filepath.Glob(filepath.Join(m.dir, "*.yaml"))
	seen := map[string]bool{}
	for _, f := range inputs {
		raw, _ := os.ReadFile(f)
		for _, im := range imageLine.FindAllStringSubmatch(string(raw), -1) {
			sim += scripted(strings.Trim(im[1], `"',}`), seen)
		}
	}
	files = append(files, kubectl.File{Name: "sim.yaml", Text: []byte(sim)})
	s, bad := scenario.Open(scenario.Options{Expressions: cel.New(), Seed: &seed, Files: []scenario.Source{{Files: files}}, Open: caseFiles{dir: dir},
		Nodes: &kubectl.File{Name: "nodes.yaml", Text: withImages(t, nodes, m.Images)}})
	for _, b := range bad {
		t.Fatal(m.ID, b)
	}
	createLater(t, s, dir, later, seed)
	return s
}

// laterNodes takes the nodes out that the cluster of the cases does not start with:
// kubectl created them before the case, and no kubelet ran on them.
func laterNodes(t *testing.T, root string, nodes []byte) (first, later []byte) {
	base, err := os.ReadFile(filepath.Join(root, "nodes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range strings.Split(string(nodes), "\n---\n") {
		name := nodeName.FindString(doc)
		if strings.Contains(string(base), name+"\n") {
			first = append(first, "---\n"+doc+"\n"...)
		} else {
			later = append(later, "---\n"+looseWord.ReplaceAllString(doc, `$1: "$2"`)+"\n"...)
		}
	}
	return first, later
}

// looseWord is a word that was written for readers of YAML 1.2, to which it is none.
var looseWord = regexp.MustCompile(`(?m)^( *\w+): (y|n|yes|no|on|off)$`)

var nodeName = regexp.MustCompile(`(?m)^  name: .*$`)

// createLater creates such nodes; how long before the case is not known.
func createLater(t *testing.T, s *scenario.Session, dir string, nodes []byte, seed uint64) {
	if len(nodes) == 0 {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "later.yaml"), nodes, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := s.Kubectl([]string{"create", "-f", "later.yaml"}, nil); res.Exit != 0 {
		t.Fatal(res.Stderr)
	}
	s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + sim.Second + sim.Time(seed%6)*sim.Second})
}

var imageLine = regexp.MustCompile(`image: *(\S+)`)

// scripted says of an image what the scripted runtime of the real run knew: a
// name that holds doesnotexist or no-such is not there, one that holds private
// is refused, every other one exists.
func scripted(image string, seen map[string]bool) string {
	name := image
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name = name[:i]
	}
	if seen[image] || name == "" || name != strings.ToLower(name) || strings.ContainsAny(image, " @{}") {
		return ""
	}
	seen[image] = true
	pull := "ok"
	switch {
	case strings.Contains(image, "doesnotexist"), strings.Contains(image, "no-such"):
		pull = "not found"
	case strings.Contains(image, "private"):
		pull = "denied"
	}
	return "---\napiVersion: sim.podwalk.dev/v1\nkind: Image\nmetadata: {name: x}\nspec: {image: " + image + ", pull: " + pull + "}\n"
}
