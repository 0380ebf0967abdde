// Package cni is the daemon of the network plugin on all nodes, as far as it
// watches the API server: the NetworkPolicies that it enforces, or that nobody
// does. What the plugin does for one sandbox is core/network/cni.
// Start reading at Agent.
package cni

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/network/cni"
	"podwalk/core/network/policy"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Agent is the actor.
type Agent struct {
	plugin cni.Plugin
	set    policy.Set
}

var _ actor.Actor = (*Agent)(nil)

// New returns the daemons of a plugin.
func New(p cni.Plugin) *Agent { return &Agent{plugin: p} }

// Name returns "cni".
func (a *Agent) Name() string { return "cni" }

// Clone returns an independent copy.
func (a *Agent) Clone() actor.Actor { return &Agent{a.plugin, a.set.Clone()} }

// Watches leads from a NetworkPolicy to itself.
func (a *Agent) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "NetworkPolicy", Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
		m := ch.Object().Meta()
		return []sim.Key{{Kind: "NetworkPolicy", Namespace: m.Namespace, Name: m.Name}}
	}}}
}

// Reconcile takes a policy over.
func (a *Agent) Reconcile(c *actor.Ctx, k sim.Key) actor.Result {
	r := trace.Record{Source: a.plugin.Name(), Ref: trace.Ref{Kind: "NetworkPolicy", Namespace: k.Namespace, Name: k.Name}, Verdict: trace.Changed, Reason: "Enforced"}
	p, ok := c.Read.Get("NetworkPolicy", k.Namespace, k.Name).(*api.NetworkPolicy)
	switch {
	case !ok:
		a.set.Remove(k.Namespace, k.Name)
		r.Message = "the policy is taken out on every node"
	case !a.plugin.Enforces():
		a.set.Put(p)
		r.Verdict, r.Reason = trace.Info, "NotEnforced"
		r.Message = a.plugin.Name() + " does not enforce NetworkPolicies: the policy has no effect"
	default:
		a.set.Put(p)
		r.Message = "the policy is enforced on every node"
	}
	c.Record(r)
	return actor.Result{}
}

// Policies returns the policies that have been taken over.
func (a *Agent) Policies() *policy.Set { return &a.set }

// Plugin returns the network plugin.
func (a *Agent) Plugin() cni.Plugin { return a.plugin }
