package sim

// Random is a source of keyed streams: a value depends on the seed, the purpose,
// the key of the object and a counter, and on nothing else. One more pod never
// changes the values of the others.
type Random struct{ Seed uint64 }

// Uint64 returns the n-th value of the stream (purpose, key).
func (r Random) Uint64(purpose, key string, n uint64) uint64 {
	h := hash(r.Seed^0x9e3779b97f4a7c15, purpose)
	h = hash(mix(h), key)
	return mix(h + n*0x9e3779b97f4a7c15)
}

// Float64 returns the n-th value of the stream in [0, 1).
func (r Random) Float64(purpose, key string, n uint64) float64 {
	return float64(r.Uint64(purpose, key, n)>>11) / (1 << 53)
}

// Intn returns the n-th value of the stream in [0, limit). It panics if limit <= 0.
func (r Random) Intn(purpose, key string, n uint64, limit int) int {
	if limit <= 0 {
		panic("sim: Intn needs a positive limit")
	}
	return int(r.Uint64(purpose, key, n) % uint64(limit))
}

// hash is FNV-1a over s, started from h.
func hash(h uint64, s string) uint64 {
	h ^= 14695981039346656037
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix is the finaliser of SplitMix64: it spreads every bit over the word.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
