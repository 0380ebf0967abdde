package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation"
)

// The range of node ports, and of it the lower band that is left to ports that
// are asked for.
const (
	nodePortMin  = 30000
	nodePortMax  = 32767
	nodePortBand = 86
)

// families settles the address families; the cluster has IPv4 only
// (initIPFamilyFields).
func (c *call) families(s, was *api.Service) field.ErrorList {
	if !needsAddress(s) {
		return nil
	}
	s.Spec.IPFamilyPolicy = policyOf(s, was)
	if errs := validation.ServiceAddresses(s); len(errs) > 0 {
		return errs
	}
	policy := *s.Spec.IPFamilyPolicy
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if policy == "SingleStack" {
		if len(s.Spec.ClusterIPs) == 2 {
			errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"))
		}
		if len(s.Spec.IPFamilies) == 2 {
			errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
		}
	}
	errs = append(errs, inferFamilies(s, spec)...)
	if len(errs) > 0 {
		return errs
	}
	if s.Spec.ClusterIP == "None" && len(s.Spec.Selector) == 0 {
		headlessFamilies(s, policy)
		return nil
	}
	if policy == "RequireDualStack" {
		errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "this cluster is not configured for dual-stack services"))
	}
	for i, f := range s.Spec.IPFamilies {
		if f != "IPv4" {
			errs = append(errs, field.Invalid(spec.Child("ipFamilies").Index(i), f, "not configured on this cluster"))
		}
	}
	if len(errs) == 0 && len(s.Spec.IPFamilies) == 0 {
		s.Spec.IPFamilies = []string{"IPv4"}
	}
	return errs
}

func policyOf(s, was *api.Service) *string {
	policy := "SingleStack"
	switch {
	case s.Spec.IPFamilyPolicy != nil:
		return s.Spec.IPFamilyPolicy
	case was != nil && was.Spec.IPFamilyPolicy != nil:
		return was.Spec.IPFamilyPolicy
	case s.Spec.ClusterIP == "None" && len(s.Spec.Selector) == 0:
		policy = "RequireDualStack"
	}
	return &policy
}

// inferFamilies adds the families of the addresses that are given.
func inferFamilies(s *api.Service, spec *field.Path) (errs field.ErrorList) {
	for i, ip := range s.Spec.ClusterIPs {
		if ip == "None" {
			return nil
		}
		if i < len(s.Spec.IPFamilies) {
			continue
		}
		if isIPv6(ip) {
			errs = append(errs, field.Invalid(spec.Child("clusterIPs").Index(i), s.Spec.ClusterIPs, "IPv6 is not configured on this cluster"))
			continue
		}
		s.Spec.IPFamilies = append(s.Spec.IPFamilies[:i:i], "IPv4")
	}
	return errs
}

func isIPv6(ip string) bool {
	for i := range len(ip) {
		if ip[i] == ':' {
			return true
		}
	}
	return false
}

func headlessFamilies(s *api.Service, policy string) {
	if len(s.Spec.IPFamilies) == 0 {
		s.Spec.IPFamilies = []string{"IPv4"}
	}
	if len(s.Spec.IPFamilies) > 1 || policy == "SingleStack" {
		return
	}
	other := "IPv6"
	if s.Spec.IPFamilies[0] == "IPv6" {
		other = "IPv4"
	}
	s.Spec.IPFamilies = append(s.Spec.IPFamilies[:1:1], other)
}

// nodePorts allocates the ports on the nodes. One number may serve several ports
// of one Service, but not two Services.
func (c *call) nodePorts(s, was *api.Service) (errs field.ErrorList) {
	if s.Spec.Type != "NodePort" && s.Spec.Type != "LoadBalancer" {
		return nil
	}
	used := c.usedPorts(s)
	same := map[int32]int32{}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		if p.NodePort != 0 {
			same[p.Port] = p.NodePort
		}
	}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		switch {
		case p.NodePort != 0:
			if why := refusePort(p.NodePort, used); why != "" {
				return append(errs, field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), p.NodePort, why))
			}
		case !needsNodePort(s):
		case same[p.Port] != 0:
			p.NodePort = same[p.Port]
		default:
			p.NodePort = c.freePort(s, used)
			same[p.Port] = p.NodePort
			used[p.NodePort] = true
		}
	}
	if needsHealthPort(s) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = c.freePort(s, used)
	}
	return errs
}

func refusePort(n int32, used map[int32]bool) string {
	switch {
	case n < nodePortMin || n > nodePortMax:
		return "provided port is not in the valid range. The range of valid ports is 30000-32767"
	case used[n]:
		return "provided port is already allocated"
	}
	return ""
}

func (c *call) usedPorts(but *api.Service) map[int32]bool {
	used := map[int32]bool{}
	c.read.Each("Service", "", func(o api.Object) bool {
		s := o.(*api.Service)
		if s.Namespace == but.Namespace && s.Name == but.Name {
			return true
		}
		for _, p := range s.Spec.Ports {
			used[p.NodePort] = true
		}
		used[s.Spec.HealthCheckNodePort] = true
		return true
	})
	return used
}

func (c *call) freePort(s *api.Service, used map[int32]bool) int32 {
	for n := uint64(0); ; n++ {
		first := nodePortMin + nodePortBand
		p := int32(first + c.s.cfg.Random.Intn("node port", s.Namespace+"/"+s.Name, n, nodePortMax-first+1))
		if !used[p] || n > 1<<16 {
			return p
		}
	}
}
