package cluster_test

import (
	"strconv"
	"testing"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/sim"
)

// draw makes small random numbers, one after the other.
type draw struct {
	r sim.Random
	n uint64
}

func (d *draw) below(n int) int {
	d.n++
	return int(d.r.Uint64("test", "claims", d.n) % uint64(n))
}

func (d *draw) of(list ...string) string { return list[d.below(len(list))] }

// storage drives a cluster with claims and volumes.
type storage struct {
	t *testing.T
	c *cluster.Cluster
	draw
}

func (s *storage) do(verb api.Verb, kind, namespace, name string, o api.Object) {
	res := s.c.Request(0, api.Request{Verb: verb, Kind: api.KindNamed(kind), Namespace: namespace, Name: name, Object: o, User: cluster.Admin()})
	if res.Failed() && res.Status.Reason != api.ReasonNotFound && res.Status.Reason != api.ReasonAlreadyExists && res.Status.Reason != api.ReasonInvalid {
		s.t.Fatalf("%s %s %s: %s", verb, kind, name, res.Status.Message)
	}
}

func (s *storage) class(name, provisioner, mode string) {
	s.do(api.Create, "StorageClass", "", name, &api.StorageClass{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta: api.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode})
}

func (s *storage) volume(i int) {
	v := &api.PersistentVolume{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}}
	v.Name = "pv-" + strconv.Itoa(i)
	v.Spec = api.PersistentVolumeSpec{StorageClassName: s.of("", "manual", "late"), AccessModes: []string{s.of("ReadWriteOnce", "ReadWriteMany")},
		Capacity:                      map[string]api.Quantity{"storage": api.MustQuantity(s.of("1Gi", "2Gi", "5Gi"))},
		HostPath:                      &api.HostPathVolumeSource{Path: "/tmp/" + v.Name},
		PersistentVolumeReclaimPolicy: s.of("Retain", "Delete", "Recycle")}
	s.do(api.Create, "PersistentVolume", "", v.Name, v)
}

func (s *storage) claim(i int) {
	c := &api.PersistentVolumeClaim{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}}
	c.Namespace, c.Name = "default", "c-"+strconv.Itoa(i)
	class := s.of("", "manual", "late", "fast", "slow")
	c.Spec = api.PersistentVolumeClaimSpec{StorageClassName: &class, AccessModes: []string{s.of("ReadWriteOnce", "ReadWriteMany")},
		Resources: api.VolumeResourceRequirements{Requests: map[string]api.Quantity{"storage": api.MustQuantity(s.of("1Gi", "2Gi", "5Gi"))}}}
	if s.below(5) == 0 {
		c.Spec.VolumeName = "pv-" + strconv.Itoa(s.below(8))
	}
	s.do(api.Create, "PersistentVolumeClaim", "default", c.Name, c)
}

func (s *storage) pod(i int) {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name = "default", "p-"+strconv.Itoa(i)
	p.Spec.Containers = []api.Container{{Name: "app", Image: "busybox", Command: []string{"sleep", "3600"}, VolumeMounts: []api.VolumeMount{{Name: "d", MountPath: "/d"}}}}
	p.Spec.Volumes = []api.Volume{{Name: "d", PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: "c-" + strconv.Itoa(s.below(8))}}}
	s.do(api.Create, "Pod", "default", p.Name, p)
}

// step does one random thing and lets some time pass.
func (s *storage) step(i int) {
	switch s.below(10) {
	case 0, 1, 2:
		s.volume(i % 8)
	case 3, 4, 5:
		s.claim(i % 8)
	case 6, 7:
		s.pod(i % 8)
	case 8:
		s.do(api.Delete, s.of("PersistentVolumeClaim", "Pod"), "default", s.of("c-", "p-")+strconv.Itoa(s.below(8)), nil)
	default:
		s.do(api.Delete, "PersistentVolume", "", "pv-"+strconv.Itoa(s.below(8)), nil)
	}
	s.c.Run(cluster.Until{At: s.c.Now() + sim.Time(1+s.below(40))*sim.Millisecond})
}

// pairs fails where a volume has two claims or a bound claim not its own volume.
func (s *storage) pairs(seed uint64) {
	of := map[string]string{}
	for _, o := range s.c.Latest().List("PersistentVolumeClaim", "") {
		c := o.(*api.PersistentVolumeClaim)
		if c.Status.Phase != "Bound" {
			continue
		}
		if other := of[c.Spec.VolumeName]; other != "" {
			s.t.Fatalf("seed %d: volume %s is bound to %s and %s", seed, c.Spec.VolumeName, other, c.Name)
		}
		of[c.Spec.VolumeName] = c.Name
		v, ok := s.c.Latest().Get("PersistentVolume", "", c.Spec.VolumeName).(*api.PersistentVolume)
		if ok && (v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID != c.UID) {
			s.t.Fatalf("seed %d: claim %s is bound to %s, which is not its own", seed, c.Name, v.Name)
		}
	}
}

