package cronjob

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/trace"
	"podwalk/core/validation/timezone"
)

// sync is one look at a CronJob (cronjob_controllerv2.go).
type sync struct {
	ctx     *actor.Ctx
	now     time.Time
	cron    *api.CronJob // a copy, whose status is being written
	jobs    []*api.Job
	changed bool // the status must be written
}

func newSync(ctx *actor.Ctx, c *api.CronJob) *sync {
	s := &sync{ctx: ctx, now: clock(ctx), cron: c.Copy().(*api.CronJob)}
	for _, o := range ctx.Read.ByIndex("job.owner", c.UID) {
		if j, ok := o.(*api.Job); ok {
			s.jobs = append(s.jobs, j)
		}
	}
	return s
}

// run returns how long to wait until the next look, 0 for until something changes,
// and whether the look succeeded.
func (s *sync) run() (time.Duration, bool) {
	s.cleanUp()
	wait, ok := s.follow()
	if ok && s.cron.DeletionTimestamp == nil {
		wait, ok = s.schedule()
	}
	if s.changed && s.ctx.UpdateStatus(s.cron).Failed() {
		return 0, false
	}
	return wait, ok || wait > 0
}

func (s *sync) event(kind, reason, message string) {
	s.ctx.Event(actor.Event{Regarding: s.cron, Type: kind, Reason: reason, Message: message, Component: name})
}

// outcome is the condition with which a Job has finished, or "".
func outcome(j *api.Job) string {
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "Failed") {
			return c.Type
		}
	}
	return ""
}

// cleanUp deletes the oldest finished Jobs beyond the limits.
func (s *sync) cleanUp() {
	var succeeded, failed []*api.Job
	for _, j := range s.jobs {
		switch outcome(j) {
		case "Complete":
			succeeded = append(succeeded, j)
		case "Failed":
			failed = append(failed, j)
		}
	}
	s.keep(succeeded, s.cron.Spec.SuccessfulJobsHistoryLimit)
	s.keep(failed, s.cron.Spec.FailedJobsHistoryLimit)
}

func (s *sync) keep(jobs []*api.Job, limit *int32) {
	if limit == nil || len(jobs) <= int(*limit) {
		return
	}
	sort.SliceStable(jobs, func(i, j int) bool {
		a, b := jobs[i], jobs[j]
		switch x, y := a.Status.StartTime, b.Status.StartTime; {
		case x == nil || y == nil:
			if (x == nil) != (y == nil) {
				return x != nil
			}
		case *x != *y:
			return *x < *y
		}
		return a.Name < b.Name
	})
	for _, j := range jobs[:len(jobs)-int(*limit)] {
		if s.deleteJob(j) {
			s.changed = true
		}
	}
}

// deleteJob deletes a Job, its pods following, and its reference.
func (s *sync) deleteJob(j *api.Job) bool {
	res := s.ctx.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Job"), Namespace: j.Namespace, Name: j.Name, Propagation: "Background"})
	if res.Failed() {
		s.event("Warning", "FailedDelete", "Deleted job: "+res.Status.Message)
		return false
	}
	s.forget(j.UID)
	s.event("Normal", "SuccessfulDelete", "Deleted job "+j.Name)
	return true
}

func (s *sync) active(uid string) bool {
	return slices.ContainsFunc(s.cron.Status.Active, func(r api.ObjectReference) bool { return r.UID == uid })
}

func (s *sync) forget(uid string) {
	s.cron.Status.Active = slices.DeleteFunc(slices.Clone(s.cron.Status.Active), func(r api.ObjectReference) bool { return r.UID == uid })
}

// follow brings the list of active Jobs up to date. ok is false where the look has
// to be repeated.
func (s *sync) follow() (time.Duration, bool) {
	known := map[string]bool{}
	for _, j := range s.jobs {
		known[j.UID] = true
		listed, how := s.active(j.UID), outcome(j)
		switch {
		case how == "" && !listed:
			fresh := s.get("CronJob", s.cron.Name)
			if fresh.Failed() {
				return 0, false
			}
			if c := fresh.Object.Copy().(*api.CronJob); slices.ContainsFunc(c.Status.Active, func(r api.ObjectReference) bool { return r.UID == j.UID }) {
				s.cron = c
				continue
			}
			s.event("Warning", "UnexpectedJob", "Saw a job that the controller did not create or forgot: "+j.Name)
		case how != "":
			if listed {
				s.forget(j.UID)
				s.event("Normal", "SawCompletedJob", "Saw completed job: "+j.Name+", condition: "+how)
				s.changed = true
			}
			s.noteSuccess(j)
		}
	}
	for _, r := range s.cron.Status.Active {
		if known[r.UID] {
			continue
		}
		switch res := s.get("Job", r.Name); {
		case !res.Failed():
		case res.Status.Reason != api.ReasonNotFound:
			return 0, false
		default:
			s.event("Normal", "MissingJob", "Active job went missing: "+r.Name)
			s.forget(r.UID)
			s.changed = true
		}
	}
	return 0, true
}

func (s *sync) get(kind, name string) api.Response {
	return s.ctx.Do(api.Request{Verb: api.Get, Kind: api.KindNamed(kind), Namespace: s.cron.Namespace, Name: name})
}

// noteSuccess keeps the time of the last success.
func (s *sync) noteSuccess(j *api.Job) {
	t, last := j.Status.CompletionTime, s.cron.Status.LastSuccessfulTime
	if outcome(j) == "Complete" && t != nil && (last == nil || *t > *last) {
		s.cron.Status.LastSuccessfulTime = t
		s.changed = true
	}
}

