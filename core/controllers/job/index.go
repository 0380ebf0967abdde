package job

import (
	"podwalk/core/api"
)

// findDone computes the succeeded indexes (calculateSucceededIndexes).
func (s *sync) findDone() {
	s.before = parseIntervals(s.job.Status.CompletedIndexes, completions(s.job))
	var pods []*api.Pod
	for _, p := range s.pods {
		if p.Status.Phase == "Succeeded" && validIndex(p, s.job) && tracked(p) {
			pods = append(pods, p)
		}
	}
	s.done = s.before.with(indexesOf(pods))
}

// findFailed computes the indexes that are not tried again
// (calculateFailedIndexes).
func (s *sync) findFailed() {
	var before intervals
	if f := s.job.Status.FailedIndexes; f != nil {
		before = parseIntervals(*f, completions(s.job))
	}
	var pods []*api.Pod
	for _, p := range s.pods {
		if validIndex(p, s.job) && tracked(p) && s.indexFailed(p) {
			pods = append(pods, p)
		}
	}
	all := before.with(indexesOf(pods))
	s.failedIndexes = &all
}

func (s *sync) indexFailed(p *api.Pod) bool {
	if !failed(p, s.job) {
		return false
	}
	v := judge(s.job.Spec.PodFailurePolicy, p)
	return v.action == failIndex || v.counts && count(p, failureKey) >= *s.job.Spec.BackoffLimitPerIndex
}

// findDelayed finds for each index to be tried again the failed pod that the new
// one takes the number of failures from: it keeps its finalizer until then
// (getPodsWithDelayedDeletionPerIndex).
func (s *sync) findDelayed() {
	s.delayed = map[int]*api.Pod{}
	busy := intervals(nil).with(indexesOf(s.activePods))
	for _, p := range s.pods {
		ix := indexOf(p)
		if !tracked(p) || !validIndex(p, s.job) || !failed(p, s.job) || s.done.has(ix) || s.failedIndexes.has(ix) || busy.has(ix) {
			continue
		}
		if last := s.delayed[ix]; last == nil || allFailures(last) <= allFailures(p) && finishedAt(p) >= finishedAt(last) {
			s.delayed[ix] = p
		}
	}
}

// keeps reports whether a failed pod must not lose its finalizer yet.
func (s *sync) keeps(p *api.Pod) bool {
	kept := s.delayed[indexOf(p)]
	return kept != nil && kept.UID == p.UID
}

// removable reports whether the finalizer of a pod can go (canRemoveFinalizer).
func (s *sync) removable(p *api.Pod) bool {
	if s.job.DeletionTimestamp != nil || s.finish != nil || p.Status.Phase == "Succeeded" {
		return true
	}
	return failed(p, s.job) && !s.keeps(p)
}
