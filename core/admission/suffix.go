package admission

import "podwalk/core/sim"

// alphabet has no vowels and nothing that looks like another sign
// (apimachinery/pkg/util/rand/rand.go).
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

// Suffix returns the five characters that the server puts behind a name's prefix;
// they depend on what is named, key, and on n.
func Suffix(r sim.Random, key string, n uint64) string {
	var b [5]byte
	v := r.Uint64("name suffix", key, n)
	for i := range b {
		b[i] = alphabet[v%uint64(len(alphabet))]
		v /= uint64(len(alphabet))
	}
	return string(b[:])
}
