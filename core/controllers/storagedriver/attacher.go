package storagedriver

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const attachments = "VolumeAttachment"

// attachTime is what a driver needs to attach a volume to a node.
const attachTime = sim.Second

// Attacher is the actor that says of a VolumeAttachment that it is done
// (kubernetes-csi/external-attacher). Its finalizers are not simulated: what is to
// be detached is detached at once.
type Attacher struct {
	failures retry.Queue
	due      map[string]sim.Time
}

var _ actor.Actor = (*Attacher)(nil)

// NewAttacher returns an attacher that has attached nothing yet.
func NewAttacher() actor.Actor { return &Attacher{due: map[string]sim.Time{}} }

// Name returns the attacher's account.
func (*Attacher) Name() string { return "external-attacher" }

// Clone returns an independent attacher.
func (k *Attacher) Clone() actor.Actor {
	return &Attacher{failures: k.failures.Clone(), due: maps.Clone(k.due)}
}

// Watches names attachments, and drivers that are installed.
func (*Attacher) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: attachments, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			return []sim.Key{{Kind: attachments, Name: ch.Object().Meta().Name}}
		}},
		{Kind: "CSIDriver", Map: func(view store.Snapshot, ch store.Change) (keys []sim.Key) {
			view.Each(attachments, "", func(o api.Object) bool {
				if a := o.(*api.VolumeAttachment); a.Spec.Attacher == ch.Object().Meta().Name {
					keys = append(keys, sim.Key{Kind: attachments, Name: a.Name})
				}
				return true
			})
			return keys
		}},
	}
}

// Reconcile looks at an attachment.
func (k *Attacher) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	a, _ := c.Read.Get(attachments, "", key.Name).(*api.VolumeAttachment)
	switch {
	case a == nil || a.Status.Attached || a.DeletionTimestamp != nil:
		delete(k.due, key.Name)
		return actor.Result{}
	case c.Read.Get("CSIDriver", "", a.Spec.Attacher) == nil:
		c.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(a), Verdict: trace.Waiting, Reason: "NoAttacher",
			Message: "nothing on this cluster attaches for the driver " + a.Spec.Attacher + ": there is no CSIDriver of that name"})
		return actor.Result{}
	}
	due, started := k.due[key.Name]
	if !started {
		due = c.Now() + attachTime
		k.due[key.Name] = due
	}
	if c.Now() < due {
		return actor.At(due)
	}
	now := *a
	now.Status.Attached = true
	if c.UpdateStatus(&now).Failed() {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	delete(k.due, key.Name)
	return actor.Result{}
}
