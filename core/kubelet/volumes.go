package kubelet

import (
	"slices"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	volumePoll    = 300 * sim.Millisecond       // podAttachAndMountRetryInterval
	volumeTimeout = 2*sim.Minute + 3*sim.Second // podAttachAndMountTimeout
	firstMount    = volumePoll                  // loops of 100 ms find it before the second look
	mountWait     = 500 * sim.Millisecond       // pkg/util/goroutinemap/exponentialbackoff
	maxMountWait  = 2*sim.Minute + 2*sim.Second // pkg/util/goroutinemap/exponentialbackoff
)

// mount is a volume of the pod as the volume manager knows it
// (pkg/kubelet/volumemanager).
type mount struct {
	name    string
	mounted bool
	broken  bool     // it could not be processed in this sync
	at      sim.Time // of the next try
	wait    sim.Time // after a failure, 0: none yet
	err     string
	content uint64 // sum of the files
	source  uint64 // sum of the revisions of the objects that they are made of
}

// addVolumes tells the volume manager of the pod's volumes
// (pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go).
func (s *step) addVolumes() {
	w := s.w
	for i := range w.pod.Spec.Volumes {
		v := &w.pod.Spec.Volumes[i]
		if !mountedByContainer(w.pod, v.Name) || s.mountOf(v.Name) != nil {
			continue
		}
		w.mounts = append(w.mounts, mount{name: v.Name, at: s.now + firstMount})
	}
	if len(w.run.status.sandboxes) == 0 {
		s.setDiskLimits()
	}
	for i := range w.mounts {
		m := &w.mounts[i]
		if m.mounted {
			s.remount(m)
		}
		if m.broken {
			m.broken, m.at = false, s.now+firstMount
		}
	}
}

// remount writes the files of a volume again where their source has changed.
func (s *step) remount(m *mount) {
	v := volumeNamed(s.w.pod, m.name)
	if v == nil || !refreshable(v) {
		return
	}
	source := s.sourceRev(v)
	if source == m.source && v.DownwardAPI == nil && v.Projected == nil {
		return
	}
	files, err := s.volumeFiles(v)
	if err != "" {
		return
	}
	m.source = source
	if files.sum != m.content {
		s.writeFiles(v, files)
		m.content = files.sum
		s.record(trace.Volumes, trace.Changed, "Remounted", "volume "+m.name+" has new content")
	}
}

// sourceRev is a number that changes with the ConfigMaps and Secrets of a volume.
func (s *step) sourceRev(v *api.Volume) uint64 {
	var sum uint64
	add := func(kind, name string) {
		if o := s.c.Read.Get(kind, s.w.key.Namespace, name); o != nil {
			sum = sum*31 + store.RevOf(o)
		}
	}
	switch {
	case v.ConfigMap != nil:
		add("ConfigMap", v.ConfigMap.Name)
	case v.Secret != nil:
		add("Secret", v.Secret.SecretName)
	case v.Projected != nil:
		for i := range v.Projected.Sources {
			if x := v.Projected.Sources[i].ConfigMap; x != nil {
				add("ConfigMap", x.Name)
			}
			if x := v.Projected.Sources[i].Secret; x != nil {
				add("Secret", x.Name)
			}
		}
	}
	return sum
}

// stale reports whether a volume's source has changed since it was mounted: the
// next sync will then write its files.
func (s *step) stale() bool {
	for i := range s.w.mounts {
		m := &s.w.mounts[i]
		if v := volumeNamed(s.w.pod, m.name); m.mounted && v != nil && refreshable(v) && s.sourceRev(v) != m.source {
			return true
		}
	}
	return false
}

func refreshable(v *api.Volume) bool {
	return v.ConfigMap != nil || v.Secret != nil || v.Projected != nil || v.DownwardAPI != nil
}

func volumeNamed(pod *api.Pod, name string) *api.Volume {
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Name == name {
			return &pod.Spec.Volumes[i]
		}
	}
	return nil
}

func (s *step) mountOf(name string) *mount {
	for i := range s.w.mounts {
		if s.w.mounts[i].name == name {
			return &s.w.mounts[i]
		}
	}
	return nil
}

// mountedByContainer reports whether any container of the pod mounts a volume: the
// kubelet does not wait for the others (pkg/volume/util/util.go, GetPodVolumeNames).
func mountedByContainer(pod *api.Pod, name string) bool {
	uses := func(mounts []api.VolumeMount, devices []api.VolumeDevice) bool {
		return slices.ContainsFunc(mounts, func(m api.VolumeMount) bool { return m.Name == name }) ||
			slices.ContainsFunc(devices, func(d api.VolumeDevice) bool { return d.Name == name })
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; uses(c.VolumeMounts, c.VolumeDevices) {
			return true
		}
	}
	for i := range pod.Spec.Containers {
		if c := &pod.Spec.Containers[i]; uses(c.VolumeMounts, c.VolumeDevices) {
			return true
		}
	}
	return false
}

