package deployment

import (
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// roll is one step of a rolling update: the new set grows as far as the surge
// allows, then the old ones shrink as far as enough pods stay available
// (rolloutRolling).
func (l *look) roll(sets []*api.ReplicaSet) *api.Status {
	newSet, old, err := l.revise(sets, true)
	if err != nil {
		return err
	}
	all := join(old, newSet)
	moved, err := l.growNew(all, newSet)
	if err != nil {
		return err
	}
	if !moved {
		moved = l.shrinkOld(all, active(old), newSet)
	}
	if !moved && l.isComplete(&l.d.Status) {
		if err := l.cleanup(old); err != nil {
			return err
		}
	}
	return l.report(all, newSet)
}

func (l *look) growNew(all []*api.ReplicaSet, newSet *api.ReplicaSet) (bool, *api.Status) {
	size := l.replicas()
	switch {
	case want(newSet) == size:
		return false, nil
	case want(newSet) < size:
		size = l.newReplicas(wanted(all), want(newSet))
	}
	moved, _, err := l.scaleSet(newSet, size, false)
	return moved, err
}

// newReplicas is the size that a new set of that size may have, when so many pods
// are wanted in all (NewRSNewReplicas).
func (l *look) newReplicas(total, size int32) int32 {
	if !l.isRolling() {
		return l.replicas()
	}
	surge := int32(0)
	if u := l.d.Spec.Strategy.RollingUpdate; u != nil {
		surge = scaled(u.MaxSurge, l.replicas(), true)
	}
	most := l.replicas() + surge
	if total >= most {
		return size
	}
	return size + min(most-total, l.replicas()-size)
}

// shrinkOld scales old sets down, pods that are not available first. Failures end
// the step; the next look goes on (reconcileOldReplicaSets).
func (l *look) shrinkOld(all, old []*api.ReplicaSet, newSet *api.ReplicaSet) bool {
	if wanted(old) == 0 {
		return false
	}
	_, unavailable := l.limits()
	minAvailable := l.replicas() - unavailable
	most := wanted(all) - minAvailable - (want(newSet) - newSet.Status.AvailableReplicas)
	if most <= 0 {
		return false
	}
	old, cleaned, err := l.dropUnavailable(old, most)
	if err != nil {
		return false
	}
	dropped, err := l.dropAvailable(old, available(join(old, newSet))-minAvailable)
	return err == nil && cleaned+dropped > 0
}

// dropUnavailable scales away pods of old sets that are not available anyway
// (cleanupUnhealthyReplicas).
func (l *look) dropUnavailable(old []*api.ReplicaSet, most int32) ([]*api.ReplicaSet, int32, *api.Status) {
	old = join(old, nil)
	total := int32(0)
	for i, s := range old {
		if total >= most {
			break
		}
		bad := want(s) - s.Status.AvailableReplicas
		if want(s) == 0 || bad == 0 {
			continue
		}
		n := min(most-total, bad)
		if want(s)-n > want(s) {
			return nil, 0, api.NewInternalError("more pods available than wanted")
		}
		_, after, err := l.scaleSet(s, want(s)-n, false)
		if err != nil {
			return nil, total, err
		}
		total += n
		old[i] = after
	}
	return old, total, nil
}

// dropAvailable scales old sets down by up to spare pods
// (scaleDownOldReplicaSetsForRollingUpdate).
func (l *look) dropAvailable(old []*api.ReplicaSet, spare int32) (int32, *api.Status) {
	total := int32(0)
	for _, s := range old {
		if total >= spare {
			break
		}
		if want(s) == 0 {
			continue
		}
		n := min(want(s), spare-total)
		if _, _, err := l.scaleSet(s, want(s)-n, false); err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// recreate is one step of a Recreate: first all old pods go, then the new ones
// come (rolloutRecreate).
func (l *look) recreate(sets []*api.ReplicaSet) *api.Status {
	newSet, old, err := l.revise(sets, false)
	if err != nil {
		return err
	}
	moved := false
	for _, s := range active(old) {
		m, _, err := l.scaleSet(s, 0, false)
		if err != nil {
			return err
		}
		moved = moved || m
	}
	if moved || l.oldPodsRun(sets, newSet) {
		return l.report(join(old, newSet), newSet)
	}
	if newSet == nil {
		if newSet, old, err = l.revise(sets, true); err != nil {
			return err
		}
	}
	if _, _, err := l.scaleSet(newSet, l.replicas(), false); err != nil {
		return err
	}
	if l.isComplete(&l.d.Status) {
		if err := l.cleanup(old); err != nil {
			return err
		}
	}
	return l.report(join(old, newSet), newSet)
}

// oldPodsRun reports whether pods of the old sets are not over.
func (l *look) oldPodsRun(sets []*api.ReplicaSet, newSet *api.ReplicaSet) bool {
	old := without(sets, newSet)
	for _, s := range old {
		if s.Status.Replicas > 0 {
			return true
		}
	}
	for _, s := range old {
		for _, p := range podcontrol.Owned(l.c.Read, s) {
			if !podcontrol.IsFinished(p) {
				return true
			}
		}
	}
	return false
}
