package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// course is a random run: what is applied, and then steps, each a kubectl line or a
// wait. The last steps put right what the others broke.
type course struct {
	seed  uint64
	files string
	steps []string
}

// seedsOfRandomRuns is how many courses are run; the variable PODWALK_COURSES says
// otherwise.
func seedsOfRandomRuns() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("PODWALK_COURSES"), 10, 64); err == nil {
		return n
	}
	return 60
}

// Whatever happened to a cluster: once nothing more happens, each workload has what
// it wants or something says why not; nothing breaks an invariant on the way; and
// the run is the same again, when it is sought and when it is forked.
func TestRandomRunsEndAsTheyShouldAndAreTheSameAgain(t *testing.T) {
	for seed := range seedsOfRandomRuns() {
		c := newCourse(seed)
		if bad := c.faults(); bad != nil {
			c, bad = c.shrink(bad)
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), c)
		}
	}
}

func newCourse(seed uint64) course {
	r := rand.New(rand.NewPCG(seed, 37))
	c := course{seed: seed}
	nodes := 1 + r.IntN(4)
	for i := range nodes {
		c.files += fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {zone: z%d}}\nstatus: {capacity: {cpu: \"%d\", memory: 4Gi, pods: \"%d\"}}\n---\n", i, i%2, 1+r.IntN(3), 5+r.IntN(20))
	}
	var names []string
	for i := range 1 + r.IntN(3) {
		text, name := randomWorkload(r, i)
		c.files += text + "---\n"
		names = append(names, name)
	}
	for range 2 + r.IntN(6) {
		c.steps = append(c.steps, randomStep(r, names, nodes), fmt.Sprintf("wait %dms", 1+r.IntN(40_000)))
	}
	for i := range nodes {
		c.steps = append(c.steps, fmt.Sprintf("kubectl uncordon n%d", i), fmt.Sprintf("kubectl taint node n%d key-", i))
	}
	for _, name := range names {
		c.steps = append(c.steps, "kubectl set image "+name+" app=nginx:1.28")
	}
	return c
}

// randomWorkload returns a manifest and the name that kubectl knows it by.
func randomWorkload(r *rand.Rand, i int) (text, name string) {
	kinds := []string{"Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"}
	kind := kinds[r.IntN(len(kinds))]
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	version, spec := "apps/v1", fmt.Sprintf("  selector: {matchLabels: {app: w%d}}\n", i)
	command := pick("", "", "", "", "", "", `, command: ["sh", "-c", "sleep 3; exit 1"]`, `, readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 2}`)
	restart := ""
	switch kind {
	case "Job":
		version, spec = "batch/v1", fmt.Sprintf("  completions: %d\n  parallelism: %d\n  backoffLimit: %d\n", 1+r.IntN(4), 1+r.IntN(3), r.IntN(3))
		command = pick(`, command: ["sh", "-c", "sleep 2"]`, `, command: ["sh", "-c", "exit 1"]`)
		restart = "      restartPolicy: " + pick("Never", "OnFailure") + "\n"
	case "DaemonSet":
	case "Deployment":
		spec += fmt.Sprintf("  replicas: %d\n%s", r.IntN(5), pick("", "  strategy: {type: Recreate}\n", "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"))
	default:
		spec += fmt.Sprintf("  replicas: %d\n", r.IntN(5))
	}
	image := pick("nginx:1.27", "nginx:1.27", "nginx:1.27", "nginx:1.28", "busybox:1.36", "nginx:no-such-tag")
	if kind == "Job" {
		image = "busybox:1.36"
	}
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: w%d}\nspec:\n%s  template:\n    metadata: {labels: {app: w%d}}\n    spec:\n      terminationGracePeriodSeconds: %d\n%s      containers:\n      - {name: app, image: %q, resources: {requests: {cpu: %dm}}%s}\n",
		version, kind, i, spec, i, r.IntN(8), restart, image, 50+r.IntN(r.IntN(600)+1), command), strings.ToLower(kind) + "/w" + strconv.Itoa(i)
}

