package endpoint

import (
	"math"

	"podwalk/core/api"
)

// capacity is how many addresses an Endpoints object holds; the rest is left out.
const capacity = 1000

func count(subsets []api.EndpointSubset) (n int) {
	for i := range subsets {
		n += len(subsets[i].Addresses) + len(subsets[i].NotReadyAddresses)
	}
	return n
}

// truncate leaves out what is above the capacity, ready addresses last, each
// subset in proportion (truncateEndpoints). It reports whether there was any.
func truncate(e *api.Endpoints) bool {
	ready := 0
	for i := range e.Subsets {
		ready += len(e.Subsets[i].Addresses)
	}
	total := count(e.Subsets)
	if total <= capacity {
		return false
	}
	room, of, onlyReady := capacity-ready, total-ready, false
	if ready > capacity {
		room, of, onlyReady = capacity, ready, true
	}
	left := room
	for i := range e.Subsets {
		s := &e.Subsets[i]
		list := &s.NotReadyAddresses
		if onlyReady {
			list, s.NotReadyAddresses = &s.Addresses, nil
		}
		n := min(int(math.Ceil(float64(len(*list))/float64(of)*float64(room))), left)
		*list = (*list)[:min(n, len(*list))]
		left -= len(*list)
	}
	return true
}
