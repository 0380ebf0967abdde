package workload

import (
	"sort"
	"time"

	"podwalk/core/sim"
)

// memory is a straight rise of what a tool holds; the zero value is nothing.
type memory struct {
	from, to   sim.Time
	start, end int64
}

func (m memory) at(now sim.Time) int64 {
	switch {
	case now >= m.to:
		return m.end
	case now <= m.from:
		return m.start
	}
	return m.start + int64(float64(m.end-m.start)*float64(now-m.from)/float64(m.to-m.from))
}

const taskMemory = 600 << 10 // a small process

// Memory returns what the process and its children hold, in bytes.
func (p *Process) Memory(now sim.Time) int64 {
	total := int64(0)
	for _, t := range p.tasks {
		if !t.ended {
			total += taskMemory + t.mem.at(now) + t.srv.memory(now)
		}
	}
	return total
}

// Exceeds returns the first instant from now on at which Memory is above limit if
// nothing else happens, or Never.
func (p *Process) Exceeds(limit int64, now sim.Time) sim.Time {
	turns := []sim.Time{now}
	for _, t := range p.tasks {
		if t.mem.to > now {
			turns = append(turns, max(t.mem.from, now), t.mem.to)
		}
		turns = append(turns, t.srv.turns(now)...)
	}
	sort.Slice(turns, func(i, j int) bool { return turns[i] < turns[j] })
	for i, at := range turns {
		have := p.Memory(at)
		if have <= limit {
			continue
		}
		if i == 0 {
			return now
		}
		before := turns[i-1]
		low := p.Memory(before)
		span := float64(at-before) * float64(limit-low+1) / float64(have-low)
		return min(before+sim.Time(span)+1, at)
	}
	return sim.Never
}

// nextMemory is when the memory shall be looked at again: when it passes the
// limit, or without one where its rise ends.
func (p *Process) nextMemory(now sim.Time) sim.Time {
	if limit := p.spec.Memory; limit > 0 {
		if at := p.Exceeds(limit, now); at > now {
			return at
		}
		return sim.Never
	}
	next := sim.Never
	for _, t := range p.tasks {
		if t.mem.to > now {
			next = min(next, t.mem.to)
		}
		for _, turn := range t.srv.turns(now) {
			next = min(next, turn)
		}
	}
	return next
}

// memory of a server by the curve of its program.
func (s *serverState) memory(now sim.Time) int64 {
	if s == nil || len(s.program.Memory) == 0 {
		return 0
	}
	since := now.Sub(s.start)
	list := s.program.Memory
	last := MemoryPoint{}
	for _, m := range list {
		if since < m.After {
			if m.After == last.After {
				return m.Bytes
			}
			return last.Bytes + int64(float64(m.Bytes-last.Bytes)*float64(since-last.After)/float64(m.After-last.After))
		}
		last = m
	}
	return last.Bytes
}

// turns are the instants after now at which the curve changes its slope. A curve
// that stays where it is has none.
func (s *serverState) turns(now sim.Time) []sim.Time {
	if s == nil {
		return nil
	}
	var out []sim.Time
	last := int64(-1)
	for _, m := range s.program.Memory {
		if at := s.start.Add(time.Duration(m.After)); at > now && m.Bytes != last {
			out = append(out, at)
		}
		last = m.Bytes
	}
	return out
}
