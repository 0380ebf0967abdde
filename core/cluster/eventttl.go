package cluster

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// eventLife is the API server's --event-ttl: an Event is dropped an hour after
// its last write.
const eventLife = sim.Hour

// eventTTL drops Events whose lease has run out, as etcd does.
type eventTTL struct{}

func (e *eventTTL) Name() string       { return "etcd" }
func (e *eventTTL) Clone() actor.Actor { return e }

func (e *eventTTL) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "Event", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
		if c.New == nil {
			return nil
		}
		m := c.New.Meta()
		return []sim.Key{{Kind: "Event", Namespace: m.Namespace, Name: m.Name}}
	}}}
}

func (e *eventTTL) Reconcile(c *actor.Ctx, k sim.Key) actor.Result {
	ev, _ := c.Host.Latest().Get(k.Kind, k.Namespace, k.Name).(*api.Event)
	if ev == nil {
		return actor.Result{}
	}
	end := actor.SimTime(c.Host.Start(), lastWrite(ev)) + eventLife
	if c.Now() < end {
		return actor.Result{Next: end, Periodic: true}
	}
	c.Delete(ev, nil)
	return actor.Result{}
}

// lastWrite is when an Event was last counted.
func lastWrite(ev *api.Event) api.Time {
	t := max(ev.CreationTimestamp, ev.LastTimestamp)
	if ev.Series != nil {
		t = max(t, api.Time(ev.Series.LastObservedTime/1_000_000))
	}
	return t
}
