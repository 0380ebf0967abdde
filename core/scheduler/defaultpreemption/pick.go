package defaultpreemption

import (
	"math"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// MoreImportant orders victims: the higher priority, then the earlier start. A pod
// that has not started counts as starting now.
func MoreImportant(a, b *f.PodInfo) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return started(a.Pod) < started(b.Pod)
}

func started(p *api.Pod) api.Time {
	if p.Status.StartTime == nil {
		return math.MaxInt64
	}
	return *p.Status.StartTime
}

// pick takes the candidate with the fewest violated budgets; then with the least
// important most important victim, the smallest sum of priorities, the fewest
// victims, the victim that started last; then by chance
// (pickOneNodeForPreemption).
func pick(l []f.Candidate, random uint64) *f.Candidate {
	rules := []func(*f.Candidate) int64{
		func(c *f.Candidate) int64 { return -int64(c.Violations) },
		func(c *f.Candidate) int64 { return -int64(c.Victims[0].Priority) },
		func(c *f.Candidate) int64 {
			var sum int64
			for _, v := range c.Victims {
				sum += int64(v.Priority) + math.MaxInt32 + 1
			}
			return -sum
		},
		func(c *f.Candidate) int64 { return -int64(len(c.Victims)) },
		earliest,
	}
	for _, rule := range rules {
		l = best(l, rule)
	}
	return &l[random%uint64(len(l))]
}

// best keeps the candidates that a rule ranks highest.
func best(l []f.Candidate, rule func(*f.Candidate) int64) []f.Candidate {
	var kept []f.Candidate
	top := int64(math.MinInt64)
	for i := range l {
		score := rule(&l[i])
		if score > top {
			top, kept = score, nil
		}
		if score == top {
			kept = append(kept, l[i])
		}
	}
	return kept
}

// earliest returns when the first of the most important victims started.
func earliest(c *f.Candidate) int64 {
	most, at := c.Victims[0].Priority, started(c.Victims[0].Pod)
	for _, v := range c.Victims {
		switch {
		case v.Priority > most:
			most, at = v.Priority, started(v.Pod)
		case v.Priority == most:
			at = min(at, started(v.Pod))
		}
	}
	return int64(at)
}
