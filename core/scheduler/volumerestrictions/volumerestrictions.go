// Package volumerestrictions is the rule that some disks, and claims with
// ReadWriteOncePod, are for one pod only
// (pkg/scheduler/framework/plugins/volumerestrictions).
package volumerestrictions

import (
	"slices"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	ErrReasonDiskConflict             = "node(s) had no available disk"
	ErrReasonReadWriteOncePodConflict = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)

// Plugin is the rule VolumeRestrictions.
type Plugin struct{}

var (
	_ f.PreFilterPlugin     = Plugin{}
	_ f.PreFilterExtensions = Plugin{}
	_ f.FilterPlugin        = Plugin{}
	_ f.EnqueuePlugin       = Plugin{}
)

// ID returns f.VolumeRestrictions.
func (Plugin) ID() f.ID { return f.VolumeRestrictions }

// state holds the pod's claims that only one pod may use, and how many uses by
// other pods there are.
type state struct {
	single []string
	uses   int
}

// CloneState returns a state that AddPod and RemovePod may change.
func (s *state) CloneState() any {
	c := *s
	return &c
}

func (s *state) count(p *api.Pod, by int) {
	for i := range p.Spec.Volumes {
		if c := p.Spec.Volumes[i].PersistentVolumeClaim; c != nil && slices.Contains(s.single, c.ClaimName) {
			s.uses += by
		}
	}
}

// PreFilter rejects a pod with a missing claim, and skips pods that nothing
// restricts.
func (Plugin) PreFilter(st *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	s, disks := &state{}, false
	for i := range p.Pod.Spec.Volumes {
		v := &p.Pod.Spec.Volumes[i]
		disks = disks || restricted(v)
		if v.PersistentVolumeClaim == nil {
			continue
		}
		c, err := st.Cluster.Claim(p.Pod.Namespace, v.PersistentVolumeClaim.ClaimName)
		if err != nil {
			return nil, f.NewStatus(f.VolumeRestrictions, f.UnschedulableAndUnresolvable, err.Error())
		}
		if slices.Contains(c.Spec.AccessModes, "ReadWriteOncePod") && !slices.Contains(s.single, c.Name) {
			s.single = append(s.single, c.Name)
			if st.Cluster.ClaimInUse(f.ClaimKey(c)) {
				s.uses++
			}
		}
	}
	if !disks && s.uses == 0 {
		return nil, f.Skipped
	}
	st.SetFilter(f.VolumeRestrictions, s)
	return nil, nil
}

// AddPod counts in a pod that is assumed to come.
func (Plugin) AddPod(st *f.State, _, added *f.PodInfo, _ *f.NodeInfo) {
	if s, ok := st.Filter(f.VolumeRestrictions).(*state); ok {
		s.count(added.Pod, 1)
	}
}

// RemovePod counts out a pod that is assumed to leave.
func (Plugin) RemovePod(st *f.State, _, gone *f.PodInfo, _ *f.NodeInfo) {
	if s, ok := st.Filter(f.VolumeRestrictions).(*state); ok {
		s.count(gone.Pod, -1)
	}
}

// Filter rejects a node where a pod has the same disk, and any node while another
// pod uses a claim that is for one pod.
func (Plugin) Filter(st *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	for _, o := range n.Pods {
		if Conflict(p.Pod, o.Pod) {
			return f.NewStatus(f.VolumeRestrictions, f.Unschedulable, ErrReasonDiskConflict)
		}
	}
	if s, ok := st.Filter(f.VolumeRestrictions).(*state); ok && s.uses > 0 {
		return f.NewStatus(f.VolumeRestrictions, f.Unschedulable, ErrReasonReadWriteOncePodConflict)
	}
	return nil
}

func restricted(v *api.Volume) bool {
	return v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.RBD != nil || v.ISCSI != nil
}

// Conflict reports whether two pods have a disk in common that they cannot share.
func Conflict(p, o *api.Pod) bool {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if !restricted(v) {
			continue
		}
		for j := range o.Spec.Volumes {
			if sameDisk(v, &o.Spec.Volumes[j]) {
				return true
			}
		}
	}
	return false
}

func sameDisk(a, b *api.Volume) bool {
	if x, y := a.GCEPersistentDisk, b.GCEPersistentDisk; x != nil && y != nil && x.PDName == y.PDName && !(x.ReadOnly && y.ReadOnly) {
		return true
	}
	if x, y := a.AWSElasticBlockStore, b.AWSElasticBlockStore; x != nil && y != nil && x.VolumeID == y.VolumeID {
		return true
	}
	if x, y := a.ISCSI, b.ISCSI; x != nil && y != nil && x.IQN == y.IQN && !(x.ReadOnly && y.ReadOnly) {
		return true
	}
	x, y := a.RBD, b.RBD
	return x != nil && y != nil && x.RBDPool == y.RBDPool && x.RBDImage == y.RBDImage && !(x.ReadOnly && y.ReadOnly) &&
		slices.ContainsFunc(x.CephMonitors, func(m string) bool { return slices.Contains(y.CephMonitors, m) })
}

// Events names the end of a pod with the same volume, a new node and a new claim.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Delete}, Hint: afterDelete},
		{Event: f.Event{Resource: f.Node, Action: f.Add}},
		{Event: f.Event{Resource: f.PersistentVolumeClaim, Action: f.Add}, Hint: afterClaim},
	}
}

func afterClaim(_ *f.HintContext, p *f.PodInfo, _, new api.Object) bool {
	return f.Uses(p.Pod, new.(*api.PersistentVolumeClaim), false)
}

func afterDelete(_ *f.HintContext, p *f.PodInfo, old, _ api.Object) bool {
	gone := old.(*api.Pod)
	if gone.Namespace != p.Pod.Namespace {
		return false
	}
	if Conflict(p.Pod, gone) {
		return true
	}
	for i := range gone.Spec.Volumes {
		if c := gone.Spec.Volumes[i].PersistentVolumeClaim; c != nil && slices.Contains(p.Claims, gone.Namespace+"/"+c.ClaimName) {
			return true
		}
	}
	return false
}
