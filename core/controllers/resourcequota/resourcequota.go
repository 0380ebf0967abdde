// Package resourcequota is the controller that counts what the quotas of a
// namespace limit (pkg/controller/resourcequota). What is added is counted by
// admission; this controller counts anew when a quota changes and when something
// goes. Start reading at (*Controller).Reconcile.
package resourcequota

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/admission/resourcequota"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const kind = "ResourceQuota"

// pause is the least time between two counts of a quota, which look at all that is
// in its namespace.
const pause = 50 * sim.Millisecond

// Controller is the actor.
type Controller struct {
	failures retry.Queue
	counted  map[string]sim.Time // when a quota was counted last, by namespace/name
}

var _ actor.Actor = (*Controller)(nil)

// New returns a controller that has counted nothing yet.
func New() actor.Actor { return &Controller{counted: map[string]sim.Time{}} }

// Name returns the controller's account.
func (*Controller) Name() string { return "resourcequota-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor {
	return &Controller{failures: k.failures.Clone(), counted: maps.Clone(k.counted)}
}

// Watches names quotas, and all that they may count when it goes or shrinks.
func (*Controller) Watches() []actor.Watch {
	list := []actor.Watch{{Kind: kind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		now, _ := ch.New.(*api.ResourceQuota)
		if old, ok := ch.Old.(*api.ResourceQuota); ok && now != nil && api.Equal(&old.Spec.Hard, &now.Spec.Hard) {
			return nil
		}
		m := ch.Object().Meta()
		return []sim.Key{{Kind: kind, Namespace: m.Namespace, Name: m.Name}}
	}}}
	for i := range api.Kinds {
		if k := &api.Kinds[i]; k.Namespaced && k.Kind != "Event" && k.Kind != "Lease" {
			list = append(list, actor.Watch{Kind: k.Kind, Map: freed})
		}
	}
	return list
}

// freed returns the quotas of a namespace in which something became less.
func freed(view store.Snapshot, ch store.Change) (keys []sim.Key) {
	if ch.Type != store.Deleted && !shrinks(ch) {
		return nil
	}
	view.Each(kind, ch.Object().Meta().Namespace, func(o api.Object) bool {
		keys = append(keys, sim.Key{Kind: kind, Namespace: o.Meta().Namespace, Name: o.Meta().Name})
		return true
	})
	return keys
}

// shrinks tells which updates are counted (pkg/quota/v1/install/update_filter.go).
func shrinks(ch store.Change) bool {
	if ch.Type != store.Modified {
		return false
	}
	switch now := ch.New.(type) {
	case *api.Pod:
		old := ch.Old.(*api.Pod)
		return !finished(old) && finished(now) || (old.Spec.ActiveDeadlineSeconds == nil) != (now.Spec.ActiveDeadlineSeconds == nil) ||
			resized(old, now)
	case *api.Service:
		return ch.Old.(*api.Service).Spec.Type != now.Spec.Type
	case *api.PersistentVolumeClaim:
		old := ch.Old.(*api.PersistentVolumeClaim)
		return !api.Equal(&old.Status.AllocatedResources, &now.Status.AllocatedResources) || !api.Equal(&old.Spec.Resources, &now.Spec.Resources)
	}
	return false
}

func finished(p *api.Pod) bool { return p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" }

func resized(old, now *api.Pod) bool {
	if len(old.Status.ContainerStatuses) != len(now.Status.ContainerStatuses) {
		return false
	}
	for i := range old.Status.ContainerStatuses {
		if !api.Equal(old.Status.ContainerStatuses[i].Resources, now.Status.ContainerStatuses[i].Resources) {
			return true
		}
	}
	return false
}

// Reconcile counts a quota.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	q, _ := c.Read.Get(kind, key.Namespace, key.Name).(*api.ResourceQuota)
	if q == nil {
		delete(k.counted, id)
		k.failures.Forget(id)
		return actor.Result{}
	}
	if last, ok := k.counted[id]; ok && c.Now() < last+pause {
		return actor.At(last + pause)
	}
	k.counted[id] = c.Now()
	now := *q
	now.Status = api.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: resourcequota.Used(c.Read, q)}
	if !api.Equal(&now.Status, &q.Status) && c.UpdateStatus(&now).Failed() {
		return actor.At(c.Now() + max(pause, k.failures.After(id)))
	}
	k.failures.Forget(id)
	return actor.Result{}
}
