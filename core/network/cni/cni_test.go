package cni_test

import (
	"strconv"
	"testing"

	"podwalk/core/network/cni"
	"podwalk/core/network/cni/calico"
	"podwalk/core/network/cni/cilium"
	"podwalk/core/network/cni/flannel"
	"podwalk/core/network/cni/kindnet"
	"podwalk/core/network/ipam"
)

var plugins = []cni.Plugin{kindnet.Plugin{}, flannel.Plugin{}, calico.Plugin{}, cilium.Plugin{}}

func node(t *testing.T, cidr string) cni.Node {
	b, err := ipam.Parse(cidr)
	if err != nil {
		t.Fatal(err)
	}
	return cni.Node{Name: "node-1", Block: b}
}

func fill(p cni.Plugin, n cni.Node, count int) (cni.Node, map[string]bool, error) {
	seen := map[string]bool{}
	for i := range count {
		next, r, err := p.Add(n, cni.Request{Sandbox: "sandbox-" + strconv.Itoa(i)})
		if err != nil {
			return n, seen, err
		}
		n, seen[r.IP] = next, true
	}
	return n, seen, nil
}

func TestNoTwoSandboxesOfANodeShareAnAddress(t *testing.T) {
	for _, p := range plugins {
		_, seen, err := fill(p, node(t, "10.244.1.0/24"), 110)
		if err != nil || len(seen) != 110 {
			t.Errorf("%s: %d addresses for 110 sandboxes, %v", p.Name(), len(seen), err)
		}
	}
}

func TestAnAddressThatWasGivenBackCanBeGivenAgain(t *testing.T) {
	for _, p := range plugins {
		n, seen, _ := fill(p, node(t, "10.244.1.0/29"), 5)
		for ip := range seen {
			n = p.Del(n, cni.Request{IP: ip})
		}
		if _, again, err := fill(p, n, 5); err != nil || len(again) != 5 {
			t.Errorf("%s: %d, %v", p.Name(), len(again), err)
		}
	}
}

// The texts are those of the plugins: host-local of containernetworking/plugins,
// calico's ipamplugin, cilium-cni's call of its agent.
func TestAFullNodeAnswersInThePluginsOwnWords(t *testing.T) {
	want := map[string]string{
		"kindnet": "failed to allocate for range 0: no IP addresses available in range set: 10.244.1.1-10.244.1.6",
		"flannel": "failed to delegate add: failed to allocate for range 0: no IP addresses available in range set: 10.244.1.1-10.244.1.6",
		"calico":  "failed to request IPv4 addresses: Assigned 0 out of 1 requested IPv4 addresses; No more free affine blocks and strict affinity enabled",
		"cilium":  `unable to allocate IP via local cilium agent: [POST /ipam][502] postIpamFailure "range is full"`,
	}
	for _, p := range plugins {
		if p.Name() == "calico" {
			continue
		}
		if _, _, err := fill(p, node(t, "10.244.1.0/29"), 9); err == nil || err.Error() != want[p.Name()] {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
	if _, seen, err := fill(calico.Plugin{}, node(t, "10.244.1.0/24"), 300); err == nil || err.Error() != want["calico"] || len(seen) != 4*63 {
		t.Errorf("calico: %d, %v", len(seen), err)
	}
}

func TestCalicoTakesBlocksOf64AsItNeedsThem(t *testing.T) {
	n, _, _ := fill(calico.Plugin{}, node(t, "10.244.1.0/24"), 63)
	if len(n.More) != 1 || n.More[0].CIDR() != "10.244.1.0/26" {
		t.Errorf("%d blocks for 63 sandboxes", len(n.More))
	}
	if n, _, _ = fill(calico.Plugin{}, node(t, "10.244.1.0/24"), 64); len(n.More) != 2 || n.More[1].CIDR() != "10.244.1.64/26" {
		t.Errorf("%d blocks for 64 sandboxes", len(n.More))
	}
}

func TestOnlyFlannelEnforcesNothing(t *testing.T) {
	for _, p := range plugins {
		if p.Enforces() == (p.Name() == "flannel") {
			t.Errorf("%s: %v", p.Name(), p.Enforces())
		}
	}
}
