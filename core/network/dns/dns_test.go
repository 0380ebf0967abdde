package dns

import (
	"strings"
	"testing"

	"podwalk/core/api"
)

// world is a small cluster: a Service with an address, a headless one with two
// ready endpoints (one with a host name) and one that is not, and an alias.
type world struct{ services map[string]*api.Service }

func (w world) Service(ns, name string) *api.Service { return w.services[ns+"/"+name] }
func (w world) Namespace(name string) bool           { return name == "default" || name == "empty" }
func (w world) ServiceAt(ip string) *api.Service {
	for _, s := range w.services {
		if s.Spec.ClusterIP == ip {
			return s
		}
	}
	return nil
}

func (w world) Slices(ns, name string) []*api.EndpointSlice {
	if ns+"/"+name != "default/db" {
		return nil
	}
	port, no, yes, host := int32(5432), false, true, "db-0"
	pname, proto := "pg", "TCP"
	s := &api.EndpointSlice{Ports: []api.EndpointSlicePort{{Name: &pname, Port: &port, Protocol: &proto}}, Endpoints: []api.Endpoint{
		{Addresses: []string{"10.244.1.5"}, Hostname: &host, Conditions: api.EndpointConditions{Ready: &yes}},
		{Addresses: []string{"10.244.2.6"}, Conditions: api.EndpointConditions{Ready: &yes}},
		{Addresses: []string{"10.244.2.7"}, Conditions: api.EndpointConditions{Ready: &no}}}}
	s.Namespace, s.Labels = "default", map[string]string{"kubernetes.io/service-name": "db"}
	return []*api.EndpointSlice{s}
}

func (w world) SlicesAt(ip string) []*api.EndpointSlice {
	if strings.HasPrefix(ip, "10.244.") {
		return w.Slices("default", "db")
	}
	return nil
}

func (w world) Outside(q Question) Answer {
	if q.Name == "example.com" && q.Type == "A" {
		return Answer{Code: NoError, Forwarded: true, Records: []Record{{q.Name, "A", 300, "93.184.216.34"}}}
	}
	return Answer{Code: NXDomain, Forwarded: true}
}

func service(name, kind, ip string) *api.Service {
	s := &api.Service{}
	s.Namespace, s.Name, s.Spec.Type, s.Spec.ClusterIP = "default", name, kind, ip
	s.Spec.Ports = []api.ServicePort{{Name: "http", Port: 80, Protocol: "TCP"}, {Name: "dns", Port: 53, Protocol: "UDP"}}
	return s
}

func small() world {
	alias := service("alias", "ExternalName", "")
	alias.Spec.ExternalName = "example.com"
	local := service("local", "ExternalName", "")
	local.Spec.ExternalName = "web.default.svc.cluster.local"
	return world{map[string]*api.Service{"default/web": service("web", "ClusterIP", "10.96.0.20"), "default/db": service("db", "ClusterIP", "None"),
		"default/alone": service("alone", "ClusterIP", "None"), "default/alias": alias, "default/local": local}}
}

