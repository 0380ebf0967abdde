package scenario

import (
	"time"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// LongestFor bounds how far a run may go in virtual time.
const LongestFor = 8760 * time.Hour

// RunOptions are those of podwalk run.
type RunOptions struct {
	Options
	For    time.Duration // from the last document on; 0: until quiescent, ten minutes at most
	Script []Line
}

// SessionLine is one line of a script with what it printed, in the shape of the
// oracle's commands.
type SessionLine struct {
	Cmd    string `json:"cmd"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// Output is the object that podwalk run -o json prints.
type Output struct {
	Apply     []Entry           `json:"apply"`
	Get       map[string]string `json:"get"`
	Describe  map[string]string `json:"describe"`
	Events    []api.Object      `json:"events"`
	Objects   []api.Object      `json:"objects"`
	Records   []trace.Record    `json:"records"`
	Session   []SessionLine     `json:"session"`
	Now       float64           `json:"now"` // virtual seconds since the cluster was up
	Quiescent bool              `json:"quiescent"`
	Limit     string            `json:"limit"`
}

// Entry is what became of one document.
type Entry struct {
	Object string `json:"object"` // kind/namespace/name, empty for an error of the file
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}

// Run does what podwalk run does and returns the session and its exit status:
// 0, 1 (something is not ready) or 2 (something was rejected). Problems mean 3.
func Run(o RunOptions) (*Session, []SessionLine, int, []Problem) {
	s, bad := Open(o.Options)
	if bad != nil {
		return nil, nil, 3, bad
	}
	s.Apply(o.Files)
	s.wait(o.For)
	lines := s.script(o.Script)
	return s, lines, s.exit(), nil
}

func (s *Session) wait(d time.Duration) {
	if d > 0 {
		s.c.Run(cluster.Until{At: s.c.Now().Add(d)})
		return
	}
	s.c.Run(cluster.Until{Quiescent: true, At: s.c.Now() + 10*sim.Minute})
}

// exit is the status of podwalk run.
func (s *Session) exit() int {
	for _, a := range s.Applied {
		if a.Exit != 0 {
			return 2
		}
	}
	if s.c.Limit() != "" || !s.settled() {
		return 1
	}
	return 0
}

// settled reports whether every pod is ready or completed and every workload has
// what it wants.
func (s *Session) settled() bool {
	ok := true
	s.c.Latest().All(func(o api.Object) bool {
		ok = ok && fine(o)
		return ok
	})
	return ok
}

func fine(o api.Object) bool {
	switch o := o.(type) {
	case *api.Pod:
		return o.Status.Phase == "Succeeded" || o.Status.Phase == "Running" && conditionTrue(o.Status.Conditions, "Ready")
	case *api.Deployment:
		return o.Status.ReadyReplicas >= wanted(o.Spec.Replicas)
	case *api.ReplicaSet:
		return o.Status.ReadyReplicas >= wanted(o.Spec.Replicas)
	case *api.StatefulSet:
		return o.Status.ReadyReplicas >= wanted(o.Spec.Replicas)
	case *api.ReplicationController:
		return o.Status.ReadyReplicas >= wanted(o.Spec.Replicas)
	case *api.DaemonSet:
		return o.Status.ObservedGeneration > 0 && o.Status.NumberReady >= o.Status.DesiredNumberScheduled
	case *api.Job:
		return jobFine(o)
	}
	return true
}

// wanted is how many replicas a workload asks for; left out it is one.
func wanted(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

func jobFine(j *api.Job) bool {
	if j.Spec.Suspend != nil && *j.Spec.Suspend {
		return true
	}
	for _, c := range j.Status.Conditions {
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "SuccessCriteriaMet") {
			return true
		}
		if c.Status == "True" && c.Type == "Failed" {
			return false
		}
	}
	return j.Status.Ready != nil && *j.Status.Ready > 0
}

func conditionTrue(list []api.PodCondition, typ string) bool {
	for _, c := range list {
		if c.Type == typ {
			return c.Status == "True"
		}
	}
	return false
}
