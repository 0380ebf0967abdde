package scenario_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/network/request"
	"podwalk/core/scenario"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// course is a random run: what is applied, and then steps, each a kubectl line, a
// fault, a request or a wait; heals put right what they broke.
type course struct {
	seed  uint64
	files string
	steps []string
	heals []string
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

// faults runs the course and returns what is wrong with it.
func (c course) faults() []string {
	s, bad := c.run(true)
	if bad != nil {
		return bad
	}
	end := s.Cluster().Now()
	again, _ := c.run(false)
	if d := parting(s.Cluster(), again.Cluster(), end); d != "" {
		return []string{"a second run differs:", d}
	}
	at := sim.Time(sim.Random{Seed: c.seed}.Uint64("moment", "", 0) % uint64(end+1))
	if d := parting(s.Cluster(), s.Cluster().Seek(at), at); d != "" {
		return []string{"sought " + at.String() + " differs:", d}
	}
	if d := parting(s.Cluster(), s.Cluster().Fork(end), end); d != "" {
		return []string{"a fork differs:", d}
	}
	return nil
}

// parting shows the first record up to an instant in which two runs differ.
func parting(a, b *cluster.Cluster, until sim.Time) string {
	x, y := a.Records(0), b.Records(0)
	for i := 0; i < len(x) && x[i].At <= until; i++ {
		if i >= len(y) {
			return "  " + x[i].String() + "\n  (nothing)"
		}
		if !sameRecord(&x[i], &y[i]) {
			return "  " + x[i].String() + "\n  " + y[i].String()
		}
	}
	if len(y) > len(x) && y[len(x)].At <= until {
		return "  (nothing)\n  " + y[len(x)].String()
	}
	return ""
}

func sameRecord(a, b *trace.Record) bool {
	return a.ID == b.ID && a.Cause == b.Cause && a.At == b.At && a.Source == b.Source && a.Stage == b.Stage && a.Ref == b.Ref && a.Rev == b.Rev &&
		a.Verdict == b.Verdict && a.Reason == b.Reason && a.Message == b.Message && slices.Equal(a.Detail, b.Detail)
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
	for _, step := range slices.Concat(c.steps, c.heals) {
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
	bad = append(bad, unwell(s.Cluster())...)
	return s, append(bad, wanting(s.Cluster().Latest())...)
}

// unwell returns the nodes that are not ready although all faults are over.
func unwell(c *cluster.Cluster) (bad []string) {
	c.Latest().Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		for _, x := range n.Status.Conditions {
			if want := map[bool]string{true: "True", false: "False"}[x.Type == "Ready"]; x.Status != want {
				bad = append(bad, "node "+n.Name+" has "+x.Type+"="+x.Status)
			}
		}
		for _, t := range n.Spec.Taints {
			bad = append(bad, "node "+n.Name+" has the taint "+t.Key)
		}
		if l := c.Network().Line(n.Name); l != (request.Line{}) {
			bad = append(bad, fmt.Sprintf("node %s: %+v", n.Name, l))
		}
		return true
	})
	return bad
}

func (c course) step(s *scenario.Session, step string) {
	if line, ok := strings.CutPrefix(step, "kubectl "); ok {
		s.Kubectl(kubectl.SplitLine(line), nil)
		return
	}
	words := strings.Fields(step)
	switch words[0] {
	case "fault":
		s.Fault(words[1], words[2:])
		return
	case "request":
		_, _ = s.Request(words[1], words[2])
		return
	case "kill":
		if pod := podAt(s, words[1]); pod != "" {
			s.Fault("container-kill", []string{"default/" + pod})
		}
		return
	case "ask":
		if pod := podAt(s, words[1]); pod != "" {
			_, _ = s.Request("pod/default/"+pod, words[2])
		}
		return
	}
	d, err := time.ParseDuration(strings.TrimPrefix(step, "wait "))
	if err != nil {
		panic(err)
	}
	s.Cluster().Run(cluster.Until{At: s.Cluster().Now().Add(d)})
}

// podAt picks one of the pods that there are by a number, "" if there are none.
func podAt(s *scenario.Session, number string) string {
	pods := s.Cluster().Latest().List("Pod", "default")
	n, err := strconv.Atoi(number)
	if len(pods) == 0 || err != nil {
		return ""
	}
	return pods[n%len(pods)].Meta().Name
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

func (c course) String() string { return c.files + strings.Join(slices.Concat(c.steps, c.heals), "\n") }

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
		if p.Status.Phase == "Failed" && p.Status.Reason != "" {
			return true // such as one that was evicted: it stays, and says why
		}
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
