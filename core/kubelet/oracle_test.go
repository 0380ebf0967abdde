package kubelet

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/internal/shared"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// oracleCase is a case of the real system's answers that is about one pod.
type oracleCase struct {
	dir       string
	snapshots map[string]int
	images    map[string][]string
	pod       *api.Pod // as the API server had it right after it was bound
	docs      []api.Object
	deleted   time.Duration // when a deletion was asked for, 0: never
	grace     int64
}

// wrongHere are the cases whose outcome this harness cannot make, with the reason.
var wrongHere = map[string]string{
	"critical-preempts":      "needs the scheduler",
	"describe-rich":          "its runtime let the server end at once",
	"pull-never":             "its events were read between two of one instant",
	"readiness-http-timeout": "a slow server ran on the node",
	"oomkilled":              "its runtime called exit code 137 an OOM kill",
	"pods-limit":             "two pods",
	"resize-restart":         "a stub without cgroups answered",
	"delete-finalizer":       "needs the API server's deletion",
	"hostnetwork":            "only a warning of the API server",
}

func loadCase(t *testing.T, dir string) (c oracleCase, ok bool) {
	var head struct {
		Snapshots map[string]int
		Images    map[string][]string
		Pods      []string
	}
	b, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil || json.Unmarshal(b, &head) != nil || len(head.Pods) != 1 || len(head.Snapshots) == 0 {
		return c, false
	}
	c = oracleCase{dir: dir, snapshots: head.Snapshots, images: head.Images}
	c.pod = c.get(t, "")
	if c.pod == nil {
		for s := range head.Snapshots {
			if c.pod = c.get(t, s); c.pod != nil {
				break
			}
		}
	}
	for _, f := range []string{"input.yaml", "setup1.yaml", "setup2.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			continue
		}
		for _, doc := range strings.Split(string(text), "\n---") {
			if strings.Contains(doc, "kind:") && !strings.Contains(doc, "kind: Pod\n") {
				o := decode[api.Object](t, doc)
				if k := api.KindNamed(o.ObjectType().Kind); k.Namespaced && o.Meta().Namespace == "" {
					o.Meta().Namespace = "default"
				}
				if s, ok := o.(*api.Secret); ok && s.Data == nil {
					s.Data = map[string][]byte{}
				}
				if s, ok := o.(*api.Secret); ok {
					for k, v := range s.StringData {
						s.Data[k] = []byte(v)
					}
				}
				c.docs = append(c.docs, o)
			}
		}
	}
	c.readDeletion()
	return c, c.pod != nil
}

func (c *oracleCase) get(t *testing.T, suffix string) *api.Pod {
	name := "get.yaml"
	if suffix != "" {
		name = "get." + suffix + ".yaml"
	}
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil || !strings.Contains(string(b), "kind: Pod") {
		return nil
	}
	return decode[*api.Pod](t, string(b))
}

