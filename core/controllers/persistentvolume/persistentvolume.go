// Package persistentvolume is the controller that brings claims and volumes
// together: it binds the smallest volume that suits, asks the provisioners for the
// rest, tells of what it cannot do, and reclaims volumes whose claim has gone
// (pkg/controller/volume/persistentvolume). It makes no volumes: the provisioners
// do (package provisioner). Start reading at Controller and (*look).claim.
package persistentvolume

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
	name      = "persistent-volume-binder"
	component = "persistentvolume-controller"

	claimKind  = "PersistentVolumeClaim"
	volumeKind = "PersistentVolume"
)

// resync is how often claims and volumes that wait are looked at again
// (--pvclaimbinder-sync-period).
const resync = 15 * sim.Second

// Controller is the actor.
type Controller struct {
	// written holds what this controller wrote until it is told of it: the real
	// one's own cache, without which two claims would get one volume.
	written  map[string]api.Object
	failures retry.Queue
	// due is when a volume that is being recycled is clean, by name.
	due map[string]sim.Time
	// begin is when work on a new object is done at the earliest, by key.
	begin map[string]sim.Time
	// asked is until when the request for a provisioner is under way, by key.
	asked map[string]sim.Time
	// told is what was last recorded of why a claim has no volume, by key.
	told map[string]string
}

var _ actor.Actor = (*Controller)(nil)

// New returns a controller that has done nothing yet.
func New() actor.Actor {
	return &Controller{written: map[string]api.Object{}, due: map[string]sim.Time{},
		begin: map[string]sim.Time{}, asked: map[string]sim.Time{}, told: map[string]string{}}
}

// Name returns the controller's account.
func (*Controller) Name() string { return name }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor {
	return &Controller{written: maps.Clone(k.written), failures: k.failures.Clone(), due: maps.Clone(k.due),
		begin: maps.Clone(k.begin), asked: maps.Clone(k.asked), told: maps.Clone(k.told)}
}

// Watches names what it acts on: a claim that goes wakes its volume, and a volume
// that goes its claim.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: claimKind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			c := ch.Object().(*api.PersistentVolumeClaim)
			keys := []sim.Key{{Kind: claimKind, Namespace: c.Namespace, Name: c.Name}}
			if ch.Type == store.Deleted && c.Spec.VolumeName != "" {
				keys = append(keys, sim.Key{Kind: volumeKind, Name: c.Spec.VolumeName})
			}
			return keys
		}},
		{Kind: volumeKind, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			v := ch.Object().(*api.PersistentVolume)
			keys := []sim.Key{{Kind: volumeKind, Name: v.Name}}
			if r := v.Spec.ClaimRef; r != nil && ch.Type == store.Deleted {
				keys = append(keys, sim.Key{Kind: claimKind, Namespace: r.Namespace, Name: r.Name})
			}
			return keys
		}},
	}
}

// look is one look at a key.
type look struct {
	*actor.Ctx
	k    *Controller
	wait bool      // look again at the next resync
	at   sim.Time  // look again then, 0 if not
	wake []sim.Key // look at these too
}

// Reconcile looks at a claim or a volume.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	l := &look{Ctx: c, k: k}
	id := key.Kind + "/" + key.Namespace + "/" + key.Name
	if failed := l.sync(key, id); failed != nil {
		return actor.At(c.Now() + k.failures.After(id))
	}
	k.failures.Forget(id)
	res := actor.Result{Next: l.at}
	if l.wait && l.at == 0 {
		res.Next, res.Periodic = l.nextResync(), true
	}
	for _, w := range l.wake {
		res.Wake = append(res.Wake, actor.Wake{Actor: name, Key: w, At: c.Now()})
	}
	return res
}

// sync returns the refusal of a write, upon which the key is looked at again.
func (l *look) sync(key sim.Key, id string) *api.Status {
	delivered := l.Read.Get(key.Kind, key.Namespace, key.Name)
	if delivered == nil {
		delete(l.k.written, id)
		delete(l.k.due, key.Name)
		delete(l.k.told, id)
		delete(l.k.begin, id)
		delete(l.k.asked, id)
		return nil
	}
	if own := l.k.written[id]; own != nil && store.RevOf(own) > store.RevOf(delivered) {
		return nil
	}
	delete(l.k.written, id)
	if v, ok := delivered.(*api.PersistentVolume); ok {
		return l.volume(v)
	}
	return l.claim(delivered.(*api.PersistentVolumeClaim))
}

// nextResync is the next tick of the controller's clock, which was started at some
// moment before the run.
func (l *look) nextResync() sim.Time {
	phase := sim.Time(l.Random("resync", name, 0) % uint64(resync))
	n := (l.Now()-phase)/resync + 1
	if l.Now() < phase {
		n = 0
	}
	return phase + n*resync
}

// known returns an object as this controller knows it, its own writes included.
func (l *look) known(o api.Object) api.Object {
	m := o.Meta()
	id := o.ObjectType().Kind + "/" + m.Namespace + "/" + m.Name
	if own := l.k.written[id]; own != nil && store.RevOf(own) > store.RevOf(o) {
		return own
	}
	return o
}

// busy reports whether the controller has not come to a new object yet. Its
// requests take some milliseconds each, in which a user's next object is there.
func (l *look) busy(o api.Object) bool {
	m := o.Meta()
	id := o.ObjectType().Kind + "/" + m.Namespace + "/" + m.Name
	at, ok := l.k.begin[id]
	if !ok {
		at = l.Now() + 5*sim.Millisecond + sim.Time(l.Random("volume work", id, 0)%uint64(30*sim.Millisecond))
		l.k.begin[id] = at
	}
	if l.Now() < at {
		l.at = at
		return true
	}
	return false
}

// volumeNamed returns a volume or nil.
func (l *look) volumeNamed(name string) *api.PersistentVolume {
	o := l.Read.Get(volumeKind, "", name)
	if o == nil {
		return nil
	}
	return l.known(o).(*api.PersistentVolume)
}

// keep remembers what was written.
func (l *look) keep(r api.Response) (api.Object, *api.Status) {
	if r.Failed() {
		return nil, r.Status
	}
	m := r.Object.Meta()
	l.k.written[r.Object.ObjectType().Kind+"/"+m.Namespace+"/"+m.Name] = r.Object
	return r.Object, nil
}

// event tells of an object what people shall know.
func (l *look) event(o api.Object, kind, reason, message string) {
	l.Event(actor.Event{Regarding: o, Type: kind, Reason: reason, Message: message, Component: component})
}

// class returns a storage class or nil.
func (l *look) class(name string) *api.StorageClass {
	s, _ := l.Read.Get("StorageClass", "", name).(*api.StorageClass)
	return s
}

// delayed reports whether the scheduler chooses for claims of this class.
func (l *look) delayed(c *api.PersistentVolumeClaim) bool {
	s := l.class(claim.Class(c))
	return s != nil && s.VolumeBindingMode != nil && *s.VolumeBindingMode == "WaitForFirstConsumer"
}
