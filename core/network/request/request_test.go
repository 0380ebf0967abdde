package request

import (
	"strconv"
	"testing"

	"podwalk/core/api"
	"podwalk/core/network/dns"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
)

// field is a cluster of many Services, two nodes and any number of policies.
type field struct {
	table    *proxy.Table
	set      policy.Set
	services map[string]*api.Service
	slices   map[string][]*api.EndpointSlice
	settings Settings
	lines    map[string]Line
}

func (f *field) Table(string) *proxy.Table                   { return f.table }
func (f *field) Policies(string) *policy.Set                 { return &f.set }
func (f *field) Line(node string) Line                       { return f.lines[node] }
func (f *field) NodeOf(string) string                        { return "" }
func (f *field) Settings() *Settings                         { return &f.settings }
func (f *field) Service(ns, name string) *api.Service        { return f.services[ns+"/"+name] }
func (f *field) Slices(ns, name string) []*api.EndpointSlice { return f.slices[ns+"/"+name] }
func (f *field) Namespace(name string) bool                  { return name == "default" }
func (f *field) SlicesAt(string) []*api.EndpointSlice        { return nil }
func (f *field) Outside(dns.Question) dns.Answer             { return dns.Answer{Code: dns.NXDomain} }
func (f *field) Roll(key string, i int) uint64               { return uint64(len(key) + i) }
func (f *field) Recent(string, string, int32) bool           { return false }
func (f *field) Remember(string, string)                     {}
func (f *field) ServiceAt(ip string) *api.Service {
	for _, s := range f.services {
		if s.Spec.ClusterIP == ip {
			return s
		}
	}
	return nil
}

func (f *field) EndAt(ip string) *policy.End {
	switch {
	case ip == "172.18.0.3":
		return &policy.End{IP: ip, Node: "node-1", Host: true}
	case ip == "10.96.0.10":
		return &policy.End{IP: ip, Namespace: "kube-system", Name: "coredns"}
	case Within(ip, "10.244.0.0/16"):
		return &policy.End{IP: ip, Namespace: "default", Name: "pod-" + ip, Node: "node-2", Labels: map[string]string{"app": "web"}}
	}
	return nil
}

func (f *field) Node(name string) (proxy.Node, bool) {
	for _, n := range f.Nodes() {
		if n.Name == name {
			return n, true
		}
	}
	return proxy.Node{}, false
}

func (f *field) Nodes() []proxy.Node {
	return []proxy.Node{{Name: "node-1", IP: "172.18.0.3"}, {Name: "node-2", IP: "172.18.0.4"}}
}

func grown(services, endpoints int) *field {
	f := &field{table: proxy.NewTable("IPv4"), services: map[string]*api.Service{}, slices: map[string][]*api.EndpointSlice{},
		settings: Settings{Mode: "iptables", Plugin: "kindnet", Enforces: true, Unknown: TimedOut, PodCIDR: "10.244.0.0/16", ServiceCIDR: "10.96.0.0/12", DNS: "10.96.0.10"}}
	for i := range services {
		s := &api.Service{}
		s.Namespace, s.Name, s.Spec.Type = "default", "svc-"+strconv.Itoa(i), "ClusterIP"
		s.Spec.ClusterIP = "10.96." + strconv.Itoa(1+i/200) + "." + strconv.Itoa(1+i%200)
		s.Spec.Ports = []api.ServicePort{{Port: 80, Protocol: "TCP"}}
		f.services["default/"+s.Name] = s
		f.slices["default/"+s.Name] = []*api.EndpointSlice{slice(s.Name, i, endpoints)}
		f.table.Set("default", s.Name, s, f.slices["default/"+s.Name])
	}
	return f
}

func slice(name string, i, n int) *api.EndpointSlice {
	port, none, tcp, yes, node := int32(8080), "", "TCP", true, "node-2"
	s := &api.EndpointSlice{AddressType: "IPv4", Ports: []api.EndpointSlicePort{{Name: &none, Port: &port, Protocol: &tcp}}}
	for j := range n {
		at := i*n + j
		s.Endpoints = append(s.Endpoints, api.Endpoint{Addresses: []string{"10.244." + strconv.Itoa(at/200) + "." + strconv.Itoa(2+at%200)},
			NodeName: &node, Conditions: api.EndpointConditions{Ready: &yes}})
	}
	return s
}

func client() *Source {
	return &Source{Node: proxy.Node{Name: "node-1", IP: "172.18.0.3"}, Config: dns.ParseConfig("search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n"),
		End: &policy.End{IP: "10.244.255.2", Namespace: "default", Name: "client", Node: "node-1", Labels: map[string]string{"app": "client"}}}
}