// mountDue tries the mounts whose time has come
// (pkg/volume/util/operationexecutor/operation_generator.go).
func (s *step) mountDue() bool {
	w := s.w
	if w.work != syncing {
		return false
	}
	moved := false
	for i := range w.mounts {
		m := &w.mounts[i]
		if m.mounted || m.broken || s.now < m.at {
			continue
		}
		moved = true
		s.tryMount(m)
	}
	return moved
}

func (s *step) tryMount(m *mount) {
	v := volumeNamed(s.w.pod, m.name)
	if v == nil {
		m.mounted = true
		return
	}
	f := s.setUpVolume(v, m)
	if f == nil {
		m.mounted, m.err = true, ""
		s.record(trace.Volumes, trace.Passed, "Mounted", "volume "+m.name+" is mounted", trace.Detail{Name: "source", Value: volumeKind(v)})
		return
	}
	m.err, m.broken = f.message, f.unprocessed
	if f.reason != "" {
		s.event("", "Warning", f.reason, f.message)
	}
	s.record(trace.Volumes, trace.Failed, f.reason, f.message)
	if f.retry != 0 {
		m.at = s.now + f.retry
		return
	}
	if m.wait == 0 {
		m.wait = mountWait
	} else {
		m.wait = min(2*m.wait, maxMountWait)
	}
	m.at = s.now + m.wait
}

// nextMount returns when a mount is tried next.
func (s *step) nextMount() sim.Time {
	t := never
	if s.w.work != syncing {
		return t
	}
	for i := range s.w.mounts {
		if m := &s.w.mounts[i]; !m.mounted && !m.broken {
			t = min(t, m.at)
		}
	}
	return t
}

// volumesReady reports whether all volumes that containers mount are there.
func (s *step) volumesReady() bool {
	for i := range s.w.mounts {
		if !s.w.mounts[i].mounted {
			return false
		}
	}
	return true
}

// cancelled reports whether the end of the pod interrupts the wait for its volumes
// (pkg/kubelet/pod_workers.go, UpdatePod, cancelFn).
func (s *step) cancelled() bool { return s.w.work != syncing }
func (s *step) cancel()         { s.w.run.err = "context canceled" }

func (s *step) mountTimedOut() bool { return s.now >= s.w.run.begun+volumeTimeout }
func (s *step) mountPoll() sim.Time { return volumePoll }

// unprocessed reports whether the volume manager cannot find out what a volume is.
func (s *step) unprocessed() bool {
	return slices.ContainsFunc(s.w.mounts, func(m mount) bool { return m.broken })
}

// failProcess ends a sync at once where a volume cannot be processed
// (pkg/kubelet/volumemanager/volume_manager.go, verifyVolumesMountedFunc).
func (s *step) failProcess() {
	var errs []string
	for i := range s.w.mounts {
		if m := &s.w.mounts[i]; m.broken {
			errs = append(errs, m.err)
		}
	}
	s.failVolumes(join(errs, "; "))
}

// failMount ends a sync whose volumes did not come in time. The event is that of
// the kubelets up to v1.27: later ones keep silent when the wait has merely run out
// (wait.Interrupted), and nothing would then name the volumes that are missing.
func (s *step) failMount() { s.failVolumes("context deadline exceeded") }

func (s *step) failVolumes(why string) {
	var missing, broken []string
	for i := range s.w.mounts {
		m := &s.w.mounts[i]
		if !m.mounted {
			missing = append(missing, m.name)
		}
		if m.broken {
			broken = append(broken, m.name)
		}
	}
	slices.Sort(missing)
	slices.Sort(broken)
	s.w.run.err = "unmounted volumes=" + goList(missing) + ", unattached volumes=[], failed to process volumes=" + goList(broken) + ": " + why
	s.event("", "Warning", "FailedMount", "Unable to attach or mount volumes: "+s.w.run.err)
	s.record(trace.Volumes, trace.Failed, "FailedMount", s.w.run.err)
}

// usesConfigMap reports whether a pod refers to a ConfigMap.
func usesConfigMap(p *api.Pod, name string) bool {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if v.ConfigMap != nil && v.ConfigMap.Name == name {
			return true
		}
		if v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(x api.VolumeProjection) bool { return x.ConfigMap != nil && x.ConfigMap.Name == name }) {
			return true
		}
	}
	return false
}

// usesSecret reports whether a pod mounts a Secret.
func usesSecret(p *api.Pod, name string) bool {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if v.Secret != nil && v.Secret.SecretName == name {
			return true
		}
		if v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(x api.VolumeProjection) bool { return x.Secret != nil && x.Secret.Name == name }) {
			return true
		}
	}
	return false
}

// usesClaim reports whether a pod mounts a PersistentVolumeClaim.
func usesClaim(p *api.Pod, name string) bool {
	for i := range p.Spec.Volumes {
		if c := p.Spec.Volumes[i].PersistentVolumeClaim; c != nil && c.ClaimName == name {
			return true
		}
	}
	return false
}
