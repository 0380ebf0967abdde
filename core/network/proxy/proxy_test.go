package proxy

import (
	"strings"
	"testing"

	"podwalk/core/api"
)

func TestADifferenceNamesTheLinesThatWentAndThoseThatCame(t *testing.T) {
	got := ""
	for _, c := range Diff([]string{"a", "b", "b", "c"}, []string{"a", "d", "b", "c", "e"}) {
		got += map[bool]string{true: "+", false: "-"}[c.Added] + c.Line
	}
	if got != "-b+d+e" {
		t.Error(got)
	}
}

func web(kind string) *api.Service {
	s := &api.Service{}
	s.Namespace, s.Name, s.Spec.Type, s.Spec.ClusterIP = "default", "web", kind, "10.96.0.7"
	s.Spec.Ports = []api.ServicePort{{Port: 80, Protocol: "TCP", NodePort: 30080}, {Name: "dns", Port: 53, Protocol: "UDP"}}
	return s
}

func TestATableFindsAPortByItsAddressesAndForgetsThem(t *testing.T) {
	table := NewTable("IPv4")
	table.Set("default", "web", web("NodePort"), nil)
	copied := table.Clone()
	if e := table.ByAddress("tcp", "10.96.0.7", 80); e == nil || e.String() != "default/web" || table.ByNodePort("tcp", 30080) != e {
		t.Fatalf("%+v", e)
	}
	if e := table.ByAddress("udp", "10.96.0.7", 53); e == nil || e.String() != "default/web:dns" {
		t.Errorf("%+v", e)
	}
	if table.ByAddress("udp", "10.96.0.7", 80) != nil {
		t.Error("the protocol is another one")
	}
	table.Set("default", "web", nil, nil)
	if table.ByAddress("tcp", "10.96.0.7", 80) != nil || table.ByNodePort("tcp", 30080) != nil || len(table.Entries()) != 0 {
		t.Error("it is still known")
	}
	if copied.ByAddress("tcp", "10.96.0.7", 80) == nil {
		t.Error("the copy has lost it")
	}
}

// pkg/proxy/util: Services without a cluster address have no rules.
func TestHeadlessAndExternalServicesHaveNoPorts(t *testing.T) {
	headless, external := web("ClusterIP"), web("ExternalName")
	headless.Spec.ClusterIP = "None"
	if Ports(headless, "IPv4") != nil || Ports(external, "IPv4") != nil || Ports(web("ClusterIP"), "IPv6") != nil {
		t.Error("one has ports")
	}
}

// pkg/proxy/topology.go: hints count if every ready endpoint has one and one is for
// this place; serving endpoints that end are the last resort.
func TestEndpointsAreChosenByPolicyHintsAndState(t *testing.T) {
	p := &Port{Service: "web", ClusterIP: "10.96.0.7", Protocol: "TCP"}
	at := func(ip, node, zone string, ready bool) Endpoint {
		return Endpoint{IP: ip, Port: 80, Node: node, Ready: ready, Serving: true, Terminating: !ready, Zones: []string{zone}}
	}
	names := func(l []Endpoint) string {
		var s []string
		for i := range l {
			s = append(s, l[i].IP)
		}
		return strings.Join(s, " ")
	}
	all := []Endpoint{at("1", "a", "z1", true), at("2", "b", "z2", true), at("3", "a", "z1", false)}
	for _, c := range []struct {
		zone  string
		local bool
		eps   []Endpoint
		want  string
	}{
		{"z1", false, all, "1"},
		{"z3", false, all, "1 2"},
		{"z1", true, all, "1"},
		{"z1", true, all[1:], "3"}, // none is ready here: the one that ends
		{"z1", false, all[2:], "3"},
	} {
		p.InternalLocal = c.local
		if got := names(Categorize(p, c.eps, Node{Name: "a", Zone: c.zone}).All); got != c.want {
			t.Errorf("zone %s, local %v: %s, want %s", c.zone, c.local, got, c.want)
		}
	}
}
