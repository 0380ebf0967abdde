package interpodaffinity

import (
	"math"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// scoreState sums the weights that each domain attracts (or repels) the pod with.
type scoreState struct {
	sums counts
	keys []string // topology keys in sums
}

// PreScore sums up; it skips pods that no preference is about.
func (pl Plugin) PreScore(st *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	k := st.Cluster
	own := len(p.PreferredAffinity)+len(p.PreferredAntiAffinity) > 0
	if !own && (len(k.Affinity) == 0 || pl.args().IgnorePreferred) {
		return f.Skipped
	}
	if p.BadAffinity != nil {
		return f.NewStatus(f.InterPodAffinity, f.Error, "failed to parse pod: "+p.BadAffinity.Error())
	}
	w := weighing{hard: pl.args().HardWeight, pod: p.Pod, nsLabels: f.NamespaceLabels(k.Objects, p.Pod.Namespace), sums: map[domain]int64{},
		affinity: f.Resolve(p.PreferredAffinity, k.Objects), anti: f.Resolve(p.PreferredAntiAffinity, k.Objects)}
	nodes := k.Affinity
	if own {
		nodes = k.Nodes
	}
	for _, n := range nodes {
		pods := n.Affinity
		if own {
			pods = n.Pods
		}
		for _, o := range pods {
			w.weigh(o, n.Node)
		}
	}
	if !w.any {
		return f.Skipped
	}
	st.SetScore(f.InterPodAffinity, &scoreState{sums: w.sums, keys: w.keys})
	return nil
}

// weighing sums up running pods.
type weighing struct {
	hard           int64 // weight of the running pods' required terms
	pod            *api.Pod
	nsLabels       map[string]string
	affinity, anti []f.AffinityTerm
	sums           counts
	keys           []string
	any            bool
}

func (w *weighing) weigh(o *f.PodInfo, n *api.Node) {
	if len(n.Labels) == 0 {
		return
	}
	w.terms(w.affinity, o.Pod, nil, n, 1)
	w.terms(w.anti, o.Pod, nil, n, -1)
	if w.hard > 0 {
		for i := range o.RequiredAffinity {
			w.term(&o.RequiredAffinity[i], w.pod, w.nsLabels, n, w.hard)
		}
	}
	w.terms(o.PreferredAffinity, w.pod, w.nsLabels, n, 1)
	w.terms(o.PreferredAntiAffinity, w.pod, w.nsLabels, n, -1)
}

func (w *weighing) terms(l []f.AffinityTerm, p *api.Pod, nsLabels map[string]string, n *api.Node, sign int64) {
	for i := range l {
		w.term(&l[i], p, nsLabels, n, sign*l[i].Weight)
	}
}

func (w *weighing) term(t *f.AffinityTerm, p *api.Pod, nsLabels map[string]string, n *api.Node, weight int64) {
	v, ok := n.Labels[t.TopologyKey]
	if !ok || !t.Matches(p, nsLabels) {
		return
	}
	w.any = true
	w.sums[domain{t.TopologyKey, v}] += weight
	for _, k := range w.keys {
		if k == t.TopologyKey {
			return
		}
	}
	w.keys = append(w.keys, t.TopologyKey)
}

// Score adds the sums of the node's domains.
func (Plugin) Score(st *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	s, ok := st.Score(f.InterPodAffinity).(*scoreState)
	if !ok {
		return 0
	}
	var sum int64
	for _, k := range s.keys {
		if v, ok := n.Node.Labels[k]; ok {
			sum += s.sums[domain{k, v}]
		}
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
