package recorder

import (
	"maps"
	"slices"
)

// lruSize is how many entries each cache of a correlator keeps.
const lruSize = 4096

// lru is a map that forgets the entry that was not used for longest. It is data:
// clone copies it.
type lru[V any] struct {
	index   map[string]int32
	entries []entry[V] // entries[0] is the ring's anchor
}

type entry[V any] struct {
	key        string
	value      V
	prev, next int32
}

func newLRU[V any]() lru[V] {
	return lru[V]{index: map[string]int32{}, entries: make([]entry[V], 1)}
}

func (l *lru[V]) clone() lru[V] {
	return lru[V]{maps.Clone(l.index), slices.Clone(l.entries)}
}

// get returns the value of a key and makes it the latest used.
func (l *lru[V]) get(key string) (V, bool) {
	i, ok := l.index[key]
	if !ok {
		var none V
		return none, false
	}
	l.unlink(i)
	l.link(i)
	return l.entries[i].value, true
}

// put sets the value of a key and makes it the latest used.
func (l *lru[V]) put(key string, v V) {
	i, ok := l.index[key]
	switch {
	case ok:
		l.unlink(i)
	case len(l.entries) <= lruSize:
		i = int32(len(l.entries))
		l.entries = append(l.entries, entry[V]{})
	default:
		i = l.entries[0].prev
		l.unlink(i)
		delete(l.index, l.entries[i].key)
	}
	l.entries[i].key, l.entries[i].value = key, v
	l.index[key] = i
	l.link(i)
}

func (l *lru[V]) unlink(i int32) {
	e := l.entries[i]
	l.entries[e.prev].next = e.next
	l.entries[e.next].prev = e.prev
}

func (l *lru[V]) link(i int32) {
	first := l.entries[0].next
	l.entries[i].prev, l.entries[i].next = 0, first
	l.entries[first].prev = i
	l.entries[0].next = i
}
