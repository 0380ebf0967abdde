package interpodaffinity

import (
	f "podwalk/core/scheduler/framework"
)

// sums holds a sum for each domain of a label.
type sums struct {
	*f.Domains
	key string
	of  []int64
}

func sumsOf(k *f.Cluster, key string) *sums {
	d := k.Domains(key)
	return &sums{d, key, make([]int64, len(d.Names))}
}

// at returns the sum of a node's domain, and whether it has one.
func (s *sums) at(pos int) (int64, bool) {
	d := s.Of[pos]
	if d < 0 {
		return 0, false
	}
	return s.of[d], true
}

// add adds to a node's domain and reports whether it has one.
func (s *sums) add(pos int, by int64) bool {
	d := s.Of[pos]
	if d < 0 {
		return false
	}
	s.of[d] += by
	return true
}

func (s *sums) clone() *sums {
	c := *s
	c.of = append([]int64(nil), s.of...)
	return &c
}

func cloned(l []*sums) []*sums {
	out := make([]*sums, len(l))
	for i, s := range l {
		out[i] = s.clone()
	}
	return out
}

// keyed is a list of sums by label, in order of appearance.
type keyed []*sums

func (l *keyed) get(k *f.Cluster, key string) *sums {
	for _, s := range *l {
		if s.key == key {
			return s
		}
	}
	s := sumsOf(k, key)
	*l = append(*l, s)
	return s
}

// gave is what a node has added to a sum.
type gave struct {
	to *sums
	by int64
}

// share is what each node has added, so that it can be taken back.
type share struct {
	of    [][]gave // by position
	terms []int32  // how many terms matched, by position
	all   int64    // terms that matched
}

func newShare(k *f.Cluster) share {
	return share{of: make([][]gave, len(k.Nodes)), terms: make([]int32, len(k.Nodes))}
}

// takeBack takes back what a node has added.
func (s *share) takeBack(pos int) {
	for _, g := range s.of[pos] {
		g.to.add(pos, -g.by)
	}
	s.of[pos] = s.of[pos][:0]
	s.all -= int64(s.terms[pos])
	s.terms[pos] = 0
}

// give adds to a node's domain; a node without one adds nothing.
func (s *share) give(to *sums, pos int, by int64) {
	if !to.add(pos, by) {
		return
	}
	s.terms[pos]++
	s.all++
	l := s.of[pos]
	for i := range l {
		if l[i].to == to {
			l[i].by += by
			return
		}
	}
	s.of[pos] = append(l, gave{to, by})
}

// plainNamespaces reports whether no term asks for namespaces by their labels: what
// is remembered would not notice that these change.
func plainNamespaces(lists ...[]f.AffinityTerm) bool {
	for _, l := range lists {
		for i := range l {
			if s := &l[i].NamespaceSelector; !s.Empty() && !s.Nothing {
				return false
			}
		}
	}
	return true
}

// sameLabels compares the labels of a namespace.
func sameLabels(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}
