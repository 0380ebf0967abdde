// Package customresource is the loops of the API server that accept the names of a
// CustomResourceDefinition and establish it, and that delete its objects before it
// goes (apiextensions-apiserver/pkg/controller/status, establish and finalizer).
package customresource

import (
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const kind = "CustomResourceDefinition"

type (
	crd       = api.CustomResourceDefinition
	condition = api.CustomResourceDefinitionCondition
)

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the loop's account.
func (*Controller) Name() string { return "crd-naming-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches names definitions; one that goes frees names for the others of its group.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: kind, Map: func(view store.Snapshot, ch store.Change) (keys []sim.Key) {
		if ch.New != nil {
			return []sim.Key{{Kind: kind, Name: ch.New.Meta().Name}}
		}
		view.Each(kind, "", func(o api.Object) bool {
			if o.(*crd).Spec.Group == ch.Old.(*crd).Spec.Group {
				keys = append(keys, sim.Key{Kind: kind, Name: o.Meta().Name})
			}
			return true
		})
		return keys
	}}}
}

// Reconcile looks at a definition.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	d, _ := c.Read.Get(kind, "", key.Name).(*crd)
	switch {
	case d == nil:
		k.failures.Forget(key.Name)
		return actor.Result{}
	case d.DeletionTimestamp != nil:
		return k.cleanUp(c, d)
	}
	now := *d
	k.accept(c, &now, d)
	if api.Equal(&now.Status, &d.Status) {
		k.failures.Forget(key.Name)
		return actor.Result{}
	}
	if c.UpdateStatus(&now).Failed() {
		return actor.At(c.Now() + k.failures.After(key.Name))
	}
	k.failures.Forget(key.Name)
	if e := find(&now, "Established"); e != nil && e.Status == "True" {
		c.Record(trace.Record{Ref: actor.RefOf(d), Verdict: trace.NotSimulated, Reason: "NoController",
			Message: "the kind " + d.Spec.Names.Kind + " is established: its objects are stored and checked, but no controller acts on them"})
	}
	return actor.Result{}
}

// accept takes the first step that is due: the names, then the establishment.
func (k *Controller) accept(c *actor.Ctx, now, old *crd) {
	names, accepted := judge(c.Read, old)
	now.Status.AcceptedNames = names
	set(c, now, accepted)
	established := condition{Type: "Established", Status: "False", Reason: "NotAccepted", Message: "not all names are accepted"}
	was := find(old, "Established")
	switch {
	case was != nil && was.Status == "True":
		return
	case was != nil && was.Reason == "Installing" && accepted.Status == "True":
		established = condition{Type: "Established", Status: "True", Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"}
	case accepted.Status == "True":
		established.Reason, established.Message = "Installing", "the initial names have been accepted"
	}
	set(c, now, established)
}

func find(d *crd, kind string) *condition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// set replaces a condition; its time moves only when its status does.
func set(c *actor.Ctx, d *crd, next condition) {
	now := c.Time()
	next.LastTransitionTime = &now
	d.Status.Conditions = slices.Clone(d.Status.Conditions)
	if old := find(d, next.Type); old != nil {
		if old.Status == next.Status {
			next.LastTransitionTime = old.LastTransitionTime
		}
		*old = next
		return
	}
	d.Status.Conditions = append(d.Status.Conditions, next)
}

// judge compares the names that a definition asks for with those of the others of
// its group (calculateNamesAndConditions).
func judge(read store.Snapshot, d *crd) (api.CustomResourceDefinitionNames, condition) {
	resources, kinds := map[string]bool{}, map[string]bool{}
	read.Each(kind, "", func(o api.Object) bool {
		if other := o.(*crd); other.Name != d.Name && other.Spec.Group == d.Spec.Group {
			n := &other.Status.AcceptedNames
			for _, r := range append([]string{n.Plural, n.Singular}, n.ShortNames...) {
				resources[r] = true
			}
			kinds[n.Kind], kinds[n.ListKind] = true, true
		}
		return true
	})
	ask, names := d.Spec.Names, d.Status.AcceptedNames
	verdict := condition{Type: "NamesAccepted", Status: "True", Reason: "NoConflicts", Message: "no conflicts found"}
	take := func(to *string, want, reason string, taken map[string]bool) {
		if want != *to && want != "" && taken[want] {
			verdict = condition{Type: "NamesAccepted", Status: "False", Reason: reason, Message: strconv.Quote(want) + " is already in use"}
			return
		}
		*to = want
	}
	take(&names.Plural, ask.Plural, "PluralConflict", resources)
	take(&names.Singular, ask.Singular, "SingularConflict", resources)
	short := ""
	for _, s := range ask.ShortNames {
		if short == "" && resources[s] && !slices.Contains(names.ShortNames, s) {
			short = s
		}
	}
	if short != "" {
		verdict = condition{Type: "NamesAccepted", Status: "False", Reason: "ShortNamesConflict", Message: strconv.Quote(short) + " is already in use"}
	} else {
		names.ShortNames = ask.ShortNames
	}
	take(&names.Kind, ask.Kind, "KindConflict", kinds)
	take(&names.ListKind, ask.ListKind, "ListKindConflict", kinds)
	names.Categories = ask.Categories
	return names, verdict
}
