package statefulset

import (
	"strconv"

	"podwalk/core/actor/history"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// The labels of a pod's identity.
const (
	podNameLabel  = "statefulset.kubernetes.io/pod-name"
	podIndexLabel = "apps.kubernetes.io/pod-index"
)

// none is the ordinal of a pod whose name has none.
const none = -1

// parse parts a pod's name into that of its set and its ordinal; one that does not
// fit 32 bits is none.
func parse(name string) (set string, ordinal int) {
	i := len(name)
	for i > 0 && name[i-1] >= '0' && name[i-1] <= '9' {
		i--
	}
	if i == len(name) || i == 0 || name[i-1] != '-' {
		return "", none
	}
	n, err := strconv.ParseInt(name[i:], 10, 32)
	if err != nil {
		return name[:i-1], none
	}
	return name[:i-1], int(n)
}

func ordinalOf(p *api.Pod) int {
	_, n := parse(p.Name)
	return n
}

// start is the first ordinal of a set.
func start(s *api.StatefulSet) int {
	if s.Spec.Ordinals != nil {
		return int(s.Spec.Ordinals.Start)
	}
	return 0
}

// most is how many pods of a set are simulated.
const most = 10_000

// size is how many pods a set wants.
func size(s *api.StatefulSet) int { return min(int(*s.Spec.Replicas), most) }

// inRange reports whether a pod's ordinal is one of the set's.
func inRange(p *api.Pod, s *api.StatefulSet) bool {
	n := ordinalOf(p) - start(s)
	return ordinalOf(p) != none && n >= 0 && n < size(s)
}

func podName(s *api.StatefulSet, ordinal int) string { return s.Name + "-" + strconv.Itoa(ordinal) }

func revisionOf(p *api.Pod) string { return p.Labels[history.HashLabel] }

// newPod makes the pod of an ordinal at a revision.
func newPod(s *api.StatefulSet, t *api.PodTemplateSpec, revision string, ordinal int) *api.Pod {
	p := podcontrol.FromTemplate(t, s)
	p.Name = podName(s, ordinal)
	identify(s, p)
	p.Spec.Hostname, p.Spec.Subdomain = p.Name, s.Spec.ServiceName
	attach(s, p)
	p.Labels[history.HashLabel] = revision
	return p
}

// identify sets a pod's name, namespace and the labels of its identity; its labels
// must be its own.
func identify(s *api.StatefulSet, p *api.Pod) {
	ordinal := ordinalOf(p)
	p.Name, p.Namespace = podName(s, ordinal), s.Namespace
	p.Labels[podNameLabel], p.Labels[podIndexLabel] = p.Name, strconv.Itoa(ordinal)
}

func identified(s *api.StatefulSet, p *api.Pod) bool {
	parent, ordinal := parse(p.Name)
	return ordinal != none && parent == s.Name && p.Name == podName(s, ordinal) && p.Namespace == s.Namespace && p.Labels[podNameLabel] == p.Name
}

// attach makes a pod use the claims of its set; they take the place of volumes of
// the same name.
func attach(s *api.StatefulSet, p *api.Pod) {
	if len(s.Spec.VolumeClaimTemplates) == 0 {
		return
	}
	var all []api.Volume
	taken := map[string]bool{}
	for i := range s.Spec.VolumeClaimTemplates {
		t := &s.Spec.VolumeClaimTemplates[i]
		taken[t.Name] = true
		all = append(all, api.Volume{Name: t.Name,
			PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: claimName(s, t, ordinalOf(p))}})
	}
	for i := range p.Spec.Volumes {
		if !taken[p.Spec.Volumes[i].Name] {
			all = append(all, p.Spec.Volumes[i])
		}
	}
	p.Spec.Volumes = all
}

func attached(s *api.StatefulSet, p *api.Pod) bool {
	for i := range s.Spec.VolumeClaimTemplates {
		t := &s.Spec.VolumeClaimTemplates[i]
		ok := false
		for j := range p.Spec.Volumes {
			v := &p.Spec.Volumes[j]
			ok = ok || v.Name == t.Name && v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claimName(s, t, ordinalOf(p))
		}
		if !ok {
			return false
		}
	}
	return true
}

func claimName(s *api.StatefulSet, t *api.PersistentVolumeClaim, ordinal int) string {
	return t.Name + "-" + podName(s, ordinal)
}

// The states of a pod.

func created(p *api.Pod) bool { return p.Status.Phase != "" }

func terminating(p *api.Pod) bool { return p.DeletionTimestamp != nil }

func runningAndReady(p *api.Pod) bool { return p.Status.Phase == "Running" && podcontrol.IsReady(p) }
