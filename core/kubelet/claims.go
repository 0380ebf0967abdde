package kubelet

import (
	"podwalk/core/api"
	"podwalk/core/sim"
)

// mountClaim mounts the volume that a claim is bound to
// (pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go,
// createVolumeSpec). A claim that is not there or not bound ends the sync.
func (s *step) mountClaim(v *api.Volume, name string) *mountFault {
	pvc, _ := s.c.Read.Get("PersistentVolumeClaim", s.w.key.Namespace, name).(*api.PersistentVolumeClaim)
	fault := func(text string) *mountFault {
		return &mountFault{message: "error processing PVC " + s.w.key.Namespace + "/" + name + ": " + text, unprocessed: true}
	}
	switch {
	case pvc == nil:
		return fault("failed to fetch PVC from API server: " + notFoundText("persistentvolumeclaims", name))
	case pvc.Status.Phase != "Bound":
		return fault("PVC is not bound")
	case pvc.Spec.VolumeName == "":
		return fault("PVC has empty pvc.Spec.VolumeName")
	}
	pv, _ := s.c.Read.Get("PersistentVolume", "", pvc.Spec.VolumeName).(*api.PersistentVolume)
	if pv == nil {
		return fault("failed to fetch PV " + pvc.Spec.VolumeName + " from API server: " + notFoundText("persistentvolumes", pvc.Spec.VolumeName))
	}
	if wait := s.attach(pv); wait > 0 {
		return &mountFault{message: "volume is being attached", retry: wait}
	}
	key := "disk/" + pv.Name
	if h := pv.Spec.HostPath; h != nil {
		return s.mountHostPath(&api.Volume{Name: v.Name, HostPath: h})
	}
	s.machine().SetSharedVolume(s.w.uid, v.Name, key)
	return nil
}

// attach is how long to wait before the next look at a volume that its driver has
// not attached to the node yet; volumes that need no attaching are there at once.
func (s *step) attach(pv *api.PersistentVolume) sim.Time {
	if pv.Spec.CSI == nil {
		return 0
	}
	if d, ok := s.c.Read.Get("CSIDriver", "", pv.Spec.CSI.Driver).(*api.CSIDriver); ok && d.Spec.AttachRequired != nil && !*d.Spec.AttachRequired {
		return 0
	}
	for _, o := range s.c.Read.ByIndex("attachment.volume", pv.Name) {
		if a := o.(*api.VolumeAttachment); a.Spec.NodeName == s.w.node && a.Status.Attached {
			return 0
		}
	}
	return mountWait
}
