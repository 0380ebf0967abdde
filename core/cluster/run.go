package cluster

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Limits that turn components that fight into a finding instead of a hang.
const (
	maxInstantSteps = 200_000
	defaultSteps    = 5_000_000
)

// Until says how far Run goes. The zero value runs to quiescence.
type Until struct {
	At        sim.Time // run the items up to this instant; 0 is sim.Never
	Quiescent bool     // stop behind the instant at which nothing could change any more
	Steps     int      // run at most so many items; 0 is a large number
}

// Run runs queued items in order and returns how many. When it ends because no
// item is left up to At, the clock stands at At (if that is not Never).
func (c *Cluster) Run(u Until) int {
	if u.At == 0 {
		u.At = sim.Never
	}
	if u.Steps == 0 {
		u.Steps = defaultSteps
	}
	until := u.At
	if c.inCommand {
		until = min(until, c.haltAt)
	}
	for n := 0; ; n++ {
		if u.Quiescent && c.Quiescent() && c.queue.Next() > c.now {
			return n
		}
		at := c.queue.Next()
		if at > until || at == sim.Never {
			c.arrive(until)
			if until < u.At {
				panic(halted{})
			}
			return n
		}
		if n >= u.Steps {
			if u.Steps == defaultSteps {
				c.hit("steps", "stopped after "+strconv.Itoa(n)+" steps")
			}
			return n
		}
		if c.bounded(at); c.limit != "" {
			return n
		}
		c.step()
	}
}

func (c *Cluster) arrive(t sim.Time) {
	if t != sim.Never && t > c.now {
		c.now = t
	}
}

// halted ends a command that would let time pass beyond the instant sought; the
// cluster then stands as it did in the middle of that command.
type halted struct{}

func (c *Cluster) step() {
	it, ok := c.queue.Pop()
	if !ok {
		return
	}
	if it.At > c.now {
		c.now = it.At
	}
	c.countInstant()
	c.steps++
	i, ok := c.byName[it.Actor]
	if !ok {
		panic("cluster: no actor " + it.Actor)
	}
	s := &c.seats[i]
	if c.stands(s) {
		it.Timer = false
		c.held = append(c.held, it)
		return
	}
	read, changes := c.deliver(s)
	ctx := actor.NewCtx((*host)(c), it.Actor, s.user, c.now, it.Cause, read, changes)
	res := s.actor.Reconcile(ctx, it.Key)
	c.distribute()
	next := res.Next
	if next == 0 {
		next = sim.Never
	}
	c.queue.SetTimer(sim.Item{At: max(next, c.now), Actor: it.Actor, Key: it.Key, Cause: it.Cause, Periodic: res.Periodic})
	for _, w := range res.Wake {
		c.queue.Push(sim.Item{At: max(w.At, c.now), Actor: w.Actor, Key: w.Key, Cause: it.Cause})
	}
}

// deliver returns the store as the actor's cache shows it now, and the changes
// that its cache has been told of since the last time.
func (c *Cluster) deliver(s *seat) (store.Snapshot, []store.Change) {
	rev := c.store.RevAt(c.now - c.cfg.Latency.Watch)
	rev = max(rev, s.cursor)
	read, err := c.store.At(rev)
	if err != nil {
		panic("cluster: " + err.Error())
	}
	changes, err := c.store.Since(s.cursor)
	if err != nil {
		panic("cluster: " + err.Error())
	}
	if n := rev - s.cursor; uint64(len(changes)) > n {
		changes = changes[:n]
	}
	s.cursor = rev
	return read, changes
}

func (c *Cluster) countInstant() {
	if c.instant.at != c.now {
		c.instant.at, c.instant.steps = c.now, 0
	}
	c.instant.steps++
	if c.instant.steps > maxInstantSteps {
		c.hit("instant", "more than "+strconv.Itoa(maxInstantSteps)+" steps in one instant: components undo each other's work")
	}
}

// bounded stops a run that has reached a limit of its configuration; at is the
// instant of the next item.
func (c *Cluster) bounded(at sim.Time) {
	switch {
	case c.limit != "":
	case c.cfg.MaxSteps > 0 && c.steps >= c.cfg.MaxSteps:
		c.hit("steps", "stopped after "+strconv.FormatUint(c.steps, 10)+" steps, the limit of this run")
	case c.cfg.MaxTime > 0 && at > c.cfg.MaxTime:
		c.hit("time", "stopped at "+c.cfg.MaxTime.String()+", the limit of this run")
	}
}

func (c *Cluster) hit(limit, message string) {
	c.limit = limit
	c.Note(trace.Record{Source: "podwalk", Verdict: trace.Failed, Reason: "Limit", Message: message})
}

// host is the face of a cluster to its actors.
type host Cluster

func (h *host) Handle(req api.Request, cause sim.Cause) api.Response {
	c := (*Cluster)(h)
	if res, refused := c.refuse(); refused {
		return res
	}
	return c.server.Handle(c.now, cause, &c.log, req)
}

func (h *host) Record(r trace.Record) sim.Cause { return h.log.Append(r) }
func (h *host) Latest() store.Snapshot          { return h.store.Latest() }
func (h *host) Start() int64                    { return h.cfg.Start }
func (h *host) Random() sim.Random              { return sim.Random{Seed: h.cfg.Seed} }
func (h *host) Events() actor.Recorder          { return h.events }
