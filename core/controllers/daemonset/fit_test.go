package daemonset

import (
	"testing"

	"podwalk/core/api"
)

// The tolerations are those of daemonset_util.go, AddOrUpdateDaemonPodTolerations:
// a toleration of the same key, operator and effect is replaced, not doubled.
func TestPodsBearTheTaintsOfNodesInTrouble(t *testing.T) {
	seconds := int64(30)
	spec := &api.PodSpec{Tolerations: []api.Toleration{{Key: "own", Operator: "Exists"},
		{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}}}
	got := tolerations(spec)
	if len(got) != 7 || got[0].Key != "own" || got[1].TolerationSeconds != nil || got[6].Key != "node.kubernetes.io/unschedulable" {
		t.Errorf("%+v", got)
	}
	spec.HostNetwork = true
	if got = tolerations(spec); len(got) != 8 || got[7].Key != "node.kubernetes.io/network-unavailable" {
		t.Errorf("in the host's network: %+v", got)
	}
	if spec.Tolerations[1].TolerationSeconds == nil {
		t.Error("the template was changed")
	}
}

// A taint NoSchedule keeps new pods away and lets one stay; NoExecute does not
// (daemon_controller.go, nodeShouldRunDaemonPod).
func TestTaintsKeepAwayOrDriveOut(t *testing.T) {
	for effect, want := range map[string][2]bool{"": {true, true}, "NoSchedule": {false, true}, "NoExecute": {false, false}, "PreferNoSchedule": {true, true}} {
		n := &api.Node{}
		if effect != "" {
			n.Spec.Taints = []api.Taint{{Key: "k", Effect: effect}}
		}
		f := newFit(&api.DaemonSet{})
		if run, stay := f.on(n); run != want[0] || stay != want[1] {
			t.Errorf("%q: run %v, stay %v", effect, run, stay)
		}
	}
	d := &api.DaemonSet{}
	d.Spec.Template.Spec.Affinity = onNode(nil, "n1")
	f := newFit(d)
	for name, want := range map[string]bool{"n1": true, "n2": false} {
		n := &api.Node{}
		n.Name = name
		if run, _ := f.on(n); run != want {
			t.Errorf("%s: %v", name, run)
		}
	}
	p := &api.Pod{Spec: d.Spec.Template.Spec}
	if got := target(p); got != "n1" {
		t.Errorf("the pod asks for %q", got)
	}
}
