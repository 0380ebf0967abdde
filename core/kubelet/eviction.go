package kubelet

import (
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

const (
	evictionPeriod  = 10 * sim.Second // pkg/kubelet/kubelet.go, evictionMonitoringPeriod
	volumeStatsTime = sim.Minute      // volumeStatsAggPeriod
	evicted         = "Evicted"
)

// setDiskLimits tells the machine which uses of the disk end in an eviction
// (pkg/kubelet/eviction/eviction_manager.go, localStorageEviction).
func (s *step) setDiskLimits() {
	var limits []runtime.DiskLimit
	spec := &s.w.pod.Spec
	for i := range spec.Volumes {
		if e := spec.Volumes[i].EmptyDir; e != nil && e.Medium != "Memory" && e.SizeLimit != nil && e.SizeLimit.Sign() > 0 {
			limits = append(limits, runtime.DiskLimit{Volume: spec.Volumes[i].Name, Bytes: e.SizeLimit.Value()})
		}
	}
	if q, ok := podLimits(s.w.pod)["ephemeral-storage"]; ok && allLimitStorage(spec) {
		limits = append(limits, runtime.DiskLimit{Bytes: q.Value()})
	}
	for i := range spec.Containers {
		if q, ok := spec.Containers[i].Resources.Limits["ephemeral-storage"]; ok && q.Sign() > 0 {
			limits = append(limits, runtime.DiskLimit{Container: spec.Containers[i].Name, Bytes: q.Value()})
		}
	}
	if limits != nil {
		s.machine().SetDiskLimits(s.w.uid, limits)
	}
}

func allLimitStorage(spec *api.PodSpec) bool {
	for i := range spec.Containers {
		if _, ok := spec.Containers[i].Resources.Limits["ephemeral-storage"]; !ok {
			return false
		}
	}
	return true
}

// evictionAt returns when the eviction manager notices that the pod holds more of
// the disk than it may.
func (s *step) evictionAt() sim.Time {
	w := s.w
	over, since := s.machine().Exceeded(w.uid)
	if over == nil || w.evict != nil || w.work != syncing || critical(w.pod) {
		return never
	}
	if over.Container == "" {
		since = tickAt(since, s.k.phase(w.uid, "volumestats", volumeStatsTime), volumeStatsTime)
	}
	return tickAt(since, s.k.phase(w.node, "eviction", evictionPeriod), evictionPeriod)
}

// critical reports whether a pod must not be evicted (pkg/kubelet/types/pod_update.go).
func critical(p *api.Pod) bool { return deref(p.Spec.Priority) >= 2000000000 }

// evictDue evicts the pod (pkg/kubelet/eviction/eviction_manager.go, evictPod).
func (s *step) evictDue() bool {
	if s.now < s.evictionAt() {
		return false
	}
	over, _ := s.machine().Exceeded(s.w.uid)
	message := "Pod ephemeral local storage usage exceeds the total limit of containers " + s.limitText("", "") + ". "
	switch {
	case over.Volume != "":
		message = "Usage of EmptyDir volume " + quote(over.Volume) + " exceeds the limit " + quote(s.limitText(over.Volume, "")) + ". "
	case over.Container != "":
		message = "Container " + over.Container + " exceeded its local ephemeral storage limit " + quote(s.limitText("", over.Container)) + ". "
	}
	s.event("", "Warning", evicted, message)
	s.w.evict = &eviction{reason: evicted, message: message}
	s.w.grace = 1
	s.updatePod()
	return true
}

// limitText prints a limit as the pod states it.
func (s *step) limitText(volume, container string) string {
	switch {
	case volume != "":
		return volumeNamed(s.w.pod, volume).EmptyDir.SizeLimit.String()
	case container != "":
		q := containerSpec(s.w.pod, container).Resources.Limits["ephemeral-storage"]
		return q.String()
	}
	q := podLimits(s.w.pod)["ephemeral-storage"]
	return q.String()
}
