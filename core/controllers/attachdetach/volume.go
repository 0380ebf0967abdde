package attachdetach

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// look is one look at a volume.
type look struct {
	*actor.Ctx
	k      *Controller
	at     sim.Time // when to look again, 0 if not
	failed bool     // a write was refused
}

func (l *look) again(t sim.Time) {
	if l.at == 0 || t < l.at {
		l.at = t
	}
}

// attachable reports whether a driver's volumes are attached at all.
func (l *look) attachable(driver string) bool {
	d, ok := l.Read.Get("CSIDriver", "", driver).(*api.CSIDriver)
	return !ok || d.Spec.AttachRequired == nil || *d.Spec.AttachRequired
}

// AttachmentName is the name of the VolumeAttachment of a volume and a node
// (pkg/volume/csi, getAttachmentName).
func AttachmentName(handle, driver, node string) string {
	sum := sha256.Sum256([]byte(handle + driver + node))
	return "csi-" + hex.EncodeToString(sum[:])
}

// volume compares where a volume is wanted with where it is.
func (l *look) volume(v *api.PersistentVolume) {
	wanted, nodes := l.users(v)
	attached := l.attachments(v)
	var left []*api.VolumeAttachment
	for _, a := range attached {
		if len(wanted[a.Spec.NodeName]) > 0 || !l.detach(v, a) {
			left = append(left, a)
		}
	}
	for _, n := range nodes {
		l.attach(v, n, wanted, left)
	}
}

// users returns the pods that want a volume, by node, and the nodes in order.
func (l *look) users(v *api.PersistentVolume) (map[string][]*api.Pod, []string) {
	wanted := map[string][]*api.Pod{}
	r := v.Spec.ClaimRef
	if r == nil {
		return wanted, nil
	}
	c, ok := l.Read.Get("PersistentVolumeClaim", r.Namespace, r.Name).(*api.PersistentVolumeClaim)
	if !ok || c.UID != r.UID || c.Spec.VolumeName != v.Name || c.Status.Phase != "Bound" {
		return wanted, nil
	}
	var nodes []string
	for _, p := range claim.Pods(l.Read, claim.Key(c)) {
		n := p.Spec.NodeName
		if n == "" || claim.Terminated(p) {
			continue
		}
		if len(wanted[n]) == 0 {
			nodes = append(nodes, n)
		}
		wanted[n] = append(wanted[n], p)
	}
	sort.Strings(nodes)
	return wanted, nodes
}

func (l *look) attachments(v *api.PersistentVolume) (list []*api.VolumeAttachment) {
	for _, o := range l.Read.ByIndex(Index, v.Name) {
		list = append(list, o.(*api.VolumeAttachment))
	}
	return list
}

// detach takes a volume off a node that does not need it, unless the node may
// still write to it. It reports whether it did.
func (l *look) detach(v *api.PersistentVolume, a *api.VolumeAttachment) bool {
	id := v.Name + " " + a.Spec.NodeName
	since, ok := l.k.since[id]
	if !ok {
		since = l.Now()
		l.k.since[id] = since
	}
	n := l.Node(a.Spec.NodeName)
	if n != nil && !ready(n) && !outOfService(n) && l.Now() < since+forceDetach {
		l.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(a), Verdict: trace.Waiting, Reason: "NodeNotReady",
			Message: "node " + n.Name + " is not ready and may still use the volume: it is detached by force after " + forceDetach.String()})
		l.again(since + forceDetach)
		return false
	}
	delete(l.k.since, id)
	delete(l.k.tries, id)
	if r := l.Delete(a, nil); r.Failed() && r.Status.Reason != api.ReasonNotFound {
		l.failed = true
		return false
	}
	return true
}

// exclusive holds for volumes that may be at one node only
// (pkg/volume/util, IsMultiAttachAllowed).
func exclusive(v *api.PersistentVolume) bool {
	for _, m := range v.Spec.AccessModes {
		if m == "ReadWriteMany" || m == "ReadOnlyMany" {
			return false
		}
	}
	return len(v.Spec.AccessModes) > 0
}

