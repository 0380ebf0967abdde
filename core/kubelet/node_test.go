package kubelet

import (
	"testing"

	"podwalk/core/api"
)

func TestANodeKeepsWhatItStatesAndGetsTheRest(t *testing.T) {
	given := decode[*api.Node](t, "{apiVersion: v1, kind: Node, metadata: {name: big, labels: {kubernetes.io/arch: arm64}}, status: {allocatable: {cpu: 16, memory: 64Gi, pods: 250}}}")
	n := FillNode(given, 3)
	for k, want := range map[string]string{"kubernetes.io/arch": "arm64", "kubernetes.io/hostname": "big", "kubernetes.io/os": "linux"} {
		if n.Labels[k] != want {
			t.Errorf("label %s is %q", k, n.Labels[k])
		}
	}
	cpu, pods, storage := n.Status.Capacity["cpu"], n.Status.Capacity["pods"], n.Status.Allocatable["ephemeral-storage"]
	if cpu.String() != "16" || pods.String() != "250" || storage.String() != "100Gi" {
		t.Errorf("capacity %v, allocatable %v", n.Status.Capacity, n.Status.Allocatable)
	}
	if n.Spec.PodCIDR != "" || PodCIDR(3) != "10.244.3.0/24" || internalIP(n) != "172.18.0.5" || n.Status.NodeInfo.KubeletVersion != "v1.37.2" {
		t.Errorf("addresses %s %s, version %s", n.Spec.PodCIDR, internalIP(n), n.Status.NodeInfo.KubeletVersion)
	}
	if len(n.Status.Conditions) != 4 || n.Status.Conditions[3].Type != "Ready" || n.Status.Conditions[3].Message != "kubelet is posting ready status" {
		t.Errorf("conditions %+v", n.Status.Conditions)
	}
	if len(given.Labels) != 1 || given.Status.Capacity != nil || len(given.Status.Conditions) != 0 {
		t.Error("the given node was changed")
	}
}

func TestAStatedConditionIsNotReplaced(t *testing.T) {
	n := FillNode(decode[*api.Node](t, "{apiVersion: v1, kind: Node, metadata: {name: down}, status: {conditions: [{type: Ready, status: 'False', reason: KubeletNotReady}]}}"), 0)
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" && c.Status != "False" {
			t.Errorf("Ready is %s", c.Status)
		}
	}
	cpu, memory := n.Status.Allocatable["cpu"], n.Status.Allocatable["memory"]
	if cpu.String() != "4" || memory.String() != "8Gi" {
		t.Errorf("allocatable %v", n.Status.Allocatable)
	}
}
