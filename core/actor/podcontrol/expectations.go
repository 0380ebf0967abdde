package podcontrol

import (
	"maps"

	"podwalk/core/api"
	"podwalk/core/store"
)

// Expectations remember what a controller has written and not yet seen: until it
// has, what its cache shows is older than what it did. Its zero value is ready. No
// watch loses a change here, so expectations do not expire as upstream's do.
type Expectations struct{ byKey map[string]expected }

// expected is never changed in place but for the set, which Clone copies.
type expected struct {
	adds int
	dels map[string]bool // by UID
}

// ExpectCreations notes that n pods of key will appear; it replaces what was
// expected.
func (e *Expectations) ExpectCreations(key string, n int) { e.set(key, expected{adds: n}) }

// ExpectDeletions notes that these pods of key will go, or be marked as going; it
// replaces what was expected.
func (e *Expectations) ExpectDeletions(key string, uids []string) {
	x := expected{dels: make(map[string]bool, len(uids))}
	for _, u := range uids {
		x.dels[u] = true
	}
	e.set(key, x)
}

func (e *Expectations) set(key string, x expected) {
	if e.byKey == nil {
		e.byKey = map[string]expected{}
	}
	e.byKey[key] = x
	e.tidy(key)
}

// CreationFailed takes n creations back that were expected but did not happen.
func (e *Expectations) CreationFailed(key string, n int) { e.created(key, n) }

// DeletionFailed takes a deletion back that was expected but did not happen.
func (e *Expectations) DeletionFailed(key, uid string) { e.deleted(key, uid) }

func (e *Expectations) created(key string, n int) {
	if x, ok := e.byKey[key]; ok {
		x.adds -= n
		e.byKey[key] = x
		e.tidy(key)
	}
}

func (e *Expectations) deleted(key, uid string) {
	if x, ok := e.byKey[key]; ok {
		delete(x.dels, uid)
		e.tidy(key)
	}
}

func (e *Expectations) tidy(key string) {
	if x := e.byKey[key]; x.adds <= 0 && len(x.dels) == 0 {
		delete(e.byKey, key)
	}
}

// Observe takes in what the cache was told of. ownerKey gives the key of a pod's
// controller, "" if it is none of this one's. It must be called with every look's
// Changes.
func (e *Expectations) Observe(changes []store.Change, ownerKey func(*api.Pod) string) {
	for i := range changes {
		if len(e.byKey) == 0 {
			return
		}
		p, ok := changes[i].Object().(*api.Pod)
		if !ok {
			continue
		}
		key := ownerKey(p)
		if key == "" {
			continue
		}
		if changes[i].Old == nil {
			e.created(key, 1)
		}
		if changes[i].New == nil || p.DeletionTimestamp != nil {
			e.deleted(key, p.UID)
		}
	}
}

// Satisfied reports whether all that key has written has been seen.
func (e *Expectations) Satisfied(key string) bool {
	_, waiting := e.byKey[key]
	return !waiting
}

// Forget drops what is expected of key: it is gone.
func (e *Expectations) Forget(key string) { delete(e.byKey, key) }

// Clone returns an independent copy.
func (e *Expectations) Clone() Expectations {
	c := Expectations{maps.Clone(e.byKey)}
	for k, x := range c.byKey {
		x.dels = maps.Clone(x.dels)
		c.byKey[k] = x
	}
	return c
}
