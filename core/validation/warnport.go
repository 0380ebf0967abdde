package validation

import (
	"fmt"
	"net/netip"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// placedPort is a container's port and where it stands.
type placedPort struct {
	at   *field.Path
	port *api.ContainerPort
}

// ports notes ports that are named or numbered alike, over all containers.
func (n *notes) ports(s *api.PodSpec, p *field.Path) {
	var all []placedPort
	visit(s, p, func(c *api.Container, at *field.Path) {
		for i := range c.Ports {
			all = append(all, placedPort{at.Child("ports").Index(i), &c.Ports[i]})
		}
	})
	for i, x := range all {
		if x.port.HostIP != "" && x.port.HostPort == 0 {
			n.at(x.at, fmt.Sprintf("hostIP set without hostPort: {Name:%s HostPort:0 ContainerPort:%d Protocol:%s HostIP:%s}",
				x.port.Name, x.port.ContainerPort, x.port.Protocol, x.port.HostIP))
		}
		for _, other := range all[:i] {
			if text := clash(x.port, other.port); text != "" {
				n.at(x.at, text+" port definition with "+other.at.String())
			}
		}
	}
	first := map[string]*field.Path{}
	for _, x := range all {
		if o := first[x.port.Name]; x.port.Name != "" && o != nil {
			n.at(x.at, "duplicate port name "+strconv.Quote(x.port.Name)+" with "+o.String()+
				", services and probes that select ports by name will use "+o.String())
		} else {
			first[x.port.Name] = x.at
		}
	}
}

// clash says in what way two ports are one, or "".
func clash(a, b *api.ContainerPort) string {
	switch {
	case a.ContainerPort != b.ContainerPort || a.Protocol != b.Protocol:
		return ""
	case a.HostIP == b.HostIP && a.HostPort == b.HostPort:
		return "duplicate"
	case a.HostPort == 0 || b.HostPort == 0:
		return "overlapping"
	case a.HostPort == b.HostPort && (a.HostIP == "") != (b.HostIP == ""):
		return "dangerously ambiguous"
	}
	return ""
}

func (n *notes) addresses(s *api.PodSpec, p *field.Path) {
	if s.DNSConfig != nil {
		for i, ns := range s.DNSConfig.Nameservers {
			n.address(p.Child("dnsConfig", "nameservers").Index(i), ns)
		}
	}
	for i, a := range s.HostAliases {
		n.address(p.Child("hostAliases").Index(i).Child("ip"), a.IP)
	}
}

// address notes an IPv6 address that is not in its shortest form. What is no
// address at all was refused before.
func (n *notes) address(p *field.Path, s string) {
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() && !a.Is4In6() && a.String() != s {
		n.at(p, "IPv6 address "+strconv.Quote(s)+" should be in RFC 5952 canonical format ("+strconv.Quote(a.String())+")")
	}
}

// cidr is address for ranges.
func (n *notes) cidr(p *field.Path, s string) {
	if x, err := netip.ParsePrefix(s); err == nil && x.Addr().Is6() && x.String() != s {
		n.at(p, "IPv6 CIDR value "+strconv.Quote(s)+" should be in RFC 5952 canonical format ("+strconv.Quote(x.String())+")")
	}
}
