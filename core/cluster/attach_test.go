package cluster_test

import (
	"testing"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/sim"
)

const driver = "csi.example.com"

// disk makes a volume of a CSI driver and its claim.
func (s *storage) disk(name string) {
	v := &api.PersistentVolume{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}}
	v.Name = name
	v.Spec = api.PersistentVolumeSpec{StorageClassName: "manual", AccessModes: []string{"ReadWriteOnce"},
		Capacity:                      map[string]api.Quantity{"storage": api.MustQuantity("1Gi")},
		CSI:                           &api.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "vol-1"},
		PersistentVolumeReclaimPolicy: "Retain"}
	s.do(api.Create, "PersistentVolume", "", name, v)
	class := "manual"
	c := &api.PersistentVolumeClaim{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}}
	c.Namespace, c.Name = "default", name
	c.Spec = api.PersistentVolumeClaimSpec{StorageClassName: &class, AccessModes: []string{"ReadWriteOnce"},
		Resources: api.VolumeResourceRequirements{Requests: map[string]api.Quantity{"storage": api.MustQuantity("1Gi")}}}
	s.do(api.Create, "PersistentVolumeClaim", "default", name, c)
}

// user makes a pod on a node that mounts the claim.
func (s *storage) user(name, node, claim string) {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name = "default", name
	p.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": node}
	p.Spec.Containers = []api.Container{{Name: "app", Image: "busybox", Command: []string{"sleep", "3600"}, VolumeMounts: []api.VolumeMount{{Name: "d", MountPath: "/d"}}}}
	p.Spec.Volumes = []api.Volume{{Name: "d", PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
	s.do(api.Create, "Pod", "default", name, p)
}

func (s *storage) phase(pod string) string {
	p, ok := s.c.Latest().Get("Pod", "default", pod).(*api.Pod)
	if !ok {
		return ""
	}
	return p.Status.Phase
}

// said returns the messages of the events of a reason about a pod.
func (s *storage) said(pod, reason string) (list []string) {
	for _, o := range s.c.Latest().List("Event", "default") {
		if e := o.(*api.Event); e.InvolvedObject.Name == pod && e.Reason == reason {
			list = append(list, e.Message)
		}
	}
	return list
}

func (s *storage) installed() {
	s.do(api.Create, "CSIDriver", "", driver, &api.CSIDriver{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSIDriver"},
		ObjectMeta: api.ObjectMeta{Name: driver}})
}

// The texts are those of pkg/controller/volume/attachdetach/reconciler and
// pkg/volume/util/operationexecutor.
func TestAVolumeForOneNodeIsAttachedToTheNextWhenItIsFree(t *testing.T) {
	s := &storage{t: t, c: cluster.New(cluster.Config{}), draw: draw{r: sim.Random{Seed: 1}}}
	s.installed()
	s.disk("data")
	s.user("one", "node-1", "data")
	s.c.Run(cluster.Until{At: 10 * sim.Second})
	s.user("two", "node-2", "data")
	s.c.Run(cluster.Until{At: 30 * sim.Second})
	if s.phase("one") != "Running" || s.phase("two") != "Pending" {
		t.Fatalf("the pods are %s and %s", s.phase("one"), s.phase("two"))
	}
	if got := s.said("one", "SuccessfulAttachVolume"); len(got) != 1 || got[0] != `AttachVolume.Attach succeeded for volume "data" ` {
		t.Errorf("%q", got)
	}
	if got := s.said("two", "FailedAttachVolume"); len(got) != 1 || got[0] != `Waiting for detach for volume "data" Volume is already used by pod(s) one` {
		t.Errorf("%q", got)
	}
	s.do(api.Delete, "Pod", "default", "one", nil)
	s.c.Run(cluster.Until{At: 120 * sim.Second})
	if s.phase("two") != "Running" || len(s.c.Latest().List("VolumeAttachment", "")) != 1 {
		t.Errorf("the second pod is %s", s.phase("two"))
	}
}

func TestAVolumeWhoseDriverIsMissingIsNeverAttached(t *testing.T) {
	s := &storage{t: t, c: cluster.New(cluster.Config{}), draw: draw{r: sim.Random{Seed: 1}}}
	s.disk("data")
	s.user("one", "node-1", "data")
	s.c.Run(cluster.Until{At: 150 * sim.Second})
	want := `AttachVolume.Attach failed for volume "data" : timed out waiting for external-attacher of csi.example.com CSI driver to attach volume vol-1`
	if got := s.said("one", "FailedAttachVolume"); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	if got := s.said("one", "FailedMount"); len(got) == 0 {
		t.Error("the kubelet says nothing of the volume that does not come")
	} else {
		t.Log(got)
	}
	s.installed()
	s.c.Run(cluster.Until{At: 300 * sim.Second})
	if s.phase("one") != "Running" {
		t.Errorf("the pod is %s after the driver came", s.phase("one"))
	}
}

func TestAClaimThatGrowsIsEnlargedByItsDriver(t *testing.T) {
	s := &storage{t: t, c: cluster.New(cluster.Config{}), draw: draw{r: sim.Random{Seed: 1}}}
	s.installed()
	yes := true
	s.do(api.Create, "StorageClass", "", "manual", &api.StorageClass{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta: api.ObjectMeta{Name: "manual"}, Provisioner: driver, AllowVolumeExpansion: &yes})
	s.disk("data")
	s.c.Run(cluster.Until{At: 20 * sim.Second})
	c := *s.c.Latest().Get("PersistentVolumeClaim", "default", "data").(*api.PersistentVolumeClaim)
	c.Spec.Resources.Requests = map[string]api.Quantity{"storage": api.MustQuantity("3Gi")}
	s.do(api.Update, "PersistentVolumeClaim", "default", "data", &c)
	s.c.Run(cluster.Until{At: 40 * sim.Second})
	now := s.c.Latest().Get("PersistentVolumeClaim", "default", "data").(*api.PersistentVolumeClaim)
	if got := now.Status.Capacity["storage"].String(); got != "3Gi" {
		t.Errorf("the claim has %s", got)
	}
	for reason, want := range map[string]string{"ExternalExpanding": "waiting for an external controller to expand this PVC",
		"Resizing": "External resizer is resizing volume " + now.Spec.VolumeName, "VolumeResizeSuccessful": "Resize volume succeeded"} {
		if got := s.said("data", reason); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", reason, got)
		}
	}
}
