package store

import (
	"sort"

	"podwalk/core/api"
)

// Snapshot reads the store as it was at one revision. It is a small value;
// copying it is free, and it stays valid for ever.
type Snapshot struct {
	root root
	rev  uint64
}

// Latest returns the newest revision.
func (s *Store) Latest() Snapshot { return Snapshot{s.now, s.rev} }

// At returns the store as it was at a revision, or ErrGone.
func (s *Store) At(rev uint64) (Snapshot, error) {
	if rev >= s.rev {
		return s.Latest(), nil
	}
	if rev < s.floor {
		return Snapshot{}, ErrGone
	}
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].rev > rev }) - 1
	m := s.marks[i]
	r := m.root
	for _, c := range s.log[m.rev-s.floor : rev-s.floor] {
		r = s.apply(r, c)
	}
	return Snapshot{r, rev}, nil
}

// Rev returns the revision that the snapshot shows.
func (v Snapshot) Rev() uint64 { return v.rev }

// Get returns an object or nil.
func (v Snapshot) Get(kind, namespace, name string) api.Object {
	return v.root.objects.get(&key{kind, namespace, name, ""})
}

// Each visits the objects of a kind in one namespace ("" for all), ordered by
// namespace and name, while visit returns true.
func (v Snapshot) Each(kind, namespace string, visit func(api.Object) bool) {
	v.root.objects.walk(&key{kind, namespace, "", ""}, func(n *node) bool {
		if n.key.a != kind || namespace != "" && n.key.b != namespace {
			return false
		}
		return visit(n.obj)
	})
}

// List returns the objects of a kind in one namespace ("" for all), ordered by
// namespace and name.
func (v Snapshot) List(kind, namespace string) []api.Object {
	var l []api.Object
	v.Each(kind, namespace, func(o api.Object) bool {
		l = append(l, o)
		return true
	})
	return l
}

// ByIndex returns the objects that an index finds under a value, ordered by
// namespace and name.
func (v Snapshot) ByIndex(index, value string) []api.Object {
	var l []api.Object
	v.root.index.walk(&key{index, value, "", ""}, func(n *node) bool {
		if n.key.a != index || n.key.b != value {
			return false
		}
		l = append(l, n.obj)
		return true
	})
	return l
}

// All visits every object, ordered by kind, namespace and name.
func (v Snapshot) All(visit func(api.Object) bool) {
	v.root.objects.walk(&key{}, func(n *node) bool { return visit(n.obj) })
}

// CloneAt returns a store whose newest revision is rev, or ErrGone.
func (s *Store) CloneAt(rev uint64) (*Store, error) {
	v, err := s.At(rev)
	if err != nil {
		return nil, err
	}
	c := s.Clone()
	if rev < s.rev {
		c.rev, c.now = rev, v.root
		n := rev - s.floor
		c.log = s.log[:n:n]
		i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].rev > rev })
		c.marks = s.marks[:i:i]
	}
	return c, nil
}
