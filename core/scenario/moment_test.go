package scenario_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// A case without snapshots says nothing of the moments of its commands. What
// changes the cluster came when the work before was done; what only reads came
// somewhen after it, and is compared at the nearest moment.

// lookFor is how far from the last change a reading is looked for.
const lookFor = 60 * sim.Second

var (
	reads     = regexp.MustCompile(`^kubectl (get|describe|events|logs|top|rollout history)\b[^;&]*$`)
	waits     = regexp.MustCompile(`^kubectl (rollout status|wait)\b|--watch| -w\b`)
	atMoments = []string{"admission", "controllers", "describe", "defaulting", "network"}
)

func (m measured) untimed() bool {
	group, _, _ := strings.Cut(m.ID, "/")
	return len(m.Snapshots) == 0 && contains(atMoments, group)
}

// runUntimed runs a case without snapshots.
func (m measured) runUntimed(t *testing.T, root string, seed uint64) comparison {
	sh := shell{dir: m.workFolder(t), drawn: m.allocated()}
	sh.s = m.open(t, root, seed, sh.dir)
	begin(sh.s, seed)
	m.prepare(t, sh.s)
	from := sh.s.Cluster().Rev()
	begun := sh.s.Cluster().Now()
	var c comparison
	first := true
	for i := 0; i < len(m.Commands); {
		n := 0
		for i+n < len(m.Commands) && reads.MatchString(m.Commands[i+n].Cmd) {
			n++
		}
		if n > 0 && m.timed() {
			runTo(sh.s, begun+m.Commands[i].at()-unsure)
			sh.within = m.Commands[i+n-1].at() - m.Commands[i].at() + 2*unsure
		}
		if n > 0 {
			c.join(nearest(sh, m.Commands[i:i+n]))
			i += n
			continue
		}
		cmd := m.Commands[i]
		i++
		line := strings.TrimSpace(strings.TrimSuffix(cmd.Cmd, "# setup"))
		setup := line != cmd.Cmd
		if words := strings.Fields(line); len(words) > 1 && words[0] == "fault" {
			runTo(sh.s, begun+cmd.at())
			sh.s.Fault(words[1], words[2:])
		}
		if !strings.Contains(line, "kubectl ") {
			continue
		}
		if now := sh.s.Cluster().Now(); m.timed() && !first && !setup {
			runTo(sh.s, begun+cmd.at())
		} else if !first && !setup && !waits.MatchString(line) {
			sh.s.Cluster().Run(cluster.Until{At: now + sim.Second})
			sh.s.Cluster().Run(cluster.Until{Quiescent: true, At: now + 20*sim.Second})
		}
		if !first && !setup && waits.MatchString(line) {
			c.join(nearestStart(sh, cmd, line))
			continue
		}
		if first && !setup {
			begun = sh.s.Cluster().Now()
		}
		c.join(compareCommand(sh, cmd, line))
		if first = first && setup; setup {
			sh.s.Cluster().Run(cluster.Until{Quiescent: true, At: sh.s.Cluster().Now() + 5*sim.Second})
		}
	}
	m.watched(sh.s, from, sh.drawn, &c)
	if m.timed() {
		c.join(m.told(sh, begun))
	}
	return c
}

// unsure is by how much the moment of a command of a case that tells them may be
// wrong: it holds the start of kubectl, and the writes of controllers fall as they do.
const unsure = 800 * sim.Millisecond

// timed is whether a case tells the moments of its commands.
func (m measured) timed() bool {
	for _, c := range m.Commands {
		if c.At > 0 {
			return true
		}
	}
	return false
}

func (c measuredCommand) at() sim.Time { return sim.Time(c.At*1000) * sim.Millisecond }

func compareCommand(sh shell, cmd measuredCommand, line string) (c comparison) {
	c.drawn = sh.drawn
	res := sh.run(line)
	c.add(line+" (stdout)", cmd.Stdout, res.Stdout)
	c.add(line+" (stderr)", cmd.Stderr, res.Stderr)
	c.add(line+" (exit)", fmt.Sprint(cmd.Exit), fmt.Sprint(res.Exit))
	return c
}

// starts are how long after the command before it one that waits may have begun.
var starts = []sim.Time{0, 300 * sim.Millisecond, sim.Second, 5 * sim.Second}

