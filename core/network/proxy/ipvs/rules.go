// Package ipvs is the virtual servers of a kube-proxy in ipvs mode, as
// "ipvsadm -Ln" prints them (pkg/proxy/ipvs/proxier.go). Its ipsets and the rules of
// iptables that go with them are not simulated. It is pure. Start reading at All.
package ipvs

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/network/proxy"
)

// Server is one virtual server.
type Server struct {
	Proto, Address string // TCP and address:port
	Sticky         int32  // seconds, 0 none
	To             []string
}

// All returns the virtual servers of a node, sorted; the kernel lists them in the
// order of its hash table. scheduler is rr where kube-proxy has none set.
func All(n proxy.Node, entries []*proxy.Entry) []Server {
	var l []Server
	for _, e := range entries {
		p := &e.Port
		c := proxy.Categorize(p, e.Endpoints, n)
		in, out := c.Cluster, c.Cluster
		if p.InternalLocal && len(c.Local) > 0 { // without a local one all others serve
			in = c.Local
		}
		if p.ExternalLocal && len(c.Local) > 0 {
			out = c.Local
		}
		add := func(ip string, port int32, eps []proxy.Endpoint) {
			s := Server{Proto: p.Protocol, Address: ip + ":" + strconv.Itoa(int(port)), Sticky: p.Sticky}
			for i := range eps {
				s.To = append(s.To, eps[i].String())
			}
			l = append(l, s)
		}
		add(p.ClusterIP, p.Port, in)
		for _, ip := range append(append([]string(nil), p.ExternalIPs...), p.LoadBalancerIPs...) {
			add(ip, p.Port, out)
		}
		if p.NodePort != 0 && n.IP != "" {
			add(n.IP, p.NodePort, out)
		}
	}
	sort.Slice(l, func(i, j int) bool {
		if l[i].Proto != l[j].Proto {
			return l[i].Proto < l[j].Proto
		}
		return l[i].Address < l[j].Address
	})
	return l
}

// Lines prints the servers as ipvsadm -Ln does.
func Lines(servers []Server) []string {
	l := []string{"IP Virtual Server version 1.2.1 (size=4096)", "Prot LocalAddress:Port Scheduler Flags",
		"  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn"}
	for _, s := range servers {
		line := s.Proto + strings.Repeat(" ", max(1, 5-len(s.Proto))) + s.Address + " rr"
		if s.Sticky > 0 {
			line += " persistent " + strconv.Itoa(int(s.Sticky))
		}
		l = append(l, line)
		for _, to := range s.To {
			l = append(l, "  -> "+to+strings.Repeat(" ", max(1, 29-len(to)))+"Masq    1      0          0         ")
		}
	}
	return l
}
