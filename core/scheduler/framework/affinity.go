package framework

import (
	"podwalk/core/api"
	"podwalk/core/store"
)

// AffinityTerm is a parsed term of pod affinity or anti-affinity. Weight is 0 for
// a required one.
type AffinityTerm struct {
	Namespaces        []string
	NamespaceSelector api.Selector
	Selector          api.Selector
	TopologyKey       string
	Weight            int64
}

func (i *PodInfo) terms(l []api.PodAffinityTerm) []AffinityTerm {
	var out []AffinityTerm
	for j := range l {
		out = append(out, i.term(&l[j], 0))
	}
	return out
}

func (i *PodInfo) weighted(l []api.WeightedPodAffinityTerm) []AffinityTerm {
	var out []AffinityTerm
	for j := range l {
		out = append(out, i.term(&l[j].PodAffinityTerm, int64(l[j].Weight)))
	}
	return out
}

// term parses one term; without namespaces it is about the pod's own
// (k8s.io/kube-scheduler/framework/types.go, newAffinityTerm). The API server has
// already put the matchLabelKeys into the label selector.
func (i *PodInfo) term(t *api.PodAffinityTerm, weight int64) AffinityTerm {
	a := AffinityTerm{Namespaces: t.Namespaces, TopologyKey: t.TopologyKey, Weight: weight}
	var err, errNS error
	a.Selector, err = t.LabelSelector.AsSelector()
	a.NamespaceSelector, errNS = t.NamespaceSelector.AsSelector()
	if i.BadAffinity == nil {
		i.BadAffinity = err
	}
	if i.BadAffinity == nil {
		i.BadAffinity = errNS
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		a.Namespaces = []string{i.Pod.Namespace}
	}
	return a
}

// Matches reports whether the term is about the pod, whose namespace has nsLabels.
func (a *AffinityTerm) Matches(p *api.Pod, nsLabels map[string]string) bool {
	return (contains(a.Namespaces, p.Namespace) || a.NamespaceSelector.Matches(nsLabels)) && a.Selector.Matches(p.Labels)
}

// Resolve returns the terms with their namespace selectors replaced by the names of
// the namespaces that they select now
// (interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty).
func Resolve(terms []AffinityTerm, objects store.Snapshot) []AffinityTerm {
	for i := range terms {
		if s := terms[i].NamespaceSelector; s.Empty() || s.Nothing {
			continue
		}
		terms = append([]AffinityTerm(nil), terms...)
		t := &terms[i]
		t.Namespaces = append([]string(nil), t.Namespaces...)
		objects.Each("Namespace", "", func(o api.Object) bool {
			if m := o.Meta(); t.NamespaceSelector.Matches(m.Labels) && !contains(t.Namespaces, m.Name) {
				t.Namespaces = append(t.Namespaces, m.Name)
			}
			return true
		})
		t.NamespaceSelector = api.Selector{Nothing: true}
	}
	return terms
}

// NamespaceLabels returns the labels of a namespace.
func NamespaceLabels(objects store.Snapshot, name string) map[string]string {
	if o := objects.Get("Namespace", "", name); o != nil {
		return o.Meta().Labels
	}
	return nil
}
