package store

import "podwalk/core/api"

// key orders the objects of the main tree by kind, namespace and name, and the
// entries of an index by index, value, namespace and name.
type key struct{ a, b, c, d string }

func (k *key) compare(o *key) int {
	switch {
	case k.a != o.a:
		return order(k.a < o.a)
	case k.b != o.b:
		return order(k.b < o.b)
	case k.c != o.c:
		return order(k.c < o.c)
	case k.d != o.d:
		return order(k.d < o.d)
	}
	return 0
}

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}

// node is a persistent treap: no node ever changes, a write copies the path to
// it. The priority is a hash of the key, so the shape depends on the keys alone.
type node struct {
	*entry
	left, right *node
}

// entry is what a node holds, apart from it so that a copied path is small.
type entry struct {
	key  key
	prio uint32
	obj  api.Object
}

func (k *key) prio() uint32 {
	h := uint32(2166136261)
	for _, s := range [...]string{k.a, k.b, k.c, k.d} {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint32(s[i])) * 16777619
		}
		h = (h ^ 0xff) * 16777619
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}

func (n *node) get(k *key) api.Object {
	for n != nil {
		c := k.compare(&n.key)
		if c == 0 {
			return n.obj
		}
		if c < 0 {
			n = n.left
		} else {
			n = n.right
		}
	}
	return nil
}

func (n *node) put(e *entry) *node {
	if n == nil {
		return &node{entry: e}
	}
	c := e.key.compare(&n.key)
	m := *n
	switch {
	case c == 0:
		m.entry = e
	case c < 0:
		m.left = n.left.put(e)
		if above(m.left, &m) {
			return rotateRight(&m)
		}
	default:
		m.right = n.right.put(e)
		if above(m.right, &m) {
			return rotateLeft(&m)
		}
	}
	return &m
}

// rotateRight and rotateLeft may change m and its child: both are fresh copies.
func rotateRight(m *node) *node {
	l := m.left
	m.left, l.right = l.right, m
	return l
}

func rotateLeft(m *node) *node {
	r := m.right
	m.right, r.left = r.left, m
	return r
}

func above(a, b *node) bool {
	return a.prio > b.prio || a.prio == b.prio && a.key.compare(&b.key) < 0
}

func (n *node) remove(k *key) *node {
	if n == nil {
		return nil
	}
	c := k.compare(&n.key)
	if c == 0 {
		return join(n.left, n.right)
	}
	m := *n
	if c < 0 {
		m.left = n.left.remove(k)
	} else {
		m.right = n.right.remove(k)
	}
	return &m
}

// join merges two treaps, all keys of a being below those of b.
func join(a, b *node) *node {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	if above(a, b) {
		m := *a
		m.right = join(a.right, b)
		return &m
	}
	m := *b
	m.left = join(a, b.left)
	return &m
}

// walk visits in order the nodes at or above lo while visit returns true.
func (n *node) walk(lo *key, visit func(*node) bool) bool {
	if n == nil {
		return true
	}
	if n.key.compare(lo) >= 0 {
		if !n.left.walk(lo, visit) || !visit(n) {
			return false
		}
	}
	return n.right.walk(lo, visit)
}
