package proxy

import (
	"net/netip"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// Port is one port of a Service (pkg/proxy/serviceport.go). Addresses are of one
// family only.
type Port struct {
	Namespace, Service string
	Name               string // of the port, may be ""
	Protocol           string // TCP, UDP or SCTP
	ClusterIP          string
	Port               int32
	NodePort           int32 // 0: none
	ExternalIPs        []string
	LoadBalancerIPs    []string
	SourceRanges       []string // CIDRs, none is all
	HealthCheckPort    int32    // 0: none
	Sticky             int32    // seconds of session affinity by client address, 0: none
	ExternalLocal      bool
	InternalLocal      bool
}

// String returns namespace/service:port, as the comments of rules name it.
func (p *Port) String() string {
	s := p.Namespace + "/" + p.Service
	if p.Name != "" {
		s += ":" + p.Name
	}
	return s
}

// Proto returns the protocol in small letters.
func (p *Port) Proto() string { return strings.ToLower(p.Protocol) }

// External reports whether anything but the cluster address leads to the port.
func (p *Port) External() bool {
	return p.NodePort != 0 || len(p.LoadBalancerIPs) > 0 || len(p.ExternalIPs) > 0
}

// UsesCluster reports whether traffic may go to endpoints on any node.
func (p *Port) UsesCluster() bool { return !p.InternalLocal || p.External() }

// UsesLocal reports whether some traffic goes to endpoints of the node only.
func (p *Port) UsesLocal() bool { return p.InternalLocal || p.ExternalLocal && p.External() }

// Ports returns what a proxy of one family (IPv4 or IPv6) makes of a Service:
// nothing for one without a cluster address (pkg/proxy/util/utils.go ShouldSkipService).
func Ports(s *api.Service, family string) []Port {
	if s.Spec.ClusterIP == "" || s.Spec.ClusterIP == "None" || s.Spec.Type == "ExternalName" || s.Labels["service.kubernetes.io/service-proxy-name"] != "" {
		return nil
	}
	ip := clusterIP(s, family)
	if ip == "" {
		return nil
	}
	base := Port{Namespace: s.Namespace, Service: s.Name, ClusterIP: ip,
		ExternalIPs: ofFamily(s.Spec.ExternalIPs, family), SourceRanges: ranges(s, family), LoadBalancerIPs: balancers(s, family),
		InternalLocal: s.Spec.InternalTrafficPolicy != nil && *s.Spec.InternalTrafficPolicy == "Local",
		ExternalLocal: reachableFromOutside(s) && s.Spec.ExternalTrafficPolicy == "Local"}
	if s.Spec.SessionAffinity == "ClientIP" {
		base.Sticky = 10800
		if c := s.Spec.SessionAffinityConfig; c != nil && c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil {
			base.Sticky = *c.ClientIP.TimeoutSeconds
		}
	}
	if s.Spec.Type == "LoadBalancer" && s.Spec.ExternalTrafficPolicy == "Local" {
		base.HealthCheckPort = s.Spec.HealthCheckNodePort
	}
	ports := make([]Port, 0, len(s.Spec.Ports))
	for i := range s.Spec.Ports {
		sp, p := &s.Spec.Ports[i], base
		p.Name, p.Protocol, p.Port, p.NodePort = sp.Name, sp.Protocol, sp.Port, sp.NodePort
		if p.Protocol == "" {
			p.Protocol = "TCP"
		}
		ports = append(ports, p)
	}
	return ports
}

// reachableFromOutside: pkg/api/v1/service/util.go ExternallyAccessible.
func reachableFromOutside(s *api.Service) bool {
	return s.Spec.Type == "LoadBalancer" || s.Spec.Type == "NodePort" || s.Spec.Type == "ClusterIP" && len(s.Spec.ExternalIPs) > 0
}

func clusterIP(s *api.Service, family string) string {
	for _, ip := range s.Spec.ClusterIPs {
		if FamilyOf(ip) == family {
			return ip
		}
	}
	if FamilyOf(s.Spec.ClusterIP) == family {
		return s.Spec.ClusterIP
	}
	return ""
}

// FamilyOf returns IPv4 or IPv6 for an address or a CIDR.
func FamilyOf(ip string) string {
	if strings.Contains(ip, ":") {
		return "IPv6"
	}
	return "IPv4"
}

func ofFamily(ips []string, family string) (l []string) {
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && FamilyOf(ip) == family {
			l = append(l, a.String())
		}
	}
	return l
}

// ranges returns the source ranges, none if one of them lets everybody in.
func ranges(s *api.Service, family string) (l []string) {
	for _, r := range s.Spec.LoadBalancerSourceRanges {
		p, err := netip.ParsePrefix(strings.TrimSpace(r))
		if err != nil || FamilyOf(r) != family {
			continue
		}
		if p.Bits() == 0 {
			return nil
		}
		l = append(l, p.Masked().String())
	}
	return l
}

func balancers(s *api.Service, family string) (l []string) {
	for _, in := range s.Status.LoadBalancer.Ingress {
		if in.IP != "" && (in.IPMode == nil || *in.IPMode == "VIP") && FamilyOf(in.IP) == family {
			l = append(l, in.IP)
		}
	}
	return l
}

// Endpoint is an address behind a port (pkg/proxy/endpoint.go).
type Endpoint struct {
	IP                          string
	Port                        int32
	Node                        string // "" unknown
	Ready, Serving, Terminating bool
	Zones, Nodes                []string // hints
}

// String returns address:port.
func (e *Endpoint) String() string {
	if strings.Contains(e.IP, ":") {
		return "[" + e.IP + "]:" + strconv.Itoa(int(e.Port))
	}
	return e.IP + ":" + strconv.Itoa(int(e.Port))
}

// Endpoints returns the endpoints that the slices of a Service give to one of its
// ports, sorted as texts (pkg/proxy/endpointslicecache.go).
func Endpoints(slices []*api.EndpointSlice, p *Port) []Endpoint {
	set := map[string]int{}
	var l []Endpoint
	for _, s := range slices {
		if s.AddressType != FamilyOf(p.ClusterIP) {
			continue
		}
		for i := range s.Ports {
			sp := &s.Ports[i]
			if sp.Name == nil || *sp.Name != p.Name || sp.Port == nil || *sp.Port == 0 || sp.Protocol == nil || *sp.Protocol != p.Protocol {
				continue
			}
			for j := range s.Endpoints {
				l = merge(l, set, &s.Endpoints[j], *sp.Port)
			}
		}
	}
	sort.Slice(l, func(i, j int) bool { return l[i].String() < l[j].String() })
	return l
}

func merge(l []Endpoint, set map[string]int, e *api.Endpoint, port int32) []Endpoint {
	if len(e.Addresses) == 0 {
		return l
	}
	ep := Endpoint{IP: e.Addresses[0], Port: port, Ready: e.Conditions.Ready == nil || *e.Conditions.Ready,
		Serving: e.Conditions.Serving == nil || *e.Conditions.Serving, Terminating: e.Conditions.Terminating != nil && *e.Conditions.Terminating}
	if e.NodeName != nil {
		ep.Node = *e.NodeName
	}
	if e.Hints != nil {
		for _, z := range e.Hints.ForZones {
			ep.Zones = append(ep.Zones, z.Name)
		}
		for _, n := range e.Hints.ForNodes {
			ep.Nodes = append(ep.Nodes, n.Name)
		}
	}
	name := ep.String()
	at, known := set[name]
	switch {
	case !known:
		set[name] = len(l)
		return append(l, ep)
	case !ep.Terminating:
		l[at] = ep
	}
	return l
}
