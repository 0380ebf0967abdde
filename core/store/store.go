// Package store is the simulated etcd: a revisioned store of immutable objects
// with a change log. Every write makes one revision and one Change; older
// revisions stay readable; a clone costs nothing until one of the two is
// written. It knows no rules: who may write what is apiserver's business.
// Objects are frozen by Put: nobody may change them afterwards. Start reading at
// Store and Snapshot.
package store

import (
	"errors"
	"slices"
	"sort"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// ChangeType says what a Change did.
type ChangeType string

// The kinds of change, in the words of a watch.
const (
	Added    ChangeType = "ADDED"
	Modified ChangeType = "MODIFIED"
	Deleted  ChangeType = "DELETED"
)

// Change is one write. Old is nil when added, New when deleted.
type Change struct {
	Rev      uint64
	At       sim.Time
	Type     ChangeType
	Old, New api.Object
	Cause    sim.Cause // the record of the commit
}

// Object returns the state after the change, or the last one when deleted.
func (c Change) Object() api.Object {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// Index lets snapshots find objects of a kind by a value, such as pods by node.
// An index without a Kind is one of all kinds.
type Index struct {
	Name   string
	Kind   string
	Values func(api.Object) []string
}

// The errors of a write or of a read in the past.
var (
	ErrExists   = errors.New("object exists")
	ErrNotFound = errors.New("object not found")
	ErrConflict = errors.New("object has been modified")
	ErrGone     = errors.New("revision has been compacted")
)

// AnyRev as expected revision lets a write replace whatever is there.
const AnyRev = ^uint64(0)

// fresh is how many of the newest revisions keep their trees at hand; of older
// ones every stride-th does, the others are rebuilt from it and the log.
const (
	fresh  = 2048
	stride = 32
)

type root struct{ objects, index *node }

type mark struct {
	rev  uint64
	root root
}

// Store holds all revisions since the last compaction.
type Store struct {
	indexes []Index
	now     root
	rev     uint64
	floor   uint64 // revisions at or below have no log
	log     []Change
	marks   []mark // ascending revisions
	untidy  int    // marks added since the last thinning
	detect  *detector
}

// FirstRev is the revision of an empty store, as in a new etcd.
const FirstRev = 1

// New returns an empty store with these indexes.
func New(indexes ...Index) *Store {
	return &Store{indexes: indexes, rev: FirstRev, floor: FirstRev, marks: []mark{{rev: FirstRev}}}
}

// Indexed reports whether the store has an index of that name.
func (s *Store) Indexed(name string) bool {
	return slices.ContainsFunc(s.indexes, func(ix Index) bool { return ix.Name == name })
}

// Rev returns the newest revision.
func (s *Store) Rev() uint64 { return s.rev }

// Put writes obj, which the store owns and freezes from now on, and sets its
// resourceVersion. expect is the revision that the caller saw (0: the object must
// not exist; AnyRev: whatever there is).
func (s *Store) Put(obj api.Object, expect uint64, at sim.Time, cause sim.Cause) (uint64, error) {
	k := objectKey(obj)
	old := s.now.objects.get(&k)
	if err := check(old, expect); err != nil {
		return 0, err
	}
	s.rev++
	obj.Meta().ResourceVersion = strconv.FormatUint(s.rev, 10)
	t := Added
	if old != nil {
		t = Modified
	}
	s.detect.freeze(obj)
	s.commit(Change{Rev: s.rev, At: at, Type: t, Old: old, New: obj, Cause: cause})
	return s.rev, nil
}

// Delete removes an object and returns its last state.
func (s *Store) Delete(ref api.Ref, expect uint64, at sim.Time, cause sim.Cause) (api.Object, error) {
	old := s.now.objects.get(&key{ref.Kind, ref.Namespace, ref.Name, ""})
	if old == nil {
		return nil, ErrNotFound
	}
	if err := check(old, expect); err != nil {
		return nil, err
	}
	s.rev++
	s.commit(Change{Rev: s.rev, At: at, Type: Deleted, Old: old, Cause: cause})
	return old, nil
}

func check(old api.Object, expect uint64) error {
	switch {
	case expect == AnyRev:
		return nil
	case old == nil && expect != 0:
		return ErrNotFound
	case old != nil && expect == 0:
		return ErrExists
	case old != nil && RevOf(old) != expect:
		return ErrConflict
	}
	return nil
}

// RevOf returns the revision in an object's resourceVersion, 0 if there is none.
func RevOf(o api.Object) uint64 {
	n, _ := strconv.ParseUint(o.Meta().ResourceVersion, 10, 64)
	return n
}

func objectKey(o api.Object) key {
	m := o.Meta()
	return key{o.ObjectType().Kind, m.Namespace, m.Name, ""}
}

func (s *Store) commit(c Change) {
	s.log = append(s.log, c)
	s.now = s.apply(s.now, c)
	s.marks = append(s.marks, mark{c.Rev, s.now})
	if s.untidy++; s.untidy > fresh {
		s.thin()
		s.untidy = 0
	}
}

// apply returns the trees after a change.
func (s *Store) apply(r root, c Change) root {
	k := objectKey(c.Object())
	if c.New != nil {
		r.objects = r.objects.put(&entry{k, k.prio(), c.New})
	} else {
		r.objects = r.objects.remove(&k)
	}
	for i := range s.indexes {
		if s.indexes[i].Kind == k.a || s.indexes[i].Kind == "" {
			r.index = s.reindex(r.index, &s.indexes[i], c)
		}
	}
	return r
}

func (s *Store) reindex(n *node, ix *Index, c Change) *node {
	var before, after []string
	if c.Old != nil {
		before = ix.Values(c.Old)
	}
	if c.New != nil {
		after = ix.Values(c.New)
	}
	for _, v := range before {
		if !slices.Contains(after, v) {
			k := indexKey(ix, v, c.Old)
			n = n.remove(&k)
		}
	}
	if c.New != nil {
		for _, v := range after {
			k := indexKey(ix, v, c.New)
			n = n.put(&entry{k, k.prio(), c.New})
		}
	}
	return n
}

// indexKey is the place of an object in an index; in one of all kinds, names are
// told apart by the kind behind them.
func indexKey(ix *Index, value string, o api.Object) key {
	m := o.Meta()
	if ix.Kind == "" {
		return key{ix.Name, value, m.Namespace, m.Name + " " + o.ObjectType().Kind}
	}
	return key{ix.Name, value, m.Namespace, m.Name}
}

// thin drops the trees of old revisions that are no multiple of stride. The
// slice is new: clones may share the old one.
func (s *Store) thin() {
	cut := max(len(s.marks)-fresh, 0)
	kept := make([]mark, 0, fresh+cut/2)
	for i, m := range s.marks {
		if i == 0 || i >= cut || m.rev%stride == 0 {
			kept = append(kept, m)
		}
	}
	s.marks = kept
}

// Since returns the changes after a revision; the slice is shared and must not
// be changed. It returns ErrGone if some of them have been compacted away.
func (s *Store) Since(rev uint64) ([]Change, error) {
	if rev < s.floor {
		return nil, ErrGone
	}
	if rev >= s.rev {
		return nil, nil
	}
	n := len(s.log)
	return s.log[rev-s.floor : n : n], nil
}

// RevAt returns the newest revision that was written at or before an instant.
func (s *Store) RevAt(t sim.Time) uint64 {
	i := sort.Search(len(s.log), func(i int) bool { return s.log[i].At > t })
	return s.floor + uint64(i)
}

// Compact forgets the revisions below rev.
func (s *Store) Compact(rev uint64) error {
	if rev <= s.floor {
		return nil
	}
	if rev > s.rev {
		return ErrNotFound
	}
	at, err := s.At(rev)
	if err != nil {
		return err
	}
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].rev > rev })
	s.marks = append([]mark{{rev, at.root}}, s.marks[i:]...)
	s.log = append([]Change(nil), s.log[rev-s.floor:]...)
	s.floor = rev
	return nil
}

// Clone returns a store that shares all revisions so far with s and grows
// independently of it.
func (s *Store) Clone() *Store {
	c := *s
	c.log = s.log[:len(s.log):len(s.log)]
	c.marks = s.marks[:len(s.marks):len(s.marks)]
	return &c
}
