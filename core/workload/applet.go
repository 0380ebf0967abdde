package workload

import (
	"podwalk/core/sim"
)

// lookupApplet returns the function of a tool, or nil if it is not simulated.
func lookupApplet(name string) applet {
	for _, group := range []func(string) applet{fileApplet, textApplet, systemApplet, networkApplet} {
		if f := group(name); f != nil {
			return f
		}
	}
	switch name {
	case "true":
		return cmdTrue
	case "false":
		return cmdFalse
	case "echo":
		return cmdEcho
	case "printf":
		return cmdPrintf
	case "test", "[", "[[":
		return cmdTest
	case "kill":
		return cmdKill
	case "pwd":
		return cmdPwd
	}
	return nil
}

func secondsToTime(s float64) sim.Time {
	if s > 9e9 || s != s {
		return sim.Never / 2
	}
	return sim.Time(s * 1e9)
}
