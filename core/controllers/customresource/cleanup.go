package customresource

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// poll is how often the controller looks whether the last object is gone
// (pkg/controller/finalizer/crd_finalizer.go).
const poll = 5 * sim.Second

// cleanUp deletes the objects of a definition that is being deleted, and lets it go
// when none is left.
func (k *Controller) cleanUp(c *actor.Ctx, d *crd) actor.Result {
	live, _ := c.Host.Latest().Get(kind, "", d.Name).(*crd)
	if live == nil || !slices.Contains(live.Finalizers, apiserver.CustomCleanup) {
		return actor.Result{}
	}
	now := *live
	progress := condition{Type: "Terminating", Status: "True", Reason: "InstanceDeletionInProgress", Message: "CustomResource deletion is in progress"}
	set(c, &now, progress)
	if !api.Equal(&now.Status, &live.Status) {
		res := c.UpdateStatus(&now)
		if res.Failed() {
			return actor.At(c.Now() + k.failures.After(d.Name))
		}
		now = *res.Object.(*crd)
	}
	done := condition{Type: "Terminating", Status: "False", Reason: "NeverEstablished", Message: "resource was never established"}
	if kinds := live.Kinds(); len(kinds) > 0 {
		if left := deleteAll(c, kinds[0]); left > 0 {
			c.Record(trace.Record{Ref: actor.RefOf(d), Verdict: trace.Waiting, Reason: "InstanceDeletionInProgress",
				Message: "objects of the kind " + kinds[0].Name() + " are left: finalizers keep them"})
			return actor.Result{Next: c.Now() + poll, Periodic: true}
		}
		done.Reason, done.Message = "InstanceDeletionCompleted", "removed all instances"
	}
	set(c, &now, done)
	now.Finalizers = slices.DeleteFunc(slices.Clone(now.Finalizers), func(f string) bool { return f == apiserver.CustomCleanup })
	c.Update(&now)
	return actor.Result{}
}

// deleteAll deletes the objects of a kind and returns how many are left.
func deleteAll(c *actor.Ctx, k *api.Kind) (left int) {
	var namespaces []string
	for _, o := range c.Host.Latest().List(k.Kind, "") {
		if ns := o.Meta().Namespace; !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
	}
	for _, ns := range namespaces {
		c.Do(api.Request{Verb: api.DeleteCollection, Kind: k, Namespace: ns})
	}
	return len(c.Host.Latest().List(k.Kind, ""))
}
