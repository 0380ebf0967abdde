package cluster

import (
	"strconv"
	"time"

	"podwalk/core/sim"
)

func (c *Cluster) leaseStop(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.silence(n)
	c.look(c.kubelets().StopLease(n.Name, true), c.now)
	return "the kubelet of node " + n.Name + " does not renew its lease any more", ""
}

func (c *Cluster) leaseStart(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.look(c.kubelets().StopLease(n.Name, false), c.now)
	return "the kubelet of node " + n.Name + " renews its lease", ""
}

// clock sets the clock of a machine. The node lifecycle controller goes by its own
// clock: it notes when it sees a renewal, and takes one for new if its time is after
// that of the last. So a clock that is ahead does nothing, and one that is set back
// makes the renewals count for nothing until it has caught up.
func (c *Cluster) clock(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	d, err := time.ParseDuration(args[1])
	if err != nil || d > maxOffset || d < -maxOffset {
		return "", "OFFSET " + strconv.Quote(args[1]) + " is no duration, or more than a day"
	}
	key, until := c.kubelets().SetClock(n.Name, sim.Time(d), c.now)
	said := "the clock of node " + n.Name + " is off by " + d.String()
	if until > c.now {
		c.silence(n)
		said += "; until " + until.String() + " its lease is renewed with times that are not after the last one, which the controller takes for none"
	} else {
		said += "; the controller notes when it sees a renewal, so that nothing comes of it"
	}
	c.look(key, c.now)
	return said, ""
}

const maxOffset = 24 * time.Hour
