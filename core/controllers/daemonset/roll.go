package daemonset

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/history"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// surges reports whether a set may have a second pod on a node.
func (l *look) surges() bool { return l.surge(1) > 0 }

func (l *look) surge(nodes int) int {
	u := l.set.Spec.UpdateStrategy
	if u.Type != "RollingUpdate" || u.RollingUpdate == nil || u.RollingUpdate.MaxSurge == nil {
		return 0
	}
	n, err := u.RollingUpdate.MaxSurge.Scaled(nodes, true)
	if err != nil {
		return 0
	}
	return n
}

func (l *look) unavailable(nodes int) int {
	u := l.set.Spec.UpdateStrategy
	if u.RollingUpdate == nil || u.RollingUpdate.MaxUnavailable == nil {
		return 0
	}
	n, err := u.RollingUpdate.MaxUnavailable.Scaled(nodes, true)
	if err != nil {
		return 0
	}
	return n
}

// roll finds the old pods to delete or the nodes to make new ones on, within what
// the strategy allows (rollingUpdate).
func (l *look) roll() (needy []string, gone []*api.Pod) {
	wanted := 0
	for i := range l.sites {
		if l.sites[i].run {
			wanted++
		}
	}
	surge, down := l.surge(wanted), l.unavailable(wanted)
	if wanted > 0 && surge == 0 && down == 0 {
		down = 1
	}
	if surge > 0 {
		return l.rollWithSurge(surge, wanted)
	}
	return nil, l.rollInPlace(down)
}

// rollInPlace chooses old pods: all that are not available, and of the others as
// many as may be unavailable beside those that are.
func (l *look) rollInPlace(limit int) []*api.Pod {
	down := 0
	var gone, candidates []*api.Pod
	for i := range l.sites {
		s := &l.sites[i]
		if len(s.pods) == 0 && !s.run {
			continue
		}
		fresh, old, ok := l.versions(s.pods)
		switch {
		case !ok, (fresh == nil) == (old == nil):
			down++
		case fresh != nil:
			if !l.available(fresh) {
				down++
			}
		case !l.available(old):
			gone = append(gone, old)
			down++
		case down < limit:
			candidates = append(candidates, old)
		}
	}
	n := min(max(limit-down, 0), len(candidates))
	if len(gone)+n > 0 {
		l.note(strconv.Itoa(len(gone)+n) + " old pods are replaced; " + strconv.Itoa(down) + " nodes are without an available pod, " +
			strconv.Itoa(limit) + " may be")
	}
	return append(gone, candidates[:n]...)
}

// versions are the pod of the present template and the one of an older one on a
// node; ok is false where there are several of a kind.
func (l *look) versions(here []*api.Pod) (fresh, old *api.Pod, ok bool) {
	for _, p := range here {
		if p.DeletionTimestamp != nil {
			continue
		}
		at := &old
		if l.updated(p) {
			at = &fresh
		}
		if *at != nil {
			return nil, nil, false
		}
		*at = p
	}
	return fresh, old, true
}

// updated reports whether a pod is of the present template.
func (l *look) updated(p *api.Pod) bool {
	return l.hash != "" && p.Labels[history.HashLabel] == l.hash || l.template != "" && p.Labels[templateGenerationLabel] == l.template
}

// rollWithSurge chooses nodes for new pods beside the old ones, and the old ones
// whose successors are available.
func (l *look) rollWithSurge(limit, wanted int) (needy []string, gone []*api.Pod) {
	surging, available := 0, 0
	var candidates []string
	var unwanted []*api.Pod
	for i := range l.sites {
		s := &l.sites[i]
		fresh, old, ok := l.versions(s.pods)
		if !ok {
			surging++
			continue
		}
		if p := old; p != nil || fresh != nil {
			if p == nil {
				p = fresh
			}
			if l.available(p) {
				available++
			}
		}
		switch {
		case old == nil:
		case fresh != nil && l.available(fresh):
			gone = append(gone, old)
		case fresh != nil:
			surging++
		case s.node == nil:
		case !s.run && !l.available(old):
			gone = append(gone, old)
		case !s.run:
			unwanted = append(unwanted, old)
		case !l.available(old):
			needy = append(needy, s.name)
		case surging < limit:
			candidates = append(candidates, s.name)
		}
	}
	gone = append(gone, unwanted[:min(max(available-wanted, 0), len(unwanted))]...)
	return append(needy, candidates[:min(max(limit-surging, 0), len(candidates))]...), gone
}

func (l *look) note(message string) {
	l.ctx.Record(trace.Record{Ref: actor.RefOf(l.set), Verdict: trace.Info, Reason: "RollingUpdate", Message: message})
}
