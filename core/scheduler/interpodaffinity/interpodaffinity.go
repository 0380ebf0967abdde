// Package interpodaffinity is the rule that pods attract and repel each other
// within the domains of a node label
// (pkg/scheduler/framework/plugins/interpodaffinity). What must hold is here, the
// preference in score.go, the hints in events.go.
package interpodaffinity

import (
	"maps"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	ErrReasonExistingAntiAffinityRulesNotMatch = "node(s) didn't satisfy existing pods anti-affinity rules"
	ErrReasonAffinityRulesNotMatch             = "node(s) didn't match pod affinity rules"
	ErrReasonAntiAffinityRulesNotMatch         = "node(s) didn't match pod anti-affinity rules"
)

// Plugin is the rule InterPodAffinity; nil arguments are the default.
type Plugin struct{ Args *Args }

// Args say how the terms of running pods count in scores (InterPodAffinityArgs).
type Args struct {
	HardWeight      int64 // of a required affinity term
	IgnorePreferred bool  // leave running pods' terms out unless the pod has preferences
}

var defaultArgs = &Args{HardWeight: 1}

func (pl Plugin) args() *Args {
	if pl.Args == nil {
		return defaultArgs
	}
	return pl.Args
}

var (
	_ f.PreFilterPlugin     = Plugin{}
	_ f.PreFilterExtensions = Plugin{}
	_ f.FilterPlugin        = Plugin{}
	_ f.PreScorePlugin      = Plugin{}
	_ f.ScorePlugin         = Plugin{}
	_ f.NormalizePlugin     = Plugin{}
	_ f.EnqueuePlugin       = Plugin{}
)

// ID returns f.InterPodAffinity.
func (Plugin) ID() f.ID { return f.InterPodAffinity }

// domain is a node label and its value.
type domain struct{ key, value string }

// counts tells how many matches each domain holds.
type counts map[domain]int64

func (m counts) add(n *api.Node, key string, by int64) {
	if v, ok := n.Labels[key]; ok {
		d := domain{key, v}
		if m[d] += by; m[d] == 0 {
			delete(m, d)
		}
	}
}

// filterState counts what attracts and repels the pod, by domain.
type filterState struct {
	pod            *api.Pod
	nsLabels       map[string]string
	affinity, anti []f.AffinityTerm // of the pod, namespaces resolved
	existingAnti   counts           // terms of running pods that repel the pod
	attracting     counts           // running pods that match all affinity terms
	repelling      counts           // running pods that match an anti-affinity term
}

// CloneState returns a state that AddPod and RemovePod may change.
func (s *filterState) CloneState() any {
	c := *s
	c.existingAnti, c.attracting, c.repelling = maps.Clone(s.existingAnti), maps.Clone(s.attracting), maps.Clone(s.repelling)
	return &c
}

// count counts a running pod on a node in or out.
func (s *filterState) count(o *f.PodInfo, n *api.Node, by int64) {
	for i := range o.RequiredAntiAffinity {
		if t := &o.RequiredAntiAffinity[i]; t.Matches(s.pod, s.nsLabels) {
			s.existingAnti.add(n, t.TopologyKey, by)
		}
	}
	s.countIncoming(o, n, by)
}

func (s *filterState) countIncoming(o *f.PodInfo, n *api.Node, by int64) {
	if matchesAll(s.affinity, o.Pod) {
		for i := range s.affinity {
			s.attracting.add(n, s.affinity[i].TopologyKey, by)
		}
	}
	for i := range s.anti {
		if s.anti[i].Matches(o.Pod, nil) {
			s.repelling.add(n, s.anti[i].TopologyKey, by)
		}
	}
}

func matchesAll(terms []f.AffinityTerm, p *api.Pod) bool {
	for i := range terms {
		if !terms[i].Matches(p, nil) {
			return false
		}
	}
	return len(terms) > 0
}

