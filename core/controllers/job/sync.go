package job

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// sync is one look at a Job (pkg/controller/job/job_controller.go syncJob).
type sync struct {
	ctx  *actor.Ctx
	job  *api.Job // a copy, whose status is being written
	work *work

	pods, activePods []*api.Pod
	active           int
	ready            int32
	terminating      int32
	succeeded        int
	failed           int
	before, done     intervals // succeeded indexes as stored, and as of now
	failedIndexes    *intervals
	delayed          map[int]*api.Pod // failed pods kept until their index has a new one
	backoff          backoff
	finish           *api.JobCondition // why the Job is about to end
	changed          bool              // the status must be written
	ok               bool
}

func newSync(ctx *actor.Ctx, j *api.Job, w *work) *sync {
	s := &sync{ctx: ctx, work: w, ok: true}
	s.own(j)
	return s
}

// own makes a copy of a stored Job whose status can be changed.
func (s *sync) own(j *api.Job) {
	s.job = j.Copy().(*api.Job)
	st := &s.job.Status
	st.Conditions = slices.Clone(st.Conditions)
	u := api.UncountedTerminatedPods{}
	if st.UncountedTerminatedPods != nil {
		u.Succeeded = slices.Clone(st.UncountedTerminatedPods.Succeeded)
		u.Failed = slices.Clone(st.UncountedTerminatedPods.Failed)
	}
	st.UncountedTerminatedPods = &u
}

// run reports whether the look succeeded; else it has to be repeated.
func (s *sync) run() bool {
	if !s.claim() {
		return false
	}
	s.count()
	if s.job.Status.StartTime == nil && !suspended(s.job) {
		now := s.ctx.Time()
		s.job.Status.StartTime = &now
	}
	s.judgeFailure()
	s.judgeIndexes()
	if s.finish != nil {
		s.deleteActive()
	} else {
		s.proceed()
	}
	st := &s.job.Status
	ready, terminating := s.ready, s.terminating
	s.changed = s.changed || int32(s.active) != st.Active || !api.Equal(&ready, st.Ready) || !api.Equal(&terminating, st.Terminating)
	st.Active, st.Ready, st.Terminating = int32(s.active), &ready, &terminating
	return s.track() && s.ok
}

// claim finds the pods of the Job. What it adopts gets the finalizer.
func (s *sync) claim() bool {
	selector, err := s.job.Spec.Selector.AsSelector()
	if err != nil {
		return false
	}
	k := &podcontrol.Claims{Owner: s.job, Selector: selector, Finalizers: []string{finalizer}}
	candidates := append(podcontrol.Owned(s.ctx.Read, s.job), podcontrol.Orphans(s.ctx.Read, s.job.Namespace)...)
	pods, st := k.Pods(s.ctx, candidates)
	for i, p := range pods {
		if podcontrol.ControllerOf(p) == nil && !tracked(p) {
			adopted := *p
			adopted.Finalizers = append(slices.Clone(p.Finalizers), finalizer)
			pods[i] = &adopted
			s.wrote()
		}
	}
	s.pods = pods
	return st == nil
}

// wrote notes that the cache must show the newest revision before the next look.
func (s *sync) wrote() { s.work.wrote = s.ctx.Host.Latest().Rev() }

func (s *sync) count() {
	for _, p := range s.pods {
		switch {
		case podcontrol.IsActive(p):
			s.activePods = append(s.activePods, p)
			if podcontrol.IsReady(p) {
				s.ready++
			}
		case podcontrol.IsTerminating(p):
			s.terminating++
		}
	}
	s.active = len(s.activePods)
	u := s.job.Status.UncountedTerminatedPods
	succeeded := s.uncounted(u.Succeeded, func(p *api.Pod) bool { return p.Status.Phase == "Succeeded" })
	failures := s.uncounted(u.Failed, func(p *api.Pod) bool { return failed(p, s.job) })
	s.succeeded = int(s.job.Status.Succeeded) + len(succeeded) + len(u.Succeeded)
	s.failed = int(s.job.Status.Failed) + len(u.Failed)
	for _, p := range failures {
		if judge(s.job.Spec.PodFailurePolicy, p).counts {
			s.failed++
		}
	}
	s.backoff = s.work.backoff.after(succeeded, failures)
}

// uncounted returns the pods that are in no number and no list of the status yet.
func (s *sync) uncounted(listed []string, holds func(*api.Pod) bool) []*api.Pod {
	var out []*api.Pod
	for _, p := range s.pods {
		if tracked(p) && !slices.Contains(listed, p.UID) && (!indexed(s.job) || validIndex(p, s.job)) && holds(p) {
			out = append(out, p)
		}
	}
	return out
}

