package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// service checks a Service, whose addresses are allocated already
// (validateService).
func (c *check) service(s *api.Service) {
	sp := &s.Spec
	headless := len(sp.ClusterIPs) == 1 && sp.ClusterIPs[0] == "None"
	if len(sp.Ports) == 0 && !headless && sp.Type != "ExternalName" {
		c.required(specPath.Child("ports"), "")
	}
	c.serviceType(sp, headless)
	c.servicePorts(sp, specPath.Child("ports"))
	c.labels(specPath.Child("selector"), sp.Selector)
	c.oneOf(specPath.Child("sessionAffinity"), sp.SessionAffinity, "ClientIP", "None")
	c.sessionAffinity(sp, specPath.Child("sessionAffinityConfig"))
	c.ClusterIPs(s)
	for i, ip := range sp.ExternalIPs {
		c.externalIP(ip, specPath.Child("externalIPs").Index(i))
	}
	c.oneOf(specPath.Child("type"), sp.Type, "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
	c.distinctPorts(sp, specPath.Child("ports"))
	c.loadBalancer(sp)
	c.traffic(sp)
}

func (c *check) serviceType(sp *api.ServiceSpec, headless bool) {
	switch {
	case headless && (sp.Type == "LoadBalancer" || sp.Type == "NodePort"):
		c.invalid(specPath.Child("clusterIPs").Index(0), "None", "may not be set to 'None' for "+sp.Type+" services")
	case sp.Type != "ExternalName":
		return
	}
	if sp.Type != "ExternalName" {
		return
	}
	const not = "may not be set for ExternalName services"
	if len(sp.ClusterIPs) > 0 {
		c.forbidden(specPath.Child("clusterIPs"), not)
	}
	if len(sp.IPFamilies) > 0 {
		c.forbidden(specPath.Child("ipFamilies"), not)
	}
	if sp.IPFamilyPolicy != nil {
		c.forbidden(specPath.Child("ipFamilyPolicy"), not)
	}
	c.name(specPath.Child("externalName"), strings.TrimSuffix(sp.ExternalName, "."), isSubdomain)
}

func (c *check) servicePorts(sp *api.ServiceSpec, p *field.Path) {
	names := map[string]bool{}
	for i := range sp.Ports {
		port, at := &sp.Ports[i], p.Index(i)
		if len(sp.Ports) > 1 && port.Name == "" {
			c.required(at.Child("name"), "")
		} else if port.Name != "" {
			c.each(at.Child("name"), port.Name, isDNSLabel(port.Name))
			if names[port.Name] {
				c.duplicate(at.Child("name"), port.Name)
			}
			names[port.Name] = true
		}
		c.each(at.Child("port"), port.Port, isPort(port.Port))
		c.oneOf(at.Child("protocol"), port.Protocol, "SCTP", "TCP", "UDP")
		c.portOrName(port.TargetPort, at.Child("targetPort"))
		if port.AppProtocol != nil {
			c.labelName(at.Child("appProtocol"), *port.AppProtocol)
		}
	}
}

const maxAffinitySeconds = 86400

func (c *check) sessionAffinity(sp *api.ServiceSpec, p *field.Path) {
	cfg := sp.SessionAffinityConfig
	const when = "when session affinity type is ClientIP"
	switch {
	case sp.SessionAffinity == "None":
		if cfg != nil {
			c.forbidden(p, "must not be set when session affinity is None")
		}
	case sp.SessionAffinity != "ClientIP":
	case cfg == nil:
		c.required(p, when)
	case cfg.ClientIP == nil:
		c.required(p.Child("clientIP"), when)
	case cfg.ClientIP.TimeoutSeconds == nil:
		c.required(p.Child("clientIP", "timeoutSeconds"), when)
	default:
		if n := *cfg.ClientIP.TimeoutSeconds; n <= 0 || n > maxAffinitySeconds {
			c.invalid(p.Child("clientIP", "timeoutSeconds"), n, "must be greater than 0 and less than 86400")
		}
	}
}

// ServiceAddresses checks what is said about addresses and their families, which
// is done before addresses are allocated too
// (ValidateServiceClusterIPsRelatedFields).
func ServiceAddresses(s *api.Service) field.ErrorList {
	var c check
	c.ClusterIPs(s)
	return c.errs
}

// ClusterIPs checks the addresses of a Service.
func (c *check) ClusterIPs(s *api.Service) {
	sp := &s.Spec
	if sp.Type == "ExternalName" {
		return
	}
	p := specPath.Child("clusterIPs")
	switch {
	case sp.ClusterIP != "" && len(sp.ClusterIPs) == 0:
		c.required(p, "")
	case sp.ClusterIP != "" && sp.ClusterIPs[0] != sp.ClusterIP:
		c.invalid(p, sp.ClusterIPs, "first value must match `clusterIP`")
	case sp.ClusterIP == "" && len(sp.ClusterIPs) != 0:
		c.invalid(p, sp.ClusterIPs, "must be empty when `clusterIP` is not specified")
	}
	c.families(sp)
	before := len(c.errs)
	for i, ip := range sp.ClusterIPs {
		if i > 0 || ip != "None" {
			c.each(p.Index(i), ip, isIP(ip))
		} else if len(sp.ClusterIPs) > 1 {
			c.invalid(p, sp.ClusterIPs, "'None' must be the first and only value")
		}
	}
	wrong := len(c.errs) > before
	if len(sp.ClusterIPs) > 2 {
		c.invalid(p, sp.ClusterIPs, "may only hold up to 2 values")
	}
	if !wrong {
		c.addressFamilies(sp, p)
	}
}

func (c *check) families(sp *api.ServiceSpec) {
	seen := map[string]bool{}
	for i, f := range sp.IPFamilies {
		p := specPath.Child("ipFamilies").Index(i)
		c.supported(p, f, "IPv4", "IPv6")
		if seen[f] {
			c.duplicate(p, f)
		}
		seen[f] = true
	}
	if sp.IPFamilyPolicy != nil {
		c.supported(specPath.Child("ipFamilyPolicy"), *sp.IPFamilyPolicy, "PreferDualStack", "RequireDualStack", "SingleStack")
	}
}

func (c *check) addressFamilies(sp *api.ServiceSpec, p *field.Path) {
	if len(sp.ClusterIPs) > 1 && family(sp.ClusterIPs[0]) == family(sp.ClusterIPs[1]) {
		c.invalid(p, sp.ClusterIPs, "may specify no more than one IP for each IP family")
	}
	for i, ip := range sp.ClusterIPs {
		if i < len(sp.IPFamilies) && ip != "None" && family(ip) != sp.IPFamilies[i] {
			c.invalid(p.Index(i), ip, "expected an "+sp.IPFamilies[i]+" value as indicated by `ipFamilies["+strconv.Itoa(i)+"]`")
		}
	}
}

func family(ip string) string {
	if strings.Contains(ip, ":") {
		return "IPv6"
	}
	return "IPv4"
}

// externalIP checks an address that cannot be one of the node itself.
func (c *check) externalIP(ip string, p *field.Path) {
	if msgs := isIP(ip); len(msgs) > 0 {
		c.each(p, ip, msgs)
		return
	}
	c.each(p, ip, notSpecial(ip))
}

func (c *check) distinctPorts(sp *api.ServiceSpec, p *field.Path) {
	type key struct {
		protocol string
		port     int32
	}
	for i := range sp.Ports {
		if sp.Type == "ClusterIP" && sp.Ports[i].NodePort != 0 {
			c.forbidden(p.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'")
		}
	}
	nodes := map[key]bool{}
	for i, port := range sp.Ports {
		k := key{port.Protocol, port.NodePort}
		if port.NodePort != 0 && nodes[k] {
			c.duplicate(p.Index(i).Child("nodePort"), port.NodePort)
		}
		nodes[k] = true
	}
	ports := map[key]bool{}
	for i, port := range sp.Ports {
		k := key{port.Protocol, port.Port}
		if ports[k] {
			c.duplicate(p.Index(i), field.JSON(`{"Name":"","Protocol":"`+port.Protocol+`","AppProtocol":null,"Port":`+
				strconv.Itoa(int(port.Port))+`,"TargetPort":0,"NodePort":0}`))
		}
		ports[k] = true
	}
}

func (c *check) loadBalancer(sp *api.ServiceSpec) {
	const only = "may only be used when `type` is 'LoadBalancer'"
	is := sp.Type == "LoadBalancer"
	if len(sp.LoadBalancerSourceRanges) > 0 {
		p := specPath.Child("LoadBalancerSourceRanges")
		if !is {
			c.forbidden(p, only)
		}
		for i, r := range sp.LoadBalancerSourceRanges {
			r = strings.TrimSpace(r)
			c.each(p.Index(i), r, isCIDR(r))
		}
	}
	switch p := specPath.Child("allocateLoadBalancerNodePorts"); {
	case sp.AllocateLoadBalancerNodePorts != nil && !is:
		c.forbidden(p, only)
	case sp.AllocateLoadBalancerNodePorts == nil && is:
		c.required(field.NewPath("allocateLoadBalancerNodePorts"), "")
	}
	switch p := specPath.Child("loadBalancerClass"); {
	case sp.LoadBalancerClass == nil:
	case is:
		c.labelName(p, *sp.LoadBalancerClass)
	default:
		c.forbidden(p, only)
	}
}

func (c *check) traffic(sp *api.ServiceSpec) {
	external := sp.Type == "NodePort" || sp.Type == "LoadBalancer" || sp.Type == "ClusterIP" && len(sp.ExternalIPs) > 0
	if p := specPath.Child("externalTrafficPolicy"); external {
		c.oneOf(p, sp.ExternalTrafficPolicy, "Cluster", "Local")
	} else if sp.ExternalTrafficPolicy != "" {
		c.invalid(p, sp.ExternalTrafficPolicy, "may only be set for externally-accessible services")
	}
	p := specPath.Child("healthCheckNodePort")
	switch needs := sp.Type == "LoadBalancer" && sp.ExternalTrafficPolicy == "Local"; {
	case !needs && sp.HealthCheckNodePort != 0:
		c.invalid(p, sp.HealthCheckNodePort, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
	case needs && sp.HealthCheckNodePort == 0:
		c.required(p, "")
	case needs:
		c.each(p, sp.HealthCheckNodePort, isPort(sp.HealthCheckNodePort))
	}
	inner := specPath.Child("internalTrafficPolicy")
	if sp.InternalTrafficPolicy != nil {
		c.supported(inner, *sp.InternalTrafficPolicy, "Cluster", "Local")
	} else if sp.Type == "NodePort" || sp.Type == "LoadBalancer" || sp.Type == "ClusterIP" {
		c.required(inner, "")
	}
	if d := sp.TrafficDistribution; d != nil {
		c.supported(specPath.Child("trafficDistribution"), *d, "PreferClose", "PreferSameZone", "PreferSameNode")
	}
}
