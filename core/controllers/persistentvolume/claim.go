package persistentvolume

import (
	"strconv"
	"strings"

	"podwalk/core/actor/claim"
	"podwalk/core/api"
)

// claim brings a claim as far as it can get now (syncClaim).
func (l *look) claim(c *api.PersistentVolumeClaim) *api.Status {
	if _, done := c.Annotations[claim.BindCompleted]; done {
		return l.boundClaim(c)
	}
	if c.Spec.VolumeName != "" {
		return l.claimWithVolume(c)
	}
	l.wait = true
	delayed := l.delayed(c)
	v, why := l.match(c, delayed)
	switch {
	case why != "":
		l.explain(c, why)
		return nil
	case v != nil && !delayed && l.busy(c):
		return nil
	case v != nil:
		return l.bind(v, c)
	}
	if done, st := l.giveClass(c); done || st != nil {
		return st
	}
	l.explain(c, "no volume suits the claim")
	_, chosen := c.Annotations[claim.SelectedNode]
	switch {
	case delayed && !chosen:
		l.tellWaiting(c)
	case claim.Class(c) != "":
		return l.provision(c)
	default:
		l.event(c, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set")
	}
	_, st := l.claimStatus(c, "Pending", nil)
	return st
}

// tellWaiting says whom a claim waits for (emitEventForUnboundDelayBindingClaim).
func (l *look) tellWaiting(c *api.PersistentVolumeClaim) {
	var names []string
	for _, p := range claim.Pods(l.Read, claim.Key(c)) {
		if !claim.Terminated(p) && p.Spec.NodeName == "" {
			names = append(names, p.Name)
		}
	}
	switch len(names) {
	case 0:
		l.event(c, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding")
	case 1:
		l.event(c, "Normal", "WaitForPodScheduled", "waiting for pod "+names[0]+" to be scheduled")
	default:
		l.event(c, "Normal", "WaitForPodScheduled", "waiting for pods "+strings.Join(names, ",")+" to be scheduled")
	}
}

// giveClass gives a claim without a class the default one
// (assignDefaultStorageClass). It reports whether it did.
func (l *look) giveClass(c *api.PersistentVolumeClaim) (bool, *api.Status) {
	if claim.HasClass(c) {
		return false, nil
	}
	var best *api.ObjectMeta
	l.Read.Each("StorageClass", "", func(o api.Object) bool {
		m := o.Meta()
		def := m.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" || m.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
		if def && (best == nil || m.CreationTimestamp > best.CreationTimestamp) {
			best = m
		}
		return true
	})
	if best == nil {
		return false, nil
	}
	now := *c
	now.Spec.StorageClassName = &best.Name
	_, st := l.keep(l.Update(&now))
	return true, st
}

// claimWithVolume binds a claim to the volume that its author asked for.
func (l *look) claimWithVolume(c *api.PersistentVolumeClaim) *api.Status {
	l.wait = true
	v := l.volumeNamed(c.Spec.VolumeName)
	if v != nil && v.Spec.ClaimRef == nil {
		why := unfit(v, c)
		if why == "" {
			return l.bind(v, c)
		}
		l.event(c, "Warning", "VolumeMismatch", "Cannot bind to requested volume "+strconv.Quote(v.Name)+": "+why)
	} else if v != nil {
		if claim.Bound(v, c) {
			return l.bind(v, c)
		}
		l.event(c, "Warning", "FailedBinding", "volume "+strconv.Quote(v.Name)+" already bound to a different claim.")
		if _, ours := c.Annotations[claim.BoundByController]; ours {
			return nil
		}
	}
	_, st := l.claimStatus(c, "Pending", nil)
	return st
}

// unfit tells why a volume asked for by name cannot serve a claim
// (checkVolumeSatisfyClaim).
func unfit(v *api.PersistentVolume, c *api.PersistentVolumeClaim) string {
	switch {
	case v.DeletionTimestamp != nil:
		return "the volume is marked for deletion " + strconv.Quote(v.Name)
	case v.Spec.Capacity["storage"].Value() < claim.Size(c).Value():
		return "requested PV is too small"
	case claim.ClassOfVolume(v) != claim.Class(c):
		return "storageClassName does not match"
	case !claim.SameAttributes(v, c):
		return "volumeAttributesClassName does not match"
	case !claim.SameMode(v, c):
		return "incompatible volumeMode"
	case !claim.Offers(v, c):
		return "incompatible accessMode"
	}
	return ""
}

// boundClaim checks that a claim still has its volume (syncBoundClaim).
func (l *look) boundClaim(c *api.PersistentVolumeClaim) *api.Status {
	if c.Spec.VolumeName == "" {
		return l.lose(c, "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!")
	}
	v := l.volumeNamed(c.Spec.VolumeName)
	switch {
	case v == nil:
		return l.lose(c, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
	case v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID == c.UID:
		return l.bind(v, c)
	}
	return l.lose(c, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
}

func (l *look) lose(c *api.PersistentVolumeClaim, reason, message string) *api.Status {
	if c.Status.Phase == "Lost" {
		return nil
	}
	now, st := l.claimStatus(c, "Lost", nil)
	if st == nil {
		l.event(now, "Warning", reason, message)
	}
	return st
}

// claimStatus writes what the claim shows: its phase and what its volume offers.
func (l *look) claimStatus(c *api.PersistentVolumeClaim, phase string, v *api.PersistentVolume) (*api.PersistentVolumeClaim, *api.Status) {
	now := *c
	s := &now.Status
	switch {
	case v == nil:
		s.AccessModes, s.Capacity, s.CurrentVolumeAttributesClassName = nil, nil, nil
	default:
		s.AccessModes = v.Spec.AccessModes
		if s.Phase != phase && !s.Capacity["storage"].Equal(v.Spec.Capacity["storage"]) {
			s.Capacity = v.Spec.Capacity
		}
		if s.Phase == "Pending" && phase == "Bound" {
			s.CurrentVolumeAttributesClassName = v.Spec.VolumeAttributesClassName
		}
	}
	s.Phase = phase
	if api.Equal(s, &c.Status) {
		return c, nil
	}
	o, st := l.keep(l.UpdateStatus(&now))
	if st != nil {
		return nil, st
	}
	return o.(*api.PersistentVolumeClaim), nil
}
