// Package nodeaffinity is the rule that a pod's nodeSelector and node affinity
// choose and rank the nodes (pkg/scheduler/framework/plugins/nodeaffinity).
package nodeaffinity

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	ErrReasonPod      = "node(s) didn't match Pod's node affinity/selector"
	ErrReasonEnforced = "node(s) didn't match scheduler-enforced node affinity"
	ErrReasonConflict = "pod affinity terms conflict"
)

// Plugin is the rule NodeAffinity. Added is the affinity of the scheduler's
// configuration, which every pod has too.
type Plugin struct{ Added *f.AddedAffinity }

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.PreScorePlugin  = Plugin{}
	_ f.ScorePlugin     = Plugin{}
	_ f.NormalizePlugin = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.NodeAffinity.
func (Plugin) ID() f.ID { return f.NodeAffinity }

// PreFilter skips pods that ask for nothing, and restricts the nodes if every
// term names some by metadata.name.
func (pl Plugin) PreFilter(_ *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	required := requiredTerms(p.Pod)
	if required == nil && len(p.Pod.Spec.NodeSelector) == 0 && (pl.Added == nil || pl.Added.Required == nil) {
		return nil, f.Skipped
	}
	names := Names(required)
	if names != nil && len(names.Names) == 0 {
		return nil, f.NewStatus(f.NodeAffinity, f.UnschedulableAndUnresolvable, ErrReasonConflict)
	}
	return names, nil
}

func requiredTerms(p *api.Pod) *api.NodeSelector {
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// Names returns the nodes that the terms name, or nil if one of them names none.
func Names(s *api.NodeSelector) *f.NodeNames {
	if s == nil || len(s.NodeSelectorTerms) == 0 {
		return nil
	}
	all := &f.NodeNames{}
	for i := range s.NodeSelectorTerms {
		term := namesOf(&s.NodeSelectorTerms[i])
		if term == nil {
			return nil
		}
		all.Names = append(all.Names, term.Names...)
	}
	return all
}

func namesOf(t *api.NodeSelectorTerm) *f.NodeNames {
	var names *f.NodeNames
	for _, r := range t.MatchFields {
		if r.Key == "metadata.name" && r.Operator == "In" {
			names = names.Intersect(&f.NodeNames{Names: r.Values})
		}
	}
	return names
}

// Filter rejects a node that the pod does not ask for.
func (pl Plugin) Filter(_ *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	if pl.Added != nil && pl.Added.Required != nil && !pl.Added.Required.Matches(n.Node) {
		return f.NewStatus(f.NodeAffinity, f.UnschedulableAndUnresolvable, ErrReasonEnforced)
	}
	if p.Node.Matches(n.Node) {
		return nil
	}
	return f.NewStatus(f.NodeAffinity, f.UnschedulableAndUnresolvable, ErrReasonPod)
}

// PreScore skips pods without preferences; one that cannot be parsed is an error.
func (pl Plugin) PreScore(_ *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	a := p.Pod.Spec.Affinity
	switch {
	case p.BadPreferred != nil:
		return f.NewStatus(f.NodeAffinity, f.Error, p.BadPreferred.Error())
	case pl.Added != nil && len(pl.Added.Preferred) > 0:
		return nil
	case a == nil || a.NodeAffinity == nil || a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution == nil:
		return f.Skipped
	}
	return nil
}

// Score adds the weights of the preferred terms that match.
func (pl Plugin) Score(_ *f.State, p *f.PodInfo, n *f.NodeInfo) int64 {
	var sum int64
	if pl.Added != nil {
		for i := range pl.Added.Preferred {
			if pl.Added.Preferred[i].Matches(n.Node) {
				sum += pl.Added.Preferred[i].Weight
			}
		}
	}
	for i := range p.Preferred {
		if p.Preferred[i].Matches(n.Node) {
			sum += p.Preferred[i].Weight
		}
	}
	return sum
}

// Normalize ranks the node with the greatest sum at 100.
func (Plugin) Normalize(_ *f.State, _ *f.PodInfo, _ []*f.NodeInfo, scores []int64) {
	f.Normalize(false, scores)
}

// Events names a node that has come to match.
func (pl Plugin) Events() []f.Registration {
	return []f.Registration{{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeLabel}, Hint: pl.afterNode}}
}

func (pl Plugin) afterNode(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	if pl.Added != nil && pl.Added.Required != nil && !pl.Added.Required.Matches(new.(*api.Node)) {
		return false
	}
	was, ok := old.(*api.Node)
	return p.Node.Matches(new.(*api.Node)) && (!ok || !p.Node.Matches(was))
}
