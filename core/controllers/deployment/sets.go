package deployment

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
)

const hashLabel = "pod-template-hash"

// sortByAge puts the oldest first, by name among equals
// (ReplicaSetsByCreationTimestamp).
func sortByAge(sets []*api.ReplicaSet) {
	sort.SliceStable(sets, func(i, j int) bool { return older(sets[i], sets[j]) })
}

func older(a, b *api.ReplicaSet) bool {
	if a.CreationTimestamp == b.CreationTimestamp {
		return a.Name < b.Name
	}
	return a.CreationTimestamp < b.CreationTimestamp
}

// sortBySize puts the largest first, among equals the newer or the older one.
func sortBySize(sets []*api.ReplicaSet, newerFirst bool) {
	sort.SliceStable(sets, func(i, j int) bool {
		a, b := sets[i], sets[j]
		switch {
		case want(a) != want(b):
			return want(a) > want(b)
		case newerFirst:
			return older(b, a)
		}
		return older(a, b)
	})
}

// sortByRevision puts the lowest revision first.
func sortByRevision(sets []*api.ReplicaSet) {
	sort.SliceStable(sets, func(i, j int) bool {
		a, okA := revisionOf(sets[i])
		b, okB := revisionOf(sets[j])
		if !okA || !okB || a == b {
			return older(sets[i], sets[j])
		}
		return a < b
	})
}

// findNew returns the oldest set whose template is the Deployment's, or nil; sets
// are sorted by age (FindNewReplicaSet).
func (l *look) findNew(sets []*api.ReplicaSet) *api.ReplicaSet {
	known, ok := l.r.newest[l.d.UID]
	ok = ok && known.generation == l.d.Generation && known.sets == len(sets)
	for _, s := range sets {
		if ok && s.UID == known.uid && s.Generation == known.setGen {
			return s
		}
	}
	for _, s := range sets {
		if sameTemplate(&s.Spec.Template, &l.d.Spec.Template) {
			l.r.newest[l.d.UID] = newest{l.d.Generation, len(sets), s.UID, s.Generation}
			return s
		}
	}
	return nil
}

// sameTemplate compares templates without their hash (EqualIgnoreHash).
func sameTemplate(a, b *api.PodTemplateSpec) bool {
	x, y := *a, *b
	x.Labels, y.Labels = withoutHash(a.Labels), withoutHash(b.Labels)
	return api.Equal(&x, &y)
}

func withoutHash(labels map[string]string) map[string]string {
	if _, ok := labels[hashLabel]; !ok {
		return labels
	}
	out := make(map[string]string, len(labels))
	for k, v := range labels {
		if k != hashLabel {
			out[k] = v
		}
	}
	return out
}

// without returns the sets but one.
func without(sets []*api.ReplicaSet, one *api.ReplicaSet) []*api.ReplicaSet {
	var out []*api.ReplicaSet
	for _, s := range sets {
		if one == nil || s.UID != one.UID {
			out = append(out, s)
		}
	}
	return out
}

// join returns old with the new set behind it, if there is one.
func join(old []*api.ReplicaSet, newSet *api.ReplicaSet) []*api.ReplicaSet {
	out := append([]*api.ReplicaSet(nil), old...)
	if newSet != nil {
		out = append(out, newSet)
	}
	return out
}

// active returns the sets that should have pods.
func active(sets []*api.ReplicaSet) []*api.ReplicaSet {
	var out []*api.ReplicaSet
	for _, s := range sets {
		if want(s) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func want(s *api.ReplicaSet) int32 { return or1(s.Spec.Replicas) }

func or1(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

func wanted(sets []*api.ReplicaSet) (n int32) {
	for _, s := range sets {
		n += want(s)
	}
	return n
}

// replicas is the wanted number of replicas of the Deployment.
func (l *look) replicas() int32 { return or1(l.d.Spec.Replicas) }

func (l *look) isRolling() bool { return l.d.Spec.Strategy.Type == "RollingUpdate" }

// limits returns how many pods may be too many and how many may be missing: the
// surge is rounded up, the other down (ResolveFenceposts, MaxSurge, MaxUnavailable).
func (l *look) limits() (surge, unavailable int32) {
	if !l.isRolling() {
		return 0, 0
	}
	n := l.replicas()
	if u := l.d.Spec.Strategy.RollingUpdate; u != nil {
		surge, unavailable = scaled(u.MaxSurge, n, true), scaled(u.MaxUnavailable, n, false)
	}
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	if n == 0 {
		return surge, 0
	}
	return surge, min(unavailable, n)
}

// scaled is a number, or a percentage of total (GetScaledValueFromIntOrPercent).
func scaled(v *api.IntOrString, total int32, up bool) int32 {
	switch {
	case v == nil:
		return 0
	case !v.IsString:
		return v.Int
	}
	percent, err := strconv.ParseInt(strings.TrimSuffix(v.Str, "%"), 10, 32)
	if err != nil {
		return 0
	}
	product := percent * int64(total)
	if up {
		product += 99
	}
	return int32(product / 100)
}
