package job

import (
	"sort"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// How long a Job waits before it replaces failed pods
// (pkg/controller/job/job_controller.go).
const (
	firstBackoff = 10 * sim.Second
	maxBackoff   = 10 * sim.Minute
)

// backoff counts the failures since the last success
// (pkg/controller/job/backoff_utils.go backoffRecord).
type backoff struct {
	failures int32
	last     api.Time
}

// after returns the record as it is once these pods, not counted before, have
// ended.
func (b backoff) after(succeeded, failed []*api.Pod) backoff {
	byFinish(succeeded)
	byFinish(failed)
	switch {
	case len(succeeded) == 0 && len(failed) == 0:
		return b
	case len(succeeded) == 0:
		return backoff{b.failures + int32(len(failed)), finishedAt(failed[len(failed)-1])}
	}
	b = backoff{}
	success := finishedAt(succeeded[len(succeeded)-1])
	for i := len(failed) - 1; i >= 0; i-- {
		at := finishedAt(failed[i])
		if at <= success {
			break
		}
		if b.failures == 0 {
			b.last = at
		}
		b.failures++
	}
	return b
}

// remaining returns how long to wait after so many failures, the last of which was
// at last; now is in ns since 1970.
func (b backoff) remaining(now int64) sim.Time {
	if b.failures == 0 {
		return 0
	}
	wait := firstBackoff
	for i := int32(1); i < b.failures && wait < maxBackoff; i++ {
		wait = min(2*wait, maxBackoff)
	}
	passed := sim.Time(now - int64(b.last)*1e9)
	return max(0, wait-passed)
}

func byFinish(pods []*api.Pod) {
	sort.SliceStable(pods, func(i, j int) bool { return finishedAt(pods[i]) < finishedAt(pods[j]) })
}

// finishedAt is when a pod ended: when its last container did, else when it became
// unready, else when it was deleted, else when it was made.
func finishedAt(p *api.Pod) api.Time {
	if t := containersFinishedAt(p); t != 0 {
		return t
	}
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		if c.Type == "Ready" && c.Status == "False" && c.LastTransitionTime != 0 {
			return c.LastTransitionTime
		}
	}
	if p.DeletionTimestamp != nil {
		at := *p.DeletionTimestamp
		if p.DeletionGracePeriodSeconds != nil {
			at -= api.Time(*p.DeletionGracePeriodSeconds)
		}
		return at
	}
	return p.CreationTimestamp
}

// containersFinishedAt returns 0 while a container or a sidecar has not ended.
func containersFinishedAt(p *api.Pod) api.Time {
	last := lastFinish(0, p.Status.ContainerStatuses, nil)
	sidecars := map[string]bool{}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			sidecars[c.Name] = true
		}
	}
	return lastFinish(last, p.Status.InitContainerStatuses, sidecars)
}

// lastFinish is the latest end of the containers named in only (nil: of all) and
// last, or 0 if one of them has not ended.
func lastFinish(last api.Time, list []api.ContainerStatus, only map[string]bool) api.Time {
	for i := range list {
		c := &list[i]
		if only != nil && !only[c.Name] {
			continue
		}
		if c.State.Terminated == nil || c.State.Terminated.FinishedAt == 0 {
			return 0
		}
		last = max(last, c.State.Terminated.FinishedAt)
	}
	return last
}
