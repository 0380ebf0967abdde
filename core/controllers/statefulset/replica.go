package statefulset

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// tend makes a pod that is missing, replaces one that has ended, and mends its
// identity and claims. In order, it blocks until the pod is available
// (processReplica).
func (u *update) tend(i int) (blocked bool, failure string) {
	p := u.replicas[i]
	if p == nil {
		return u.makeMissing(start(u.set) + i)
	}
	if p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" {
		if p.DeletionTimestamp == nil {
			failure = u.deletePod(p)
		}
		return true, failure
	}
	if p.Status.Phase == "Pending" {
		if failure = u.createClaims(p); failure != "" {
			return true, failure
		}
		if failure = u.fixClaims(p); failure != "" {
			u.podEvent("Update", p, failure)
			return true, failure
		}
	}
	if u.monotonic() {
		if why := u.waitsFor(p); why != "" {
			u.note(p, why)
			return true, ""
		}
	}
	if identified(u.set, p) && attached(u.set, p) && u.claimsRight(p) {
		return false, ""
	}
	failure = u.mend(p)
	return failure != "", failure
}

// makeMissing makes the pod of an ordinal; those after it have to wait for it.
func (u *update) makeMissing(ordinal int) (blocked bool, failure string) {
	p := u.missing(ordinal)
	if u.staleClaim(p) {
		return true, ""
	}
	failure = u.createPod(p)
	return failure != "" || u.monotonic(), failure
}

// waitsFor says what the pods after p wait for, or "".
func (u *update) waitsFor(p *api.Pod) string {
	switch {
	case terminating(p):
		return "is waiting for Pod to Terminate"
	case !runningAndReady(p):
		return "is waiting for Pod to be Running and Ready"
	case !u.available(p):
		return "is waiting for Pod to be Available"
	}
	return ""
}

func (u *update) note(p *api.Pod, why string) {
	u.ctx.Record(trace.Record{Ref: actor.RefOf(u.set), Verdict: trace.Waiting, Reason: "OrderedReady", Message: "StatefulSet " + why + ": " + p.Name})
}

func (u *update) createPod(p *api.Pod) string {
	if failure := u.createClaims(p); failure != "" {
		u.podEvent("Create", p, failure)
		return failure
	}
	res := u.ctx.Create(p)
	if res.Failed() && res.Status.Reason == api.ReasonAlreadyExists {
		return res.Status.Message
	}
	if failure := u.fixClaims(p); failure != "" {
		u.podEvent("Update", p, failure)
		return failure
	}
	if res.Failed() {
		u.podEvent("Create", p, res.Status.Message)
		return res.Status.Message
	}
	u.noteWrite()
	u.podEvent("Create", p, "")
	return ""
}

// deletePod ends a pod; one that is gone counts as ended. Upstream waits for the
// cache by other means than it does for what it creates.
func (u *update) deletePod(p *api.Pod) string {
	res := u.ctx.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: p.Namespace, Name: p.Name})
	if res.Failed() && res.Status.Reason != api.ReasonNotFound {
		u.podEvent("Delete", p, res.Status.Message)
		return res.Status.Message
	}
	u.noteWrite()
	u.podEvent("Delete", p, "")
	return ""
}

// mend gives a pod its identity and claims back (UpdateStatefulPod).
func (u *update) mend(p *api.Pod) string {
	c := p.Copy().(*api.Pod)
	c.Labels = maps.Clone(p.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	if !identified(u.set, p) {
		identify(u.set, c)
	}
	if !attached(u.set, p) {
		attach(u.set, c)
		if failure := u.createClaims(p); failure != "" {
			u.podEvent("Update", p, failure)
			return failure
		}
	}
	if !u.claimsRight(p) {
		if failure := u.fixClaims(p); failure != "" {
			u.podEvent("Update", p, failure)
			return failure
		}
	}
	res := u.ctx.Update(c)
	if res.Failed() && res.Status.Reason == api.ReasonConflict {
		return res.Status.Message // tried again with the pod as it is by then, before anything is told
	}
	if res.Failed() {
		u.podEvent("Update", p, res.Status.Message)
		return res.Status.Message
	}
	u.noteWrite()
	u.podEvent("Update", p, "")
	return ""
}

func (u *update) fixCondemned(p *api.Pod) (bool, string) {
	if u.claimsRight(p) {
		return false, ""
	}
	failure := u.fixClaims(p)
	return failure != "", failure
}

// condemn ends a pod whose ordinal is not wanted; in order, it waits until those
// that stay are healthy and the one before has ended (processCondemned).
func (u *update) condemn(p *api.Pod) (blocked bool, failure string) {
	if terminating(p) {
		if u.monotonic() {
			u.note(p, "is waiting for Pod to Terminate prior to scale down")
		}
		return u.monotonic(), ""
	}
	if u.monotonic() && p != u.unhealthy && (!runningAndReady(p) || !u.available(p)) {
		u.note(u.unhealthy, "is waiting for Pod to be Running and Ready prior to scale down")
		return true, ""
	}
	return true, u.deletePod(p)
}
