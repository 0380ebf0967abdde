package iptables

import (
	"strings"
	"testing"

	"podwalk/core/network/proxy"
)

// The names are those of TestOverallIPTablesRules of
// pkg/proxy/iptables/proxier_test.go, v1.37.2.
func entry() *proxy.Entry {
	return &proxy.Entry{Port: proxy.Port{Namespace: "ns4", Service: "svc4", Name: "p80", Protocol: "TCP", ClusterIP: "172.30.0.44", Port: 80,
		ExternalIPs: []string{"192.168.99.33"}}, Endpoints: []proxy.Endpoint{{IP: "10.180.0.4", Port: 80, Ready: true}, {IP: "10.180.0.5", Port: 80, Ready: true, Node: "node"}}}
}

func config() *Config {
	c := Default(proxy.Node{Name: "node", IP: "192.168.0.2"}, "10.0.0.0/8")
	return &c
}

func TestAServiceWithTwoEndpointsHasTheRulesOfTheRealProxy(t *testing.T) {
	want := `-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 external IP" -m tcp -p tcp -d 192.168.99.33 --dport 80 -j KUBE-EXT-4SW47YFZTEDKD3PK
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-EXT-4SW47YFZTEDKD3PK -m comment --comment "masquerade traffic for ns4/svc4:p80 external destinations" -j KUBE-MARK-MASQ
-A KUBE-EXT-4SW47YFZTEDKD3PK -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j KUBE-SEP-C6EBXVWJJZMIWKLZ
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -s 10.180.0.5 -j KUBE-MARK-MASQ
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80`
	var got []string
	for _, r := range Service(config(), entry()).NAT {
		got = append(got, r.Text)
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestAPacketIsSentToTheEndpointThatTheLotPicks(t *testing.T) {
	for first, want := range map[bool]string{true: "10.180.0.4:80", false: "10.180.0.5:80"} {
		v := Walk(config(), entry(), Packet{Proto: "tcp", Src: "10.1.1.1", Dst: "172.30.0.44", Port: 80, Roll: func(_, n int) bool {
			if n != 2 {
				t.Errorf("a lot of one in %d", n)
			}
			return first
		}})
		// KUBE-SERVICES, KUBE-SVC, DNAT: a pod is not masqueraded.
		if v.To != want || v.Masq || len(v.Met) != 3 {
			t.Errorf("%+v", v)
		}
	}
}

func TestAPacketFromOutsideIsMasqueraded(t *testing.T) {
	v := Walk(config(), entry(), Packet{Proto: "tcp", Src: "203.0.113.9", Dst: "192.168.99.33", Port: 80})
	if v.To != "10.180.0.5:80" || !v.Masq {
		t.Errorf("%+v", v)
	}
}

func TestAClientKeepsItsEndpointWhileItsAffinityLasts(t *testing.T) {
	e := entry()
	e.Sticky = 10800
	v := Walk(config(), e, Packet{Proto: "tcp", Src: "10.1.1.1", Dst: "172.30.0.44", Port: 80, Recent: func(chain string) bool { return chain == "KUBE-SEP-C6EBXVWJJZMIWKLZ" },
		Roll: func(int, int) bool { return true }})
	if v.To != "10.180.0.5:80" {
		t.Errorf("%+v", v)
	}
}

func TestWithoutEndpointsThePacketIsRejectedAndWithoutLocalOnesDropped(t *testing.T) {
	e := entry()
	e.Endpoints = nil
	if v := Walk(config(), e, Packet{Proto: "tcp", Src: "10.1.1.1", Dst: "172.30.0.44", Port: 80}); v.Target != "REJECT" {
		t.Errorf("%+v", v)
	}
	e = entry()
	e.Endpoints = e.Endpoints[:1]
	e.InternalLocal = true
	if v := Walk(config(), e, Packet{Proto: "tcp", Src: "10.1.1.1", Dst: "172.30.0.44", Port: 80}); v.Target != "DROP" {
		t.Errorf("%+v", v)
	}
}
