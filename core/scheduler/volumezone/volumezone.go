// Package volumezone is the rule that a volume with zone or region labels is
// reached only from nodes there (pkg/scheduler/framework/plugins/volumezone).
package volumezone

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	ErrReasonConflict = "node(s) had no available volume zone"
	NoVolume          = "PersistentVolume had no name"
	NoClass           = "PersistentVolumeClaim had no pv name and storageClass name"
)

const (
	zone, oldZone     = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
	region, oldRegion = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
)

var topologyLabels = []string{oldZone, oldRegion, zone, region}

// Plugin is the rule VolumeZone.
type Plugin struct{}

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.VolumeZone.
func (Plugin) ID() f.ID { return f.VolumeZone }

// topology is a label of a volume and the values that it allows.
type topology struct {
	key    string
	values []string
}

// PreFilter collects the labels of the pod's volumes; it skips pods without any.
func (Plugin) PreFilter(st *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	var l []topology
	for i := range p.Pod.Spec.Volumes {
		v := p.Pod.Spec.Volumes[i].PersistentVolumeClaim
		if v == nil {
			continue
		}
		more, no := topologiesOf(st.Cluster, p.Pod.Namespace, v.ClaimName)
		if no != "" {
			return nil, f.NewStatus(f.VolumeZone, f.UnschedulableAndUnresolvable, no)
		}
		l = append(l, more...)
	}
	if len(l) == 0 {
		return nil, f.Skipped
	}
	st.SetFilter(f.VolumeZone, l)
	return nil, nil
}

// topologiesOf returns the labels of a claim's volume, or why there is none yet. A
// claim that waits for its first consumer has none and needs none.
func topologiesOf(k *f.Cluster, namespace, name string) ([]topology, string) {
	if name == "" {
		return nil, "PersistentVolumeClaim had no name"
	}
	c, err := k.Claim(namespace, name)
	if err != nil {
		return nil, err.Error()
	}
	if c.Spec.VolumeName == "" {
		return nil, unboundReason(k, c)
	}
	v := k.Volume(c.Spec.VolumeName)
	if v == nil {
		return nil, "persistentvolume " + strconv.Quote(c.Spec.VolumeName) + " not found"
	}
	var l []topology
	for _, key := range topologyLabels {
		if values := zones(v.Labels[key]); len(values) > 0 {
			l = append(l, topology{key, values})
		}
	}
	return l, ""
}

// zones splits the value of a label; one with an empty part counts as none.
func zones(s string) []string {
	l := strings.Split(s, "__")
	for i := range l {
		if l[i] = strings.TrimSpace(l[i]); l[i] == "" {
			return nil
		}
	}
	return l
}

func unboundReason(k *f.Cluster, c *api.PersistentVolumeClaim) string {
	name := f.ClassOfClaim(c)
	if name == "" {
		return NoClass
	}
	class := k.Class(name)
	switch {
	case class == nil:
		return "storageclass.storage.k8s.io " + strconv.Quote(name) + " not found"
	case class.VolumeBindingMode == nil:
		return "VolumeBindingMode not set for StorageClass " + strconv.Quote(name)
	case *class.VolumeBindingMode == f.WaitForFirstConsumer:
		return ""
	}
	return NoVolume
}

// Filter rejects a node in another zone or region. A node without such labels is
// not restricted.
func (Plugin) Filter(st *f.State, _ *f.PodInfo, n *f.NodeInfo) *f.Status {
	l, _ := st.Filter(f.VolumeZone).([]topology)
	if !anywhere(n.Node.Labels) {
		return nil
	}
	for _, t := range l {
		v, ok := n.Node.Labels[t.key]
		if !ok {
			v, ok = n.Node.Labels[newLabel(t.key)]
		}
		if !ok || !in(t.values, v) {
			return f.NewStatus(f.VolumeZone, f.UnschedulableAndUnresolvable, ErrReasonConflict)
		}
	}
	return nil
}

func anywhere(labels map[string]string) bool {
	for _, key := range topologyLabels {
		if _, ok := labels[key]; ok {
			return true
		}
	}
	return false
}

func newLabel(key string) string {
	switch key {
	case oldZone:
		return zone
	case oldRegion:
		return region
	}
	return key
}

func in(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}

// Events names claims, volumes, classes and nodes that may change the answer.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.StorageClass, Action: f.Add}, Hint: afterClass},
		{Event: f.Event{Resource: f.Node, Action: f.Add | f.UpdateNodeLabel}},
		{Event: f.Event{Resource: f.PersistentVolumeClaim, Action: f.Add | f.Update}, Hint: afterClaim},
		{Event: f.Event{Resource: f.PersistentVolume, Action: f.Add | f.Update}, Hint: afterVolume},
	}
}

func afterClass(_ *f.HintContext, _ *f.PodInfo, _, new api.Object) bool {
	m := new.(*api.StorageClass).VolumeBindingMode
	return m != nil && *m == f.WaitForFirstConsumer
}

func afterClaim(_ *f.HintContext, p *f.PodInfo, _, new api.Object) bool {
	return f.Uses(p.Pod, new.(*api.PersistentVolumeClaim), false)
}

func afterVolume(_ *f.HintContext, _ *f.PodInfo, old, new api.Object) bool {
	if old == nil {
		return true
	}
	for _, key := range topologyLabels {
		if old.Meta().Labels[key] != new.Meta().Labels[key] {
			return true
		}
	}
	return false
}