// PreFilter counts; it skips pods that no required term is about.
func (Plugin) PreFilter(st *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	if p.BadAffinity != nil {
		return nil, f.NewStatus(f.InterPodAffinity, f.UnschedulableAndUnresolvable, "parsing pod: "+p.BadAffinity.Error())
	}
	k := st.Cluster
	s := &filterState{pod: p.Pod, nsLabels: f.NamespaceLabels(k.Objects, p.Pod.Namespace), affinity: f.Resolve(p.RequiredAffinity, k.Objects),
		anti: f.Resolve(p.RequiredAntiAffinity, k.Objects), existingAnti: counts{}, attracting: counts{}, repelling: counts{}}
	for _, n := range k.AntiAffinity {
		for _, o := range n.Anti {
			for i := range o.RequiredAntiAffinity {
				if t := &o.RequiredAntiAffinity[i]; t.Matches(p.Pod, s.nsLabels) {
					s.existingAnti.add(n.Node, t.TopologyKey, 1)
				}
			}
		}
	}
	own := len(s.affinity)+len(s.anti) > 0
	if !own && len(s.existingAnti) == 0 {
		return nil, f.Skipped
	}
	if own {
		for _, n := range k.Nodes {
			for _, o := range n.Pods {
				s.countIncoming(o, n.Node, 1)
			}
		}
	}
	st.SetFilter(f.InterPodAffinity, s)
	return nil, nil
}

// AddPod counts in a pod that is assumed to come to a node.
func (Plugin) AddPod(st *f.State, _, added *f.PodInfo, n *f.NodeInfo) {
	if s, ok := st.Filter(f.InterPodAffinity).(*filterState); ok {
		s.count(added, n.Node, 1)
	}
}

// RemovePod counts out a pod that is assumed to leave a node.
func (Plugin) RemovePod(st *f.State, _, gone *f.PodInfo, n *f.NodeInfo) {
	if s, ok := st.Filter(f.InterPodAffinity).(*filterState); ok {
		s.count(gone, n.Node, -1)
	}
}

// Filter rejects a node whose domains do not attract the pod, or repel it.
func (Plugin) Filter(st *f.State, _ *f.PodInfo, n *f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.InterPodAffinity).(*filterState)
	switch {
	case !ok:
		return nil
	case !s.attracted(n.Node):
		return f.NewStatus(f.InterPodAffinity, f.UnschedulableAndUnresolvable, ErrReasonAffinityRulesNotMatch)
	case s.repelled(n.Node):
		return f.NewStatus(f.InterPodAffinity, f.Unschedulable, ErrReasonAntiAffinityRulesNotMatch)
	case s.unwanted(n.Node):
		return f.NewStatus(f.InterPodAffinity, f.Unschedulable, ErrReasonExistingAntiAffinityRulesNotMatch)
	}
	return nil
}

// attracted reports whether each term has a match in the node's domain. The first
// of a group that is to stay together may go anywhere that has the labels.
func (s *filterState) attracted(n *api.Node) bool {
	matched := true
	for i := range s.affinity {
		v, ok := n.Labels[s.affinity[i].TopologyKey]
		if !ok {
			return false
		}
		matched = matched && s.attracting[domain{s.affinity[i].TopologyKey, v}] > 0
	}
	return matched || len(s.attracting) == 0 && matchesAll(s.affinity, s.pod)
}

func (s *filterState) repelled(n *api.Node) bool {
	if len(s.repelling) == 0 {
		return false
	}
	for i := range s.anti {
		if v, ok := n.Labels[s.anti[i].TopologyKey]; ok && s.repelling[domain{s.anti[i].TopologyKey, v}] > 0 {
			return true
		}
	}
	return false
}

func (s *filterState) unwanted(n *api.Node) bool {
	if len(s.existingAnti) == 0 {
		return false
	}
	for k, v := range n.Labels {
		if s.existingAnti[domain{k, v}] > 0 {
			return true
		}
	}
	return false
}