// The expectations follow the specification of Kubernetes DNS-based service
// discovery 1.1.0 and CoreDNS' plugin "kubernetes" with "pods insecure".
func TestNamesOfTheClusterHaveTheRecordsOfTheSpecification(t *testing.T) {
	const svc = ".default.svc.cluster.local"
	for _, c := range []struct{ name, kind, want string }{
		{"web" + svc, "A", "NOERROR A 10.96.0.20"},
		{"WEB" + svc, "A", "NOERROR A 10.96.0.20"},
		{"web" + svc, "AAAA", "NOERROR"},
		{"_http._tcp.web" + svc, "SRV", "NOERROR SRV 0 100 80 web" + svc + "."},
		{"_http._udp.web" + svc, "SRV", "NXDOMAIN"},
		{"_nosuch._tcp.web" + svc, "SRV", "NXDOMAIN"},
		{"db" + svc, "A", "NOERROR A 10.244.1.5 A 10.244.2.6"},
		{"db-0.db" + svc, "A", "NOERROR A 10.244.1.5"},
		{"10-244-2-6.db" + svc, "A", "NOERROR A 10.244.2.6"},
		{"10-244-2-7.db" + svc, "A", "NXDOMAIN"},
		{"_pg._tcp.db" + svc, "SRV", "NOERROR SRV 0 50 5432 db-0.db" + svc + ". SRV 0 50 5432 10-244-2-6.db" + svc + "."},
		{"alone" + svc, "A", "NXDOMAIN"},
		{"nosuch" + svc, "A", "NXDOMAIN"},
		{"web.nosuch.svc.cluster.local", "A", "NXDOMAIN"},
		{"empty.svc.cluster.local", "A", "NOERROR"},
		{"nosuch.svc.cluster.local", "A", "NXDOMAIN"},
		{"svc.cluster.local", "A", "NOERROR"},
		{"other.cluster.local", "A", "NXDOMAIN"},
		{"10-244-1-5.default.pod.cluster.local", "A", "NOERROR A 10.244.1.5"},
		{"10-244-1-5.nosuch.pod.cluster.local", "A", "NXDOMAIN"},
		{"web.default.pod.cluster.local", "A", "NXDOMAIN"},
		{"alias" + svc, "A", "NOERROR CNAME example.com. A 93.184.216.34"},
		{"local" + svc, "A", "NOERROR CNAME web" + svc + ". A 10.96.0.20"},
		{"20.0.96.10.in-addr.arpa", "PTR", "NOERROR PTR web" + svc + "."},
		{"5.1.244.10.in-addr.arpa", "PTR", "NOERROR PTR db-0.db" + svc + "."},
		{"1.2.3.4.in-addr.arpa", "PTR", "NXDOMAIN"},
		{"example.com", "A", "NOERROR A 93.184.216.34"},
	} {
		a := Ask(small(), Question{c.name, c.kind})
		got := a.Code
		for _, r := range a.Records {
			got += " " + r.Type + " " + r.Data
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.kind, got, c.want)
		}
	}
}

// resolv.conf(5): a name with fewer dots than ndots goes through the search list
// first; musl does not use the list for other names, glibc does so afterwards.
func TestTheSearchListIsTriedInTheOrderOfTheLibrary(t *testing.T) {
	c := ParseConfig("search a.x b.x\nnameserver 10.96.0.10\nnameserver 1.1.1.1\noptions ndots:2 edns0\n# comment\n")
	if len(c.Servers) != 2 || c.Ndots != 2 {
		t.Fatalf("%+v", c)
	}
	for _, x := range []struct {
		name string
		musl bool
		want string
	}{
		{"web", false, "web.a.x web.b.x web"},
		{"web.ns", false, "web.ns.a.x web.ns.b.x web.ns"},
		{"a.b.c", false, "a.b.c a.b.c.a.x a.b.c.b.x"},
		{"a.b.c", true, "a.b.c"},
		{"web.", false, "web"},
	} {
		if got := strings.Join(c.Candidates(x.name, x.musl), " "); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

func TestALookupEndsWithTheFirstNameThatHasAnAddress(t *testing.T) {
	c := ParseConfig("search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n")
	l := Resolve(c, "web", false, func(_ string, q Question) Answer { return Ask(small(), q) })
	if l.Code != NoError || len(l.Queries) != 2 || l.Name != "web.default.svc.cluster.local" || l.Addrs[0] != "10.96.0.20" {
		t.Errorf("web: %+v", l)
	}
	// Four names, each asked for A and AAAA.
	if l = Resolve(c, "nosuch", false, func(_ string, q Question) Answer { return Ask(small(), q) }); l.Code != NXDomain || len(l.Queries) != 8 {
		t.Errorf("nosuch: %+v", l)
	}
	if l = Resolve(c, "web", false, func(string, Question) Answer { return Answer{Code: Timeout} }); l.Code != Timeout || len(l.Queries) != 1 {
		t.Errorf("no server: %+v", l)
	}
	if l = Resolve(Config{}, "web", false, nil); l.Code != Timeout {
		t.Errorf("no resolv.conf: %+v", l)
	}
}
