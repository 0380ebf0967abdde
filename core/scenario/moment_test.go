package scenario_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/cluster"
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
	atMoments = []string{"controllers", "describe", "defaulting", "network"}
)

func (m measured) untimed() bool {
	group, _, _ := strings.Cut(m.ID, "/")
	return len(m.Snapshots) == 0 && contains(atMoments, group)
}

// runUntimed runs a case without snapshots.
func (m measured) runUntimed(t *testing.T, root string, seed uint64) comparison {
	sh := shell{dir: m.workFolder(t), drawn: m.allocated()}
	sh.s = m.open(t, root, seed, sh.dir)
	m.prepare(t, sh.s)
	var c comparison
	first := true
	for i := 0; i < len(m.Commands); {
		n := 0
		for i+n < len(m.Commands) && reads.MatchString(m.Commands[i+n].Cmd) {
			n++
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
		if !strings.Contains(line, "kubectl ") {
			continue
		}
		if now := sh.s.Cluster().Now(); !first && !setup && !waits.MatchString(line) {
			sh.s.Cluster().Run(cluster.Until{At: now + sim.Second})
			sh.s.Cluster().Run(cluster.Until{Quiescent: true, At: now + 20*sim.Second})
		}
		c.join(compareCommand(sh, cmd, line))
		if first = first && setup; setup {
			sh.s.Cluster().Run(cluster.Until{Quiescent: true, At: sh.s.Cluster().Now() + 5*sim.Second})
		}
	}
	return c
}

func compareCommand(sh shell, cmd measuredCommand, line string) (c comparison) {
	c.drawn = sh.drawn
	res := sh.run(line)
	c.add(line+" (stdout)", cmd.Stdout, res.Stdout)
	c.add(line+" (stderr)", cmd.Stderr, res.Stderr)
	c.add(line+" (exit)", fmt.Sprint(cmd.Exit), fmt.Sprint(res.Exit))
	return c
}

// nearest compares commands that only read, one right after the other, at the
// moment that fits best, and goes there.
func nearest(sh shell, cmds []measuredCommand) (best comparison) {
	now := sh.s.Cluster().Now()
	ahead := shell{s: sh.s.Fork(now), dir: sh.dir}
	found, left, drawn := now, -1, sh.drawn.clone()
	for at := now; at <= now+lookFor; at += step(at - now) {
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
	sh.s.Cluster().Run(cluster.Until{At: found})
	*sh.drawn = *drawn
	return best
}

func step(passed sim.Time) sim.Time {
	if passed < 10*sim.Second {
		return 200 * sim.Millisecond
	}
	return sim.Second
}
