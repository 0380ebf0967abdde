package scheduler

import (
	"maps"
	"reflect"
	"slices"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// local are the plugins whose answer depends on the pod and the one node alone: it
// is remembered until the node changes.
const local = f.Set(1<<f.NodeName | 1<<f.NodeUnschedulable | 1<<f.TaintToleration | 1<<f.NodeAffinity | 1<<f.NodePorts |
	1<<f.NodeResourcesFit | 1<<f.NodeResourcesBalancedAllocation)

// How much is remembered.
const (
	maxTemplates = 16
	maxLog       = 1 << 16
)

// template is what is remembered for the pods of one template. Nothing in it
// changes an answer: without it all is worked out anew.
type template struct {
	f.Template
	profile *Profile
	seen    int // of the log
	known   []bool
	status  []*f.Status // what the leading local filters say of a node
	scores  []column    // of the local scoring plugins
}

// column is the raw scores of a plugin, by position of the node.
type column struct {
	plugin f.ID
	known  []bool
	raw    []int64
}

// templateOf returns what is remembered for pods like p.
func (s *Scheduler) templateOf(p *f.PodInfo) *template {
	if s.plain {
		return nil
	}
	m, profile := s.cache.remember(), s.profiles[p.Pod.Spec.SchedulerName]
	l := s.scratch.templates
	if len(l) > 0 && (l[0].Memory != m || len(m.Log) > maxLog) {
		l, m.Log = nil, nil
	}
	for i, t := range l {
		if t.profile == profile && alike(t.Pod, p) {
			copy(l[1:i+1], l[:i])
			l[0] = t
			return t.refreshed(m)
		}
	}
	n := len(s.cache.ordered)
	t := &template{Template: f.Template{Pod: p, Memory: m}, profile: profile, seen: len(m.Log), known: make([]bool, n), status: make([]*f.Status, n)}
	if len(l) == maxTemplates {
		l = l[:maxTemplates-1]
	}
	s.scratch.templates = append([]*template{t}, l...)
	return t
}

// refreshed forgets what was known of nodes that have changed.
func (t *template) refreshed(m *f.Memory) *template {
	for _, pos := range m.Log[t.seen:] {
		t.known[pos] = false
		for i := range t.scores {
			t.scores[i].known[pos] = false
		}
	}
	t.seen = len(m.Log)
	return t
}

// column returns the remembered scores of a plugin.
func (t *template) column(id f.ID) *column {
	for i := range t.scores {
		if t.scores[i].plugin == id {
			return &t.scores[i]
		}
	}
	n := len(t.known)
	t.scores = append(t.scores, column{id, make([]bool, n), make([]int64, n)})
	return &t.scores[len(t.scores)-1]
}

// alike reports whether no plugin can tell two pods apart, but those that look at
// volumes and owners, which remember nothing by template.
func alike(a, b *f.PodInfo) bool {
	p, q := a.Pod, b.Pod
	x, y := &p.Spec, &q.Spec
	return p.Namespace == q.Namespace && x.NodeName == y.NodeName && sameResource(&a.Requests, &b.Requests) && sameResource(&a.Scored, &b.Scored) &&
		sameResource(&a.NonZero, &b.NonZero) && x.Resources == nil && y.Resources == nil && slices.Equal(a.Ports, b.Ports) && maps.Equal(p.Labels, q.Labels) && maps.Equal(x.NodeSelector, y.NodeSelector) &&
		sameTolerations(x.Tolerations, y.Tolerations) && sameAffinity(x.Affinity, y.Affinity) && sameSpread(x.TopologySpreadConstraints, y.TopologySpreadConstraints)
}

func sameResource(a, b *f.Resource) bool {
	return a.MilliCPU == b.MilliCPU && a.Memory == b.Memory && a.EphemeralStorage == b.EphemeralStorage && slices.Equal(a.Scalars, b.Scalars)
}

func sameTolerations(a, b []api.Toleration) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if x, y := &a[i], &b[i]; x.Key != y.Key || x.Operator != y.Operator || x.Value != y.Value || x.Effect != y.Effect {
			return false
		}
	}
	return true
}

func sameAffinity(a, b *api.Affinity) bool {
	return a == b || a != nil && b != nil && reflect.DeepEqual(a, b)
}

func sameSpread(a, b []api.TopologySpreadConstraint) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}
