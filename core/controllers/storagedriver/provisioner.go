// Package storagedriver stands for the programs that storage vendors bring along:
// the provisioner that makes and deletes volumes (sig-storage-lib-external-
// provisioner), and the attacher. Simulated are those of kind (rancher.io/
// local-path) and minikube (k8s.io/minikube-hostpath), and each CSI driver that a
// CSIDriver object says is installed. Others never answer, as on a cluster where
// they are missing. Start reading at (*Provisioner).claim.
package storagedriver

import (
	"encoding/hex"
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/actor/retry"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	claims  = "PersistentVolumeClaim"
	volumes = "PersistentVolume"

	localPath = "rancher.io/local-path"
	minikube  = "k8s.io/minikube-hostpath"

	finalizer = "external-provisioner.volume.kubernetes.io/finalizer"
)

// Provisioner is the actor that makes and deletes volumes.
type Provisioner struct {
	failures retry.Queue
	// due is when a volume that is being made or deleted is done, by claim or volume.
	due map[sim.Key]sim.Time
}

var _ actor.Actor = (*Provisioner)(nil)

// New returns a provisioner that has made nothing yet.
func New() actor.Actor { return &Provisioner{due: map[sim.Key]sim.Time{}} }

// Name returns the provisioner's account.
func (*Provisioner) Name() string { return "external-provisioner" }

// Clone returns an independent provisioner.
func (k *Provisioner) Clone() actor.Actor {
	return &Provisioner{failures: k.failures.Clone(), due: maps.Clone(k.due)}
}

// Watches names claims that were handed over, volumes that were released, and
// drivers.
func (*Provisioner) Watches() []actor.Watch {
	return []actor.Watch{
		{Kind: claims, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			c := ch.Object().(*api.PersistentVolumeClaim)
			if ch.New == nil || c.Spec.VolumeName != "" || c.Annotations[claim.Provisioner] == "" {
				return nil
			}
			return []sim.Key{{Kind: claims, Namespace: c.Namespace, Name: c.Name}}
		}},
		{Kind: volumes, Map: func(_ store.Snapshot, ch store.Change) []sim.Key {
			v := ch.Object().(*api.PersistentVolume)
			if ch.New == nil || v.Annotations[claim.ProvisionedBy] == "" || v.Status.Phase != "Released" && v.DeletionTimestamp == nil {
				return nil
			}
			return []sim.Key{{Kind: volumes, Name: v.Name}}
		}},
		{Kind: "CSIDriver", Map: func(view store.Snapshot, ch store.Change) (keys []sim.Key) {
			if ch.Type != store.Added {
				return nil
			}
			view.Each(claims, "", func(o api.Object) bool {
				if c := o.(*api.PersistentVolumeClaim); c.Spec.VolumeName == "" && c.Annotations[claim.Provisioner] == ch.New.Meta().Name {
					keys = append(keys, sim.Key{Kind: claims, Namespace: c.Namespace, Name: c.Name})
				}
				return true
			})
			return keys
		}},
	}
}

// Reconcile looks at a claim or a volume.
func (k *Provisioner) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Kind + "/" + key.Namespace + "/" + key.Name
	var at sim.Time
	var st *api.Status
	switch o := c.Read.Get(key.Kind, key.Namespace, key.Name).(type) {
	case *api.PersistentVolumeClaim:
		at, st = k.claim(c, key, o)
	case *api.PersistentVolume:
		at, st = k.volume(c, key, o)
	default:
		delete(k.due, key)
	}
	if st != nil {
		return actor.At(c.Now() + k.failures.After(id))
	}
	k.failures.Forget(id)
	return actor.Result{Next: at}
}

// installed reports whether a provisioner answers on this cluster.
func installed(read store.Snapshot, name string) bool {
	return name == localPath || name == minikube || read.Get("CSIDriver", "", name) != nil
}

// component is who the provisioner's events come from: its name, its pod's and an
// identity.
func component(c *actor.Ctx, by string) string {
	pod := "csi-controller-0"
	switch by {
	case localPath:
		pod = "local-path-provisioner-" + word(c, by, 10) + "-" + word(c, by+"/pod", 5)
	case minikube:
		pod = "minikube"
	}
	return by + "_" + pod + "_" + identity(c, by)
}

// word draws letters as names of pods have them.
func word(c *actor.Ctx, key string, n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[c.Random("provisioner", key, uint64(i))%uint64(len(letters))]
	}
	return string(b)
}