// schedule makes the Job of the newest time that has come, unless something speaks
// against it.
func (s *sync) schedule() (time.Duration, bool) {
	c := s.cron
	if z := c.Spec.TimeZone; z != nil {
		if _, err := timezone.Load(*z); err != nil {
			s.event("Warning", "UnknownTimeZone", "invalid timeZone: "+strconv.Quote(*z)+": "+err.Error())
			return 0, true
		}
	}
	if c.Spec.Suspend != nil && *c.Spec.Suspend {
		return 0, true
	}
	if strings.Contains(c.Spec.Schedule, "TZ") {
		s.event("Warning", "UnsupportedSchedule", "CRON_TZ or TZ used in schedule "+strconv.Quote(c.Spec.Schedule)+
			" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
	}
	sched, zone, err := scheduleOf(c)
	if err != nil {
		s.event("Warning", "UnparseableSchedule", "unparseable schedule: "+strconv.Quote(c.Spec.Schedule)+" : "+err.Error())
		return 0, true
	}
	_, at, n, err := mostRecent(c, s.now, sched, true)
	if err != nil {
		s.event("Warning", "InvalidSchedule", "invalid schedule: "+c.Spec.Schedule+" : "+err.Error())
		return 0, true
	}
	if at.IsZero() || at.After(s.now) {
		return wait(c, s.now, sched), true
	}
	if n == many {
		s.event("Warning", "TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew")
	}
	if s.holdBack(at) {
		return wait(c, s.now, sched), true
	}
	if !s.replace() {
		return 0, false
	}
	started, ok := s.start(at, zone)
	if !started {
		return 0, ok
	}
	return wait(c, s.now, sched), ok
}

// holdBack reports whether no Job is made for a time, and tells why: it is too
// late, there is one, or the one before still runs.
func (s *sync) holdBack(at time.Time) bool {
	c := s.cron
	jobName := nameAt(c, at)
	listed := slices.ContainsFunc(c.Status.Active, func(r api.ObjectReference) bool { return r.Name == jobName && r.Namespace == c.Namespace })
	last := c.Status.LastScheduleTime
	switch d := c.Spec.StartingDeadlineSeconds; {
	case d != nil && at.Add(time.Duration(*d)*time.Second).Before(s.now):
		s.event("Warning", "MissSchedule", "Missed scheduled time to start a job: "+at.UTC().Format(time.RFC1123Z))
	case listed || last != nil && int64(*last) == at.Unix():
	case c.Spec.ConcurrencyPolicy == "Forbid" && len(c.Status.Active) > 0:
		s.event("Normal", "JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid")
	default:
		return false
	}
	return true
}

// nameAt is the name of the Job of a time: it ends with the minutes since 1970.
func nameAt(c *api.CronJob, at time.Time) string {
	return c.Name + "-" + strconv.FormatInt(at.Unix()/60, 10)
}

// replace deletes the Jobs that still run where the policy says so.
func (s *sync) replace() bool {
	if s.cron.Spec.ConcurrencyPolicy != "Replace" {
		return true
	}
	for _, r := range s.cron.Status.Active {
		res := s.get("Job", r.Name)
		if res.Failed() {
			s.event("Warning", "FailedGet", "Get job: "+res.Status.Message)
			return false
		}
		if !s.deleteJob(res.Object.(*api.Job)) {
			return false
		}
		s.changed = true
	}
	return true
}

// start makes the Job of a time and lists it. started is false where that failed or
// is somebody else's business.
func (s *sync) start(at time.Time, zone *time.Location) (started, ok bool) {
	j := s.jobAt(at, zone)
	res := s.ctx.Create(j)
	switch {
	case !res.Failed():
		s.event("Normal", "SuccessfulCreate", "Created job "+j.Name)
	case res.Status.Reason == api.ReasonAlreadyExists:
		if res = s.get("Job", j.Name); res.Failed() {
			return false, false
		}
		if !podcontrol.IsControlledBy(res.Object, s.cron) || s.active(res.Object.Meta().UID) {
			return false, true
		}
	case podcontrol.IsNamespaceTerminating(res.Status):
		return false, false
	default:
		s.event("Warning", "FailedCreate", "Error creating job: "+res.Status.Message)
		return false, false
	}
	m := res.Object.Meta()
	s.cron.Status.Active = append(slices.Clone(s.cron.Status.Active), api.ObjectReference{APIVersion: "batch/v1", Kind: "Job",
		Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion})
	last := api.Time(at.Unix())
	s.cron.Status.LastScheduleTime = &last
	s.changed = true
	s.ctx.Record(trace.Record{Ref: actor.RefOf(s.cron), Verdict: trace.Changed, Reason: "Scheduled", Message: "the Job of " + at.In(zone).Format(time.RFC3339) + " is made"})
	return true, true
}

// jobAt makes the Job of a time from the template.
func (s *sync) jobAt(at time.Time, zone *time.Location) *api.Job {
	t := &s.cron.Spec.JobTemplate
	j := &api.Job{TypeMeta: api.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, Spec: t.Spec}
	j.Name, j.Namespace = nameAt(s.cron, at), s.cron.Namespace
	j.Labels, j.Annotations = map[string]string{}, map[string]string{}
	for k, v := range t.Labels {
		j.Labels[k] = v
	}
	for k, v := range t.Annotations {
		j.Annotations[k] = v
	}
	j.Annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"] = at.In(zone).Format(time.RFC3339)
	j.OwnerReferences = []api.OwnerReference{podcontrol.OwnerRef(s.cron)}
	return j
}