// explained fails where a claim is neither bound nor has an event that says why.
func (s *storage) explained(seed uint64) {
	for _, o := range s.c.Latest().List("PersistentVolumeClaim", "") {
		c := o.(*api.PersistentVolumeClaim)
		if c.Status.Phase == "Bound" || len(s.c.Latest().ByIndex("event.object", c.UID)) > 0 {
			continue
		}
		if v, ok := s.c.Latest().Get("PersistentVolume", "", c.Spec.VolumeName).(*api.PersistentVolume); c.Spec.VolumeName != "" && (!ok || v.Spec.ClaimRef == nil) {
			continue // the volume that it asks for does not exist: the real controller is silent too
		}
		s.t.Fatalf("seed %d: claim %s is %s, and no event says why", seed, c.Name, c.Status.Phase)
	}
}

// The binder must never give a volume to two claims, whatever happens between its
// looks, and each claim must in the end be bound or told of.
func TestRandomClaimsGetAVolumeOfTheirOwnOrAnEvent(t *testing.T) {
	for seed := uint64(1); seed <= 100; seed++ {
		s := &storage{t: t, c: cluster.New(cluster.Config{Seed: seed}), draw: draw{r: sim.Random{Seed: seed}}}
		s.c.DetectMutations()
		s.class("late", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
		s.class("fast", "rancher.io/local-path", "WaitForFirstConsumer")
		s.class("slow", "k8s.io/minikube-hostpath", "Immediate")
		for i := range 40 {
			s.step(i)
			s.pairs(seed)
		}
		s.c.Run(cluster.Until{At: s.c.Now() + 60*sim.Second})
		s.pairs(seed)
		s.explained(seed)
		if bad := s.c.Invariants(); len(bad) > 0 {
			t.Fatalf("seed %d: %v", seed, bad)
		}
	}
}

// A claim that a pod on a node uses is only marked, and goes with the pod
// (pkg/controller/volume/pvcprotection).
func TestAClaimInUseGoesWithItsPod(t *testing.T) {
	s := &storage{t: t, c: cluster.New(cluster.Config{}), draw: draw{r: sim.Random{Seed: 1}}}
	s.class("standard", "k8s.io/minikube-hostpath", "Immediate")
	class := "standard"
	c := &api.PersistentVolumeClaim{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}}
	c.Namespace, c.Name = "default", "c-0"
	c.Spec = api.PersistentVolumeClaimSpec{StorageClassName: &class, AccessModes: []string{"ReadWriteOnce"},
		Resources: api.VolumeResourceRequirements{Requests: map[string]api.Quantity{"storage": api.MustQuantity("1Gi")}}}
	s.do(api.Create, "PersistentVolumeClaim", "default", c.Name, c)
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name = "default", "web"
	p.Spec.Containers = []api.Container{{Name: "app", Image: "busybox", Command: []string{"sleep", "3600"}, VolumeMounts: []api.VolumeMount{{Name: "d", MountPath: "/d"}}}}
	p.Spec.Volumes = []api.Volume{{Name: "d", PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: "c-0"}}}
	s.do(api.Create, "Pod", "default", p.Name, p)
	s.c.Run(cluster.Until{At: 10 * sim.Second})
	if pod := s.c.Latest().Get("Pod", "default", "web").(*api.Pod); pod.Status.Phase != "Running" {
		t.Fatalf("the pod is %s", pod.Status.Phase)
	}
	s.do(api.Delete, "PersistentVolumeClaim", "default", "c-0", nil)
	s.c.Run(cluster.Until{At: 12 * sim.Second})
	if o := s.c.Latest().Get("PersistentVolumeClaim", "default", "c-0"); o == nil || o.Meta().DeletionTimestamp == nil {
		t.Fatal("a claim in use is gone, or not marked")
	}
	s.do(api.Delete, "Pod", "default", "web", nil)
	s.c.Run(cluster.Until{At: 60 * sim.Second})
	if s.c.Latest().Get("PersistentVolumeClaim", "default", "c-0") != nil || len(s.c.Latest().List("PersistentVolume", "")) > 0 {
		t.Error("the claim or its volume is still there")
	}
}
