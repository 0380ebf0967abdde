package apiserver

import (
	"net/netip"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// cidr is the range of service addresses (IPv4).
type cidr struct {
	prefix netip.Prefix
	size   uint32
}

func parseCIDR(s string) cidr {
	p, err := netip.ParsePrefix(s)
	if err != nil || !p.Addr().Is4() || p.Bits() > 30 {
		panic("apiserver: the service range must be an IPv4 prefix of at most 30 bits, not " + strconv.Quote(s))
	}
	return cidr{p.Masked(), 1 << (32 - p.Bits())}
}

// at returns the n-th address of the range.
func (r cidr) at(n uint32) netip.Addr {
	b := r.prefix.Addr().As4()
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	v += n
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
}

// usable reports whether an address is of the range, but not its first or last.
func (r cidr) usable(a netip.Addr) bool {
	return r.prefix.Contains(a) && a != r.at(0) && a != r.at(r.size-1)
}

// allocate gives a Service its addresses and node ports before it is validated
// (pkg/registry/core/service/storage/alloc.go).
func (c *call) allocate(obj, old api.Object) *api.Status {
	s, ok := obj.(*api.Service)
	if !ok || c.req.Subresource != "" {
		return nil
	}
	was, _ := old.(*api.Service)
	if was != nil {
		adopt(s, was)
	}
	normalize(s, was)
	steps := []func(*api.Service, *api.Service) field.ErrorList{c.families, c.addresses, c.nodePorts}
	for _, step := range steps {
		if errs := step(s, was); len(errs) > 0 {
			return invalid(c.req.Kind, s.Name, errs)
		}
	}
	return nil
}

func needsAddress(s *api.Service) bool { return s.Spec.Type != "ExternalName" }

func needsNodePort(s *api.Service) bool {
	return s.Spec.Type == "NodePort" || s.Spec.Type == "LoadBalancer" &&
		(s.Spec.AllocateLoadBalancerNodePorts == nil || *s.Spec.AllocateLoadBalancerNodePorts)
}

func needsHealthPort(s *api.Service) bool {
	return s.Spec.Type == "LoadBalancer" && s.Spec.ExternalTrafficPolicy == "Local"
}

// adopt keeps what was allocated before and is left out now.
func adopt(s, was *api.Service) {
	if needsAddress(s) && needsAddress(was) {
		if s.Spec.ClusterIP == "" {
			s.Spec.ClusterIP = was.Spec.ClusterIP
		}
		if len(s.Spec.ClusterIPs) == 0 {
			s.Spec.ClusterIPs = was.Spec.ClusterIPs
		}
	}
	if needsNodePort(s) && needsNodePort(was) {
		adoptPorts(s.Spec.Ports, was.Spec.Ports)
	}
	if needsHealthPort(s) && needsHealthPort(was) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = was.Spec.HealthCheckNodePort
	}
}

func adoptPorts(ports, was []api.ServicePort) {
	known, used := map[string]int32{}, map[int32]bool{}
	for _, p := range was {
		known[p.Name] = p.NodePort
	}
	for _, p := range ports {
		used[p.NodePort] = true
	}
	for i := range ports {
		if n := known[ports[i].Name]; ports[i].NodePort == 0 && !used[n] {
			ports[i].NodePort = n
		}
	}
}

// normalize makes the list of addresses follow the single one.
func normalize(s, was *api.Service) {
	one, all := s.Spec.ClusterIP, s.Spec.ClusterIPs
	switch {
	case was == nil && one != "" && len(all) == 0:
		s.Spec.ClusterIPs = []string{one}
	case was == nil || one == was.Spec.ClusterIP || !api.Equal(all, was.Spec.ClusterIPs):
	case one == "":
		s.Spec.ClusterIPs = nil
	default:
		s.Spec.ClusterIPs = []string{one}
	}
}

// addresses allocates the cluster address of a Service that has none yet.
func (c *call) addresses(s, was *api.Service) field.ErrorList {
	fresh := was == nil || was.Spec.Type == "ExternalName"
	if !fresh || !needsAddress(s) || len(s.Spec.ClusterIPs) > 0 && s.Spec.ClusterIPs[0] == "None" {
		return nil
	}
	given := ""
	if len(s.Spec.ClusterIPs) > 0 {
		given = s.Spec.ClusterIPs[0]
	}
	path := field.NewPath("spec", "clusterIPs")
	used := c.usedAddresses(s)
	if given != "" {
		a, err := netip.ParseAddr(given)
		switch {
		case err != nil:
			return nil
		case !c.s.services.usable(a):
			return field.ErrorList{field.Invalid(path, s.Spec.ClusterIPs, "failed to allocate IP "+given+": the provided network does not match the current range")}
		case used[given]:
			return field.ErrorList{field.Invalid(path, s.Spec.ClusterIPs, "failed to allocate IP "+given+": provided IP is already allocated")}
		}
		return nil
	}
	s.Spec.ClusterIP = c.freeAddress(s, used)
	s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	return nil
}

func (c *call) usedAddresses(but *api.Service) map[string]bool {
	used := map[string]bool{}
	c.read.Each("Service", "", func(o api.Object) bool {
		if s := o.(*api.Service); s.Namespace != but.Namespace || s.Name != but.Name {
			used[s.Spec.ClusterIP] = true
		}
		return true
	})
	return used
}

// freeAddress draws an address above the lower band, which is left to addresses
// that are asked for (pkg/registry/core/service/ipallocator).
func (c *call) freeAddress(s *api.Service, used map[string]bool) string {
	r := c.s.services
	band := min(max(r.size/16, 16), 256)
	room := r.size - 2 - band
	for n := uint64(0); ; n++ {
		i := uint32(c.s.cfg.Random.Uint64("cluster ip", s.Namespace+"/"+s.Name, n)%uint64(room)) + band
		if a := r.at(i + 1).String(); !used[a] {
			return a
		}
	}
}
