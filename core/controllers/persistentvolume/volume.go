package persistentvolume

import (
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// recycleTime is what the pod takes that empties a volume. The pod itself is not
// simulated.
const recycleTime = 8 * sim.Second

// bind makes a volume and a claim each other's; it may go on where an earlier look
// was interrupted.
func (l *look) bind(v *api.PersistentVolume, c *api.PersistentVolumeClaim) *api.Status {
	v, st := l.reserve(v, c)
	if st != nil {
		return st
	}
	if v, st = l.phase(v, "Bound"); st != nil {
		return st
	}
	fresh := c.Spec.VolumeName != v.Name || c.Annotations[claim.BindCompleted] == ""
	if c, st = l.assign(c, v); st != nil {
		return st
	}
	if c, st = l.claimStatus(c, "Bound", v); st != nil {
		return st
	}
	l.wait = false
	if fresh {
		l.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(c), Verdict: trace.Passed, Reason: "Bound", Message: "bound to volume " + v.Name,
			Detail: []trace.Detail{{Name: "asked for", Value: claim.Size(c).String()}, {Name: "gets", Value: v.Spec.Capacity["storage"].String()}}})
	}
	return nil
}

// reserve writes the claim into the volume (bindVolumeToClaim).
func (l *look) reserve(v *api.PersistentVolume, c *api.PersistentVolumeClaim) (*api.PersistentVolume, *api.Status) {
	now := *v
	r := v.Spec.ClaimRef
	dirty := r == nil || r.Name != c.Name || r.Namespace != c.Namespace || r.UID != c.UID
	if dirty {
		now.Spec.ClaimRef = claim.Reference(c)
	}
	if _, ok := v.Annotations[claim.BoundByController]; !ok && !claim.Bound(v, c) {
		now.Annotations, dirty = claim.Annotated(v.Annotations, claim.BoundByController, "yes"), true
	}
	if !dirty {
		return v, nil
	}
	return l.saveVolume(l.Update(&now))
}

func (l *look) saveVolume(r api.Response) (*api.PersistentVolume, *api.Status) {
	o, st := l.keep(r)
	if st != nil {
		return nil, st
	}
	return o.(*api.PersistentVolume), nil
}

// assign writes the volume into the claim (bindClaimToVolume).
func (l *look) assign(c *api.PersistentVolumeClaim, v *api.PersistentVolume) (*api.PersistentVolumeClaim, *api.Status) {
	now := *c
	if v.Name != c.Spec.VolumeName {
		now.Spec.VolumeName = v.Name
		if _, ok := c.Annotations[claim.BoundByController]; !ok {
			now.Annotations = claim.Annotated(now.Annotations, claim.BoundByController, "yes")
		}
	}
	if _, ok := c.Annotations[claim.BindCompleted]; !ok {
		now.Annotations = claim.Annotated(now.Annotations, claim.BindCompleted, "yes")
	}
	if now.Spec.VolumeName == c.Spec.VolumeName && len(now.Annotations) == len(c.Annotations) {
		return c, nil
	}
	o, st := l.keep(l.Update(&now))
	if st != nil {
		return nil, st
	}
	return o.(*api.PersistentVolumeClaim), nil
}

// phase writes a volume's phase (updateVolumePhase).
func (l *look) phase(v *api.PersistentVolume, phase string) (*api.PersistentVolume, *api.Status) {
	if v.Status.Phase == phase {
		return v, nil
	}
	now := *v
	now.Status.Phase, now.Status.Message = phase, ""
	return l.saveVolume(l.UpdateStatus(&now))
}

// fail marks a volume that cannot be reclaimed (updateVolumePhaseWithEvent).
func (l *look) fail(v *api.PersistentVolume, reason, message string) *api.Status {
	l.wait = true
	if v.Status.Phase == "Failed" {
		return nil
	}
	now := *v
	now.Status.Phase, now.Status.Message = "Failed", message
	v, st := l.saveVolume(l.UpdateStatus(&now))
	if st == nil {
		l.event(v, "Warning", reason, message)
	}
	return st
}

// volume follows what becomes of a volume's claim (syncVolume).
func (l *look) volume(v *api.PersistentVolume) *api.Status {
	r := v.Spec.ClaimRef
	if r == nil || r.UID == "" {
		if v.Status.Phase == "Pending" && l.busy(v) {
			return nil
		}
		_, st := l.phase(v, "Available")
		return st
	}
	c := l.claimOf(v)
	switch {
	case c == nil:
		return l.release(v)
	case c.Spec.VolumeName == "":
		if !claim.SameMode(v, c) {
			l.event(v, "Warning", "VolumeMismatch", "Cannot bind PersistentVolume to requested PersistentVolumeClaim "+strconv.Quote(c.Name)+" due to incompatible volumeMode.")
			l.event(c, "Warning", "VolumeMismatch", "Cannot bind PersistentVolume "+strconv.Quote(v.Name)+" to requested PersistentVolumeClaim due to incompatible volumeMode.")
			return nil
		}
		l.wake = append(l.wake, sim.Key{Kind: claimKind, Namespace: c.Namespace, Name: c.Name})
		return nil
	case c.Spec.VolumeName == v.Name:
		_, st := l.phase(v, "Bound")
		return st
	case v.Annotations[claim.ProvisionedBy] != "" && v.Spec.PersistentVolumeReclaimPolicy == "Delete":
		return l.release(v)
	}
	return l.unbind(v)
}

