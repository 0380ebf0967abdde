package cluster

import (
	"podwalk/core/actor"
	"podwalk/core/sim"
)

// Command is an input from outside: the only thing, beside the seed and the
// configuration, that a run depends on. It is data; the Executor knows what the
// kinds mean.
type Command struct {
	At   sim.Time
	Kind string
	Body any
	cut  sim.Time // the branch begins in the middle of the command; 0: nowhere
}

// Executor carries a command out at the present instant of the cluster that it is
// given. It must depend on nothing else. It may let time pass by Run.
type Executor func(*Cluster, Command) any

// Do runs the queue up to the command's instant, then the command, and returns
// what the executor returned. An instant in the past counts as now.
func (c *Cluster) Do(cmd Command) any {
	cmd.At = max(cmd.At, c.now)
	c.Run(Until{At: cmd.At})
	c.checkpoint()
	c.commands = append(c.commands[:c.applied:c.applied], cmd)
	return c.execute(cmd)
}

func (c *Cluster) execute(cmd Command) any {
	c.applied++
	return c.perform(cmd)
}

func (c *Cluster) perform(cmd Command) any {
	c.inCommand = true
	res := c.cfg.Execute(c, cmd)
	c.inCommand = false
	c.distribute()
	return res
}

// performUntil is perform for a clone that seeks an instant: a command that lets
// time pass is cut off there.
func (c *Cluster) performUntil(cmd Command, t sim.Time) {
	c.haltAt = t
	if cmd.cut != 0 {
		c.haltAt = min(t, cmd.cut)
	}
	c.cutShort = false
	defer func() {
		c.haltAt, c.inCommand = sim.Never, false
		if r := recover(); r != nil {
			if _, ok := r.(halted); !ok {
				panic(r)
			}
			c.cutShort = true
		}
	}()
	c.perform(cmd)
}

// Milestone tells, while a command is executed, that body in place of the command's
// own would do what is left of it. It is then known how to take the command up from
// here, and a seek need not begin in front of it.
func (c *Cluster) Milestone(body any) {
	if !c.inCommand || !c.due() {
		return
	}
	c.rest = body
	c.checkpoint()
	c.rest = nil
}

// Commands returns the commands given so far; the slice must not be changed.
func (c *Cluster) Commands() []Command { return c.commands[:c.applied:c.applied] }

// Clone returns a cluster that goes on independently of c, exactly as c would.
func (c *Cluster) Clone() *Cluster {
	n := *c
	n.store = c.store.Clone()
	n.server = c.server.Clone(n.store)
	n.rt = c.rt.Clone()
	n.events = c.events.Clone()
	n.queue = c.queue.Clone()
	c.heardOwn, n.heardOwn = false, false
	n.log = c.log.Clone()
	n.seats = append([]seat(nil), c.seats...)
	for i := range n.seats {
		n.seats[i].actor = c.seats[i].actor.Clone()
	}
	n.commands = c.commands[:len(c.commands):len(c.commands)]
	n.points = c.points[:len(c.points):len(c.points)]
	n.held = c.held[:len(c.held):len(c.held)]
	n.wire()
	return &n
}

// point is a clone of the run at an instant.
type point struct {
	at    sim.Time
	clone *Cluster
}

const maxPoints = 64

// spacing is how many steps lie between two checkpoints at least: it takes about as
// many to make up for the time of a clone, which is as large as what is queued.
const spacing = 1_000

// due reports whether a checkpoint is worth its time here.
func (c *Cluster) due() bool {
	return !c.sought && c.steps-c.marked >= uint64(max(spacing, c.queue.Len()))
}

// checkpoint keeps a clone of the present state for Seek. When there are too
// many, every second one is dropped, so that they thin out evenly.
func (c *Cluster) checkpoint() {
	if len(c.points) > 0 && c.points[len(c.points)-1].at == c.now {
		return
	}
	c.marked = c.steps
	cl := c.Clone()
	cl.points, cl.inCommand = nil, false
	c.points = append(c.points, point{c.now, cl})
	if len(c.points) > maxPoints {
		kept := c.points[:0:0]
		for i, p := range c.points {
			if i%2 == 0 {
				kept = append(kept, p)
			}
		}
		c.points = kept
	}
}

// Checkpoint asks for a checkpoint here, so that later seeks near it are fast. There
// is none if the latest is so near that it would not pay.
func (c *Cluster) Checkpoint() {
	if c.due() {
		c.checkpoint()
	}
}

// Seek returns a clone of the run as it was at an instant not after now: all items
// and commands up to it have run. The present cluster does not change.
func (c *Cluster) Seek(t sim.Time) *Cluster {
	from := c.nearest(t)
	n := from.Clone()
	n.points, n.sought = nil, true
	n.commands = c.commands[:c.applied:c.applied]
	if n.rest != nil {
		cmd := n.commands[n.applied-1]
		cmd.Body, n.rest = n.rest, nil
		n.performUntil(cmd, t)
	}
	for n.applied < len(n.commands) && n.commands[n.applied].At <= t {
		cmd := n.commands[n.applied]
		n.Run(Until{At: cmd.At})
		n.applied++
		n.performUntil(cmd, t)
	}
	n.Run(Until{At: t})
	n.sought = false
	return n
}

// Fork returns a clone of the run at an instant, cut off from what came after.
func (c *Cluster) Fork(t sim.Time) *Cluster {
	n := c.Seek(t)
	n.commands = append([]Command(nil), n.commands[:n.applied]...)
	if n.cutShort {
		n.commands[n.applied-1].cut = t
	}
	for _, p := range c.points {
		if p.at <= t {
			n.points = append(n.points, p)
		}
	}
	return n
}

// nearest returns the latest checkpoint at or before t, or a new cluster.
func (c *Cluster) nearest(t sim.Time) *Cluster {
	for i := len(c.points) - 1; i >= 0; i-- {
		if c.points[i].at <= t {
			return c.points[i].clone
		}
	}
	return New(c.cfg)
}

// Actor returns the actor with a name, or nil. For tests and for reading state.
func (c *Cluster) Actor(name string) actor.Actor {
	if i, ok := c.byName[name]; ok {
		return c.seats[i].actor
	}
	return nil
}