func symptom(r Route) string { return r.Symptom }

func TestEachWayToFailHasItsSymptom(t *testing.T) {
	f := grown(2, 2)
	f.table.Set("default", "svc-1", f.services["default/svc-1"], nil)
	for _, c := range []struct {
		ip   string
		port int32
		want string
	}{
		{"10.96.1.1", 80, OK},
		{"10.96.1.2", 80, RefusedConn}, // no endpoints: REJECT
		{"10.96.1.1", 81, TimedOut},    // no rule for the port
		{"10.96.9.9", 80, TimedOut},    // an address of no Service
		{"8.8.8.8", 53, OK},            // outside
	} {
		if got := symptom(Reach(f, client(), c.ip, c.port, "tcp")); got != c.want {
			t.Errorf("%s:%d: %q, want %q", c.ip, c.port, got, c.want)
		}
	}
	// The other modes answer for ports that a Service lacks: nftables rejects them, and
	// in ipvs mode the address is the node's own.
	for _, mode := range []string{"ipvs", "nftables"} {
		if f.settings.Mode = mode; symptom(Reach(f, client(), "10.96.1.1", 81, "tcp")) != RefusedConn {
			t.Errorf("%s: a port that the Service lacks is not refused", mode)
		}
	}
}

func TestADeniedQuestionForANameIsADNSTimeoutWithThePolicyAsItsCause(t *testing.T) {
	f := grown(1, 1)
	deny := &api.NetworkPolicy{}
	deny.Namespace, deny.Name, deny.Spec.PolicyTypes = "default", "deny", []string{"Egress"}
	f.set.Put(deny)
	l, hops := Resolve(f, client(), "svc-0")
	if l.Code != dns.Timeout || len(hops) != 2 || hops[0].Source != "networkpolicy" || hops[0].Symptom != NoDNS || hops[1].Source != "dns" {
		t.Errorf("%+v %+v", l, hops)
	}
	f.settings.Enforces = false
	if l, hops = Resolve(f, client(), "svc-0"); l.Code != dns.NoError || len(hops) != 1 {
		t.Errorf("a plugin that enforces nothing: %+v %+v", l, hops)
	}
}

func TestTrafficFromOutsideNeedsAnAddressThatLeadsIn(t *testing.T) {
	f := grown(1, 1)
	outside := &Source{End: &policy.End{IP: "198.51.100.7"}}
	if got := symptom(Reach(f, outside, "10.96.1.1", 80, "tcp")); got != TimedOut {
		t.Errorf("a cluster address: %q", got)
	}
	s := *f.services["default/svc-0"]
	s.Spec.Type, s.Spec.ExternalTrafficPolicy = "LoadBalancer", "Local"
	s.Spec.Ports = []api.ServicePort{{Port: 80, Protocol: "TCP", NodePort: 30080}}
	s.Status.LoadBalancer.Ingress = []api.LoadBalancerIngress{{IP: "203.0.113.5"}}
	f.table.Set("default", "svc-0", &s, f.slices["default/svc-0"])
	r := Reach(f, outside, "203.0.113.5", 80, "tcp")
	// The only endpoint is on node-2: the balancer sends there, and the client's
	// address is kept.
	if r.Symptom != OK || r.IP != "10.244.0.2" || r.From != "198.51.100.7" || r.Hops[0].Message != "the load balancer 203.0.113.5 sends it to node-2" {
		t.Errorf("%+v", r)
	}
	if got := symptom(Reach(f, outside, "172.18.0.3", 30080, "tcp")); got != TimedOut {
		t.Errorf("the node port of a node without a local endpoint: %q", got)
	}
}

func BenchmarkRequestAmong1000ServicesWith10000Endpoints(b *testing.B) {
	f := grown(1000, 10)
	src := client()
	b.ReportAllocs()
	for b.Loop() {
		l, _ := Resolve(f, src, "svc-700")
		if r := Reach(f, src, l.Addrs[0], 80, "tcp"); r.Symptom != OK {
			b.Fatal(r)
		}
	}
}

func BenchmarkOneEndpointChangesAmong10000(b *testing.B) {
	f := grown(1000, 10)
	s := f.services["default/svc-700"]
	with, without := f.slices["default/svc-700"], []*api.EndpointSlice{slice("svc-700", 700, 9)}
	b.ReportAllocs()
	for b.Loop() {
		if before, after := f.table.Set("default", "svc-700", s, without); proxy.Same(before, after) {
			b.Fatal("nothing changed")
		}
		with, without = without, with
	}
}
