package cluster

import (
	"strconv"
	"testing"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// program fails at some indexes, or by the last letter of the pod's name.
const program = `i=${JOB_COMPLETION_INDEX:-$HOSTNAME}; sleep 1; case $i in *FAIL) exit 3;; esac`

func (r *roller) jobJSON() string {
	mode := []string{"NonIndexed", "Indexed"}[r.of(2)]
	spec := `"completionMode":"` + mode + `","completions":` + strconv.Itoa(1+r.of(5)) + `,"parallelism":` + strconv.Itoa(1+r.of(4)) +
		`,"podReplacementPolicy":"` + []string{"Failed", "TerminatingOrFailed"}[r.of(2)] + `"`
	fails := []string{"[!a-z0-9]", "[246bdfhj]", "[b-df-hj-np-t0]"}[r.of(3)]
	switch r.of(4) {
	case 0:
		spec += `,"backoffLimit":` + strconv.Itoa(r.of(3))
	case 1:
		spec += `,"activeDeadlineSeconds":` + strconv.Itoa(5+r.of(40))
	case 2:
		if mode == "Indexed" {
			spec += `,"backoffLimitPerIndex":1,"maxFailedIndexes":` + strconv.Itoa(r.of(2))
		}
	}
	return `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"work"},"spec":{` + spec + `,"template":{"spec":{"restartPolicy":"Never",
		"terminationGracePeriodSeconds":1,"containers":[{"name":"work","image":"busybox:1.36","command":["sh","-c","` +
		replaceAll(program, "FAIL", fails) + `"]}]}}}}`
}

func replaceAll(s, old, with string) string {
	for i := 0; i+len(old) <= len(s); i++ {
		if s[i:i+len(old)] == old {
			return s[:i] + with + s[i+len(old):]
		}
	}
	return s
}

func (r *roller) job() *api.Job { return r.c.Latest().Get("Job", "default", "work").(*api.Job) }

func conditionsOf(j *api.Job) map[string]string {
	out := map[string]string{}
	for _, c := range j.Status.Conditions {
		if c.Status == "True" {
			out[c.Type] = c.Reason
		}
	}
	return out
}

// Whatever is done to a Job: in the end it is complete or failed for a reason that
// holds, no pod keeps its finalizer, and at no moment do more pods run than it may
// have or two of one index.
func TestRandomJobsEndForAReasonThatHolds(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(150) {
		r := &roller{t: t, c: New(Config{Seed: seed}), seed: seed}
		r.create("Job", r.jobJSON())
		for range 6 {
			r.c.Run(Until{At: r.c.Now() + sim.Time(r.of(4000))*sim.Millisecond})
			if c := conditionsOf(r.job()); c["Complete"] != "" || c["Failed"] != "" {
				break
			}
			switch r.of(4) {
			case 0:
				r.patch("Job", "work", `{"spec":{"suspend":`+strconv.FormatBool(r.of(2) == 0)+`}}`)
			case 1:
				r.patch("Job", "work", `{"spec":{"parallelism":`+strconv.Itoa(1+r.of(4))+`}}`)
			case 2:
				if list := podcontrol.Owned(r.c.Latest(), r.job()); len(list) > 0 {
					r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: list[r.of(len(list))].Name})
				}
			}
		}
		r.patch("Job", "work", `{"spec":{"suspend":false}}`)
		r.c.Run(Until{Quiescent: true, At: r.c.Now() + 3*sim.Hour})
		outcomes[r.jobSettled()]++
		r.jobNeverTooMany()
		if bad := r.c.Invariants(); bad != nil {
			t.Errorf("seed %d: %v", seed, bad)
		}
		if t.Failed() {
			return
		}
	}
	t.Log(outcomes)
	if len(outcomes) < 4 {
		t.Errorf("only these ways to end were seen: %v", outcomes)
	}
}

// jobSettled checks the end of a Job and returns its reason.
func (r *roller) jobSettled() string {
	j := r.job()
	c, st := conditionsOf(j), j.Status
	fail := func(what string) { r.t.Errorf("seed %d: %s\n%+v", r.seed, what, st) }
	for _, p := range podcontrol.Owned(r.c.Latest(), j) {
		if len(p.Finalizers) > 0 || podcontrol.IsActive(p) {
			fail(p.Name + " keeps its finalizer or runs")
		}
	}
	if u := st.UncountedTerminatedPods; u != nil && len(u.Failed)+len(u.Succeeded) > 0 || st.Active != 0 || *st.Terminating != 0 || *st.Ready != 0 {
		fail("pods are left uncounted")
	}
	reason := c["Complete"] + c["Failed"]
	switch {
	case (c["Complete"] == "") == (c["Failed"] == ""):
		fail("it has not ended")
	case c["Complete"] != "" && (c["SuccessCriteriaMet"] != c["Complete"] || st.Succeeded < *j.Spec.Completions || st.CompletionTime == nil):
		fail("it is complete without enough successes")
	case c["Failed"] != c["FailureTarget"]:
		fail("it failed without saying why before")
	case reason == "BackoffLimitExceeded" && st.Failed <= *j.Spec.BackoffLimit:
		fail("the back-off limit was not exceeded")
	case reason == "FailedIndexes" && (st.FailedIndexes == nil || *st.FailedIndexes == ""):
		fail("no index failed")
	}
	return reason
}

