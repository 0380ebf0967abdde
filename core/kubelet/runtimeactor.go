package kubelet

import (
	"podwalk/core/actor"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// RuntimeActorName is the name of the actor that advances processes.
const RuntimeActorName = "runtime"

// RuntimeActor brings the machines' processes into the queue: it advances a
// container when its time has come, and wakes the kubelet when its PLEG would see
// that something changed.
type RuntimeActor struct{ rt *runtime.Runtime }

var _ actor.Actor = (*RuntimeActor)(nil)
var _ UsesRuntime = (*RuntimeActor)(nil)

// NewRuntimeActor returns the actor of the machines of rt.
func NewRuntimeActor(rt *runtime.Runtime) *RuntimeActor { return &RuntimeActor{rt} }

// Name returns "runtime".
func (a *RuntimeActor) Name() string { return RuntimeActorName }

// Watches returns nothing: containerd does not know the API.
func (a *RuntimeActor) Watches() []actor.Watch { return nil }

// Clone returns an actor that must be given its machines.
func (a *RuntimeActor) Clone() actor.Actor { return &RuntimeActor{a.rt} }

// SetRuntime attaches the machines.
func (a *RuntimeActor) SetRuntime(rt *runtime.Runtime) { a.rt = rt }

// Reconcile advances the processes of one container.
func (a *RuntimeActor) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	next, periodic, changed := a.rt.Run(c.Now(), key, c.Record)
	res := actor.Result{Next: next, Periodic: periodic}
	k := &Kubelet{rt: a.rt}
	for _, ch := range changed {
		at := k.RelistAt(ch.Node, c.Now())
		if ch.Now {
			at = c.Now()
		}
		res.Wake = append(res.Wake, actor.Wake{Actor: "kubelet", Key: ch.Key, At: at})
	}
	for _, wk := range a.rt.TakeWakes() {
		res.Wake = append(res.Wake, actor.Wake{Actor: RuntimeActorName, Key: wk, At: c.Now()})
	}
	return res
}