// claimOf returns the claim that a volume belongs to, nil if it is gone.
func (l *look) claimOf(v *api.PersistentVolume) *api.PersistentVolumeClaim {
	r := v.Spec.ClaimRef
	for _, o := range []api.Object{l.Read.Get(claimKind, r.Namespace, r.Name), l.Host.Latest().Get(claimKind, r.Namespace, r.Name)} {
		if c, ok := o.(*api.PersistentVolumeClaim); ok && c.UID == r.UID {
			return l.known(c).(*api.PersistentVolumeClaim)
		}
	}
	return nil
}

// release says that a volume's claim has gone, and reclaims the volume.
func (l *look) release(v *api.PersistentVolume) *api.Status {
	if v.Status.Phase != "Released" && v.Status.Phase != "Failed" {
		now, st := l.phase(v, "Released")
		if st != nil {
			return st
		}
		v = now
	}
	if v.Annotations[claim.MigratedTo] != "" {
		return nil
	}
	switch v.Spec.PersistentVolumeReclaimPolicy {
	case "Recycle":
		return l.recycle(v)
	case "Delete":
		return l.deleteVolume(v)
	}
	return nil
}

// unbind takes the claim out of a volume that the claim does not want.
func (l *look) unbind(v *api.PersistentVolume) *api.Status {
	now := *v
	if _, ours := v.Annotations[claim.BoundByController]; ours {
		now.Spec.ClaimRef = nil
		now.Annotations = claim.Annotated(v.Annotations)
		delete(now.Annotations, claim.BoundByController)
		if len(now.Annotations) == 0 {
			now.Annotations = nil
		}
	} else {
		r := *v.Spec.ClaimRef
		r.UID = ""
		now.Spec.ClaimRef = &r
	}
	next, st := l.saveVolume(l.Update(&now))
	if st != nil {
		return st
	}
	_, st = l.phase(next, "Available")
	return st
}

// recycle empties a volume and makes it available again (recycleVolumeOperation).
func (l *look) recycle(v *api.PersistentVolume) *api.Status {
	var users []string
	for _, p := range claim.Pods(l.Read, claim.RefKey(v)) {
		if !claim.Terminated(p) {
			users = append(users, p.Namespace+"/"+p.Name)
		}
	}
	due, started := l.k.due[v.Name]
	switch {
	case len(users) > 0 && l.Read.Get(claimKind, v.Spec.ClaimRef.Namespace, v.Spec.ClaimRef.Name) == nil:
		l.wait = true
		l.event(v, "Normal", "VolumeFailedRecycle", "Volume is used by pods: "+strings.Join(users, ","))
		return nil
	case v.Spec.HostPath == nil && v.Spec.NFS == nil:
		return l.fail(v, "VolumeFailedRecycle", "No recycler plugin found for the volume!")
	case !started:
		due = l.Now() + recycleTime
		l.k.due[v.Name] = due
		l.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(v), Verdict: trace.NotSimulated, Reason: "Recycler",
			Message: "the pod recycler-for-" + v.Name + " that empties the volume is not simulated; the volume is empty after " + recycleTime.String()})
	}
	if l.Now() < due {
		l.at = due
		return nil
	}
	delete(l.k.due, v.Name)
	l.event(v, "Normal", "VolumeRecycled", "Volume recycled")
	return l.unbind(v)
}

// deleteVolume deletes what Kubernetes itself can delete; the rest is its
// provisioner's business (deleteVolumeOperation, findDeletablePlugin).
func (l *look) deleteVolume(v *api.PersistentVolume) *api.Status {
	switch by := v.Annotations[claim.ProvisionedBy]; {
	case strings.HasPrefix(by, "kubernetes.io/"):
		return l.fail(v, "VolumeFailedDelete", "no volume plugin matched name: "+by)
	case by != "" || v.Spec.CSI != nil:
		return nil
	case v.Spec.HostPath == nil:
		return l.fail(v, "VolumeFailedDelete", "error getting deleter volume plugin for volume "+strconv.Quote(v.Name)+": no deletable volume plugin matched")
	case !strings.HasPrefix(v.Spec.HostPath.Path, "/tmp/") || len(v.Spec.HostPath.Path) == len("/tmp/"):
		return l.fail(v, "VolumeFailedDelete", "host_path deleter only supports /tmp/.+ but received provided "+v.Spec.HostPath.Path)
	}
	if r := l.Delete(v, nil); r.Failed() && r.Status.Reason != api.ReasonNotFound {
		return r.Status
	}
	return nil
}
