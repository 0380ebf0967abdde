// Package job is the Job controller: it runs pods until enough of them have
// succeeded or too many have failed. Pods are counted once, in two steps: their
// uids are first written into status.uncountedTerminatedPods, then the finalizer
// that keeps them is taken off, then they become numbers. It never restarts a
// container, and it never deletes a finished Job (ttlafterfinished does). Start
// reading at Reconcile and sync.
// Upstream: pkg/controller/job.
package job

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const (
	name      = "job-controller"
	finalizer = "batch.kubernetes.io/job-tracking"

	// batchPeriod delays the look that pods and the status ask for, so that many
	// changes are looked at once.
	batchPeriod = sim.Second
	// A look that failed is repeated after so long, doubling up to maxRetry.
	firstRetry = sim.Second
	maxRetry   = sim.Minute
)

// The kinds of keys: a Job, a pod that has lost its Job, and the pods of a Job that
// is finished or gone (named by the Job's uid).
const (
	jobKey    = "Job"
	podKey    = "Pod"
	orphanKey = "PodsOf"
)

var control = podcontrol.Control{Component: name}

// Controller is the actor.
type Controller struct {
	work map[sim.Key]work // of keys that are waiting for something
}

// work is what the controller keeps of a key between its looks.
type work struct {
	due      sim.Time // when to look; Never: only when something changes
	wrote    uint64   // the newest revision that the controller wrote for the key
	failures int      // looks that failed since the last good one
	backoff  backoff
}

// New returns the controller.
func New() actor.Actor { return &Controller{work: map[sim.Key]work{}} }

// Name is the controller's service account.
func (*Controller) Name() string { return name }

// Clone copies the waiting keys.
func (c *Controller) Clone() actor.Actor { return &Controller{work: maps.Clone(c.work)} }

// Watches lists what the controller reacts to.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Job", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			j := ch.Object().(*api.Job)
			keys := []sim.Key{keyOf(j)}
			if ch.New == nil || finished(j) {
				keys = append(keys, sim.Key{Kind: orphanKey, Namespace: j.Namespace, Name: j.UID})
			}
			return keys
		}},
		{Kind: "Pod", Map: podKeys},
	}
}

func keyOf(j *api.Job) sim.Key { return sim.Key{Kind: jobKey, Namespace: j.Namespace, Name: j.Name} }

// podKeys are the Jobs that control the pod or did, and the pod itself where its
// finalizer may have outlived its Job.
func podKeys(read store.Snapshot, ch store.Change) []sim.Key {
	var keys []sim.Key
	p := ch.Object().(*api.Pod)
	for _, o := range []api.Object{ch.Old, ch.New} {
		if j := controllerOf(read, o); j != nil && !(len(keys) > 0 && keys[0] == keyOf(j)) {
			keys = append(keys, keyOf(j))
		}
	}
	if ch.New == nil {
		return keys
	}
	ref := podcontrol.ControllerOf(p)
	if ref == nil && relabelled(ch) {
		keys = append(keys, adopters(read, p)...)
	}
	if tracked(p) && (ref == nil || isJob(ref)) {
		if j := controllerOf(read, p); j == nil || finished(j) {
			keys = append(keys, sim.Key{Kind: podKey, Namespace: p.Namespace, Name: p.Name})
		}
	}
	return keys
}

// controllerOf returns the Job that controls a pod, or nil.
func controllerOf(read store.Snapshot, o api.Object) *api.Job {
	if o == nil {
		return nil
	}
	ref := podcontrol.ControllerOf(o)
	if ref == nil || !isJob(ref) {
		return nil
	}
	j, _ := read.Get("Job", o.Meta().Namespace, ref.Name).(*api.Job)
	if j == nil || j.UID != ref.UID {
		return nil
	}
	return j
}

func isJob(r *api.OwnerReference) bool { return r.Kind == "Job" && r.APIVersion == "batch/v1" }

// relabelled reports whether a pod without controller may now suit another Job.
func relabelled(ch store.Change) bool {
	return ch.Old == nil || !api.Equal(ch.Old.Meta().Labels, ch.New.Meta().Labels) || podcontrol.ControllerOf(ch.Old) != nil
}

// adopters are the Jobs that select a pod without controller.
func adopters(read store.Snapshot, p *api.Pod) []sim.Key {
	var keys []sim.Key
	read.Each("Job", p.Namespace, func(o api.Object) bool {
		j := o.(*api.Job)
		if s, err := j.Spec.Selector.AsSelector(); err == nil && !s.Empty() && s.Matches(p.Labels) {
			keys = append(keys, keyOf(j))
		}
		return true
	})
	return keys
}

