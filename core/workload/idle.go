package workload

import (
	"podwalk/core/sim"
)

// idleWatch finds out that a process only turns in a circle.
type idleWatch struct {
	read  bool // something outside was read since the last look
	clock bool // time or chance was read
	acted bool // something was written, sent or signalled
}

func (p *Process) park(s *Step, now sim.Time) {}

func (p *Process) unpark(now sim.Time) {}
