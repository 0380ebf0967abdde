package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"podwalk/core/cel"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// expectation is expect.yaml of a troubleshooting case.
type expectation struct {
	Category   string   `json:"category"`
	Kube       string   `json:"kubernetes"`
	Cluster    []string `json:"cluster"`
	Actions    []string `json:"actions"`
	Apply      struct{ Result, Error, Warning string }
	Pod        string   `json:"pod"`
	Phase      string   `json:"phase"`
	Status     string   `json:"status_column"`
	StatusAny  []string `json:"status_column_any"`
	Ready      string   `json:"ready_column"`
	Restarts   int      `json:"restarts_at_least"`
	Events     []struct{ Type, Reason, Message, Object string }
	Absent     []string `json:"events_absent"`
	Describe   []string `json:"describe_contains"`
	Others     []string `json:"other_objects"`
	Notes      []string `json:"notes"`
	Containers []struct {
		Name       string `json:"name"`
		State      string `json:"state"`
		Reason     string `json:"reason"`
		Message    string `json:"message"`
		LastState  string `json:"last_state"`
		LastReason string `json:"last_reason"`
		ExitCode   *int32 `json:"exit_code"`
	}
}

// TestTroubleshootingCases runs the cases of people who run clusters, each in the
// cluster that their README assumes. testdata/case-differences.tsv lists those
// whose outcome differs, with the reason.
func TestTroubleshootingCases(t *testing.T) {
	root := shared.Dir(t, "cases")
	known := table(t, "testdata/case-differences.tsv")
	dirs, _ := filepath.Glob(filepath.Join(root, "[0-9]*"))
	count := map[string][2]int{}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		e, bad := runCase(t, dir)
		n := count[e.Category]
		n[1]++
		reason, listed := known[name]
		switch {
		case len(bad) == 0:
			n[0]++
			if listed {
				t.Errorf("%s has the right outcome now: take it off the list", name)
			}
		case listed:
			t.Logf("%s differs (%s):\n  %s", name, reason, strings.Join(bad, "\n  "))
		default:
			t.Errorf("%s:\n  %s", name, strings.Join(bad, "\n  "))
		}
		count[e.Category] = n
	}
	total := [2]int{}
	for _, c := range sortedCategories(count) {
		t.Logf("%s: %d of %d right", c, count[c][0], count[c][1])
		total[0] += count[c][0]
		total[1] += count[c][1]
	}
	t.Logf("all: %d of %d right", total[0], total[1])
}

