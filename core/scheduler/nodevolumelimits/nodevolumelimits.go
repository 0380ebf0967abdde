// Package nodevolumelimits is the rule that a node takes only so many volumes of a
// CSI driver (pkg/scheduler/framework/plugins/nodevolumelimits). Not simulated:
// the translation of in-tree volumes to CSI.
package nodevolumelimits

import (
	"strconv"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule; NotInstalled stands behind a driver's name.
const (
	ErrReasonMaxVolumeCountExceeded = "node(s) exceed max volume count"
	NotInstalled                    = " CSI driver is not installed on the node"
)

// Plugin is the rule NodeVolumeLimits.
type Plugin struct{}

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.NodeVolumeLimits.
func (Plugin) ID() f.ID { return f.NodeVolumeLimits }

// PreFilter skips pods without claims.
func (Plugin) PreFilter(_ *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	if len(p.Claims) == 0 {
		return nil, f.Skipped
	}
	return nil, nil
}

// volumes maps what makes a volume unique to its driver.
type volumes map[string]string

// Filter rejects a node on which the pod's volumes would be too many.
func (Plugin) Filter(st *f.State, p *f.PodInfo, n *f.NodeInfo) *f.Status {
	k := st.Cluster
	wanted := volumes{}
	if no := wanted.add(k, p.Pod, true); no != "" {
		return f.NewStatus(f.NodeVolumeLimits, f.UnschedulableAndUnresolvable, no)
	}
	if len(wanted) == 0 {
		return nil
	}
	node, _ := k.Objects.Get("CSINode", "", n.Name()).(*api.CSINode)
	for _, driver := range wanted.drivers() {
		if !installed(k, driver, node) {
			return f.NewStatus(f.NodeVolumeLimits, f.Unschedulable, driver+NotInstalled)
		}
	}
	limits := limitsOf(node)
	if len(limits) == 0 {
		return nil
	}
	attached := volumes{}
	for _, o := range n.Pods {
		attached.add(k, o.Pod, false)
	}
	if Exceeds(wanted, attached, attachments(k, n.Name()), limits) {
		return f.NewStatus(f.NodeVolumeLimits, f.Unschedulable, ErrReasonMaxVolumeCountExceeded)
	}
	return nil
}

// Exceeds reports whether the wanted volumes, beside those of the pods on the node
// and those attached otherwise, are more than a driver's limit.
func Exceeds(wanted, pods, others map[string]string, limits map[string]int) bool {
	used, more := map[string]int{}, map[string]int{}
	for _, driver := range pods {
		used[driver]++
	}
	for v, driver := range others {
		if _, ok := pods[v]; !ok {
			used[driver]++
		}
	}
	for v, driver := range wanted {
		if _, ok := pods[v]; !ok {
			more[driver]++
		}
	}
	for driver, n := range more {
		if limit, ok := limits[driver]; ok && used[driver]+n > limit {
			return true
		}
	}
	return false
}

// add collects the volumes of a pod; of a new one every claim must exist.
func (m volumes) add(k *f.Cluster, p *api.Pod, isNew bool) string {
	for i := range p.Spec.Volumes {
		name := f.ClaimName(p, &p.Spec.Volumes[i])
		if name == "" {
			continue
		}
		c, err := k.Claim(p.Namespace, name)
		if err != nil {
			if isNew {
				return "looking up PVC " + p.Namespace + "/" + name + ": " + err.Error()
			}
			continue
		}
		if driver, handle := driverOf(k, c); driver != "" && handle != "" {
			m[driver+"/"+handle] = driver
		}
	}
	return ""
}

// drivers returns the drivers, ordered by name.
func (m volumes) drivers() []string {
	var l []string
	for _, d := range m {
		i := 0
		for i < len(l) && l[i] < d {
			i++
		}
		if i == len(l) || l[i] != d {
			l = append(l[:i], append([]string{d}, l[i:]...)...)
		}
	}
	return l
}

// driverOf names the driver of a claim and its volume; one that is not bound yet
// counts by its class.
func driverOf(k *f.Cluster, c *api.PersistentVolumeClaim) (driver, handle string) {
	if v := k.Volume(c.Spec.VolumeName); v != nil {
		if v.Spec.CSI == nil {
			return "", ""
		}
		return v.Spec.CSI.Driver, v.Spec.CSI.VolumeHandle
	}
	class := k.Class(f.ClassOfClaim(c))
	if class == nil {
		return "", ""
	}
	return class.Provisioner, "unbound " + strconv.Quote(f.ClaimKey(c))
}

// installed reports whether a driver is on the node, or does not ask to be.
func installed(k *f.Cluster, driver string, node *api.CSINode) bool {
	d, ok := k.Objects.Get("CSIDriver", "", driver).(*api.CSIDriver)
	if !ok || d.Spec.PreventPodSchedulingIfMissing == nil || !*d.Spec.PreventPodSchedulingIfMissing {
		return true
	}
	if node == nil {
		return false
	}
	for i := range node.Spec.Drivers {
		if node.Spec.Drivers[i].Name == driver {
			return true
		}
	}
	return false
}

func limitsOf(node *api.CSINode) map[string]int {
	limits := map[string]int{}
	if node == nil {
		return limits
	}
	for i := range node.Spec.Drivers {
		if a := node.Spec.Drivers[i].Allocatable; a != nil && a.Count != nil {
			limits[node.Spec.Drivers[i].Name] = int(*a.Count)
		}
	}
	return limits
}

// attachments returns what VolumeAttachments say of a node.
func attachments(k *f.Cluster, node string) volumes {
	m := volumes{}
	k.Objects.Each("VolumeAttachment", "", func(o api.Object) bool {
		a := o.(*api.VolumeAttachment)
		if a.Spec.NodeName != node || a.Spec.Attacher == "" || a.Spec.Source.PersistentVolumeName == nil {
			return true
		}
		if v := k.Volume(*a.Spec.Source.PersistentVolumeName); v != nil && v.Spec.CSI != nil {
			m[a.Spec.Attacher+"/"+v.Spec.CSI.VolumeHandle] = a.Spec.Attacher
		}
		return true
	})
	return m
}

// Events names drivers with more room, and volumes that go.
func (Plugin) Events() []f.Registration {
	return []f.Registration{
		{Event: f.Event{Resource: f.CSINode, Action: f.Add}},
		{Event: f.Event{Resource: f.CSINode, Action: f.Update}, Hint: afterCSINode},
		{Event: f.Event{Resource: f.AssignedPod, Action: f.Delete}, Hint: afterDelete},
		{Event: f.Event{Resource: f.PersistentVolumeClaim, Action: f.Add}, Hint: afterClaim},
		{Event: f.Event{Resource: f.VolumeAttachment, Action: f.Delete}, Hint: afterAttachment},
	}
}

func afterCSINode(_ *f.HintContext, _ *f.PodInfo, old, new api.Object) bool {
	before, after := limitsOf(old.(*api.CSINode)), limitsOf(new.(*api.CSINode))
	for driver, n := range after {
		if n > before[driver] {
			return true
		}
	}
	return false
}

func afterDelete(_ *f.HintContext, _ *f.PodInfo, old, _ api.Object) bool {
	gone := old.(*api.Pod)
	if gone.Spec.NodeName == "" && gone.Status.NominatedNodeName == "" {
		return false
	}
	for i := range gone.Spec.Volumes {
		if f.ClaimName(gone, &gone.Spec.Volumes[i]) != "" {
			return true
		}
	}
	return false
}

func afterClaim(_ *f.HintContext, p *f.PodInfo, _, new api.Object) bool {
	return f.Uses(p.Pod, new.(*api.PersistentVolumeClaim), true)
}

func afterAttachment(_ *f.HintContext, p *f.PodInfo, _, _ api.Object) bool {
	for i := range p.Pod.Spec.Volumes {
		if p.Pod.Spec.Volumes[i].PersistentVolumeClaim != nil {
			return true
		}
	}
	return false
}
