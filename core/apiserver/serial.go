package apiserver

import "maps"

// serials counts how often a name was deleted and how many names a prefix has
// been given: the position in the keyed streams of random values. Clones share
// the map until one of them changes it.
type serials struct {
	counts map[string]uint64
	shared bool
}

func (s *serials) get(key string) uint64 { return s.counts[key] }

func (s *serials) set(key string, n uint64) {
	if s.shared || s.counts == nil {
		s.counts, s.shared = maps.Clone(s.counts), false
		if s.counts == nil {
			s.counts = map[string]uint64{}
		}
	}
	s.counts[key] = n
}

// share returns a copy for a clone; both copy the map before they next change it.
func (s *serials) share() serials {
	s.shared = true
	return *s
}
