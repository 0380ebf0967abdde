// Package podtopologyspread is the rule that pods spread over the domains of a
// node label (pkg/scheduler/framework/plugins/podtopologyspread). The constraint
// that must hold is in filter.go, the preference in score.go.
package podtopologyspread

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/store"
)

// The reasons of the rule.
const (
	ErrReasonConstraintsNotMatch = "node(s) didn't match pod topology spread constraints"
	ErrReasonNodeLabelNotMatch   = ErrReasonConstraintsNotMatch + " (missing required label)"
)

const (
	hard     = "DoNotSchedule"
	soft     = "ScheduleAnyway"
	hostname = "kubernetes.io/hostname"
)

// Plugin is the rule PodTopologySpread. Pods without constraints get those of
// Defaults, or the system's if it is nil.
type Plugin struct{ Defaults *Defaults }

// Defaults are the constraints of a configuration with defaultingType List.
type Defaults struct {
	Constraints []api.TopologySpreadConstraint // without selectors
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

// ID returns f.PodTopologySpread.
func (Plugin) ID() f.ID { return f.PodTopologySpread }

// systemDefaults spread the pods of a Service or of a controller that say nothing
// themselves.
var systemDefaults = []constraint{
	{maxSkew: 3, key: hostname, minDomains: 1, honorAffinity: true},
	{maxSkew: 5, key: "topology.kubernetes.io/zone", minDomains: 1, honorAffinity: true},
}

// constraint is a parsed topologySpreadConstraint.
type constraint struct {
	maxSkew, minDomains        int
	key                        string
	selector                   api.Selector
	honorAffinity, honorTaints bool
	id                         string // of what is counted, for Template.Recall
}

// identify names what each constraint counts for a pod.
func identify(l []constraint, p *api.Pod) []constraint {
	for i := range l {
		if i > 0 && len(p.Spec.TopologySpreadConstraints) == 0 {
			l[i].id = l[0].id // the defaults share one selector
			continue
		}
		l[i].id = "spread " + p.Namespace + " " + l[i].selector.String()
	}
	return l
}

// constraints parses those of a list with that whenUnsatisfiable.
func constraints(list []api.TopologySpreadConstraint, p *api.Pod, unsatisfiable string) ([]constraint, error) {
	var l []constraint
	for i := range list {
		t := &list[i]
		if t.WhenUnsatisfiable != unsatisfiable {
			continue
		}
		s, err := t.LabelSelector.AsSelector()
		if err != nil {
			return nil, err
		}
		c := constraint{maxSkew: int(t.MaxSkew), minDomains: 1, key: t.TopologyKey, selector: withKeys(s, t.MatchLabelKeys, p.Labels), honorAffinity: true}
		if t.MinDomains != nil {
			c.minDomains = int(*t.MinDomains)
		}
		if t.NodeAffinityPolicy != nil {
			c.honorAffinity = *t.NodeAffinityPolicy == "Honor"
		}
		if t.NodeTaintsPolicy != nil {
			c.honorTaints = *t.NodeTaintsPolicy == "Honor"
		}
		l = append(l, c)
	}
	return identify(l, p), nil
}

// withKeys also asks for the pod's values of the matchLabelKeys.
func withKeys(s api.Selector, keys []string, labels map[string]string) api.Selector {
	if s.Nothing {
		return s
	}
	for _, k := range keys {
		if v, ok := labels[k]; ok {
			s.Requirements = append(s.Requirements[:len(s.Requirements):len(s.Requirements)], api.Requirement{Key: k, Op: api.OpEquals, Values: []string{v}})
		}
	}
	return s
}

// of returns the constraints of a pod with that whenUnsatisfiable: its own, or the
// default ones if it has none at all.
func (pl Plugin) of(p *api.Pod, unsatisfiable string, objects store.Snapshot) ([]constraint, error) {
	own := p.Spec.TopologySpreadConstraints
	switch {
	case len(own) > 0:
		return constraints(own, p, unsatisfiable)
	case pl.Defaults != nil:
		l, err := constraints(pl.Defaults.Constraints, p, unsatisfiable)
		return selecting(l, p, objects), err
	case unsatisfiable == soft:
		return selecting(append([]constraint(nil), systemDefaults...), p, objects), nil
	}
	return nil, nil
}

// selecting gives default constraints the pod's default selector; without one there
// are none.
func selecting(l []constraint, p *api.Pod, objects store.Snapshot) []constraint {
	if len(l) == 0 {
		return nil
	}
	s := defaultSelector(p, objects)
	if s.Empty() {
		return nil
	}
	for i := range l {
		l[i].selector = s
	}
	return identify(l, p)
}

// defaultSelector selects the pods of the Services and of the controller of a pod;
// it is empty if there are none (helper/spread.go, DefaultSelector).
func defaultSelector(p *api.Pod, objects store.Snapshot) api.Selector {
	labels := map[string]string{}
	objects.Each("Service", p.Namespace, func(o api.Object) bool {
		if s := o.(*api.Service).Spec.Selector; s != nil && api.SelectorFromSet(s).Matches(p.Labels) {
			for k, v := range s {
				labels[k] = v
			}
		}
		return true
	})
	var more api.Selector
	for _, r := range p.OwnerReferences {
		if r.Controller != nil && *r.Controller {
			if known := api.KindNamed(r.Kind); known != nil && known.APIVersion() == r.APIVersion {
				more = ownerSelector(objects.Get(r.Kind, p.Namespace, r.Name), labels)
			}
			break
		}
	}
	s := api.SelectorFromSet(labels)
	s.Requirements = append(s.Requirements, more.Requirements...)
	return s
}

// ownerSelector returns the selector of a controller, or adds it to labels.
func ownerSelector(o api.Object, labels map[string]string) api.Selector {
	var s api.Selector
	switch o := o.(type) {
	case *api.ReplicationController:
		for k, v := range o.Spec.Selector {
			labels[k] = v
		}
	case *api.ReplicaSet:
		s, _ = o.Spec.Selector.AsSelector()
	case *api.StatefulSet:
		s, _ = o.Spec.Selector.AsSelector()
	}
	return s
}

// counts reports whether the constraint looks at a node.
func (c *constraint) counts(p *f.PodInfo, n *api.Node) bool {
	return (!c.honorAffinity || p.Node.Matches(n)) &&
		(!c.honorTaints || f.Untolerated(n.Spec.Taints, p.Pod.Spec.Tolerations) == nil)
}

// hasAll reports whether a node has the label of every constraint.
func hasAll(labels map[string]string, l []constraint) bool {
	for i := range l {
		if _, ok := labels[l[i].key]; !ok {
			return false
		}
	}
	return true
}

// matching counts the pods that a selector finds.
func matching(pods []*f.PodInfo, s *api.Selector, namespace string) int {
	if s.Empty() {
		return 0
	}
	n := 0
	for _, p := range pods {
		if p.Pod.Namespace == namespace && p.Pod.DeletionTimestamp == nil && s.Matches(p.Pod.Labels) {
			n++
		}
	}
	return n
}
