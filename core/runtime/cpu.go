package runtime

import "podwalk/core/sim"

// Alive reports whether the container's process runs.
func (c *Container) Alive() bool { return c.proc != nil && c.State == Running }

// CPUTime returns how long the container's processes have used one processor since
// they began, at most as much as its limit allows.
func (c *Container) CPUTime(now sim.Time) sim.Time {
	if !c.Alive() {
		return 0
	}
	used := c.proc.CPUTime(now)
	for _, s := range c.execs {
		used += s.proc.CPUTime(now)
	}
	if limit := c.Config.Amounts.CPULimit; limit > 0 {
		used = min(used, (now-c.Started)/1000*sim.Time(limit))
	}
	return used
}
