package workload

import (
	"strings"

	"podwalk/core/sim"
)

// What programs use of a processor. Only what is busy by design is more than idle:
// the hogs of stress, and servers for each request that they answer.
const (
	idleShare  = 1 // thousandths of a processor that a process uses while it waits
	answerTime = 1 * sim.Millisecond
	// phpTime is that of the image hpa-example, which computes square roots: with it
	// the generator of the documentation's walkthrough, some 90 requests a second,
	// causes the 305 % of 200m that are shown there.
	phpTime = 6700 * sim.Microsecond
)

// CPUTime returns how long the processes have used one processor since they began.
func (p *Process) CPUTime(now sim.Time) (used sim.Time) {
	each := answerTime
	if strings.Contains(p.spec.Image.Ref.String(), "hpa-example") {
		each = phpTime
	}
	for _, t := range p.tasks {
		if t.ended {
			continue
		}
		used += max(0, now-t.began) / 1000 * sim.Time(idleShare+1000*t.hogs)
		if t.srv != nil {
			used += sim.Time(t.srv.hits) * each
		}
	}
	return used
}
