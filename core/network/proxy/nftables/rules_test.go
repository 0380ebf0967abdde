package nftables

import (
	"slices"
	"strings"
	"testing"

	"podwalk/core/network/proxy"
)

// The names and rules are those of TestOverallNFTablesRules of
// pkg/proxy/nftables/proxier_test.go, v1.37.2; nft prints "meta mark" where the
// transaction says "mark", and "dnat ip to" where it says "dnat ip addr . port to".
func TestTheTableHasTheNamesAndRulesOfTheRealProxy(t *testing.T) {
	port := func(ns, svc, ip string) proxy.Port {
		return proxy.Port{Namespace: ns, Service: svc, Name: "p80", Protocol: "TCP", ClusterIP: ip, Port: 80}
	}
	one := &proxy.Entry{Port: port("ns1", "svc1", "172.30.0.41"), Endpoints: []proxy.Endpoint{{IP: "10.180.0.1", Port: 80, Ready: true, Node: "node"}}}
	two := &proxy.Entry{Port: port("ns4", "svc4", "172.30.0.44"), Endpoints: []proxy.Endpoint{{IP: "10.180.0.4", Port: 80, Ready: true}, {IP: "10.180.0.5", Port: 80, Ready: true}}}
	two.ExternalIPs = []string{"192.168.99.33"}
	sticky := &proxy.Entry{Port: port("ns5", "svc5", "172.30.0.45"), Endpoints: []proxy.Endpoint{{IP: "10.180.0.3", Port: 80, Ready: true}}}
	sticky.Sticky, sticky.LoadBalancerIPs, sticky.SourceRanges, sticky.NodePort = 10800, []string{"5.6.7.8"}, []string{"203.0.113.0/25"}, 3002
	none := &proxy.Entry{Port: port("ns6", "svc6", "172.30.0.46")}
	lines := All(Default(proxy.Node{Name: "node", IP: "192.168.0.2"}, "10.0.0.0/8", "172.30.0.0/16"), []*proxy.Entry{one, two, sticky, none}).Lines()
	for i, l := range lines {
		lines[i] = strings.Trim(strings.TrimPrefix(strings.TrimSpace(l), "elements = { "), ", }")
	}
	for _, want := range []string{
		"chain service-ULMVA6XW-ns1/svc1/tcp/p80 {",
		"meta l4proto tcp dnat to 10.180.0.1:80",
		"172.30.0.41 . tcp . 80 : goto service-ULMVA6XW-ns1/svc1/tcp/p80",
		"10.180.0.1 . 10.180.0.1 . tcp . 80",
		"meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.180.0.4 . 80, 1 : 10.180.0.5 . 80",
		"192.168.99.33 . tcp . 80 : goto external-LAUZTJTB-ns4/svc4/tcp/p80",
		"goto service-LAUZTJTB-ns4/svc4/tcp/p80",
		"set affinity-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80 {",
		"ip saddr @affinity-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80 goto endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80",
		"numgen random mod 1 vmap { 0 : goto endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80",
		"ip saddr != { 203.0.113.0/25 } drop",
		"5.6.7.8 . tcp . 80 : goto firewall-HVFWP5L3-ns5/svc5/tcp/p80",
		"tcp . 3002 : goto external-HVFWP5L3-ns5/svc5/tcp/p80",
		`172.30.0.46 . tcp . 80 comment "ns6/svc6:p80" : goto reject-chain`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, strings.Join(lines, "\n"))
			break
		}
	}
}
