package kindnet

import (
	"testing"

	"podwalk/core/network/cni"
	"podwalk/core/network/ipam"
)

func TestAddGivesRisingAddressesAndDelGivesThemBack(t *testing.T) {
	block, err := ipam.Parse("10.244.1.0/24")
	if err != nil {
		t.Fatal(err)
	}
	n := cni.Node{Name: "node-1", Block: block}
	n, a, err := Plugin{}.Add(n, cni.Request{Sandbox: "aaaaaaaaaa"})
	if err != nil || a.IP != "10.244.1.2" || a.Gateway != "10.244.1.1" {
		t.Fatalf("first ADD: %+v %v", a, err)
	}
	before := n
	n, b, _ := Plugin{}.Add(n, cni.Request{Sandbox: "bbbbbbbbbb"})
	if b.IP != "10.244.1.3" {
		t.Fatalf("second ADD: %+v", b)
	}
	n = Plugin{}.Del(n, cni.Request{IP: a.IP})
	n = Plugin{}.Del(n, cni.Request{IP: "10.244.1.77"})
	if n.Block.Used() != 1 || before.Block.Used() != 1 {
		t.Fatalf("after DEL %+v, before %+v", n, before)
	}
}
