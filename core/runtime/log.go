package runtime

import (
	"slices"

	"podwalk/core/sim"
)

// MaxLog is how many bytes of log a container keeps; the kubelet rotates there.
const MaxLog = 10 << 20

// LogLine is one line that a container wrote.
type LogLine struct {
	At     sim.Time
	Stderr bool
	Text   string
}

// logBuffer is the log of one container. Lines are only added, so clones share
// what was there.
type logBuffer struct {
	lines []LogLine
	bytes int
}

func (b *logBuffer) add(l LogLine) {
	b.lines = append(b.lines, l)
	b.bytes += len(l.Text) + 1
	if b.bytes > MaxLog {
		b.rotate()
	}
}

// rotate drops the older half.
func (b *logBuffer) rotate() {
	i := 0
	for b.bytes > MaxLog/2 && i < len(b.lines)-1 {
		b.bytes -= len(b.lines[i].Text) + 1
		i++
	}
	b.lines = slices.Clone(b.lines[i:])
}

func (b *logBuffer) clone() logBuffer {
	b.lines = slices.Clip(b.lines)
	return *b
}

// Logs returns the lines that a container wrote, oldest first. The slice must not
// be changed.
func (c *Container) Logs() []LogLine { return c.log.lines }