func randomStep(r *rand.Rand, names []string, nodes int) string {
	what, node := names[r.IntN(len(names))], r.IntN(nodes)
	steps := []string{
		fmt.Sprintf("kubectl scale %s --replicas=%d", what, r.IntN(6)),
		"kubectl set image " + what + " app=nginx:1.28",
		"kubectl set image " + what + " app=nginx:no-such-tag",
		"kubectl rollout restart " + what,
		"kubectl rollout undo " + what,
		"kubectl delete pods --all --wait=false",
		"kubectl delete " + what + " --wait=false",
		"kubectl delete " + what + " --wait=false --cascade=orphan",
		fmt.Sprintf("kubectl cordon n%d", node),
		fmt.Sprintf("kubectl label node n%d zone=other --overwrite", node),
		fmt.Sprintf("kubectl taint node n%d key=value:NoExecute --overwrite", node),
		fmt.Sprintf("kubectl delete node n%d", node),
	}
	return steps[r.IntN(len(steps))]
}

// faults runs the course and returns what is wrong with it.
func (c course) faults() []string {
	s, bad := c.run(true)
	if bad != nil {
		return bad
	}
	end := s.Cluster().Now()
	again, _ := c.run(false)
	whole := traceOf(s.Cluster(), end)
	if x := traceOf(again.Cluster(), end); x != whole {
		return []string{"a second run differs:", firstDifference(whole, x)}
	}
	at := sim.Time(sim.Random{Seed: c.seed}.Uint64("moment", "", 0) % uint64(end+1))
	if x, y := traceOf(s.Cluster(), at), traceOf(s.Cluster().Seek(at), at); x != y {
		return []string{"sought " + at.String() + " differs:", firstDifference(x, y)}
	}
	fork := s.Cluster().Fork(end)
	if x := traceOf(fork, end); x != whole {
		return []string{"a fork differs:", firstDifference(whole, x)}
	}
	return nil
}

// run plays the course; with checks it looks at the invariants after every step.
func (c course) run(checks bool) (s *scenario.Session, bad []string) {
	seed := c.seed
	src := []scenario.Source{{Name: "f", Files: []kubectl.File{{Name: "f", Text: []byte(c.files)}}}}
	s, problems := scenario.Open(scenario.Options{Seed: &seed, Files: src, Limits: scenario.Limits{MaxSteps: 300_000}})
	if problems != nil {
		return nil, []string{fmt.Sprint(problems)}
	}
	if checks && c.seed%8 == 0 {
		s.Cluster().DetectMutations()
	}
	s.Apply(src)
	for _, step := range c.steps {
		c.step(s, step)
		if checks {
			bad = append(bad, s.Cluster().Invariants()...)
		}
	}
	s.Cluster().Run(cluster.Until{Quiescent: true, At: s.Cluster().Now() + 20*sim.Minute})
	if !checks {
		return s, nil
	}
	bad = append(bad, s.Cluster().Invariants()...)
	if l := s.Cluster().Limit(); l != "" {
		bad = append(bad, "the run hit the limit of "+l)
	}
	return s, append(bad, wanting(s.Cluster().Latest())...)
}

func (c course) step(s *scenario.Session, step string) {
	if line, ok := strings.CutPrefix(step, "kubectl "); ok {
		s.Kubectl(kubectl.SplitLine(line), nil)
		return
	}
	d, err := time.ParseDuration(strings.TrimPrefix(step, "wait "))
	if err != nil {
		panic(err)
	}
	s.Cluster().Run(cluster.Until{At: s.Cluster().Now().Add(d)})
}

// shrink leaves out the steps without which the course is still wrong.
func (c course) shrink(bad []string) (course, []string) {
	for i := len(c.steps) - 1; i >= 0; i-- {
		less := c
		less.steps = append(append([]string(nil), c.steps[:i]...), c.steps[i+1:]...)
		if now := less.faults(); now != nil {
			c, bad = less, now
		}
	}
	return c, bad
}

func (c course) String() string { return c.files + strings.Join(c.steps, "\n") }

