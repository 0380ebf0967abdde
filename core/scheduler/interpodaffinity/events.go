package interpodaffinity

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// Events names pods and nodes that may attract the pod, or no longer repel it.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Add | f.UpdatePodLabel | f.Delete}, Hint: afterPod},
		{Event: f.Event{Resource: f.TargetPod, Action: f.UpdatePodLabel}},
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeLabel}, Hint: afterNode},
	}
}

func afterPod(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	was, _ := old.(*api.Pod)
	now, _ := new.(*api.Pod)
	switch {
	case waits(was) || waits(now):
		return false
	case was != nil && now != nil:
		return !matchesAll(p.RequiredAffinity, was) && matchesAll(p.RequiredAffinity, now) ||
			matchesAny(p.RequiredAntiAffinity, was) && !matchesAny(p.RequiredAntiAffinity, now)
	case now != nil:
		return matchesAll(p.RequiredAffinity, now)
	}
	return matchesAny(p.RequiredAntiAffinity, was) || matchesAny(f.NewPodInfo(was).RequiredAntiAffinity, p.Pod)
}

func waits(p *api.Pod) bool {
	return p != nil && p.Spec.NodeName == "" && p.Status.NominatedNodeName == ""
}

func matchesAny(terms []f.AffinityTerm, p *api.Pod) bool {
	for i := range terms {
		if terms[i].Matches(p, nil) {
			return true
		}
	}
	return false
}

func afterNode(_ *f.HintContext, p *f.PodInfo, old, new api.Object) bool {
	was, _ := old.(*api.Node)
	now := new.(*api.Node)
	for i := range p.RequiredAffinity {
		v, ok := now.Labels[p.RequiredAffinity[i].TopologyKey]
		if ok && (was == nil || !has(was, p.RequiredAffinity[i].TopologyKey, v)) {
			return true
		}
	}
	for i := range p.RequiredAntiAffinity {
		key := p.RequiredAntiAffinity[i].TopologyKey
		if was == nil {
			return true
		}
		if v, ok := was.Labels[key]; ok && !has(now, key, v) {
			return true
		}
	}
	return false
}

func has(n *api.Node, key, value string) bool {
	v, ok := n.Labels[key]
	return ok && v == value
}
