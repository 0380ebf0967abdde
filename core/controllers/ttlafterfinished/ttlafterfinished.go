// Package ttlafterfinished deletes Jobs that have been finished for as long as
// their ttlSecondsAfterFinished says. It never judges whether a Job is finished:
// the Job's conditions say so. Start reading at Reconcile.
// Upstream: pkg/controller/ttlafterfinished.
package ttlafterfinished

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Controller is the actor.
type Controller struct{ retries retry.Queue }

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name is the controller's service account.
func (*Controller) Name() string { return "ttl-after-finished-controller" }

// Clone copies what is being retried.
func (c *Controller) Clone() actor.Actor { return &Controller{c.retries.Clone()} }

// Watches lists what the controller reacts to.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "Job", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		if ch.New == nil || !cleanable(ch.New.(*api.Job)) {
			return nil
		}
		m := ch.New.Meta()
		return []sim.Key{{Kind: "Job", Namespace: m.Namespace, Name: m.Name}}
	}}}
}

// cleanable reports whether a Job is finished, has a time to live and is not being
// deleted.
func cleanable(j *api.Job) bool {
	return j.Spec.TTLSecondsAfterFinished != nil && j.DeletionTimestamp == nil && finishedAt(j) != 0
}

// finishedAt returns 0 for a Job that is not finished.
func finishedAt(j *api.Job) api.Time {
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "Failed") {
			return c.LastTransitionTime
		}
	}
	return 0
}

// Reconcile deletes a Job whose time is over, or waits for it.
func (c *Controller) Reconcile(ctx *actor.Ctx, key sim.Key) actor.Result {
	j, _ := ctx.Read.Get("Job", key.Namespace, key.Name).(*api.Job)
	if j == nil || !cleanable(j) {
		return actor.Result{}
	}
	if at := expiry(ctx, j); at > ctx.Now() {
		return actor.At(at)
	}
	kind := api.KindNamed("Job")
	res := ctx.Do(api.Request{Verb: api.Get, Kind: kind, Namespace: key.Namespace, Name: key.Name})
	if res.Failed() {
		return c.after(ctx, key, res)
	}
	fresh := res.Object.(*api.Job)
	if !cleanable(fresh) {
		return actor.Result{}
	}
	if at := expiry(ctx, fresh); at > ctx.Now() {
		return actor.At(at)
	}
	ctx.Record(trace.Record{Ref: actor.RefOf(fresh), Verdict: trace.Changed, Reason: "TTLExpired",
		Message: "finished " + strconv.Itoa(int(*fresh.Spec.TTLSecondsAfterFinished)) + " seconds ago: it is deleted with its pods"})
	return c.after(ctx, key, ctx.Do(api.Request{Verb: api.Delete, Kind: kind, Namespace: key.Namespace, Name: key.Name,
		Propagation: "Foreground", PreconditionUID: fresh.UID}))
}

func (c *Controller) after(ctx *actor.Ctx, key sim.Key, res api.Response) actor.Result {
	if !res.Failed() || res.Status.Reason == api.ReasonNotFound {
		c.retries.Forget(key.String())
		return actor.Result{}
	}
	return actor.At(ctx.Now() + c.retries.After(key.String()))
}

func expiry(ctx *actor.Ctx, j *api.Job) sim.Time {
	return actor.SimTime(ctx.Host.Start(), finishedAt(j)+api.Time(*j.Spec.TTLSecondsAfterFinished))
}
