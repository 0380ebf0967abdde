package horizontalpodautoscaler

import (
	"math"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// advice is a size that was proposed, before it was stabilized.
type advice struct {
	size int32
	at   sim.Time
}

// resize is by how many replicas a target was scaled.
type resize struct {
	by int32
	at sim.Time
}

// calm is how long the largest recent proposal holds a size up
// (--horizontal-pod-autoscaler-downscale-stabilization).
const calm = 5 * sim.Minute

// advise notes a proposal; the last one that is outdated makes room.
func (l *look) advise(size int32, outdated func(advice) bool) {
	list := append([]advice(nil), l.r.advice[l.id]...)
	old := -1
	for i, a := range list {
		if outdated(a) {
			old = i
		}
	}
	if old < 0 {
		list, old = append(list, advice{}), len(list)
	}
	list[old] = advice{size, l.c.Now()}
	l.r.advice[l.id] = list
}

// plain applies the rules of an autoscaler without a behavior
// (normalizeDesiredReplicas).
func (l *look) plain(now, proposed, least int32) int32 {
	cutoff := l.c.Now() - calm
	stable := proposed
	for _, a := range l.r.advice[l.id] {
		if a.at >= cutoff {
			stable = max(stable, a.size)
		}
	}
	l.advise(proposed, func(a advice) bool { return a.at < cutoff })
	if stable != proposed {
		l.moving = true
		l.set("AbleToScale", "True", "ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation")
	} else {
		l.set("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
	}
	most, reason, message := l.h.Spec.MaxReplicas, tooMany, tooManyText
	if limit := max(2*now, 4); most > limit {
		most, reason, message = limit, "ScaleUpLimit", upLimitText
	}
	switch {
	case stable < least:
		return l.limited(least, tooFew, tooFewText)
	case stable > most:
		return l.limited(most, reason, message)
	}
	return l.unlimited(stable)
}

// Reasons and messages of the condition ScalingLimited.
const (
	tooMany       = "TooManyReplicas"
	tooManyText   = "the desired replica count is more than the maximum replica count"
	tooFew        = "TooFewReplicas"
	tooFewText    = "the desired replica count is less than the minimum replica count"
	upLimitText   = "the desired replica count is increasing faster than the maximum scale rate"
	downLimitText = "the desired replica count is decreasing faster than the maximum scale rate"
)

func (l *look) limited(size int32, reason, message string) int32 {
	l.moving = l.moving || reason == "ScaleUpLimit" || reason == "ScaleDownLimit"
	l.set("ScalingLimited", "True", reason, message)
	return size
}

func (l *look) unlimited(size int32) int32 {
	l.set("ScalingLimited", "False", "DesiredWithinRange", "the desired count is within the acceptable range")
	return size
}

// behave applies the rules of a behavior, which the server has completed
// (normalizeDesiredReplicasWithBehaviors).
func (l *look) behave(now, proposed, least int32) int32 {
	b := l.h.Spec.Behavior
	stable := l.stabilize(now, proposed, window(b.ScaleUp, 0), window(b.ScaleDown, calm))
	switch {
	case stable == proposed:
		l.set("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
	case proposed >= now:
		l.moving = true
		l.set("AbleToScale", "True", "ScaleUpStabilized", "recent recommendations were lower than current one, applying the lowest recent recommendation")
	default:
		l.moving = true
		l.set("AbleToScale", "True", "ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation")
	}
	switch {
	case stable > now:
		most, reason, message := l.h.Spec.MaxReplicas, tooMany, tooManyText
		if limit := max(l.upLimit(now, b.ScaleUp), now); most > limit {
			most, reason, message = limit, "ScaleUpLimit", upLimitText
		}
		if stable > most {
			return l.limited(most, reason, message)
		}
	case stable < now:
		lowest, reason, message := least, tooFew, tooFewText
		if limit := min(l.downLimit(now, b.ScaleDown), now); lowest < limit {
			lowest, reason, message = limit, "ScaleDownLimit", downLimitText
		}
		if stable < lowest {
			return l.limited(lowest, reason, message)
		}
	}
	return l.unlimited(stable)
}

func window(r *api.HPAScalingRules, none sim.Time) sim.Time {
	if r == nil || r.StabilizationWindowSeconds == nil {
		return none
	}
	return sim.Time(*r.StabilizationWindowSeconds) * sim.Second
}

// stabilize keeps the size between the lowest proposal of the upward window and the
// highest of the downward one (stabilizeRecommendationWithBehaviors).
func (l *look) stabilize(now, proposed int32, up, down sim.Time) int32 {
	upCutoff, downCutoff := l.c.Now()-up, l.c.Now()-down
	lower, upper := proposed, proposed
	for _, a := range l.r.advice[l.id] {
		if a.at > upCutoff {
			lower = min(lower, a.size)
		}
		if a.at > downCutoff {
			upper = max(upper, a.size)
		}
	}
	l.advise(proposed, func(a advice) bool { return a.at < upCutoff && a.at < downCutoff })
	return min(max(now, lower), upper)
}

// remember notes that the target was scaled, for the rates of a behavior
// (storeScaleEvent).
func (l *look) remember(from, to int32) {
	b := l.h.Spec.Behavior
	if b == nil {
		return
	}
	lists, rules := l.r.grown, b.ScaleUp
	if to < from {
		lists, rules = l.r.shrunk, b.ScaleDown
	}
	longest := sim.Time(0)
	for _, p := range rules.Policies {
		longest = max(longest, sim.Time(p.PeriodSeconds)*sim.Second)
	}
	var list []resize
	for _, e := range lists[l.id] {
		if e.at >= l.c.Now()-longest {
			list = append(list, e)
		}
	}
	lists[l.id] = append(list, resize{max(to-from, from-to), l.c.Now()})
}

func (l *look) within(list []resize, seconds int32) (n int32) {
	for _, e := range list {
		if e.at > l.c.Now()-sim.Time(seconds)*sim.Second {
			n += e.by
		}
	}
	return n
}

// upLimit is the size that the policies allow (calculateScaleUpLimitWithScalingRules).
func (l *look) upLimit(now int32, r *api.HPAScalingRules) int32 {
	return l.bound(now, r, func(start, value int32) int32 { return ceil(float64(start) * (1 + float64(value)/100)) }, 1)
}

// downLimit is its counterpart (calculateScaleDownLimitWithBehaviors).
func (l *look) downLimit(now int32, r *api.HPAScalingRules) int32 {
	return l.bound(now, r, func(start, value int32) int32 { return int32(float64(start) * (1 - float64(value)/100)) }, -1)
}

// bound is the farthest size that a policy allows from now in a direction, or the
// nearest one with selectPolicy Min.
func (l *look) bound(now int32, r *api.HPAScalingRules, share func(start, value int32) int32, way int32) int32 {
	policy := "Max"
	if r.SelectPolicy != nil {
		policy = *r.SelectPolicy
	}
	if policy == "Disabled" {
		return now
	}
	highest := (policy == "Max") == (way > 0)
	result := int32(math.MaxInt32)
	if highest {
		result = math.MinInt32
	}
	for _, p := range r.Policies {
		start := now - l.within(l.r.grown[l.id], p.PeriodSeconds) + l.within(l.r.shrunk[l.id], p.PeriodSeconds)
		proposed := start + way*p.Value
		if p.Type == "Percent" {
			proposed = share(start, p.Value)
		}
		if highest {
			result = max(result, proposed)
		} else {
			result = min(result, proposed)
		}
	}
	return result
}