func (r *roller) jobNeverTooMany() {
	changes, err := r.c.Changes(store.FirstRev)
	if err != nil {
		r.t.Fatal(err)
	}
	pods, limit := map[string]*api.Pod{}, 0
	for _, ch := range changes {
		if j, ok := ch.Object().(*api.Job); ok {
			limit = max(limit, int(*j.Spec.Parallelism))
		}
		p, ok := ch.Object().(*api.Pod)
		if !ok {
			continue
		}
		delete(pods, p.Name)
		if ch.New != nil && podcontrol.IsActive(p) {
			pods[p.Name] = p
		}
		indexes := map[string]bool{}
		for _, q := range pods {
			ix := q.Labels["batch.kubernetes.io/job-completion-index"]
			if ix != "" && indexes[ix] {
				r.t.Errorf("seed %d: two pods of index %s at %v", r.seed, ix, ch.At)
			}
			indexes[ix] = true
		}
		if len(pods) > limit {
			r.t.Errorf("seed %d: %d pods at %v, %d are allowed", r.seed, len(pods), ch.At, limit)
		}
	}
}

// A failed pod is replaced after 10 s, then 20, 40 and so on (job_controller.go,
// DefaultJobPodFailureBackOff), counted from the whole second in which it ended.
func TestFailedPodsOfAJobAreReplacedAfterGrowingWaits(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.create("Job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"work"},"spec":{"backoffLimit":4,"template":{"spec":{"restartPolicy":"Never",
		"containers":[{"name":"work","image":"busybox:1.36","command":["sh","-c","exit 1"]}]}}}}`)
	r.c.Run(Until{Quiescent: true, At: sim.Hour})
	var made []sim.Time
	changes, _ := r.c.Changes(store.FirstRev)
	for _, ch := range changes {
		if _, ok := ch.New.(*api.Pod); ok && ch.Old == nil {
			made = append(made, ch.At)
		}
	}
	if len(made) != 5 {
		t.Fatalf("%d pods were made: %v", len(made), made)
	}
	for i, wait := range []sim.Time{10, 20, 40, 80} {
		if got := made[i+1] - made[i]; got < (wait-1)*sim.Second || got > (wait+4)*sim.Second {
			t.Errorf("pod %d is made %v after the one before, want %d s after that one's end", i+2, got, wait)
		}
	}
	if c := conditionsOf(r.job()); c["Failed"] != "BackoffLimitExceeded" || r.job().Status.Failed != 5 {
		t.Errorf("%+v", r.job().Status)
	}
}

// Pods never outlive the need of their finalizer: it goes with the Job, however
// that is deleted (job_controller.go, syncOrphanPod).
func TestPodsOfADeletedJobLoseTheirFinalizer(t *testing.T) {
	for policy, left := range map[string]int{"Background": 0, "Foreground": 0, "Orphan": 2} {
		r := &roller{t: t, c: New(Config{}), seed: 1}
		r.create("Job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"work"},"spec":{"completions":4,"parallelism":2,"template":{"spec":{
			"restartPolicy":"Never","terminationGracePeriodSeconds":1,"containers":[{"name":"work","image":"busybox:1.36","command":["sleep","600"]}]}}}}`)
		r.c.Run(Until{At: 5 * sim.Second})
		r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Job"), Namespace: "default", Name: "work", Propagation: policy})
		r.c.Run(Until{At: 30 * sim.Second})
		pods := r.c.Latest().List("Pod", "default")
		if len(pods) != left || r.c.Latest().Get("Job", "default", "work") != nil {
			t.Errorf("%s: %d pods are left", policy, len(pods))
		}
		for _, p := range pods {
			if m := p.Meta(); len(m.Finalizers)+len(m.OwnerReferences) > 0 {
				t.Errorf("%s: %s has finalizers %v and owners %v", policy, m.Name, m.Finalizers, m.OwnerReferences)
			}
		}
	}
}

// A suspended Job has no pods and no start time; resumed, it starts anew
// (job_controller.go, with MutableSchedulingDirectivesForSuspendedJobs).
func TestASuspendedJobStartsAnew(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.create("Job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"work"},"spec":{"activeDeadlineSeconds":30,"template":{"spec":{
		"restartPolicy":"Never","terminationGracePeriodSeconds":1,"containers":[{"name":"work","image":"busybox:1.36","command":["sleep","20"]}]}}}}`)
	r.c.Run(Until{At: 5 * sim.Second})
	r.patch("Job", "work", `{"spec":{"suspend":true}}`)
	r.c.Run(Until{At: 60 * sim.Second})
	if j := r.job(); j.Status.Active != 0 || j.Status.StartTime != nil || conditionsOf(j)["Suspended"] != "JobSuspended" || j.Status.Failed != 0 {
		t.Errorf("suspended: %+v", j.Status)
	}
	r.patch("Job", "work", `{"spec":{"suspend":false}}`)
	r.c.Run(Until{Quiescent: true, At: 10 * sim.Minute})
	if j := r.job(); conditionsOf(j)["Complete"] != "CompletionsReached" || *j.Status.StartTime < *j.Status.CompletionTime-30 {
		t.Errorf("resumed: %+v", j.Status)
	}
}