// attach has a volume attached to a node.
func (l *look) attach(v *api.PersistentVolume, node string, wanted map[string][]*api.Pod, attached []*api.VolumeAttachment) {
	id := v.Name + " " + node
	delete(l.k.since, id)
	var mine *api.VolumeAttachment
	others := false
	for _, a := range attached {
		if a.Spec.NodeName == node {
			mine = a
		} else {
			others = true
		}
	}
	switch {
	case mine != nil && mine.Status.Attached:
		l.succeeded(v, id, wanted[node])
	case mine == nil && others && exclusive(v):
		l.refuse(v, node, id, wanted, attached)
	default:
		l.request(v, node, id, mine, wanted[node])
	}
}

// succeeded tells the pods, once.
func (l *look) succeeded(v *api.PersistentVolume, id string, pods []*api.Pod) {
	delete(l.k.told, id)
	if _, trying := l.k.tries[id]; !trying {
		return
	}
	delete(l.k.tries, id)
	for _, p := range pods {
		l.event(p, "Normal", "SuccessfulAttachVolume", "AttachVolume.Attach succeeded for volume "+strconv.Quote(v.Name)+" ")
	}
}

// refuse says that a volume is elsewhere (reportMultiAttachError).
func (l *look) refuse(v *api.PersistentVolume, node, id string, wanted map[string][]*api.Pod, attached []*api.VolumeAttachment) {
	if l.k.told[id] {
		return
	}
	l.k.told[id] = true
	text := "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node"
	var names []string
	for _, a := range attached {
		if a.Spec.NodeName != node {
			for _, p := range wanted[a.Spec.NodeName] {
				names = append(names, p.Name)
			}
		}
	}
	if len(names) > 0 {
		text = "Volume is already used by pod(s) " + strings.Join(names, ", ")
	}
	for _, p := range wanted[node] {
		l.event(p, "Warning", "FailedAttachVolume", "Waiting for detach for volume "+strconv.Quote(v.Name)+" "+text)
	}
}

// request asks the driver, and says when it does not answer.
func (l *look) request(v *api.PersistentVolume, node, id string, mine *api.VolumeAttachment, pods []*api.Pod) {
	t, trying := l.k.tries[id]
	switch {
	case !trying || t.next != 0 && l.Now() >= t.next:
		t = try{began: l.Now(), failed: t.failed}
	case t.next != 0:
		l.again(t.next)
		return
	}
	l.k.tries[id] = t
	if mine == nil && l.create(v, node) {
		return
	}
	if l.Now() < t.began+attachTimeout {
		l.again(t.began + attachTimeout)
		return
	}
	src := v.Spec.CSI
	for _, p := range pods {
		l.event(p, "Warning", "FailedAttachVolume", "AttachVolume.Attach failed for volume "+strconv.Quote(v.Name)+
			" : timed out waiting for external-attacher of "+src.Driver+" CSI driver to attach volume "+src.VolumeHandle)
	}
	t.next = l.Now() + min(firstBackoff<<min(t.failed, 8), lastBackoff)
	t.failed++
	l.k.tries[id] = t
	l.again(t.next)
}

// create writes the VolumeAttachment; it reports whether that failed.
func (l *look) create(v *api.PersistentVolume, node string) bool {
	a := &api.VolumeAttachment{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: attachments}}
	a.Name = AttachmentName(v.Spec.CSI.VolumeHandle, v.Spec.CSI.Driver, node)
	name := v.Name
	a.Spec = api.VolumeAttachmentSpec{Attacher: v.Spec.CSI.Driver, NodeName: node, Source: api.VolumeAttachmentSource{PersistentVolumeName: &name}}
	if r := l.Create(a); r.Failed() && r.Status.Reason != api.ReasonAlreadyExists {
		l.failed = true
	}
	return l.failed
}

func (l *look) event(o api.Object, kind, reason, message string) {
	l.Event(actor.Event{Regarding: o, Type: kind, Reason: reason, Message: message, Component: component})
}