// judgeFailure decides whether the Job ends by its conditions of an earlier look,
// its failure policy, its back-off limit or its deadline.
func (s *sync) judgeFailure() {
	j := s.job
	if s.finish = conditionOf(j, "SuccessCriteriaMet"); s.finish != nil {
		return
	}
	if c := conditionOf(j, "FailureTarget"); c != nil {
		s.finish = s.condition("Failed", c.Reason, c.Message)
		return
	}
	if m := s.failMessage(); m != "" {
		s.finish = s.condition("FailureTarget", "PodFailurePolicy", m)
		return
	}
	switch {
	case j.Spec.BackoffLimit != nil && s.failed > int(*j.Spec.BackoffLimit) || s.restartedTooOften():
		s.finish = s.condition("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	case j.Spec.ActiveDeadlineSeconds == nil || suspended(j) || j.Status.StartTime == nil:
	case s.deadline() <= s.ctx.Now():
		s.finish = s.condition("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline")
	default:
		s.lookAt(s.deadline())
	}
}

func (s *sync) failMessage() string {
	if s.job.Spec.PodFailurePolicy == nil {
		return ""
	}
	for _, p := range s.pods {
		if failed(p, s.job) {
			if v := judge(s.job.Spec.PodFailurePolicy, p); v.action == failJob {
				return v.message
			}
		}
	}
	return ""
}

// restartedTooOften counts the restarts in the pods of a Job that restarts
// containers instead of replacing pods.
func (s *sync) restartedTooOften() bool {
	if s.job.Spec.Template.Spec.RestartPolicy != "OnFailure" || s.job.Spec.BackoffLimit == nil {
		return false
	}
	n, limit := int32(0), *s.job.Spec.BackoffLimit
	for _, p := range s.pods {
		if p.Status.Phase != "Running" && p.Status.Phase != "Pending" {
			continue
		}
		for _, list := range [][]api.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
			for i := range list {
				n += list[i].RestartCount
			}
		}
	}
	return n >= max(limit, 1)
}

// judgeIndexes finds which indexes are done and which have failed for good, and
// decides whether that ends the Job.
func (s *sync) judgeIndexes() {
	j := s.job
	if !indexed(j) {
		return
	}
	s.findDone()
	s.succeeded = s.done.total()
	if perIndex(j) {
		s.findFailed()
		failures := s.failedIndexes.total()
		switch {
		case s.finish != nil:
		case j.Spec.MaxFailedIndexes != nil && failures > int(*j.Spec.MaxFailedIndexes):
			s.finish = s.condition("FailureTarget", "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes")
		case failures > 0 && failures+s.done.total() >= completions(j):
			s.finish = s.condition("FailureTarget", "FailedIndexes", "Job has failed indexes")
		}
		s.findDelayed()
	}
	if s.finish == nil {
		if m := succeededBy(j.Spec.SuccessPolicy, completions(j), s.done); m != "" {
			s.finish = s.condition("SuccessCriteriaMet", "SuccessPolicy", m)
		}
	}
}

// deleteActive ends the pods of a Job that is over; their finalizers go later.
func (s *sync) deleteActive() {
	deleted := 0
	for _, p := range s.activePods {
		if res := control.Delete(s.ctx, p, s.job); res.Failed() && res.Status.Reason != api.ReasonNotFound {
			s.ok = false
		} else {
			deleted++
		}
		if podcontrol.IsReady(p) {
			s.ready--
		}
	}
	if len(s.activePods) > 0 {
		s.wrote()
	}
	if deleted != s.active {
		s.finish = nil
	}
	s.active -= deleted
	s.terminating += int32(deleted)
}

// proceed creates or deletes pods and sees whether enough have succeeded.
func (s *sync) proceed() {
	managed := s.job.DeletionTimestamp == nil
	if managed {
		s.manage()
	}
	enough := s.succeeded > 0
	if s.job.Spec.Completions != nil {
		enough = s.succeeded >= completions(s.job)
	}
	switch {
	case enough && s.active == 0:
		s.finish = s.condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods")
	case !managed:
	case suspended(s.job):
		if s.setCondition(*s.condition("Suspended", "JobSuspended", "Job suspended")) {
			s.changed = true
			s.event("Normal", "Suspended", "Job suspended")
			s.job.Status.StartTime = nil
		}
	default:
		c := s.condition("Suspended", "JobResumed", "Job resumed")
		c.Status = "False"
		if s.setCondition(*c) {
			s.changed = true
			s.event("Normal", "Resumed", "Job resumed")
			now := s.ctx.Time()
			s.job.Status.StartTime = &now
		}
	}
}