func identity(c *actor.Ctx, key string) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(c.Random("identity", key, uint64(i)))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// claim makes the volume of a claim. at is when to look again.
func (k *Provisioner) claim(c *actor.Ctx, key sim.Key, pvc *api.PersistentVolumeClaim) (at sim.Time, failed *api.Status) {
	by := pvc.Annotations[claim.Provisioner]
	class, _ := c.Read.Get("StorageClass", "", claim.Class(pvc)).(*api.StorageClass)
	node := pvc.Annotations[claim.SelectedNode]
	waits := class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == "WaitForFirstConsumer"
	switch {
	case by == "" || class == nil || pvc.Spec.VolumeName != "" || pvc.DeletionTimestamp != nil:
		delete(k.due, key)
		return 0, nil
	case !installed(c.Read, by):
		c.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(pvc), Verdict: trace.Waiting, Reason: "NoProvisioner",
			Message: "nothing on this cluster is the provisioner " + by + ": simulated are " + localPath + ", " + minikube + " and the drivers with a CSIDriver object"})
		return 0, nil
	case waits && node == "", c.Read.Get(volumes, "", "pvc-"+pvc.UID) != nil:
		return 0, nil
	}
	due, started := k.due[key]
	if !started {
		due = c.Now() + makeTime(by)
		k.due[key] = due
		c.Event(actor.Event{Regarding: pvc, Type: "Normal", Reason: "Provisioning", Component: component(c, by),
			Message: `External provisioner is provisioning volume for claim "` + claim.Key(pvc) + `"`})
		if by == localPath && node == "" {
			delete(k.due, key)
			c.Event(actor.Event{Regarding: pvc, Type: "Warning", Reason: "ProvisioningFailed", Component: component(c, by),
				Message: `failed to provision volume with StorageClass "` + class.Name + `": configuration error, no node was specified`})
			return c.Now() + 15*sim.Second<<min(k.failures.Failures(claim.Key(pvc)), 6), nil
		}
		c.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(pvc), Verdict: trace.Assumed, Reason: "Provisioner",
			Message: by + " is installed and makes the volume in " + makeTime(by).String() + "; its own pods are not simulated"})
	}
	if c.Now() < due {
		return due, nil
	}
	v := k.made(c, pvc, class, by, node)
	if r := c.Create(v); r.Failed() && r.Status.Reason != api.ReasonAlreadyExists {
		return 0, r.Status
	}
	delete(k.due, key)
	c.Event(actor.Event{Regarding: pvc, Type: "Normal", Reason: "ProvisioningSucceeded", Component: component(c, by),
		Message: "Successfully provisioned volume " + v.Name})
	return 0, nil
}

// makeTime is what making or deleting a volume takes; that of kind runs a pod.
func makeTime(by string) sim.Time {
	switch by {
	case localPath:
		return 3 * sim.Second
	case minikube:
		return 50 * sim.Millisecond
	}
	return 2 * sim.Second
}

// made is the volume for a claim.
func (k *Provisioner) made(c *actor.Ctx, pvc *api.PersistentVolumeClaim, class *api.StorageClass, by, node string) *api.PersistentVolume {
	v := &api.PersistentVolume{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: volumes}}
	v.Name = "pvc-" + pvc.UID
	v.Annotations = map[string]string{claim.ProvisionedBy: by}
	v.Spec = api.PersistentVolumeSpec{AccessModes: pvc.Spec.AccessModes, Capacity: map[string]api.Quantity{"storage": pvc.Spec.Resources.Requests["storage"]},
		ClaimRef: claim.Reference(pvc), PersistentVolumeReclaimPolicy: "Delete", StorageClassName: class.Name, MountOptions: class.MountOptions,
		VolumeMode: pvc.Spec.VolumeMode, VolumeAttributesClassName: pvc.Spec.VolumeAttributesClassName}
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	switch by {
	case localPath:
		kind := "DirectoryOrCreate"
		v.Annotations["local.path.provisioner/selected-node"] = node
		v.Spec.HostPath = &api.HostPathVolumeSource{Path: "/var/local-path-provisioner/" + v.Name + "_" + pvc.Namespace + "_" + pvc.Name, Type: &kind}
		v.Spec.NodeAffinity = onNode(node)
	case minikube:
		kind := "DirectoryOrCreate"
		v.Annotations["hostPathProvisionerIdentity"] = identity(c, by)
		v.Spec.HostPath = &api.HostPathVolumeSource{Path: "/tmp/hostpath-provisioner/" + pvc.Namespace + "/" + pvc.Name, Type: &kind}
	default:
		v.Annotations["volume.kubernetes.io/provisioner-deletion-secret-name"] = ""
		v.Annotations["volume.kubernetes.io/provisioner-deletion-secret-namespace"] = ""
		v.Finalizers = []string{finalizer}
		v.Spec.CSI = &api.CSIPersistentVolumeSource{Driver: by, VolumeHandle: identity(c, pvc.UID),
			VolumeAttributes: map[string]string{"storage.kubernetes.io/csiProvisionerIdentity": identity(c, by) + "-" + by}}
	}
	return v
}

func onNode(name string) *api.VolumeNodeAffinity {
	return &api.VolumeNodeAffinity{Required: &api.NodeSelector{NodeSelectorTerms: []api.NodeSelectorTerm{{MatchExpressions: []api.NodeSelectorRequirement{
		{Key: "kubernetes.io/hostname", Operator: "In", Values: []string{name}}}}}}}
}

// volume deletes a volume that was released, and lets go of one that is deleted.
func (k *Provisioner) volume(c *actor.Ctx, key sim.Key, v *api.PersistentVolume) (at sim.Time, failed *api.Status) {
	by := v.Annotations[claim.ProvisionedBy]
	switch {
	case !installed(c.Read, by):
		return 0, nil
	case v.DeletionTimestamp != nil && slices.Contains(v.Finalizers, finalizer) && v.Status.Phase != "Bound":
		now := *v
		now.Finalizers = slices.DeleteFunc(slices.Clone(v.Finalizers), func(f string) bool { return f == finalizer })
		return 0, c.Update(&now).Status
	case v.DeletionTimestamp != nil || v.Status.Phase != "Released" || v.Spec.PersistentVolumeReclaimPolicy != "Delete":
		delete(k.due, key)
		return 0, nil
	}
	due, started := k.due[key]
	if !started {
		due = c.Now() + makeTime(by)
		k.due[key] = due
	}
	if c.Now() < due {
		return due, nil
	}
	delete(k.due, key)
	if r := c.Delete(v, nil); r.Failed() && r.Status.Reason != api.ReasonNotFound {
		return 0, r.Status
	}
	return 0, nil
}
