package podcontrol

import (
	"math/bits"
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
)

// DeletionCost is the annotation that says how much is lost with a pod.
const DeletionCost = "controller.kubernetes.io/pod-deletion-cost"

// ranked is a pod with what the order of deletion needs of it.
type ranked struct {
	pod       *api.Pod
	phase     int
	ready     bool
	readyAt   api.Time
	cost      int64
	neighbour int // active pods of the same controllers on its node
	restarts  [2]int32
}

// Rank sorts pods so that those to delete first come first. related are the pods
// whose crowding on a node counts (ActivePodsWithRanks, with the gates
// PodDeletionCost and LogarithmicScaleDown).
func Rank(ctx *actor.Ctx, list, related []*api.Pod) {
	onNode := map[string]int{}
	for _, p := range related {
		if IsActive(p) {
			onNode[p.Spec.NodeName]++
		}
	}
	sortRanked(list, onNode, ctx.Host.Start()+int64(ctx.Now()))
}

// SortActive sorts pods so that those to delete first come first, by the plainer
// rules that Jobs and others use (ActivePods).
func SortActive(list []*api.Pod) { sortRanked(list, nil, 0) }

func sortRanked(list []*api.Pod, onNode map[string]int, now int64) {
	all := make([]ranked, len(list))
	for i, p := range list {
		all[i] = rankOf(p)
		if onNode != nil {
			all[i].cost = deletionCost(p)
			all[i].neighbour = onNode[p.Spec.NodeName]
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].before(&all[j], now) })
	for i := range all {
		list[i] = all[i].pod
	}
}

func rankOf(p *api.Pod) ranked {
	r := ranked{pod: p, restarts: restarts(p)}
	switch p.Status.Phase {
	case "Unknown":
		r.phase = 1
	case "Running":
		r.phase = 2
	}
	if c := Condition(p, "Ready"); c != nil && c.Status == "True" {
		r.ready, r.readyAt = true, c.LastTransitionTime
	}
	return r
}

// before reports whether a is deleted rather than b; now is in ns since 1970, 0
// where times are compared as they are.
func (a *ranked) before(b *ranked, now int64) bool {
	switch {
	case (a.pod.Spec.NodeName == "") != (b.pod.Spec.NodeName == ""):
		return a.pod.Spec.NodeName == ""
	case a.phase != b.phase:
		return a.phase < b.phase
	case a.ready != b.ready:
		return !a.ready
	case a.cost != b.cost:
		return a.cost < b.cost
	case a.neighbour != b.neighbour:
		return a.neighbour > b.neighbour
	case a.ready && a.readyAt != b.readyAt:
		return younger(a, b, a.readyAt, b.readyAt, now)
	case a.restarts[0] != b.restarts[0]:
		return a.restarts[0] > b.restarts[0]
	case a.restarts[1] != b.restarts[1]:
		return a.restarts[1] > b.restarts[1]
	case a.pod.CreationTimestamp != b.pod.CreationTimestamp:
		return younger(a, b, a.pod.CreationTimestamp, b.pod.CreationTimestamp, now)
	}
	return false
}

// younger compares ages by their power of two, and within one by UID, so that the
// newest is not always the one that goes.
func younger(a, b *ranked, at, bt api.Time, now int64) bool {
	if now == 0 || at == 0 || bt == 0 {
		if at == 0 || bt == 0 {
			return at == 0
		}
		return at > bt
	}
	if x, y := magnitude(now, at), magnitude(now, bt); x != y {
		return x < y
	}
	return a.pod.UID < b.pod.UID
}

func magnitude(now int64, t api.Time) int {
	if d := now - int64(t)*1e9; d > 0 {
		return bits.Len64(uint64(d)) - 1
	}
	return -1
}

// restarts returns the most restarts of a container, and of a sidecar.
func restarts(p *api.Pod) (most [2]int32) {
	for _, s := range p.Status.ContainerStatuses {
		most[0] = max(most[0], s.RestartCount)
	}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy == nil || *c.RestartPolicy != "Always" {
			continue
		}
		for _, s := range p.Status.InitContainerStatuses {
			if s.Name == c.Name {
				most[1] = max(most[1], s.RestartCount)
			}
		}
	}
	return most
}

// deletionCost reads the annotation as the real server does: what is not a whole
// number of 32 bits, or begins with + or a needless 0, is 0
// (pkg/apis/core/helper GetDeletionCostFromPodAnnotations).
func deletionCost(p *api.Pod) int64 {
	s := p.Annotations[DeletionCost]
	if s == "" || s[0] == '+' || len(s) > 1 && s[0] == '0' {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0
	}
	return n
}
