package interpodaffinity

import (
	"math"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// scoreState sums the weights that each domain attracts (or repels) the pod with.
type scoreState struct {
	hard           int64 // weight of the running pods' required terms
	pod            *api.Pod
	nsLabels       map[string]string
	affinity, anti []f.AffinityTerm // of the pod, namespaces resolved
	sums           keyed
	share          share
	cluster        *f.Cluster
}

// PreScore sums up; it skips pods that no preference is about.
func (pl Plugin) PreScore(st *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	own := len(p.PreferredAffinity)+len(p.PreferredAntiAffinity) > 0
	if !own && pl.args().IgnorePreferred {
		return f.Skipped
	}
	if p.BadAffinity != nil {
		return f.NewStatus(f.InterPodAffinity, f.Error, "failed to parse pod: "+p.BadAffinity.Error())
	}
	s := pl.summed(st, p, own)
	if s.share.all == 0 {
		return f.Skipped
	}
	st.SetScore(f.InterPodAffinity, s)
	return nil
}

// summed sums over all nodes, or those that have changed since it did so for a pod
// that is alike.
func (pl Plugin) summed(st *f.State, p *f.PodInfo, own bool) *scoreState {
	k := st.Cluster
	nsLabels := f.NamespaceLabels(k.Objects, p.Pod.Namespace)
	v, changed := st.Template.Recall(f.InterPodAffinity, "score")
	if s, ok := v.(*scoreState); ok && sameLabels(s.nsLabels, nsLabels) {
		s.cluster, s.pod = k, p.Pod
		for _, pos := range changed {
			s.weighNode(k.Nodes[pos], int(pos), own)
		}
		return s
	}
	s := &scoreState{hard: pl.args().HardWeight, pod: p.Pod, nsLabels: nsLabels, cluster: k, share: newShare(k),
		affinity: f.Resolve(p.PreferredAffinity, k.Objects), anti: f.Resolve(p.PreferredAntiAffinity, k.Objects)}
	nodes := k.Nodes
	if !own {
		nodes = k.Affinity()
	}
	for _, n := range nodes {
		s.weighNode(n, n.Pos, own)
	}
	if plainNamespaces(p.PreferredAffinity, p.PreferredAntiAffinity) {
		st.Template.Keep(f.InterPodAffinity, "score", s)
	}
	return s
}

// weighNode sums up the pods of a node anew: all of them if the pod has preferences
// of its own.
func (s *scoreState) weighNode(n *f.NodeInfo, pos int, own bool) {
	s.share.takeBack(pos)
	pods := n.Affinity
	if own {
		pods = n.Pods
	}
	for _, o := range pods {
		s.terms(s.affinity, o.Pod, nil, pos, 1)
		s.terms(s.anti, o.Pod, nil, pos, -1)
		if s.hard > 0 {
			for i := range o.RequiredAffinity {
				s.term(&o.RequiredAffinity[i], s.pod, s.nsLabels, pos, s.hard)
			}
		}
		s.terms(o.PreferredAffinity, s.pod, s.nsLabels, pos, 1)
		s.terms(o.PreferredAntiAffinity, s.pod, s.nsLabels, pos, -1)
	}
}

func (s *scoreState) terms(l []f.AffinityTerm, p *api.Pod, nsLabels map[string]string, pos int, sign int64) {
	for i := range l {
		s.term(&l[i], p, nsLabels, pos, sign*l[i].Weight)
	}
}

func (s *scoreState) term(t *f.AffinityTerm, p *api.Pod, nsLabels map[string]string, pos int, weight int64) {
	if t.Matches(p, nsLabels) {
		s.share.give(s.sums.get(s.cluster, t.TopologyKey), pos, weight)
	}
}

// Score adds the sums of the node's domains.
func (Plugin) Score(st *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	s, ok := st.Score(f.InterPodAffinity).(*scoreState)
	if !ok {
		return 0
	}
	var sum int64
	for _, x := range s.sums {
		v, _ := x.at(n.Pos)
		sum += v
	}
	return sum
}

// Normalize ranks the least attractive node at 0 and the most attractive at 100.
func (Plugin) Normalize(_ *f.State, _ *f.PodInfo, _ []*f.NodeInfo, scores []int64) {
	var least, most int64 = math.MaxInt64, math.MinInt64
	for _, s := range scores {
		least, most = min(least, s), max(most, s)
	}
	for i, s := range scores {
		scores[i] = 0
		if most > least {
			scores[i] = int64(float64(f.MaxNodeScore) * (float64(s-least) / float64(most-least)))
		}
	}
}