// nearestStart runs a command that waits for something at the start that fits best.
func nearestStart(sh shell, cmd measuredCommand, line string) (best comparison) {
	now, found, left, drawn := sh.s.Cluster().Now(), sim.Time(0), -1, sh.drawn
	for _, after := range starts {
		ahead := shell{s: sh.s.Fork(now), dir: sh.dir, drawn: sh.drawn.clone()}
		ahead.s.Cluster().Run(cluster.Until{At: now + after})
		c := compareCommand(ahead, cmd, line)
		if missing := c.lines - c.equal; left < 0 || missing < left {
			best, found, left, drawn = c, after, missing, ahead.drawn
		}
		if left == 0 {
			break
		}
	}
	sh.s.Cluster().Run(cluster.Until{At: now + found})
	sh.run(line)
	if sh.drawn != nil {
		*sh.drawn = *drawn
	}
	return best
}

// nearest compares commands that only read, one after the other, at the moments
// that fit best, and goes to the last: at one moment for all if that fits.
func nearest(sh shell, cmds []measuredCommand) comparison {
	best, found, drawn := together(sh, cmds)
	if best.equal < best.lines && len(cmds) > 1 {
		apart := shell{s: sh.s.Fork(sh.s.Cluster().Now()), dir: sh.dir, drawn: sh.drawn.clone(), within: sh.within}
		var c comparison
		for i := range cmds {
			one, at, d := together(apart, cmds[i:i+1])
			apart.s.Cluster().Run(cluster.Until{At: at})
			apart.drawn = d
			c.join(one)
		}
		if c.lines-c.equal < best.lines-best.equal {
			best, found, drawn = c, apart.s.Cluster().Now(), apart.drawn
		}
	}
	sh.s.Cluster().Run(cluster.Until{At: found})
	*sh.drawn = *drawn
	return best
}

// together finds the moment at which commands that only read fit best.
func together(sh shell, cmds []measuredCommand) (best comparison, found sim.Time, drawn *allocated) {
	now := sh.s.Cluster().Now()
	ahead := shell{s: sh.s.Fork(now), dir: sh.dir}
	left, last := -1, now+lookFor
	if sh.within > 0 {
		last = now + sh.within
	}
	for at := now; at <= last; at += step(at - now) {
		ahead.s.Cluster().Run(cluster.Until{At: at})
		ahead.drawn = sh.drawn.clone()
		var c comparison
		for _, cmd := range cmds {
			c.join(compareCommand(ahead, cmd, cmd.Cmd))
		}
		if missing := c.lines - c.equal; left < 0 || missing < left {
			best, found, left, drawn = c, at, missing, ahead.drawn
		}
		if left == 0 || at > now+sim.Second && ahead.s.Cluster().Quiescent() {
			break
		}
	}
	return best, found, drawn
}

// begin lets a fraction of a second pass: at which one the real run began is not
// known, and times are written in whole seconds.
func begin(s *scenario.Session, seed uint64) {
	runTo(s, sim.Time(seed)*(sim.Second/seeds))
}

func runTo(s *scenario.Session, at sim.Time) { s.Cluster().Run(cluster.Until{At: at}) }

func step(passed sim.Time) sim.Time {
	if passed < 10*sim.Second {
		return 200 * sim.Millisecond
	}
	return sim.Second
}

// unlistedFaults are faults of which a title tells: before which command, how long
// after the pod was scheduled, and what happened.
var unlistedFaults = map[string]map[int]unlistedFault{
	"controllers/zz-node-notready": {1: {3 * sim.Second, "kubelet-stop worker-2"}, 7: {64 * sim.Second, "kubelet-start worker-2"}},
}

type unlistedFault struct {
	at   sim.Time
	line string
}

func (m measured) fault(t *testing.T, s *scenario.Session, f unlistedFault) {
	words := strings.Fields(f.line)
	if len(words) == 0 {
		return
	}
	runTo(s, max(m.scheduled(s, m.pod(""))+f.at, s.Cluster().Now()))
	if res := s.Fault(words[0], words[1:]); res.Exit != 0 {
		t.Fatal(res.Stderr)
	}
}
