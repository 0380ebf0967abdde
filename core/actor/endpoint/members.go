package endpoint

import (
	"maps"
	"slices"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Members remembers which pods each Service selects, so that a change costs what
// changed and not the namespace. The zero value is ready. A list is made at the
// first question and kept up by Observe.
type Members struct {
	sets   map[sim.Key][]string
	labels map[string][]string // names of pods by namespace and pair of labels
	known  map[string]bool     // namespaces whose pods are in labels
	shared bool                // a clone may see the maps: copy them before they change
}

// Observe takes in what a cache was told; read is the state after it.
func (m *Members) Observe(read store.Snapshot, changes []store.Change) {
	var pods []store.Change
	for _, ch := range changes {
		switch o := ch.Object().(type) {
		case *api.Service:
			if was, ok := ch.Old.(*api.Service); !ok || ch.New == nil || !maps.Equal(was.Spec.Selector, o.Spec.Selector) {
				m.own()
				delete(m.sets, KeyOf(o.Namespace, o.Name))
			}
		case *api.Pod:
			if ch.Old == nil || ch.New == nil || !maps.Equal(ch.Old.Meta().Labels, ch.New.Meta().Labels) {
				pods = append(pods, ch)
			}
		}
	}
	if len(pods) == 0 || len(m.sets) == 0 && len(m.known) == 0 {
		return
	}
	m.own()
	m.label(read, pods)
	touched := map[sim.Key]map[string]bool{}
	for _, ch := range pods {
		m.touch(read, ch, touched)
	}
	for k, names := range touched {
		m.settle(read, k, names)
	}
}

// own makes the maps this value's own.
func (m *Members) own() {
	if !m.shared && m.sets != nil {
		return
	}
	m.sets, m.labels, m.known = alone(m.sets), alone(m.labels), maps.Clone(m.known)
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.shared = false
}

// alone copies a map of lists that may be appended to.
func alone[K comparable](lists map[K][]string) map[K][]string {
	c := make(map[K][]string, len(lists))
	for k, l := range lists {
		c[k] = l[:len(l):len(l)]
	}
	return c
}

// label moves pods to the pairs of labels that they have now.
func (m *Members) label(read store.Snapshot, changes []store.Change) {
	gone, here := map[string]map[string]bool{}, map[string][]string{}
	done := map[string]bool{}
	for _, ch := range changes {
		meta := ch.Object().Meta()
		if !m.known[meta.Namespace] {
			continue
		}
		if ch.Old != nil {
			for k, v := range ch.Old.Meta().Labels {
				p := pair(meta.Namespace, k, v)
				if gone[p] == nil {
					gone[p] = map[string]bool{}
				}
				gone[p][meta.Name] = true
			}
		}
		if now, ok := read.Get("Pod", meta.Namespace, meta.Name).(*api.Pod); ok && !done[meta.Namespace+"/"+meta.Name] {
			done[meta.Namespace+"/"+meta.Name] = true
			for k, v := range now.Labels {
				p := pair(meta.Namespace, k, v)
				here[p] = append(here[p], meta.Name)
			}
		}
	}
	for p, names := range gone {
		if m.labels[p] = without(m.labels[p], names); len(m.labels[p]) == 0 {
			delete(m.labels, p)
		}
	}
	for p, names := range here {
		m.labels[p] = append(m.labels[p], names...)
	}
}

func without(list []string, names map[string]bool) []string {
	kept := make([]string, 0, len(list))
	for _, n := range list {
		if !names[n] {
			kept = append(kept, n)
		}
	}
	return kept
}

func (m *Members) touch(read store.Snapshot, ch store.Change, touched map[sim.Key]map[string]bool) {
	for _, o := range []api.Object{ch.Old, ch.New} {
		if o == nil {
			continue
		}
		meta := o.Meta()
		for _, s := range Services(read, meta.Namespace, meta.Labels) {
			k := KeyOf(s.Namespace, s.Name)
			if _, known := m.sets[k]; !known {
				continue
			}
			if touched[k] == nil {
				touched[k] = map[string]bool{}
			}
			touched[k][meta.Name] = true
		}
	}
}

// settle brings the list of a Service up to date for some pods.
func (m *Members) settle(read store.Snapshot, k sim.Key, names map[string]bool) {
	s, _ := read.Get("Service", k.Namespace, k.Name).(*api.Service)
	if s == nil {
		delete(m.sets, k)
		return
	}
	kept := without(m.sets[k], names)
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if p, ok := read.Get("Pod", k.Namespace, n).(*api.Pod); ok && Selects(s, p.Labels) {
			kept = append(kept, n)
		}
	}
	m.sets[k] = kept
}

// Pods returns the pods that a Service selects, in the order in which they came.
func (m *Members) Pods(read store.Snapshot, s *api.Service) []*api.Pod {
	k := KeyOf(s.Namespace, s.Name)
	names, known := m.sets[k]
	if !known {
		m.own()
		names = m.list(read, s)
		m.sets[k] = names
	}
	pods := make([]*api.Pod, 0, len(names))
	for _, n := range names {
		if p, ok := read.Get("Pod", s.Namespace, n).(*api.Pod); ok {
			pods = append(pods, p)
		}
	}
	return pods
}

// list finds the pods of a Service among those with the first pair of its selector.
func (m *Members) list(read store.Snapshot, s *api.Service) []string {
	if !m.known[s.Namespace] {
		m.known[s.Namespace] = true
		read.Each("Pod", s.Namespace, func(o api.Object) bool {
			meta := o.Meta()
			for k, v := range meta.Labels {
				p := pair(meta.Namespace, k, v)
				m.labels[p] = append(m.labels[p], meta.Name)
			}
			return true
		})
	}
	names := []string{}
	for _, first := range IndexValues(s) {
		for _, n := range m.labels[first] {
			if p, ok := read.Get("Pod", s.Namespace, n).(*api.Pod); ok && Selects(s, p.Labels) {
				names = append(names, n)
			}
		}
	}
	return names
}

// Clone returns an independent copy; what is shared is copied at the next change.
func (m *Members) Clone() Members {
	m.shared = true
	return *m
}
