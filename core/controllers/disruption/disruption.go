// Package disruption is the controller that counts for each PodDisruptionBudget
// the pods it covers and says how many may be evicted (pkg/controller/disruption).
// The eviction itself is the API server's. Start reading at (*Controller).sync.
package disruption

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

const (
	name      = "disruption-controller"
	component = "controllermanager"
	budgets   = "PodDisruptionBudget"

	// deletionTimeout is how long an evicted pod is awaited to go.
	deletionTimeout = 120
	// staleTimeout is how long a pod that was to be disrupted may stay marked.
	staleTimeout = 120
	// perPod spaces the counts of a large budget, as the real one's busy worker does.
	perPod = 10 * sim.Microsecond
)

// Controller is the actor.
type Controller struct {
	failures retry.Queue
	counted  map[string]count // by namespace/name
}

// count is when a budget's pods were counted last, and how many there were.
type count struct {
	at   sim.Time
	pods int
}

var _ actor.Actor = (*Controller)(nil)

// New returns a controller that has counted nothing yet.
func New() actor.Actor { return &Controller{counted: map[string]count{}} }

// Name returns the controller's account.
func (*Controller) Name() string { return name }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor {
	return &Controller{failures: k.failures.Clone(), counted: maps.Clone(k.counted)}
}

// Watches names budgets, and the pods that they cover.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: budgets, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			m := ch.Object().Meta()
			return []sim.Key{{Kind: budgets, Namespace: m.Namespace, Name: m.Name}}
		}},
		{Kind: "Pod", Map: ofPod},
	}
}

// ofPod returns the budget that covers a pod, and the pod itself where it needs a
// look of its own: where several budgets cover it, that look chooses one.
func ofPod(view store.Snapshot, ch store.Change) []sim.Key {
	p := ch.Object().(*api.Pod)
	keys := covering(view, p)
	switch several := len(keys) > 1; {
	case several && ch.New == nil:
		return keys[:1]
	case several:
		keys = nil
		fallthrough
	case ch.New != nil && marked(p):
		keys = append(keys, sim.Key{Kind: "Pod", Namespace: p.Namespace, Name: p.Name})
	}
	return keys
}

// covering returns the budgets that cover a pod.
func covering(view store.Snapshot, p *api.Pod) (keys []sim.Key) {
	view.Each(budgets, p.Namespace, func(o api.Object) bool {
		b := o.(*api.PodDisruptionBudget)
		if sel, err := b.Spec.Selector.AsSelector(); err == nil && sel.Matches(p.Labels) {
			keys = append(keys, sim.Key{Kind: budgets, Namespace: b.Namespace, Name: b.Name})
		}
		return true
	})
	return keys
}

// Reconcile looks at a budget or at a pod.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	if key.Kind == "Pod" {
		return k.pod(c, key)
	}
	id := key.Namespace + "/" + key.Name
	b, _ := c.Read.Get(budgets, key.Namespace, key.Name).(*api.PodDisruptionBudget)
	if b == nil {
		delete(k.counted, id)
		k.failures.Forget(id)
		return actor.Result{}
	}
	if last := k.counted[id]; last.pods > 0 && c.Now() < last.at+sim.Time(last.pods)*perPod {
		return actor.At(last.at + sim.Time(last.pods)*perPod)
	}
	next, st := k.sync(c, b)
	if st != nil {
		return actor.At(c.Now() + k.failures.After(id))
	}
	k.failures.Forget(id)
	return actor.Result{Next: next}
}

// pod tells of a pod with several budgets, and takes the mark off one that was to
// be disrupted but was not.
func (k *Controller) pod(c *actor.Ctx, key sim.Key) actor.Result {
	p := c.Pod(key.Namespace, key.Name)
	if p == nil {
		return actor.Result{}
	}
	var res actor.Result
	if list := covering(c.Read, p); len(list) > 1 {
		b := k.choose(c, p, list)
		k.event(c, p, "Warning", "MultiplePodDisruptionBudgets", "Pod "+strconv.Quote(p.Namespace)+"/"+strconv.Quote(p.Name)+
			" matches multiple PodDisruptionBudgets.  Chose "+strconv.Quote(b.Name)+" arbitrarily.")
		res.Wake = []actor.Wake{{Actor: name, Key: b, At: c.Now()}}
	}
	if !marked(p) {
		return res
	}
	due := actor.SimTime(c.Host.Start(), target(p).LastTransitionTime+staleTimeout)
	if c.Now() < due {
		res.Next = due
		return res
	}
	now := *p
	now.Status.Conditions = append([]api.PodCondition(nil), p.Status.Conditions...)
	*target(&now) = api.PodCondition{Type: "DisruptionTarget", Status: "False", LastTransitionTime: c.Time(), ObservedGeneration: target(p).ObservedGeneration}
	id := key.Namespace + "/" + key.Name + "/pod"
	if c.UpdateStatus(&now).Failed() {
		res.Next = c.Now() + k.failures.After(id)
		return res
	}
	k.failures.Forget(id)
	return res
}

// choose takes one of several budgets: the real controller takes the first of its
// cache's list, which comes out of a Go map of up to eight at any of eight places.
func (k *Controller) choose(c *actor.Ctx, p *api.Pod, list []sim.Key) sim.Key {
	rev, _ := strconv.ParseUint(p.ResourceVersion, 10, 64)
	at, n := c.Random("budget", p.Namespace+"/"+p.Name, rev)&7, uint64(0)
	chosen := list[0]
	c.Read.Each(budgets, p.Namespace, func(o api.Object) bool {
		if i := slices.IndexFunc(list, func(b sim.Key) bool { return b.Name == o.Meta().Name }); i >= 0 && n >= at {
			chosen = list[i]
			return false
		}
		n++
		return true
	})
	return chosen
}

func target(p *api.Pod) *api.PodCondition { return condition(p, "DisruptionTarget") }

func condition(p *api.Pod, kind string) *api.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// marked holds for a pod that is said to be disrupted and lives on
// (nonTerminatingPodHasStaleDisruptionCondition).
func marked(p *api.Pod) bool {
	t := target(p)
	return p.DeletionTimestamp == nil && t != nil && t.Status == "True" && t.Reason != "TerminationByKubelet" &&
		p.Status.Phase != "Failed" && p.Status.Phase != "Succeeded"
}

func (k *Controller) event(c *actor.Ctx, o api.Object, kind, reason, message string) {
	c.Event(actor.Event{Regarding: o, Type: kind, Reason: reason, Message: message, Component: component})
}
