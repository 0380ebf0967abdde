package apiserver

import (
	"net/netip"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// allocate gives a Service its addresses and node ports before it is validated
// (pkg/registry/core/service/storage/alloc.go).
func (c *call) allocate(obj, old api.Object) *api.Status {
	s, ok := obj.(*api.Service)
	if !ok || c.req.Subresource != "" {
		return nil
	}
	was, _ := old.(*api.Service)
	if was != nil {
		c.gaveUp = givesUpAddress(s, was)
		adopt(s, was)
	}
	normalize(s, was)
	if errs := c.families(s, was); len(errs) > 0 {
		return invalid(c.req.Kind, s.Name, errs)
	}
	if st := c.addresses(s, was); st != nil {
		return st
	}
	if errs := c.nodePorts(s, was); len(errs) > 0 {
		return invalid(c.req.Kind, s.Name, errs)
	}
	return nil
}

// givesUpAddress holds for a writer that leaves out an address which it asked for
// before. The Service keeps the address, but managedFields, which are not kept here,
// change: to the real server that is a write.
func givesUpAddress(s, was *api.Service) bool {
	return s.Spec.ClusterIP == "" && was.Spec.ClusterIP != "" && needsAddress(s) &&
		strings.Contains(was.Annotations["kubectl.kubernetes.io/last-applied-configuration"], `"clusterIP":`+strconv.Quote(was.Spec.ClusterIP))
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

// addresses allocates the cluster addresses of a Service that has none yet, or not
// of all its families.
func (c *call) addresses(s, was *api.Service) *api.Status {
	fresh := was == nil || was.Spec.Type == "ExternalName"
	upgraded := was != nil && len(was.Spec.IPFamilies) == 1 && len(s.Spec.IPFamilies) == 2
	if !needsAddress(s) || !fresh && !upgraded || len(s.Spec.ClusterIPs) > 0 && s.Spec.ClusterIPs[0] == "None" {
		return nil
	}
	all := make([]string, len(s.Spec.IPFamilies))
	copy(all, s.Spec.ClusterIPs)
	for i, family := range s.Spec.IPFamilies {
		if upgraded && i == 0 {
			continue
		}
		ip, st := c.address(s, family, all[i])
		if st != nil {
			return st
		}
		all[i] = ip
	}
	s.Spec.ClusterIPs = all
	if len(all) > 0 {
		s.Spec.ClusterIP = all[0]
	}
	return nil
}

// address checks an address that is asked for, or draws one.
func (c *call) address(s *api.Service, family, given string) (string, *api.Status) {
	r := c.s.rangeOf(family)
	if given == "" {
		key := s.Namespace + "/" + s.Name
		if family != c.s.services[0].family() {
			key += "/" + family
		}
		n := c.s.serials.get("cluster ip/" + key)
		ip := r.free(c.taken, c.s.cfg.Random.Uint64("cluster ip", key, n))
		if !c.req.DryRun {
			c.s.serials.set("cluster ip/"+key, n+1)
		}
		if ip == "" {
			return "", api.NewInternalError("failed to allocate a serviceIP for Service " + strconv.Quote(s.Name) + ": range is full")
		}
		return ip, nil
	}
	a, err := netip.ParseAddr(given)
	why := ""
	switch {
	case err != nil:
	case !r.usable(a):
		why = "the provided network does not match the current range"
	case c.taken(a.String()):
		why = "provided IP is already allocated"
	}
	if why != "" {
		return "", invalid(c.req.Kind, s.Name, field.ErrorList{field.Invalid(field.NewPath("spec", "clusterIPs"), s.Spec.ClusterIPs, "failed to allocate IP "+given+": "+why)})
	}
	return given, nil
}

// rangeOf returns the range of a family, which families has found to be there.
func (s *Server) rangeOf(family string) cidr {
	for _, r := range s.services {
		if r.family() == family {
			return r
		}
	}
	return s.services[0]
}

func (s *Server) configured(family string) bool { return s.rangeOf(family).family() == family }
