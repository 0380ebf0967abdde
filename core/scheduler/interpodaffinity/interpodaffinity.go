// Package interpodaffinity is the rule that pods attract and repel each other
// within the domains of a node label
// (pkg/scheduler/framework/plugins/interpodaffinity). What must hold is here, the
// preference in score.go, the hints in events.go.
package interpodaffinity

import (
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

// filterState counts what attracts and repels the pod, by domain.
type filterState struct {
	pod            *api.Pod
	nsLabels       map[string]string
	affinity, anti []f.AffinityTerm // of the pod, namespaces resolved
	attracting     []*sums          // running pods that match all affinity terms, by term
	repelling      []*sums          // running pods that match an anti-affinity term, by term
	existing       keyed            // terms of running pods that repel the pod, by label
	attracted, own share
	repelled       share
	cluster        *f.Cluster
	matched        int64 // of attracting, in all domains
	repels         int64 // of existing
}

// CloneState returns a state that AddPod and RemovePod may change.
func (s *filterState) CloneState() any {
	c := *s
	c.attracting, c.repelling, c.existing = cloned(s.attracting), cloned(s.repelling), cloned(s.existing)
	return &c
}

// count counts a running pod on a node in or out.
func (s *filterState) count(o *f.PodInfo, n *f.NodeInfo, by int64) {
	for i := range o.RequiredAntiAffinity {
		if t := &o.RequiredAntiAffinity[i]; t.Matches(s.pod, s.nsLabels) && s.existing.get(s.cluster, t.TopologyKey).add(n.Pos, by) {
			s.repels += by
		}
	}
	if matchesAll(s.affinity, o.Pod) {
		for _, to := range s.attracting {
			if to.add(n.Pos, by) {
				s.matched += by
			}
		}
	}
	for i := range s.anti {
		if s.anti[i].Matches(o.Pod, nil) {
			s.repelling[i].add(n.Pos, by)
		}
	}
}

// countNode counts a node anew.
func (s *filterState) countNode(n *f.NodeInfo, pos int) {
	s.attracted.takeBack(pos)
	s.own.takeBack(pos)
	s.repelled.takeBack(pos)
	for _, o := range n.Anti {
		for i := range o.RequiredAntiAffinity {
			if t := &o.RequiredAntiAffinity[i]; t.Matches(s.pod, s.nsLabels) {
				s.repelled.give(s.existing.get(s.cluster, t.TopologyKey), pos, 1)
			}
		}
	}
	if len(s.affinity)+len(s.anti) == 0 {
		return
	}
	for _, o := range n.Pods {
		if matchesAll(s.affinity, o.Pod) {
			for _, to := range s.attracting {
				s.attracted.give(to, pos, 1)
			}
		}
		for i := range s.anti {
			if s.anti[i].Matches(o.Pod, nil) {
				s.own.give(s.repelling[i], pos, 1)
			}
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
	s := counted(st, p)
	s.matched, s.repels = s.attracted.all, s.repelled.all
	if len(s.affinity)+len(s.anti) == 0 && s.repels == 0 {
		return nil, f.Skipped
	}
	st.SetFilter(f.InterPodAffinity, s)
	return nil, nil
}

// counted counts all nodes, or those that have changed since it counted for a pod
// that is alike.
func counted(st *f.State, p *f.PodInfo) *filterState {
	k := st.Cluster
	nsLabels := f.NamespaceLabels(k.Objects, p.Pod.Namespace)
	v, changed := st.Template.Recall(f.InterPodAffinity, "filter")
	if s, ok := v.(*filterState); ok && sameLabels(s.nsLabels, nsLabels) {
		s.cluster, s.pod = k, p.Pod
		for _, pos := range changed {
			s.countNode(k.Nodes[pos], int(pos))
		}
		return s
	}
	s := &filterState{pod: p.Pod, nsLabels: nsLabels, affinity: f.Resolve(p.RequiredAffinity, k.Objects), anti: f.Resolve(p.RequiredAntiAffinity, k.Objects),
		cluster: k, attracted: newShare(k), own: newShare(k), repelled: newShare(k)}
	for i := range s.affinity {
		s.attracting = append(s.attracting, sumsOf(k, s.affinity[i].TopologyKey))
	}
	for i := range s.anti {
		s.repelling = append(s.repelling, sumsOf(k, s.anti[i].TopologyKey))
	}
	nodes := k.Nodes
	if len(s.affinity)+len(s.anti) == 0 {
		nodes = k.AntiAffinity()
	}
	for _, n := range nodes {
		s.countNode(n, n.Pos)
	}
	if plainNamespaces(p.RequiredAffinity, p.RequiredAntiAffinity) {
		st.Template.Keep(f.InterPodAffinity, "filter", s)
	}
	return s
}

// AddPod counts in a pod that is assumed to come to a node.
func (Plugin) AddPod(st *f.State, _, added *f.PodInfo, n *f.NodeInfo) {
	if s, ok := st.Filter(f.InterPodAffinity).(*filterState); ok {
		s.count(added, n, 1)
	}
}

// RemovePod counts out a pod that is assumed to leave a node.
func (Plugin) RemovePod(st *f.State, _, gone *f.PodInfo, n *f.NodeInfo) {
	if s, ok := st.Filter(f.InterPodAffinity).(*filterState); ok {
		s.count(gone, n, -1)
	}
}

var (
	notAttracted = f.NewStatus(f.InterPodAffinity, f.UnschedulableAndUnresolvable, ErrReasonAffinityRulesNotMatch)
	repelled     = f.NewStatus(f.InterPodAffinity, f.Unschedulable, ErrReasonAntiAffinityRulesNotMatch)
	unwanted     = f.NewStatus(f.InterPodAffinity, f.Unschedulable, ErrReasonExistingAntiAffinityRulesNotMatch)
)

// Filter rejects a node whose domains do not attract the pod, or repel it.
func (Plugin) Filter(st *f.State, _ *f.PodInfo, n *f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.InterPodAffinity).(*filterState)
	switch {
	case !ok:
		return nil
	case !s.attracts(n.Pos):
		return notAttracted
	case anyOf(s.repelling, n.Pos):
		return repelled
	case anyOf(s.existing, n.Pos):
		return unwanted
	}
	return nil
}

// attracts reports whether each term has a match in the node's domain. The first
// of a group that is to stay together may go anywhere that has the labels.
func (s *filterState) attracts(pos int) bool {
	matched := true
	for _, x := range s.attracting {
		n, ok := x.at(pos)
		if !ok {
			return false
		}
		matched = matched && n > 0
	}
	return matched || s.matched == 0 && matchesAll(s.affinity, s.pod)
}

// anyOf reports whether one of the sums of a node's domains is not zero.
func anyOf(l []*sums, pos int) bool {
	for _, x := range l {
		if n, _ := x.at(pos); n > 0 {
			return true
		}
	}
	return false
}
