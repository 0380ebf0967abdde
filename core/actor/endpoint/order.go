package endpoint

import "sort"

// smallMap is how many entries the smallest Go map holds without hashing them.
const smallMap = 8

// PopOrder is an order in which a Go program takes entries out of a map, one by
// one: the indexes of those of n entries that are not gone. draw gives random
// numbers. A map of at most eight entries starts at a random place of its one
// group and takes the next entry there is, so mostly the oldest come first; the
// entries of a larger one come in any order (internal/runtime/maps).
func PopOrder(gone []bool, n int, draw func(int) uint64) []int {
	var left []int
	for i := range n {
		if i >= len(gone) || !gone[i] {
			left = append(left, i)
		}
	}
	if n > smallMap {
		of := make(map[int]uint64, len(left))
		for _, i := range left {
			of[i] = draw(i)
		}
		sort.SliceStable(left, func(a, b int) bool { return of[left[a]] < of[left[b]] })
		return left
	}
	order := make([]int, 0, len(left))
	for len(left) > 0 {
		start := int(draw(len(order)) % smallMap)
		at := sort.SearchInts(left, start)
		if at == len(left) {
			at = 0
		}
		order = append(order, left[at])
		left = append(left[:at], left[at+1:]...)
	}
	return order
}
