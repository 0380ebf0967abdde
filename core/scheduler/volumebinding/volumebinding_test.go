package volumebinding

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/store"
)

// nothing is assumed.
type nothing struct{}

func (nothing) ClaimOf(string) string { return "" }
func (nothing) NodeOf(string) string  { return "" }

func class(name, provisioner, mode string) *api.StorageClass {
	c := &api.StorageClass{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"}, Provisioner: provisioner, VolumeBindingMode: &mode}
	c.Name = name
	return c
}

func claimOf(name, class, volume string) *api.PersistentVolumeClaim {
	c := &api.PersistentVolumeClaim{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}}
	c.Name, c.Namespace, c.UID = name, "default", name
	c.Spec.StorageClassName, c.Spec.VolumeName = &class, volume
	c.Spec.Resources.Requests = map[string]api.Quantity{"storage": api.MustQuantity("1Gi")}
	if volume != "" {
		c.Annotations = map[string]string{f.AnnBindCompleted: "yes"}
	}
	return c
}

func volume(name, class, size, host string) *api.PersistentVolume {
	v := &api.PersistentVolume{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}}
	v.Name, v.Spec.StorageClassName, v.Status.Phase = name, class, "Available"
	v.Spec.Capacity = map[string]api.Quantity{"storage": api.MustQuantity(size)}
	if host != "" {
		v.Spec.NodeAffinity = &api.VolumeNodeAffinity{Required: &api.NodeSelector{NodeSelectorTerms: []api.NodeSelectorTerm{{MatchExpressions: []api.NodeSelectorRequirement{
			{Key: "host", Operator: "In", Values: []string{host}}}}}}}
	}
	return v
}

func using(claims ...string) *f.PodInfo {
	p := &api.Pod{}
	p.Name, p.Namespace = "p", "default"
	for _, c := range claims {
		p.Spec.Volumes = append(p.Spec.Volumes, api.Volume{Name: c, PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: c}})
	}
	return f.NewPodInfo(p)
}

func state0(t *testing.T, objects ...api.Object) *f.State {
	st := store.New()
	for _, o := range objects {
		if _, err := st.Put(o, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	return &f.State{Cluster: &f.Cluster{Objects: st.Latest(), Volumes: nothing{}}}
}

func node(name string) *f.NodeInfo {
	n := &f.NodeInfo{}
	o := &api.Node{}
	o.Name, o.Labels = name, map[string]string{"host": name}
	n.SetNode(o)
	return n
}

func TestAPodIsRefusedForItsClaimsBeforeAnyNodeIsAsked(t *testing.T) {
	lost, going := claimOf("lost", "now", "gone"), claimOf("going", "now", "v")
	lost.Status.Phase = "Lost"
	at := api.Time(1)
	going.DeletionTimestamp = &at
	for _, c := range []struct{ claim, message string }{
		{"missing", `persistentvolumeclaim "missing" not found`},
		{"lost", `persistentvolumeclaim "lost" bound to non-existent persistentvolume "gone"`},
		{"going", `persistentvolumeclaim "going" is being deleted`},
		{"unbound", "pod has unbound immediate PersistentVolumeClaims"},
		{"bound", ""},
		{"waiting", ""},
	} {
		s := state0(t, class("now", "csi", "Immediate"), class("wait", "csi", f.WaitForFirstConsumer), lost, going,
			claimOf("unbound", "now", ""), claimOf("bound", "now", "v"), claimOf("waiting", "wait", ""))
		_, st := Plugin{}.PreFilter(s, using(c.claim))
		if st.Message() != c.message {
			t.Errorf("%s: %q", c.claim, st.Message())
		}
	}
}

func TestAClaimThatWaitsTakesTheSmallestVolumeInReachOrAProvisioner(t *testing.T) {
	for _, c := range []struct {
		name   string
		claim  *api.PersistentVolumeClaim
		node   string
		reason string
		volume string
	}{
		{"the smallest", claimOf("c", "static", ""), "a", "", "small"},
		{"the only one in reach", claimOf("c", "static", ""), "b", "", "far"},
		{"none in reach, no provisioner", claimOf("c", "static", ""), "d", ErrReasonBindConflict, ""},
		{"a provisioner", claimOf("c", "dynamic", ""), "d", "", ""},
		{"bound elsewhere", claimOf("c", "static", "far"), "a", ErrReasonNodeConflict, ""},
		{"bound to nothing", claimOf("c", "static", "gone"), "a", ErrReasonPVNotExist, ""},
	} {
		s := state0(t, class("static", noProvisioner, f.WaitForFirstConsumer), class("dynamic", "csi", f.WaitForFirstConsumer), c.claim,
			volume("large", "static", "9Gi", "a"), volume("small", "static", "2Gi", "a"), volume("tiny", "static", "1Mi", "a"), volume("far", "static", "5Gi", "b"))
		p, n := using("c"), node(c.node)
		Plugin{}.PreFilter(s, p)
		st := Plugin{}.Filter(s, p, n)
		if st.Message() != c.reason {
			t.Errorf("%s: %q", c.name, st.Message())
		}
		var got reserved
		Plugin{}.Reserve(s, p, c.node, &got)
		if got.volume != c.volume || c.name == "a provisioner" && got.node != "d" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

type reserved struct{ volume, node string }

func (r *reserved) BindVolume(_, volume string) { r.volume = volume }
func (r *reserved) Provision(_, node string)    { r.node = node }

// A claim of 1Gi on a volume of 2Gi uses half of it, on one of 5Gi a fifth.
func TestAVolumeThatStaysMoreEmptyRanksHigher(t *testing.T) {
	s := state0(t, class("static", noProvisioner, f.WaitForFirstConsumer), claimOf("c", "static", ""), volume("a", "static", "2Gi", "a"), volume("b", "static", "5Gi", "b"))
	p := using("c")
	Plugin{}.PreFilter(s, p)
	nodes := []*f.NodeInfo{node("a"), node("b")}
	for i, want := range []int64{50, 80} {
		Plugin{}.Filter(s, p, nodes[i])
		if got := (Plugin{}).Score(s, p, nodes[i]); got != want {
			t.Errorf("node %s: %d", nodes[i].Name(), got)
		}
	}
	if (Plugin{}).PreScore(s, p, nodes).IsSkip() || !(Plugin{}).PreScore(state0(t), using(), nodes).IsSkip() {
		t.Error("only a pod with a chosen volume is ranked")
	}
}
