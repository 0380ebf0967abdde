// Package attachdetach is the controller that has volumes attached to the nodes
// whose pods want them, and detached when none does
// (pkg/controller/volume/attachdetach). It asks by VolumeAttachments; the driver's
// attacher answers. Only volumes of CSI drivers are attached. Start reading at
// (*look).volume.
package attachdetach

import (
	"maps"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const (
	component   = "attachdetach-controller"
	volumes     = "PersistentVolume"
	attachments = "VolumeAttachment"

	// attachTimeout is how long the controller waits for a driver.
	attachTimeout = 120 * sim.Second
	// forceDetach is how long a node that is not ready keeps its volumes.
	forceDetach = 360 * sim.Second

	firstBackoff = 500 * sim.Millisecond
	lastBackoff  = 122 * sim.Second
)

// Index finds the VolumeAttachments of a volume by its name.
const Index = "attachment.volume"

// Controller is the actor.
type Controller struct {
	failures retry.Queue
	tries    map[string]try // by volume and node
	told     map[string]bool
	since    map[string]sim.Time // since when a volume is to be detached, by volume and node
}

// try is one attempt of a driver to attach.
type try struct {
	began, next sim.Time // next is when the following attempt may begin, 0 while one is under way
	failed      int
}

var _ actor.Actor = (*Controller)(nil)

// New returns a controller that has attached nothing yet.
func New() actor.Actor {
	return &Controller{tries: map[string]try{}, told: map[string]bool{}, since: map[string]sim.Time{}}
}

// Name returns the controller's account.
func (*Controller) Name() string { return "attachdetach-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor {
	return &Controller{failures: k.failures.Clone(), tries: maps.Clone(k.tries), told: maps.Clone(k.told), since: maps.Clone(k.since)}
}

// Watches leads from pods, claims, attachments and nodes to the volumes.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: "Pod", Map: ofPod},
		{Kind: "PersistentVolumeClaim", Map: func(view store.Snapshot, ch store.Change) []sim.Key {
			return ofVolume(view, ch.Object().(*api.PersistentVolumeClaim).Spec.VolumeName)
		}},
		{Kind: attachments, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			if n := ch.Object().(*api.VolumeAttachment).Spec.Source.PersistentVolumeName; n != nil {
				return []sim.Key{{Kind: volumes, Name: *n}}
			}
			return nil
		}},
		{Kind: "Node", Map: ofNode},
	}
}

// ofPod returns the volumes of a pod whose need of them may have changed.
func ofPod(view store.Snapshot, ch store.Change) (keys []sim.Key) {
	p := ch.Object().(*api.Pod)
	if len(p.Spec.Volumes) == 0 || p.Spec.NodeName == "" {
		return nil
	}
	if old, ok := ch.Old.(*api.Pod); ok && ch.New != nil && old.Spec.NodeName == p.Spec.NodeName && claim.Terminated(old) == claim.Terminated(p) {
		return nil
	}
	for i := range p.Spec.Volumes {
		if name := claim.Name(p, &p.Spec.Volumes[i]); name != "" {
			if c, ok := view.Get("PersistentVolumeClaim", p.Namespace, name).(*api.PersistentVolumeClaim); ok {
				keys = append(keys, ofVolume(view, c.Spec.VolumeName)...)
			}
		}
	}
	return keys
}

// ofVolume returns the key of a volume that is attached by a driver.
func ofVolume(view store.Snapshot, name string) []sim.Key {
	if v, ok := view.Get(volumes, "", name).(*api.PersistentVolume); !ok || v.Spec.CSI == nil {
		return nil
	}
	return []sim.Key{{Kind: volumes, Name: name}}
}

// ofNode returns the volumes that are attached to a node which came, went, or
// changed its health.
func ofNode(view store.Snapshot, ch store.Change) (keys []sim.Key) {
	old, _ := ch.Old.(*api.Node)
	now, _ := ch.New.(*api.Node)
	if old == nil || now != nil && ready(old) == ready(now) && outOfService(old) == outOfService(now) {
		return nil
	}
	view.Each(attachments, "", func(o api.Object) bool {
		if a := o.(*api.VolumeAttachment); a.Spec.NodeName == old.Name && a.Spec.Source.PersistentVolumeName != nil {
			keys = append(keys, sim.Key{Kind: volumes, Name: *a.Spec.Source.PersistentVolumeName})
		}
		return true
	})
	return keys
}

func ready(n *api.Node) bool {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == "Ready" {
			return n.Status.Conditions[i].Status == "True"
		}
	}
	return false
}

func outOfService(n *api.Node) bool {
	for _, t := range n.Spec.Taints {
		if t.Key == "node.kubernetes.io/out-of-service" {
			return true
		}
	}
	return false
}

// Reconcile looks at a volume.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	l := &look{Ctx: c, k: k}
	v, _ := c.Read.Get(volumes, "", key.Name).(*api.PersistentVolume)
	if v == nil || v.Spec.CSI == nil || !l.attachable(v.Spec.CSI.Driver) {
		return actor.Result{}
	}
	if l.volume(v); l.failed {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	return actor.Result{Next: l.at}
}
