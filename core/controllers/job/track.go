package job

import (
	"slices"

	"podwalk/core/api"
)

// maxUncounted bounds the lists of uids in the status.
const maxUncounted = 500

// track counts the pods that have ended: it writes their uids into the status,
// takes off their finalizers, and adds them to the numbers; at last it ends the Job
// if that is due (trackJobStatusAndRemoveFinalizers). It reports success.
func (s *sync) track() bool {
	if indexed(s.job) {
		byIndex(s.pods)
	}
	held := map[string]bool{}
	for _, p := range s.pods {
		if tracked(p) {
			held[p.UID] = true
		}
	}
	s.settle(held)
	ended, full := s.list()
	s.announce()
	if s.changed && !s.flush() {
		return false
	}
	ok := true
	for _, p := range ended {
		if untrack(s.ctx, p) {
			delete(held, p.UID)
		} else {
			ok = false
		}
	}
	if len(ended) > 0 {
		s.wrote()
	}
	s.settle(held)
	if !ok {
		return s.changed && s.flush() && false
	}
	over := !full && s.conclude()
	if (s.changed || over) && !s.flush() {
		return false
	}
	if over {
		s.tell()
	}
	return true
}

// flush writes the status.
func (s *sync) flush() bool {
	res := s.ctx.UpdateStatus(s.job)
	if res.Failed() {
		return false
	}
	s.work.backoff = s.backoff
	s.own(res.Object.(*api.Job))
	s.changed = false
	s.wrote()
	return true
}

// settle turns the uids of pods that no finalizer holds any more into numbers.
func (s *sync) settle(held map[string]bool) {
	u := s.job.Status.UncountedTerminatedPods
	settled := func(list []string) ([]string, int32) {
		left := slices.DeleteFunc(slices.Clone(list), func(uid string) bool { return !held[uid] })
		n := int32(len(list) - len(left))
		s.changed = s.changed || n > 0
		return left, n
	}
	succeeded, n := settled(u.Succeeded)
	failures, m := settled(u.Failed)
	s.job.Status.Succeeded += n
	s.job.Status.Failed += m
	s.job.Status.UncountedTerminatedPods = &api.UncountedTerminatedPods{Succeeded: succeeded, Failed: failures}
}

// list adds the uids of the pods that have ended to the status. It returns the
// pods whose finalizers can go, and whether there are more than fit.
func (s *sync) list() (ended []*api.Pod, full bool) {
	u := s.job.Status.UncountedTerminatedPods
	var indexes []int
	for _, p := range s.pods {
		if !tracked(p) || !s.removable(p) {
			continue
		}
		ended = append(ended, p)
		switch {
		case p.Status.Phase == "Succeeded" && !slices.Contains(u.Failed, p.UID):
			if ix := indexOf(p); indexed(s.job) && validIndex(p, s.job) && !s.before.has(ix) {
				indexes = append(indexes, ix)
				s.changed = true
			} else if !indexed(s.job) && !slices.Contains(u.Succeeded, p.UID) {
				u.Succeeded = append(u.Succeeded, p.UID)
				s.changed = true
			}
		case s.countsAsFailed(p) && !slices.Contains(u.Failed, p.UID):
			u.Failed = append(u.Failed, p.UID)
			s.changed = true
		}
		if len(indexes)+len(u.Succeeded)+len(u.Failed) >= maxUncounted {
			full = true
			break
		}
	}
	if indexed(s.job) {
		s.writeIndexes(s.done.with(indexes))
	}
	return ended, full
}

// countsAsFailed reports whether a pod, which has not succeeded, is to be counted:
// when a Job fails, every pod that has not ended is.
func (s *sync) countsAsFailed(p *api.Pod) bool {
	over := s.finish != nil && s.finish.Type != "SuccessCriteriaMet"
	if !failed(p, s.job) && !over || indexed(s.job) && !validIndex(p, s.job) {
		return false
	}
	return judge(s.job.Spec.PodFailurePolicy, p).counts
}

func (s *sync) writeIndexes(done intervals) {
	st := &s.job.Status
	text := done.String()
	s.changed = s.changed || text != st.CompletedIndexes
	st.Succeeded, st.CompletedIndexes = int32(done.total()), text
	var failures *string
	if s.failedIndexes != nil {
		t := s.failedIndexes.String()
		failures = &t
	}
	s.changed = s.changed || !api.Equal(failures, st.FailedIndexes)
	st.FailedIndexes = failures
}
