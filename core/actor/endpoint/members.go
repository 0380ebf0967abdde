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
type Members struct{ sets map[sim.Key][]string }

// Observe takes in what a cache was told; read is the state after it.
func (m *Members) Observe(read store.Snapshot, changes []store.Change) {
	touched := map[sim.Key]map[string]bool{}
	for _, ch := range changes {
		switch o := ch.Object().(type) {
		case *api.Service:
			if was, ok := ch.Old.(*api.Service); !ok || ch.New == nil || !maps.Equal(was.Spec.Selector, o.Spec.Selector) {
				delete(m.sets, KeyOf(o.Namespace, o.Name))
			}
		case *api.Pod:
			m.touch(read, ch, touched)
		}
	}
	for k, names := range touched {
		m.settle(read, k, names)
	}
}

func (m *Members) touch(read store.Snapshot, ch store.Change, touched map[sim.Key]map[string]bool) {
	if ch.Old != nil && ch.New != nil && maps.Equal(ch.Old.Meta().Labels, ch.New.Meta().Labels) {
		return
	}
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
	kept := make([]string, 0, len(m.sets[k])+len(names))
	for _, n := range m.sets[k] {
		if !names[n] {
			kept = append(kept, n)
		}
	}
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
		return m.list(read, k, s)
	}
	pods := make([]*api.Pod, 0, len(names))
	for _, n := range names {
		if p, ok := read.Get("Pod", s.Namespace, n).(*api.Pod); ok {
			pods = append(pods, p)
		}
	}
	return pods
}

func (m *Members) list(read store.Snapshot, k sim.Key, s *api.Service) []*api.Pod {
	var pods []*api.Pod
	names := []string{}
	read.Each("Pod", s.Namespace, func(o api.Object) bool {
		if p := o.(*api.Pod); Selects(s, p.Labels) {
			pods, names = append(pods, p), append(names, p.Name)
		}
		return true
	})
	if m.sets == nil {
		m.sets = map[sim.Key][]string{}
	}
	m.sets[k] = names
	return pods
}

// Clone returns an independent copy; lists are replaced, never changed.
func (m *Members) Clone() Members { return Members{maps.Clone(m.sets)} }
