// Package prioritysort is the order of the scheduling queue: the higher priority
// first, then who has waited longer (pkg/scheduler/framework/plugins/queuesort).
package prioritysort

import "podwalk/core/sim"

// Less reports whether the first pod comes before the second.
func Less(priority1 int32, since1 sim.Time, priority2 int32, since2 sim.Time) bool {
	return priority1 > priority2 || priority1 == priority2 && since1 < since2
}