// readDeletion finds the moment of the deletion in the watch.
func (c *oracleCase) readDeletion() {
	f, err := os.Open(filepath.Join(c.dir, "watch.jsonl"))
	if err != nil {
		return
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	bound := 0.0
	for sc.Scan() {
		var l struct {
			T      float64
			Object struct {
				Kind     string
				Reason   string
				Metadata struct {
					DeletionTimestamp          string
					DeletionGracePeriodSeconds int64
				}
			}
		}
		if json.Unmarshal(sc.Bytes(), &l) != nil {
			continue
		}
		if l.Object.Reason == "Scheduled" {
			bound = l.T
		}
		if l.Object.Kind == "Pod" && l.Object.Metadata.DeletionTimestamp != "" && c.deleted == 0 {
			c.deleted = time.Duration((l.T - bound) * float64(time.Second))
			c.grace = l.Object.Metadata.DeletionGracePeriodSeconds
		}
	}
}

func oracleImages() []workload.ImageDecl {
	zero := 0.7
	run := &workload.ProgramDecl{TermCode: ptr(0)}
	return []workload.ImageDecl{
		{Spec: workload.ImageDeclSpec{Image: "doesnotexist", Pull: "not found"}},
		{Spec: workload.ImageDeclSpec{Image: "envoy", Tools: "busybox", Program: run, Seconds: &zero}},
		{Spec: workload.ImageDeclSpec{Image: "private/app", Pull: "denied"}},
		{Spec: workload.ImageDeclSpec{Image: "nginx", Tools: "busybox", Program: run, Seconds: &zero}},
	}
}

// play runs a case in which the pod is bound at another moment between the kubelet's
// beats for each seed, and returns the world at a moment.
func (c *oracleCase) play(t *testing.T, seed uint64, at time.Duration) *world {
	w := newWorld(t, syncEvery(10*time.Second), images(oracleImages()...), func(w *world, _ *Config, _ *[]workload.ImageDecl) {
		w.seed = seed
		w.lat.SandboxCreate, w.lat.ContainerCreate, w.lat.ContainerStart = 3*sim.Millisecond, 2*sim.Millisecond, 2*sim.Millisecond
		w.lat.Exec, w.lat.Probe = 3*sim.Millisecond, sim.Millisecond
	})
	n := w.oracleNode()
	for _, name := range c.images["worker-1"] {
		n.Status.Images = append(n.Status.Images, api.ContainerImage{Names: []string{name}, SizeBytes: 1 << 20})
	}
	w.put(n)
	bound := time.Duration(700+83*seed) * time.Millisecond
	w.run(bound)
	for _, o := range c.docs {
		w.put(o.Copy())
	}
	p := c.pod.Copy().(*api.Pod)
	p.Status = api.PodStatus{Phase: "Pending", QOSClass: c.pod.Status.QOSClass, Conditions: []api.PodCondition{{Type: "PodScheduled", Status: "True", ObservedGeneration: 1,
		LastTransitionTime: api.Time(testStart / 1e9)}}}
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds, p.Generation = nil, nil, 1
	p.Spec.NodeName = "worker-1"
	w.put(p)
	if c.deleted > 0 && c.deleted < at {
		w.run(bound + c.deleted)
		w.delete(p.Name, c.grace)
	}
	w.run(bound + at)
	return w
}

// oracleNode is worker-1 of the oracle's cluster.
func (w *world) oracleNode() *api.Node {
	b, err := os.ReadFile(filepath.Join(shared.Dir(w.t, "oracle"), "nodes.yaml"))
	if err != nil {
		w.t.Fatal(err)
	}
	return FillNode(decode[*api.Node](w.t, strings.Split(string(b), "\n---\n")[1]), 1)
}

var maskID = regexp.MustCompile(`containerd://[0-9a-f]{64}|@sha256:[0-9a-f]{64}|10\.244\.\d+\.\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|desc = [^"]*|Image size: \d+ bytes|70\dms`)

// text prints a status with what differs from run to run masked.
func statusText(t *testing.T, st api.PodStatus) string {
	b, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return maskID.ReplaceAllString(string(b), "*")
}

func (c *oracleCase) realEvents(t *testing.T, suffix string) []string {
	name := "events.json"
	if suffix != "" {
		name = "events." + suffix + ".json"
	}
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var list []api.Event
	if json.Unmarshal(b, &list) != nil {
		var items struct{ Items []api.Event }
		if err := json.Unmarshal(b, &items); err != nil {
			t.Fatal(err)
		}
		list = items.Items
	}
	var out []string
	for i := range list {
		if e := &list[i]; e.Source.Component == "kubelet" && e.InvolvedObject.Name == c.pod.Name {
			text := e.Reason + ": " + e.Message
			if e.Count > 1 {
				text += " (x" + itoa(int(e.Count)) + ")"
			}
			out = append(out, maskID.ReplaceAllString(text, "*"))
		}
	}
	return out
}

func TestOracleOfTheKubelet(t *testing.T) {
	dirs, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle"), "cases", "kubelet", "*"))
	more, _ := filepath.Glob(filepath.Join(shared.Dir(t, "oracle"), "cases", "describe", "pod-*"))
	dirs = append(dirs, more...)
	sort.Strings(dirs)
	equal, of := 0, 0
	for _, dir := range dirs {
		name := filepath.Base(dir)
		c, ok := loadCase(t, dir)
		if !ok || wrongHere[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, s := range slices.Sorted(mapsKeys(c.snapshots)) {
				of++
				if why := c.compare(t, s); why != "" {
					t.Errorf("snapshot %q at %d s: %s", s, c.snapshots[s], why)
				} else {
					equal++
				}
			}
		})
	}
	t.Logf("kubelet: %d of %d snapshots equal", equal, of)
}

func mapsKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// compare runs the case until one that was bound at some moment between the kubelet's
// beats shows what the real system showed, at some moment of the snapshot's second;
// the real events were read a little after the real status. It returns the smallest
// difference otherwise.
func (c *oracleCase) compare(t *testing.T, suffix string) string {
	wantStatus := ""
	if p := c.get(t, suffix); p != nil {
		wantStatus = statusText(t, p.Status)
	}
	wantEvents := strings.Join(c.realEvents(t, suffix), "\n")
	best, why := 1<<30, ""
	for seed := range uint64(12) {
		status := ""
		for _, part := range []time.Duration{50, 150, 300, 450, 600, 750, 950} {
			w := c.play(t, seed, time.Duration(c.snapshots[suffix])*time.Second+part*time.Millisecond)
			gotStatus := ""
			if p := w.pod(c.pod.Name); p != nil && wantStatus != "" {
				gotStatus = statusText(t, p.Status)
			}
			if status != wantStatus {
				status = gotStatus
			}
			gotEvents := maskID.ReplaceAllString(strings.Join(w.events(c.pod.Name), "\n"), "*")
			if status == wantStatus && gotEvents == wantEvents {
				return ""
			}
			d := difference(status+"\n"+gotEvents, wantStatus+"\n"+wantEvents)
			if len(d) < best {
				best, why = len(d), d
			}
			if debug() && seed == 0 && part == 950 {
				t.Log("\n" + w.history(c.pod.Name))
			}
		}
	}
	return why
}

// difference lists the lines that only one of two texts has.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	var b strings.Builder
	rest := slices.Clone(w)
	for _, l := range g {
		if i := slices.Index(rest, l); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			b.WriteString("\n  ours: " + l)
		}
	}
	for _, l := range rest {
		b.WriteString("\n  real: " + l)
	}
	if b.Len() == 0 {
		return "\n  the order differs:\n" + got + "\nreal:\n" + want
	}
	return b.String()
}
