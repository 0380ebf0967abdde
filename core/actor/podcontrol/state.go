package podcontrol

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// IsActive reports whether a pod counts: it has not ended and is not being deleted.
func IsActive(p *api.Pod) bool { return !IsFinished(p) && p.DeletionTimestamp == nil }

// IsFinished reports whether a pod has succeeded or failed.
func IsFinished(p *api.Pod) bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

// IsTerminating reports whether a pod is being deleted and has not ended.
func IsTerminating(p *api.Pod) bool { return !IsFinished(p) && p.DeletionTimestamp != nil }

// IsReady reports whether a pod's condition Ready is true.
func IsReady(p *api.Pod) bool {
	c := Condition(p, "Ready")
	return c != nil && c.Status == "True"
}

// Condition returns a condition of a pod, or nil.
func Condition(p *api.Pod, kind string) *api.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// IsAvailable reports whether a pod has been ready for so many seconds.
func IsAvailable(p *api.Pod, minReadySeconds int32, now api.Time) bool {
	c := Condition(p, "Ready")
	if c == nil || c.Status != "True" {
		return false
	}
	return minReadySeconds == 0 || c.LastTransitionTime != 0 && c.LastTransitionTime+api.Time(minReadySeconds) <= now
}

// NextAvailable returns when the first of the pods that are ready but not yet
// available becomes so, or sim.Never (FindMinNextPodAvailabilityCheck).
func NextAvailable(ctx *actor.Ctx, pods []*api.Pod, minReadySeconds int32) sim.Time {
	next := sim.Never
	for _, p := range pods {
		if c := Condition(p, "Ready"); minReadySeconds > 0 && c != nil && c.Status == "True" && c.LastTransitionTime != 0 {
			if at := actor.SimTime(ctx.Host.Start(), c.LastTransitionTime+api.Time(minReadySeconds)); at > ctx.Now() {
				next = min(next, at)
			}
		}
	}
	return next
}
