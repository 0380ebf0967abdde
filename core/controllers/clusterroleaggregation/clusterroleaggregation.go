// Package clusterroleaggregation is the controller that puts the rules of the
// chosen ClusterRoles into the aggregating ones
// (pkg/controller/clusterroleaggregation).
package clusterroleaggregation

import (
	"podwalk/core/actor"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const kind = "ClusterRole"

// Controller is the actor.
type Controller struct{ failures retry.Queue }

var _ actor.Actor = (*Controller)(nil)

// New returns the controller.
func New() actor.Actor { return &Controller{} }

// Name returns the controller's account.
func (*Controller) Name() string { return "clusterrole-aggregation-controller" }

// Clone returns an independent controller.
func (k *Controller) Clone() actor.Actor { return &Controller{failures: k.failures.Clone()} }

// Watches wakes all that aggregate upon each change of a role.
func (*Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: kind, Map: func(view store.Snapshot, _ store.Change) (keys []sim.Key) {
		view.Each(kind, "", func(o api.Object) bool {
			if r := o.(*api.ClusterRole); r.AggregationRule != nil {
				keys = append(keys, sim.Key{Kind: kind, Name: r.Name})
			}
			return true
		})
		return keys
	}}}
}

// Reconcile looks at a role.
func (k *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	role, _ := c.Read.Get(kind, "", key.Name).(*api.ClusterRole)
	if role == nil || role.AggregationRule == nil {
		return actor.Result{}
	}
	rules, from := collect(c.Read, role)
	if !api.Equal(&rules, &role.Rules) {
		now := *role
		now.Rules = rules
		if c.Update(&now).Failed() {
			return actor.At(c.Now() + k.failures.After(key.Name))
		}
		c.Record(trace.Record{Ref: actor.RefOf(role), Verdict: trace.Changed, Reason: "Aggregated", Message: "rules are those of " + from})
	}
	k.failures.Forget(key.Name)
	return actor.Result{}
}

// collect returns the rules of the chosen roles, and the names of these.
func collect(read store.Snapshot, role *api.ClusterRole) (rules []api.PolicyRule, from string) {
	for i := range role.AggregationRule.ClusterRoleSelectors {
		sel, err := role.AggregationRule.ClusterRoleSelectors[i].AsSelector()
		if err != nil {
			continue
		}
		read.Each(kind, "", func(o api.Object) bool {
			r := o.(*api.ClusterRole)
			if r.Name == role.Name || !sel.Matches(r.Labels) {
				return true
			}
			if from != "" {
				from += ", "
			}
			from += r.Name
			for j := range r.Rules {
				if !exists(rules, &r.Rules[j]) {
					rules = append(rules, r.Rules[j])
				}
			}
			return true
		})
	}
	return rules, from
}

func exists(rules []api.PolicyRule, r *api.PolicyRule) bool {
	for i := range rules {
		if api.Equal(&rules[i], r) {
			return true
		}
	}
	return false
}
