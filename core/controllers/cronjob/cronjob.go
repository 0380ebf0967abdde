// Package cronjob is the CronJob controller: it makes a Job at each time of a
// schedule and keeps the last few of them. Start reading at Reconcile and sync.
// Upstream: pkg/controller/cronjob.
package cronjob

import (
	"maps"
	"time"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/validation/cronspec"
	"podwalk/core/validation/timezone"
)

const name = "cronjob-controller"

// Controller is the actor.
type Controller struct {
	retries retry.Queue
	due     map[sim.Key]sim.Time // when to look at a CronJob
}

// New returns the controller.
func New() actor.Actor { return &Controller{due: map[sim.Key]sim.Time{}} }

// Name is the controller's service account.
func (*Controller) Name() string { return name }

// Clone copies what is waiting.
func (c *Controller) Clone() actor.Actor {
	return &Controller{retries: c.retries.Clone(), due: maps.Clone(c.due)}
}

// Watches lists what the controller reacts to.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "CronJob", Map: func(_ store.Snapshot, ch store.Change) []sim.Key { return []sim.Key{keyOf(ch.Object())} }},
		{Kind: "Job", Map: jobKeys},
	}
}

func keyOf(o api.Object) sim.Key {
	m := o.Meta()
	return sim.Key{Kind: "CronJob", Namespace: m.Namespace, Name: m.Name}
}

// jobKeys are the CronJobs that manage the Job or did.
func jobKeys(read store.Snapshot, ch store.Change) []sim.Key {
	var keys []sim.Key
	for _, o := range []api.Object{ch.Old, ch.New} {
		if o == nil {
			continue
		}
		ref := podcontrol.ControllerOf(o)
		if ref == nil || ref.Kind != "CronJob" {
			continue
		}
		c, _ := read.Get("CronJob", o.Meta().Namespace, ref.Name).(*api.CronJob)
		if c != nil && c.UID == ref.UID && !(len(keys) > 0 && keys[0] == keyOf(c)) {
			keys = append(keys, keyOf(c))
		}
	}
	return keys
}

// Reconcile looks at a CronJob when it is time to.
func (c *Controller) Reconcile(ctx *actor.Ctx, key sim.Key) actor.Result {
	for _, ch := range ctx.Changes {
		c.notice(ctx, ch)
	}
	due, waiting := c.due[key]
	if !waiting || due > ctx.Now() {
		return actor.At(due)
	}
	delete(c.due, key)
	job, _ := ctx.Read.Get("CronJob", key.Namespace, key.Name).(*api.CronJob)
	if job == nil {
		c.retries.Forget(key.String())
		return actor.Result{}
	}
	s := newSync(ctx, job)
	wait, ok := s.run()
	switch {
	case !ok:
		wait = time.Duration(c.retries.After(key.String()))
	default:
		c.retries.Forget(key.String())
	}
	if wait == 0 {
		return actor.Result{}
	}
	c.due[key] = ctx.Now().Add(max(wait, 1))
	return actor.At(c.due[key])
}

// notice queues the CronJobs that a change concerns: at once, but after a new
// schedule only at its next time.
func (c *Controller) notice(ctx *actor.Ctx, ch store.Change) {
	switch x := ch.Object().(type) {
	case *api.Job:
		for _, k := range jobKeys(ctx.Read, ch) {
			c.enqueue(k, ctx.Now())
		}
	case *api.CronJob:
		at := ctx.Now()
		if old, ok := ch.Old.(*api.CronJob); ok && ch.New != nil &&
			(old.Spec.Schedule != x.Spec.Schedule || !api.Equal(old.Spec.TimeZone, x.Spec.TimeZone)) {
			sched, _, err := scheduleOf(x)
			if err != nil {
				ctx.Event(actor.Event{Regarding: x, Type: "Warning", Reason: "UnParseableCronJobSchedule",
					Message: "unparseable schedule for cronjob: " + x.Spec.Schedule, Component: name})
				return
			}
			at = at.Add(wait(x, clock(ctx), sched))
		}
		c.enqueue(keyOf(x), at)
	}
}

func (c *Controller) enqueue(key sim.Key, at sim.Time) {
	if old, ok := c.due[key]; ok {
		at = min(at, old)
	}
	c.due[key] = at
}

// clock is the instant of the look.
func clock(ctx *actor.Ctx) time.Time { return time.Unix(0, ctx.Host.Start()+int64(ctx.Now())).UTC() }

// scheduleOf reads the schedule of a CronJob in its zone, or in UTC where the zone
// is unknown or none is named.
func scheduleOf(c *api.CronJob) (*cronspec.Schedule, *time.Location, error) {
	zone := time.UTC
	if c.Spec.TimeZone != nil {
		if z, err := timezone.Load(*c.Spec.TimeZone); err == nil {
			zone = z
		}
	}
	s, err := cronspec.Parse(c.Spec.Schedule, zone)
	return s, zone, err
}
