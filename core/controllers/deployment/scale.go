package deployment

import (
	"math"
	"strconv"

	"podwalk/core/api"
)

// isScaling reports whether the Deployment was scaled: an active set remembers
// another wanted number.
func (l *look) isScaling(sets []*api.ReplicaSet) (bool, *api.Status) {
	if l.d.Spec.Paused {
		return false, nil
	}
	newSet, old, err := l.revise(sets, false)
	if err != nil {
		return false, err
	}
	for _, s := range active(join(old, newSet)) {
		if n, ok := noted(s, desiredKey); ok && n != l.replicas() {
			return true, nil
		}
	}
	return false, nil
}

// noted reads a number from an annotation of a set.
func noted(s *api.ReplicaSet, key string) (int32, bool) {
	n, err := strconv.ParseUint(s.Annotations[key], 10, 31)
	return int32(n), err == nil
}

// syncScale is what happens to a Deployment that was scaled or is paused (sync).
func (l *look) syncScale(sets []*api.ReplicaSet) *api.Status {
	newSet, old, err := l.revise(sets, false)
	if err != nil {
		return err
	}
	if err := l.scale(newSet, old); err != nil {
		return err
	}
	if l.d.Spec.Paused {
		if err := l.cleanup(old); err != nil {
			return err
		}
	}
	return l.writeStatus(l.status(join(old, newSet), newSet))
}

// scale spreads a new size over the sets: in the middle of a rollout in
// proportion, so that scaling does not hasten it.
func (l *look) scale(newSet *api.ReplicaSet, old []*api.ReplicaSet) *api.Status {
	all := active(join(old, newSet))
	switch {
	case len(all) == 0 && newSet == nil && len(old) == 0:
		return nil
	case len(all) <= 1:
		_, _, err := l.scaleSet(latest(all, newSet, old), l.replicas(), false)
		return err
	case l.isSaturated(newSet):
		for _, s := range active(old) {
			if _, _, err := l.scaleSet(s, 0, false); err != nil {
				return err
			}
		}
		return nil
	case l.isRolling():
		return l.scaleInProportion(all)
	}
	return nil
}

// latest is the only active set, or else the newest one (FindActiveOrLatest).
func latest(active []*api.ReplicaSet, newSet *api.ReplicaSet, old []*api.ReplicaSet) *api.ReplicaSet {
	switch {
	case len(active) == 1:
		return active[0]
	case newSet != nil:
		return newSet
	}
	return old[len(old)-1] // old sets are sorted by age
}

// isSaturated reports whether the new set has all replicas, and all are available.
func (l *look) isSaturated(s *api.ReplicaSet) bool {
	if s == nil {
		return false
	}
	n, ok := noted(s, desiredKey)
	return ok && want(s) == l.replicas() && n == l.replicas() && s.Status.AvailableReplicas == l.replicas()
}

func (l *look) scaleInProportion(all []*api.ReplicaSet) *api.Status {
	allowed := int32(0)
	if l.replicas() > 0 {
		surge, _ := l.limits()
		allowed = l.replicas() + surge
	}
	toAdd := allowed - wanted(all)
	if toAdd != 0 {
		sortBySize(all, toAdd > 0)
	}
	sizes, added := make([]int32, len(all)), int32(0)
	for i, s := range all {
		share := int32(0)
		if toAdd != 0 {
			share = l.share(s, toAdd, added)
		}
		sizes[i] = want(s) + share
		added += share
	}
	if toAdd != 0 {
		sizes[0] = max(sizes[0]+toAdd-added, 0) // the largest takes what is left over
	}
	for i, s := range all {
		if _, _, err := l.scaleSet(s, sizes[i], true); err != nil {
			return err
		}
	}
	return nil
}

// share is a set's part of the replicas to add or remove (GetReplicaSetProportion).
func (l *look) share(s *api.ReplicaSet, toAdd, added int32) int32 {
	if toAdd == added {
		return 0
	}
	if toAdd > 0 {
		return min(l.fraction(s), toAdd-added)
	}
	return max(l.fraction(s), toAdd-added)
}

func (l *look) fraction(s *api.ReplicaSet) int32 {
	if l.replicas() == 0 {
		return -want(s)
	}
	surge, _ := l.limits()
	before, ok := noted(s, maxKey)
	if !ok || before == 0 {
		if before = l.d.Status.Replicas; before == 0 {
			return 0
		}
	}
	size := float64(want(s)*(l.replicas()+surge)) / float64(before)
	return int32(math.Floor(size+0.5)) - want(s)
}

// scaleSet sets the size of a set; force writes the numbers it remembers even if
// the size stays. It returns the set as it is then (scaleReplicaSet).
func (l *look) scaleSet(s *api.ReplicaSet, size int32, force bool) (bool, *api.ReplicaSet, *api.Status) {
	resized := want(s) != size
	if !resized && !force {
		return false, s, nil
	}
	c := *s
	c.Annotations = own(s.Annotations)
	if renoted := l.setReplicaNotes(&c); !resized && !renoted {
		return false, s, nil
	}
	c.Spec.Replicas = &size
	res := l.c.Update(&c)
	if res.Failed() {
		return false, s, res.Status
	}
	if resized {
		way := "down"
		if want(s) < size {
			way = "up"
		}
		l.event("Normal", "ScalingReplicaSet", "Scaled "+way+" replica set "+s.Name+" from "+itoa(want(s))+" to "+itoa(size))
	}
	return resized, res.Object.(*api.ReplicaSet), nil
}

// setReplicaNotes makes a set remember the Deployment's size, and reports whether
// that was news (SetReplicasAnnotations).
func (l *look) setReplicaNotes(s *api.ReplicaSet) bool {
	surge, _ := l.limits()
	desired, most := itoa(l.replicas()), itoa(l.replicas()+surge)
	if s.Annotations[desiredKey] == desired && s.Annotations[maxKey] == most {
		return false
	}
	s.Annotations[desiredKey], s.Annotations[maxKey] = desired, most
	return true
}