func sortedCategories(m map[string][2]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// caseNode is the one node that the cases assume where they declare none.
const caseNode = `apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels: {kubernetes.io/hostname: node-1, kubernetes.io/os: linux}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
`

// facts are the cluster facts that a case tells in words, as documents of the
// simulation; keyed by the case's number.
var facts = map[string]string{
	"002": image("registry.example.com/", "unauthorized"),
	"046": `---
apiVersion: sim.podwalk.dev/v1
kind: Image
metadata: {name: orders}
spec:
  image: IMAGE-OF-046
  program:
    ports: [{port: 8080}]
    answers: [{path: /healthz, code: 503}]
    termCode: 0
`,
}

func image(name, pull string) string {
	return "---\napiVersion: sim.podwalk.dev/v1\nkind: Image\nmetadata: {name: declared}\nspec: {image: IMAGE-OF-" + name + ", pull: " + pull + "}\n"
}

func runCase(t *testing.T, dir string) (expectation, []string) {
	e := readExpectation(t, dir)
	input, err := os.ReadFile(filepath.Join(dir, "input.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	prelude := ""
	if !regexp.MustCompile(`(?m)^kind: Node$`).Match(input) {
		prelude = caseNode
		if strings.Contains(strings.Join(e.Cluster, " "), "node-2 exists") {
			prelude += "---\n" + strings.ReplaceAll(caseNode, "node-1", "node-2")
		}
	}
	if f := facts[filepath.Base(dir)[:3]]; f != "" {
		im := imageLine.FindStringSubmatch(string(input))
		prelude += regexp.MustCompile(`IMAGE-OF-\S*?(,|\n)`).ReplaceAllString(f, strings.Trim(im[1], `"',}`)+"$1")
	}
	files := []scenario.Source{{Files: []kubectl.File{{Name: "cluster.yaml", Text: []byte(prelude)}, {Name: "input.yaml", Text: input}}}}
	s, bad := scenario.Open(scenario.Options{Files: files, Expressions: cel.New()})
	if bad != nil {
		return e, []string{bad[0].Error()}
	}
	return e, e.outcome(s, input)
}

func readExpectation(t *testing.T, dir string) expectation {
	raw, err := os.ReadFile(filepath.Join(dir, "expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := codec.Read(raw)
	if err != nil || len(docs) != 1 {
		t.Fatal(dir, err)
	}
	var e expectation
	if err := json.Unmarshal(codec.ToJSON(docs[0]), &e); err != nil {
		t.Fatal(dir, err)
	}
	return e
}

// outcome applies the case and returns what is not as expected once things have
// settled: any moment from the second to the tenth minute may show it, since a
// crash or a pull goes on for ever and its states take turns.
func (e expectation) outcome(s *scenario.Session, input []byte) []string {
	e.apply(s, input)
	if e.Apply.Result == "rejected" && e.Phase == "" {
		return e.applied(s)
	}
	e.act(s)
	s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + e.wait()})
	best := e.differences(s)
	for range 96 {
		if len(best) == 0 {
			break
		}
		s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + 5*sim.Second})
		if d := e.differences(s); len(d) < len(best) {
			best = d
		}
	}
	return append(best, e.applied(s)...)
}

func (e expectation) wait() sim.Time {
	if m := lookAfter.FindStringSubmatch(strings.Join(e.Actions, "\n")); m != nil {
		n, _ := strconv.Atoi(m[1])
		return sim.Time(n) * sim.Minute
	}
	return 2 * sim.Minute
}

var lookAfter = regexp.MustCompile(`look after (\d+) minutes`)

// act does what happens to the cluster in a case: where a node stops reporting it is
// the one on which the pod runs.
func (e expectation) act(s *scenario.Session) {
	if !strings.Contains(strings.Join(e.Actions, "\n"), "stops reporting (kubelet gone)") {
		return
	}
	s.Cluster().Run(cluster.Until{Quiescent: true, At: s.Cluster().Now() + sim.Minute})
	if p := e.find(s); p != nil {
		s.Fault("kubelet-stop", []string{p.Spec.NodeName})
	}
}

// apply applies the documents; where the actions speak of single documents, each
// waits for the one before.
func (e expectation) apply(s *scenario.Session, input []byte) {
	if !strings.Contains(strings.Join(e.Actions, " "), "document") {
		s.Apply([]scenario.Source{{Name: "input.yaml", Files: []kubectl.File{{Name: "input.yaml", Text: input}}}})
		return
	}
	var sources []scenario.Source
	for _, d := range codec.Split(input) {
		sources = append(sources, scenario.Source{Name: "input.yaml", Files: []kubectl.File{{Name: "input.yaml", Text: d.Text}}})
	}
	s.Apply(sources)
}

// applied compares what kubectl printed.
func (e expectation) applied(s *scenario.Session) (bad []string) {
	var text string
	failed := false
	for _, a := range s.Applied {
		text += a.Stderr
		failed = failed || a.Exit != 0
	}
	if failed != (e.Apply.Result == "rejected") {
		bad = append(bad, "apply is to be "+e.Apply.Result+", printed "+text)
	}
	for _, re := range []string{e.Apply.Error, e.Apply.Warning} {
		if re != "" && !regexp.MustCompile(re).MatchString(strings.TrimRight(text, "\n")) {
			bad = append(bad, "printed "+text+"want "+re)
		}
	}
	return bad
}

func (e expectation) differences(s *scenario.Session) (bad []string) {
	p := e.find(s)
	switch {
	case e.Phase == "":
	case e.Phase == "(no pod)" || e.Phase == "(deleted)":
		if p != nil {
			bad = append(bad, "there is a pod "+p.Name)
		}
	case p == nil:
		return []string{"there is no such pod"}
	default:
		bad = append(bad, e.pod(s, p)...)
	}
	return append(bad, e.events(s, p)...)
}

// find returns the pod that the case is about: of several that bear such a name one
// in the phase that is told of.
func (e expectation) find(s *scenario.Session) (found *api.Pod) {
	re := regexp.MustCompile(e.Pod)
	s.Cluster().Latest().Each("Pod", "", func(o api.Object) bool {
		p := o.(*api.Pod)
		if (e.Pod == "" || re.MatchString(p.Name)) && (found == nil || found.Status.Phase != e.Phase) {
			found = p
		}
		return true
	})
	return found
}

func (e expectation) pod(s *scenario.Session, p *api.Pod) (bad []string) {
	differ := func(what, got, want string) {
		if want != "" && got != want {
			bad = append(bad, what+" is "+got+", want "+want)
		}
	}
	var st scenario.PodState
	now, _ := s.StateAt(s.Cluster().Now())
	for _, x := range now.Pods {
		if x.Name == p.Name && x.Namespace == p.Namespace {
			st = x
		}
	}
	differ("phase", p.Status.Phase, e.Phase)
	if len(e.StatusAny) == 0 {
		differ("STATUS", st.Status, e.Status)
	} else if !contains(e.StatusAny, st.Status) {
		bad = append(bad, "STATUS is "+st.Status)
	}
	differ("READY", st.Ready, e.Ready)
	if st.Restarts < e.Restarts {
		bad = append(bad, "too few restarts")
	}
	bad = append(bad, e.containers(p)...)
	text := blanksAndTabs.ReplaceAllString(s.Read([]string{"describe", "pod", p.Name, "-n", p.Namespace}).Stdout, " ")
	for _, d := range e.Describe {
		if !strings.Contains(text, d) {
			bad = append(bad, "describe does not contain "+d)
		}
	}
	return bad
}

var blanksAndTabs = regexp.MustCompile(`[ \t]+`)

func (e expectation) containers(p *api.Pod) (bad []string) {
	all := append(append([]api.ContainerStatus(nil), p.Status.InitContainerStatuses...), p.Status.ContainerStatuses...)
	for _, want := range e.Containers {
		for _, c := range all {
			if c.Name != want.Name {
				continue
			}
			state, reason, message, code := stateOf(c.State)
			last, lastReason, _, lastCode := stateOf(c.LastTerminationState)
			if want.State != "" && state != want.State || want.Reason != "" && reason != want.Reason {
				bad = append(bad, c.Name+" is "+state+" "+reason+", want "+want.State+" "+want.Reason)
			}
			if want.Message != "" && !regexp.MustCompile(want.Message).MatchString(message) {
				bad = append(bad, c.Name+": message "+message+", want "+want.Message)
			}
			if want.LastState != "" && want.LastState != "none" && last != want.LastState || want.LastReason != "" && lastReason != want.LastReason {
				bad = append(bad, c.Name+": last state "+last+" "+lastReason+", want "+want.LastState+" "+want.LastReason)
			}
			if code == nil {
				code = lastCode
			}
			if want.ExitCode != nil && (code == nil || *code != *want.ExitCode) {
				bad = append(bad, c.Name+": another exit code")
			}
		}
	}
	return bad
}

func stateOf(s api.ContainerState) (state, reason, message string, code *int32) {
	switch {
	case s.Running != nil:
		return "running", "", "", nil
	case s.Terminated != nil:
		return "terminated", s.Terminated.Reason, s.Terminated.Message, &s.Terminated.ExitCode
	case s.Waiting != nil:
		return "waiting", s.Waiting.Reason, s.Waiting.Message, nil
	}
	return "", "", "", nil
}

func (e expectation) events(s *scenario.Session, p *api.Pod) (bad []string) {
	var all []*api.Event
	s.Cluster().Latest().Each("Event", "", func(o api.Object) bool {
		all = append(all, o.(*api.Event))
		return true
	})
	for _, want := range e.Events {
		found := false
		for _, ev := range all {
			// The taint eviction controller refers to pods without their uid.
			of := want.Object != "" || p == nil || ev.InvolvedObject.UID == p.UID ||
				ev.InvolvedObject.UID == "" && ev.InvolvedObject.Kind == "Pod" && ev.InvolvedObject.Name == p.Name
			found = found || of && ev.Type == want.Type && ev.Reason == want.Reason && regexp.MustCompile(want.Message).MatchString(ev.Message)
		}
		if !found {
			bad = append(bad, "no event "+want.Type+" "+want.Reason+" "+want.Message)
		}
	}
	for _, ev := range all {
		if p != nil && ev.InvolvedObject.UID == p.UID && contains(e.Absent, ev.Reason) {
			bad = append(bad, "there is an event "+ev.Reason)
		}
	}
	return bad
}
