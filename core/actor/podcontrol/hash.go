package podcontrol

import (
	"hash/fnv"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// Hash returns the name of a pod template, such as 5d4f8c7b9: of the same shape as
// the real one, but of other bytes (ComputeHash, which hashes Go's print of the
// struct). collisionCount tells templates apart that hash alike.
func Hash(template *api.PodTemplateSpec, collisionCount *int32) string {
	return HashOf(codec.ToJSON(template), collisionCount)
}

// HashOf is Hash of any text (of ControllerRevisions: their data).
func HashOf(data []byte, collisionCount *int32) string {
	h := fnv.New32a()
	h.Write(data)
	if collisionCount != nil {
		n := uint32(*collisionCount)
		h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 0, 0, 0, 0})
	}
	return SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// SafeEncode writes a text in letters that make no words
// (apimachinery/pkg/util/rand SafeEncodeString).
func SafeEncode(s string) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := []byte(s)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}
