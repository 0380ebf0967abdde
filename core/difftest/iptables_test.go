package difftest

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand"
	"net"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/klog/v2"
	kubeproxyconfig "k8s.io/kubernetes/pkg/proxy/apis/config"
	realiptables "k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	iptablestest "k8s.io/kubernetes/pkg/util/iptables/testing"

	"podwalk/core/api"
	"podwalk/core/network/proxy"
	"podwalk/core/network/proxy/iptables"
)

const (
	proxyNode   = "node-1"
	proxyNodeIP = "192.168.0.2"
	podRange    = "10.244.0.0/16"
)

// realRules runs the real proxier over the objects and returns what it has written
// with iptables-restore, by table and chain.
func realRules(t *testing.T, services []*api.Service, slices []*api.EndpointSlice, zone string) map[string][]string {
	t.Helper()
	fake := iptablestest.NewFake()
	yes, bit := true, int32(14)
	cfg := &kubeproxyconfig.KubeProxyConfiguration{SyncPeriod: metav1.Duration{Duration: time.Hour}, MinSyncPeriod: metav1.Duration{Duration: time.Hour}}
	cfg.IPTables.LocalhostNodePorts, cfg.IPTables.MasqueradeBit = &yes, &bit
	sys := sysctltest.NewFake()
	sys.Settings["net/ipv4/conf/all/route_localnet"] = 0
	p, err := realiptables.NewProxier(context.Background(), cfg, v1.IPv4Protocol, fake, sys,
		proxyutil.NewDetectLocalByCIDR(podRange), proxyNode, net.ParseIP(proxyNodeIP), nil, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	p.OnTopologyChange(map[string]string{v1.LabelTopologyZone: zone})
	for _, s := range services {
		p.OnServiceAdd(real[v1.Service](t, s))
	}
	for _, s := range slices {
		p.OnEndpointSliceAdd(real[discovery.EndpointSlice](t, s))
	}
	p.OnEndpointSlicesSynced()
	p.OnServiceSynced()
	var b bytes.Buffer
	if err := fake.SaveInto("", &b); err != nil {
		t.Fatal(err)
	}
	return byChain(strings.Split(b.String(), "\n"))
}

// real turns one of our objects into the real type.
func real[T any](t *testing.T, o any) *T {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var r T
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// byChain groups the rules of our chains by "table CHAIN". In the chains that
// gather the rules of many Services their order is that of a Go map: it is sorted.
func byChain(lines []string) map[string][]string {
	l, table := map[string][]string{}, ""
	for _, s := range lines {
		switch {
		case strings.HasPrefix(s, "*"):
			table = s[1:]
		case strings.HasPrefix(s, ":KUBE-"):
			name, _, _ := strings.Cut(s[1:], " ")
			l[table+" "+name] = []string{}
		case strings.HasPrefix(s, "-A KUBE-"):
			name := strings.Fields(s)[1]
			l[table+" "+name] = append(l[table+" "+name], s)
		}
	}
	for k, rules := range l {
		switch k {
		case "nat KUBE-SERVICES", "nat KUBE-NODEPORTS", "filter KUBE-SERVICES", "filter KUBE-EXTERNAL-SERVICES", "filter KUBE-NODEPORTS", "filter KUBE-PROXY-FIREWALL":
			sort.Strings(rules)
		}
	}
	return l
}

func TestTheRulesOfIptablesAreThoseOfTheRealProxier(t *testing.T) {
	klog.SetLogger(klog.New(nil))
	metrics.RegisterMetrics(kubeproxyconfig.ProxyModeIPTables)
	rng := rand.New(rand.NewSource(7))
	chains, rules := 0, 0
	for round := range 300 {
		services, slices := randomServices(rng)
		zone := []string{"", "zone-a", "zone-b"}[rng.Intn(3)]
		want := realRules(t, services, slices, zone)
		cfg := iptables.Default(proxy.Node{Name: proxyNode, IP: proxyNodeIP, Zone: zone}, podRange)
		cfg.Accounting = strings.Contains(strings.Join(want["filter KUBE-FORWARD"], ""), "nfacct")
		table := proxy.NewTable("IPv4")
		for _, s := range services {
			table.Set(s.Namespace, s.Name, s, slicesOf(s, slices))
		}
		got := byChain(iptables.All(cfg, table.Entries()).Lines())
		for k := range want {
			if len(got[k]) != len(want[k]) || strings.Join(got[k], "\n") != strings.Join(want[k], "\n") {
				t.Fatalf("round %d, chain %s:\ngot\n%s\nwant\n%s", round, k, strings.Join(got[k], "\n"), strings.Join(want[k], "\n"))
			}
			chains, rules = chains+1, rules+len(want[k])
		}
		for k := range got {
			if _, ok := want[k]; !ok {
				t.Fatalf("round %d: the real one has no chain %s", round, k)
			}
		}
	}
	t.Logf("%d chains, %d rules equal", chains, rules)
}

func slicesOf(s *api.Service, all []*api.EndpointSlice) (l []*api.EndpointSlice) {
	for _, e := range all {
		if e.Namespace == s.Namespace && e.Labels["kubernetes.io/service-name"] == s.Name {
			l = append(l, e)
		}
	}
	return l
}

func randomServices(rng *rand.Rand) (services []*api.Service, slices []*api.EndpointSlice) {
	for i := range 1 + rng.Intn(8) {
		s := randomService(rng, i)
		services = append(services, s)
		for n := range rng.Intn(3) {
			slices = append(slices, randomSlice(rng, s, i, n))
		}
	}
	return services, slices
}

func randomService(rng *rand.Rand, i int) *api.Service {
	s := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	s.Namespace, s.Name = "ns"+strconv.Itoa(rng.Intn(3)), "svc"+strconv.Itoa(i)
	ip := "10.96.0." + strconv.Itoa(10+i)
	s.Spec.Type, s.Spec.ClusterIP, s.Spec.ClusterIPs = "ClusterIP", ip, []string{ip}
	cluster, local := "Cluster", "Local"
	s.Spec.InternalTrafficPolicy = &cluster
	if rng.Intn(4) == 0 {
		s.Spec.InternalTrafficPolicy = &local
	}
	switch rng.Intn(6) {
	case 0, 1:
		s.Spec.Type, s.Spec.ExternalTrafficPolicy = "NodePort", []string{cluster, local}[rng.Intn(2)]
	case 2, 3:
		s.Spec.Type, s.Spec.ExternalTrafficPolicy = "LoadBalancer", []string{cluster, local}[rng.Intn(2)]
		if s.Spec.ExternalTrafficPolicy == local {
			s.Spec.HealthCheckNodePort = int32(31000 + i)
		}
		for n := range rng.Intn(3) {
			s.Status.LoadBalancer.Ingress = append(s.Status.LoadBalancer.Ingress, api.LoadBalancerIngress{IP: "1.2.3." + strconv.Itoa(i*4+n)})
		}
		if rng.Intn(2) == 0 {
			s.Spec.LoadBalancerSourceRanges = [][]string{{"203.0.113.0/25"}, {" 192.168.0.0/24", "10.0.0.0/8"}, {"0.0.0.0/0"}}[rng.Intn(3)]
		}
	case 4:
		if rng.Intn(2) == 0 {
			s.Spec.ClusterIP, s.Spec.ClusterIPs = "None", []string{"None"}
		}
	}
	if rng.Intn(5) == 0 {
		s.Spec.ExternalIPs = []string{"192.168.99." + strconv.Itoa(i)}
	}
	if rng.Intn(4) == 0 {
		seconds := int32(10800)
		s.Spec.SessionAffinity = "ClientIP"
		s.Spec.SessionAffinityConfig = &api.SessionAffinityConfig{ClientIP: &api.ClientIPConfig{TimeoutSeconds: &seconds}}
	}
	for n := range 1 + rng.Intn(2) {
		p := api.ServicePort{Name: "p" + strconv.Itoa(n), Port: int32(80 + n), Protocol: []string{"TCP", "UDP", "SCTP"}[rng.Intn(3)], TargetPort: api.FromInt(8080)}
		if s.Spec.Type != "ClusterIP" {
			p.NodePort = int32(30000 + i*10 + n)
		}
		s.Spec.Ports = append(s.Spec.Ports, p)
	}
	if len(s.Spec.Ports) == 1 && rng.Intn(2) == 0 {
		s.Spec.Ports[0].Name = ""
	}
	return s
}

func randomSlice(rng *rand.Rand, s *api.Service, i, n int) *api.EndpointSlice {
	e := &api.EndpointSlice{TypeMeta: api.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, AddressType: "IPv4"}
	e.Namespace, e.Name = s.Namespace, s.Name+"-"+strconv.Itoa(n)
	e.Labels = map[string]string{"kubernetes.io/service-name": s.Name}
	for k := range s.Spec.Ports {
		name, port, proto := s.Spec.Ports[k].Name, int32(8080+k), s.Spec.Ports[k].Protocol
		e.Ports = append(e.Ports, api.EndpointSlicePort{Name: &name, Port: &port, Protocol: &proto})
	}
	hints := rng.Intn(3)
	for k := range rng.Intn(5) {
		ep := api.Endpoint{Addresses: []string{"10.244." + strconv.Itoa(i) + "." + strconv.Itoa(n*10+k)}}
		node := "node-" + strconv.Itoa(1+rng.Intn(3))
		ep.NodeName = &node
		ready, serving, terminating := rng.Intn(3) > 0, true, false
		if !ready {
			serving, terminating = rng.Intn(2) == 0, rng.Intn(2) == 0
		}
		ep.Conditions = api.EndpointConditions{Ready: &ready, Serving: &serving, Terminating: &terminating}
		if hints > 0 && rng.Intn(8) > 0 {
			ep.Hints = &api.EndpointHints{ForZones: []api.ForZone{{Name: []string{"zone-a", "zone-b"}[rng.Intn(2)]}}}
			if hints == 2 {
				ep.Hints.ForNodes = []api.ForNode{{Name: node}}
			}
		}
		e.Endpoints = append(e.Endpoints, ep)
	}
	return e
}