// wanting returns the workloads that lack pods although nothing says why, or that
// have more than they want.
func wanting(v store.Snapshot) (bad []string) {
	for _, kind := range []string{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"} {
		v.Each(kind, "", func(o api.Object) bool {
			want, have := replicas(o)
			pods := ownedPods(v, o)
			if kind != "Job" && kind != "DaemonSet" && len(pods) > int(want) && !explained(v, o, pods) {
				bad = append(bad, fmt.Sprintf("%s %s has %d pods and wants %d", kind, o.Meta().Name, len(pods), want))
			}
			if have < want && !explained(v, o, pods) {
				bad = append(bad, fmt.Sprintf("%s %s has %d ready of %d, and nothing says why", kind, o.Meta().Name, have, want))
			}
			return true
		})
	}
	return bad
}

func replicas(o api.Object) (want, have int32) {
	n := func(p *int32) int32 {
		if p == nil {
			return 1
		}
		return *p
	}
	switch o := o.(type) {
	case *api.Deployment:
		return n(o.Spec.Replicas), o.Status.ReadyReplicas
	case *api.ReplicaSet:
		return n(o.Spec.Replicas), o.Status.ReadyReplicas
	case *api.StatefulSet:
		return n(o.Spec.Replicas), o.Status.ReadyReplicas
	case *api.DaemonSet:
		return o.Status.DesiredNumberScheduled, o.Status.NumberReady
	case *api.Job:
		return n(o.Spec.Completions), o.Status.Succeeded
	}
	return 0, 0
}

// ownedPods are the pods of a workload, at any depth, that are not being deleted.
func ownedPods(v store.Snapshot, o api.Object) (pods []*api.Pod) {
	mine := map[string]bool{o.Meta().UID: true}
	v.Each("ReplicaSet", o.Meta().Namespace, func(r api.Object) bool {
		if ref := controller(r); ref != nil && mine[ref.UID] {
			mine[r.Meta().UID] = true
		}
		return true
	})
	v.Each("Pod", o.Meta().Namespace, func(p api.Object) bool {
		if ref := controller(p); ref != nil && mine[ref.UID] && p.Meta().DeletionTimestamp == nil {
			pods = append(pods, p.(*api.Pod))
		}
		return true
	})
	return pods
}

func controller(o api.Object) *api.OwnerReference {
	for i, r := range o.Meta().OwnerReferences {
		if r.Controller != nil && *r.Controller {
			return &o.Meta().OwnerReferences[i]
		}
	}
	return nil
}

// explained reports whether a condition, a status or an event says what is missing.
func explained(v store.Snapshot, o api.Object, pods []*api.Pod) bool {
	switch o := o.(type) {
	case *api.Job:
		for _, c := range o.Status.Conditions {
			if c.Type == "Failed" && c.Status == "True" && c.Reason != "" {
				return true
			}
		}
	case *api.Deployment:
		for _, c := range o.Status.Conditions {
			if c.Status == "False" && c.Type == "Progressing" {
				return true
			}
		}
	}
	for _, p := range append(pods, ending(v, o)...) {
		ready := false
		for _, c := range p.Status.Conditions {
			if c.Type == "PodScheduled" && c.Status == "False" && c.Message != "" {
				return true
			}
			ready = ready || c.Type == "Ready" && c.Status == "True"
		}
		if ready && p.DeletionTimestamp == nil {
			continue // what it warned of is over
		}
		for _, e := range v.ByIndex("event.object", p.UID) {
			if e.(*api.Event).Type == "Warning" {
				return true
			}
		}
	}
	return false
}

// ending are the pods of the workload's namespace that are being deleted: a node
// that is gone never says that they have ended.
func ending(v store.Snapshot, o api.Object) (pods []*api.Pod) {
	v.Each("Pod", o.Meta().Namespace, func(p api.Object) bool {
		if p.Meta().DeletionTimestamp != nil {
			pods = append(pods, p.(*api.Pod))
		}
		return true
	})
	return pods
}