// Reconcile looks at a Job, or frees the pods that have lost theirs.
func (c *Controller) Reconcile(ctx *actor.Ctx, key sim.Key) actor.Result {
	c.notice(ctx)
	switch key.Kind {
	case podKey:
		return c.freeOne(ctx, key)
	case orphanKey:
		return c.freeAll(ctx, key)
	}
	w, waiting := c.work[key]
	if !waiting || w.due > ctx.Now() {
		return actor.At(w.due)
	}
	w = c.look(ctx, key, w)
	if w == (work{due: sim.Never}) {
		delete(c.work, key)
	} else {
		c.work[key] = w
	}
	return actor.At(w.due)
}

// notice queues the Jobs that the changes concern: at once where a Job is new, gone
// or has another spec, else after the batch period.
func (c *Controller) notice(ctx *actor.Ctx) {
	for _, ch := range ctx.Changes {
		switch ch.Object().(type) {
		case *api.Job:
			c.noticeJob(ctx, ch)
		case *api.Pod:
			for _, k := range podKeys(ctx.Read, ch) {
				if k.Kind == jobKey {
					c.enqueue(k, ctx.Now()+batchPeriod)
				}
			}
		}
	}
}

func (c *Controller) noticeJob(ctx *actor.Ctx, ch store.Change) {
	j := ch.Object().(*api.Job)
	key := keyOf(j)
	switch {
	case ch.New == nil:
		delete(c.work, key)
		c.enqueue(key, ctx.Now())
	case ch.Old == nil:
		c.enqueue(key, ctx.Now())
	case finished(j):
	case ch.Old.Meta().Generation != j.Generation:
		c.enqueue(key, ctx.Now())
	default:
		c.enqueue(key, ctx.Now()+batchPeriod)
	}
}

// enqueue makes the key be looked at no later than at.
func (c *Controller) enqueue(key sim.Key, at sim.Time) {
	w, ok := c.work[key]
	if !ok {
		w.due = sim.Never
	}
	w.due = min(w.due, at)
	c.work[key] = w
}

// look syncs a Job unless the cache is older than what was written for it, and
// says when to look again.
func (c *Controller) look(ctx *actor.Ctx, key sim.Key, w work) work {
	if ctx.Read.Rev() < w.wrote {
		return w.retry(ctx.Now())
	}
	j, _ := ctx.Read.Get("Job", key.Namespace, key.Name).(*api.Job)
	if j == nil || finished(j) || managedElsewhere(j) {
		return work{due: sim.Never}
	}
	w.due = sim.Never
	s := newSync(ctx, j, &w)
	if !s.run() {
		return w.retry(ctx.Now())
	}
	w.failures = 0
	return w
}

// retry is the controller's own rate limit (DefaultJobApiBackOff).
func (w work) retry(now sim.Time) work {
	delay := min(firstRetry<<min(w.failures, 10), maxRetry)
	w.failures++
	w.due = min(w.due, now+delay)
	if w.due <= now {
		w.due = now + delay
	}
	return w
}

func managedElsewhere(j *api.Job) bool {
	return j.Spec.ManagedBy != nil && *j.Spec.ManagedBy != "kubernetes.io/job-controller"
}

// freeAll takes the finalizer off the pods of a Job that is finished or gone.
func (c *Controller) freeAll(ctx *actor.Ctx, key sim.Key) actor.Result {
	ok := true
	for _, o := range ctx.Read.ByIndex("owner", key.Name) {
		if p, isPod := o.(*api.Pod); isPod && tracked(p) {
			ok = free(ctx, p) && ok
		}
	}
	return c.unlessFailed(ctx, key, ok)
}

func (c *Controller) freeOne(ctx *actor.Ctx, key sim.Key) actor.Result {
	p := ctx.Pod(key.Namespace, key.Name)
	return c.unlessFailed(ctx, key, p == nil || !tracked(p) || free(ctx, p))
}

func (c *Controller) unlessFailed(ctx *actor.Ctx, key sim.Key, ok bool) actor.Result {
	if ok {
		delete(c.work, key)
		return actor.Result{}
	}
	w := c.work[key]
	w.due = sim.Never
	c.work[key] = w.retry(ctx.Now())
	return actor.At(c.work[key].due)
}

// free takes the finalizer off a pod that no unfinished Job controls.
func free(ctx *actor.Ctx, p *api.Pod) bool {
	if ref := podcontrol.ControllerOf(p); ref != nil {
		if !isJob(ref) {
			return true
		}
		if j := controllerOf(ctx.Read, p); j != nil && (managedElsewhere(j) || !finished(j)) {
			return true
		}
	}
	return untrack(ctx, p)
}
