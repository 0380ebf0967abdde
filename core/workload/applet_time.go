package workload

import (
	"strconv"

	"podwalk/core/sim"
)

func cmdSleep(c *call) (int, bool) {
	if c.st.until == 0 {
		total, bad := sleepTime(c.args)
		if bad != "" {
			if c.gnu() {
				c.stderr("sleep: invalid time interval '" + bad + "'\nTry 'sleep --help' for more information.\n")
			} else {
				c.stderr("sleep: invalid number '" + bad + "'\n")
			}
			return 1, true
		}
		if len(c.args) == 0 {
			c.errorf("missing operand")
			return 1, true
		}
		c.st.until = c.now + min(total, sim.Never-c.now)
	}
	if c.st.until == sim.Never {
		return c.forever()
	}
	return 0, c.pause(c.st.until)
}

func sleepTime(args []string) (total sim.Time, bad string) {
	for _, a := range args {
		if a == "infinity" || a == "inf" {
			return sim.Never, ""
		}
		text, unit := a, 1.0
		if len(a) > 1 {
			switch a[len(a)-1] {
			case 's':
				text = a[:len(a)-1]
			case 'm':
				text, unit = a[:len(a)-1], 60
			case 'h':
				text, unit = a[:len(a)-1], 3600
			case 'd':
				text, unit = a[:len(a)-1], 86400
			}
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n < 0 {
			return 0, a
		}
		total += secondsToTime(n * unit)
		if total < 0 {
			return sim.Never, ""
		}
	}
	return total, ""
}
