package store

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"podwalk/core/api"
)

// detector remembers what objects looked like when they were frozen.
type detector struct{ frozen []frozen }

type frozen struct {
	obj api.Object
	sum uint64
}

// DetectMutations makes the store remember a hash of every object from now on, so
// that CheckMutations can tell which were changed behind its back. For tests:
// it costs an encoding of each object. Clones share the memory.
func (s *Store) DetectMutations() { s.detect = &detector{} }

// CheckMutations returns an error that names the first object that changed after
// it was stored.
func (s *Store) CheckMutations() error {
	if s.detect == nil {
		return nil
	}
	for _, f := range s.detect.frozen {
		if sum(f.obj) != f.sum {
			return fmt.Errorf("%s was changed after it was stored", api.RefOf(f.obj))
		}
	}
	return nil
}

func (d *detector) freeze(o api.Object) {
	if d != nil {
		d.frozen = append(d.frozen, frozen{o, sum(o)})
	}
}

func sum(o api.Object) uint64 {
	b, err := json.Marshal(o)
	if err != nil {
		panic("store: " + err.Error())
	}
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}
