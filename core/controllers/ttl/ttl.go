// Package ttl is the TTL controller: it tells the kubelets, in an annotation of each
// node, how long they may keep Secrets and ConfigMaps without asking again; the more
// nodes, the longer (pkg/controller/ttl/ttl_controller.go). Start reading at
// Reconcile.
package ttl

import (
	"maps"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Annotation is where the number of seconds stands.
const Annotation = "node.alpha.kubernetes.io/ttl"

// boundaries overlap, so that a node more or less does not change all nodes.
var boundaries = []struct {
	least, most int
	seconds     string
}{{0, 100, "0"}, {90, 500, "15"}, {450, 1000, "30"}, {900, 2000, "60"}, {1800, 1 << 31, "300"}}

// Controller is the TTL controller.
type Controller struct{ nodes, step int }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() *Controller { return &Controller{} }

// Name returns the name of its service account.
func (t *Controller) Name() string { return "ttl-controller" }

// Clone returns an independent copy.
func (t *Controller) Clone() actor.Actor {
	c := *t
	return &c
}

// Watches returns the nodes, new and gone ones and those whose annotation changed.
func (t *Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "Node", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
		if c.Old != nil && c.New != nil && c.Old.Meta().Annotations[Annotation] == c.New.Meta().Annotations[Annotation] {
			return nil
		}
		return []sim.Key{{Kind: "Node", Name: c.Object().Meta().Name}}
	}}}
}

// Reconcile sets the annotation of one node, and of all when their number has
// passed a boundary: the real controller reaches these with their next heartbeats.
func (t *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	if t.count(c.Changes) {
		c.Read.Each("Node", "", func(o api.Object) bool {
			t.annotate(c, o.Meta().Name)
			return true
		})
		return actor.Result{}
	}
	t.annotate(c, key.Name)
	return actor.Result{}
}

// count follows the number of nodes and reports whether all nodes have to change.
func (t *Controller) count(changes []store.Change) bool {
	before := t.step
	for _, ch := range changes {
		if _, ok := ch.Object().(*api.Node); !ok {
			continue
		}
		switch {
		case ch.Old == nil:
			if t.nodes++; t.nodes > boundaries[t.step].most {
				t.step++
			}
		case ch.New == nil:
			if t.nodes--; t.nodes < boundaries[t.step].least {
				t.step--
			}
		}
	}
	return t.step != before
}

func (t *Controller) annotate(c *actor.Ctx, name string) {
	live, _ := c.Host.Latest().Get("Node", "", name).(*api.Node)
	want := boundaries[t.step].seconds
	if live == nil || live.Annotations[Annotation] == want {
		return
	}
	n := live.Copy().(*api.Node)
	n.Annotations = maps.Clone(n.Annotations)
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[Annotation] = want
	c.Record(trace.Record{Ref: actor.RefOf(n), Verdict: trace.Info, Reason: "TTL",
		Message: "of " + strconv.Itoa(t.nodes) + " nodes each may keep Secrets and ConfigMaps for " + want + " seconds"})
	c.Update(n)
}
