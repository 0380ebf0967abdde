package validation

import (
	"net/netip"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) ingress(i *api.Ingress) {
	c.meta(&i.ObjectMeta, true, isSubdomain)
	s := &i.Spec
	if len(s.Rules) == 0 && s.DefaultBackend == nil {
		c.invalid(specPath, s.Rules, "either `defaultBackend` or `rules` must be specified")
	}
	if s.DefaultBackend != nil {
		c.backend(s.DefaultBackend, specPath.Child("defaultBackend"))
	}
	for n := range s.Rules {
		c.ingressRule(&s.Rules[n], specPath.Child("rules").Index(n))
	}
	for n, t := range s.TLS {
		p := specPath.Child("tls").Index(n)
		for h, host := range t.Hosts {
			c.host(host, p.Child("hosts").Index(h))
		}
		if t.SecretName != "" {
			c.each(p.Child("secretName"), t.SecretName, isSubdomain(t.SecretName))
		}
	}
	if n := s.IngressClassName; n != nil {
		c.each(specPath.Child("ingressClassName"), *n, isSubdomain(*n))
	}
}

func (c *check) host(s string, p *field.Path) {
	if strings.Contains(s, "*") {
		c.each(p, s, isWildcard(s))
		return
	}
	c.each(p, s, isSubdomain(s))
}

func (c *check) ingressRule(r *api.IngressRule, p *field.Path) {
	if r.Host != "" {
		if _, err := netip.ParseAddr(r.Host); err == nil {
			c.invalid(p.Child("host"), r.Host, "must be a DNS name, not an IP address")
		}
		c.host(r.Host, p.Child("host"))
	}
	if r.HTTP == nil {
		return
	}
	paths := p.Child("http", "paths")
	if len(r.HTTP.Paths) == 0 {
		c.required(paths, "")
	}
	for i := range r.HTTP.Paths {
		c.ingressPath(&r.HTTP.Paths[i], paths.Index(i))
	}
}

func (c *check) ingressPath(h *api.HTTPIngressPath, p *field.Path) {
	if h.PathType == nil {
		c.required(p.Child("pathType"), "pathType must be specified")
		return
	}
	at := p.Child("path")
	absolute := strings.HasPrefix(h.Path, "/")
	switch *h.PathType {
	case "Exact", "Prefix":
		if !absolute {
			c.invalid(at, h.Path, "must be an absolute path")
		}
		c.pathSequences(h.Path, at)
	case "ImplementationSpecific":
		if h.Path != "" && !absolute {
			c.invalid(at, h.Path, "must be an absolute path")
		}
	default:
		c.unsupported(p.Child("pathType"), *h.PathType, "Exact", "ImplementationSpecific", "Prefix")
	}
	c.backend(&h.Backend, p.Child("backend"))
}

func (c *check) pathSequences(path string, p *field.Path) {
	for _, s := range []string{"//", "/./", "/../", "%2f", "%2F"} {
		if strings.Contains(path, s) {
			c.invalid(p, path, "must not contain '"+s+"'")
		}
	}
	for _, s := range []string{"/..", "/."} {
		if strings.HasSuffix(path, s) {
			c.invalid(p, path, "cannot end with '"+s+"'")
		}
	}
}

func (c *check) backend(b *api.IngressBackend, p *field.Path) {
	switch {
	case b.Resource != nil && b.Service != nil:
		c.invalid(p, "", "cannot set both resource and service backends")
	case b.Resource != nil:
		if g := b.Resource.APIGroup; g != nil {
			c.each(p.Child("resource", "apiGroup"), *g, isSubdomain(*g))
		}
		c.name(p.Child("resource", "kind"), b.Resource.Kind, isSegment)
		c.name(p.Child("resource", "name"), b.Resource.Name, isSegment)
	case b.Service == nil:
		c.invalid(p, "", "resource or service backend is required")
	default:
		c.serviceBackend(b.Service, p)
	}
}

func (c *check) serviceBackend(s *api.IngressServiceBackend, p *field.Path) {
	c.name(p.Child("service", "name"), s.Name, isDNSLabel)
	switch port := p.Child("service", "port"); {
	case s.Port.Name != "" && s.Port.Number != 0:
		c.invalid(p, "", "cannot set both port name & port number")
	case s.Port.Name != "":
		c.each(port.Child("name"), s.Port.Name, isPortName(s.Port.Name))
	case s.Port.Number != 0:
		c.each(port.Child("number"), s.Port.Number, isPort(s.Port.Number))
	default:
		c.required(p, "port name or number is required")
	}
}

func (c *check) ingressClass(i *api.IngressClass) {
	c.meta(&i.ObjectMeta, false, isSubdomain)
	if len(i.Spec.Controller) > 250 {
		c.add(field.TooLong(specPath.Child("controller"), "", 250))
	}
	c.domainPath(i.Spec.Controller, specPath.Child("controller"))
	r, p := i.Spec.Parameters, specPath.Child("parameters")
	if r == nil {
		return
	}
	if r.APIGroup != nil {
		c.each(p.Child("apiGroup"), *r.APIGroup, isSubdomain(*r.APIGroup))
	}
	for _, f := range []struct{ name, value string }{{"kind", r.Kind}, {"name", r.Name}} {
		if f.value == "" {
			c.last(func() { c.required(p.Child(f.name), "") })
		} else {
			c.each(p.Child(f.name), f.value, isSegment(f.value))
		}
	}
	switch at := p.Child("namespace"); {
	case r.Scope == nil:
		c.required(p.Child("scope"), "")
	case *r.Scope == "Namespace" && r.Namespace == nil:
		c.required(at, "`parameters.scope` is set to 'Namespace'")
	case *r.Scope == "Namespace":
		c.each(at, *r.Namespace, isDNSLabel(*r.Namespace))
	case *r.Scope != "Cluster":
		c.unsupported(p.Child("scope"), *r.Scope, "Cluster", "Namespace")
	case r.Namespace != nil:
		c.forbidden(at, "`parameters.scope` is set to 'Cluster'")
	}
}

func (c *check) networkPolicy(n *api.NetworkPolicy) {
	c.meta(&n.ObjectMeta, true, isSubdomain)
	s := &n.Spec
	c.selector(specPath.Child("podSelector"), &s.PodSelector)
	for i := range s.Ingress {
		c.policyRule(s.Ingress[i].Ports, s.Ingress[i].From, specPath.Child("ingress").Index(i), "from")
	}
	for i := range s.Egress {
		c.policyRule(s.Egress[i].Ports, s.Egress[i].To, specPath.Child("egress").Index(i), "to")
	}
	if len(s.PolicyTypes) > 2 {
		c.invalid(specPath.Child("policyTypes"), s.PolicyTypes, "may not specify more than two policyTypes")
		return
	}
	for i, t := range s.PolicyTypes {
		c.supported(specPath.Child("policyTypes").Index(i), t, "Ingress", "Egress")
	}
}

func (c *check) policyRule(ports []api.NetworkPolicyPort, peers []api.NetworkPolicyPeer, p *field.Path, side string) {
	for i := range ports {
		c.policyPort(&ports[i], p.Child("ports").Index(i))
	}
	for i := range peers {
		c.peer(&peers[i], p.Child(side).Index(i))
	}
}

func (c *check) policyPort(port *api.NetworkPolicyPort, p *field.Path) {
	if port.Protocol != nil {
		c.supported(p.Child("protocol"), *port.Protocol, "TCP", "UDP", "SCTP")
	}
	end := p.Child("endPort")
	switch {
	case port.Port == nil:
		if port.EndPort != nil {
			c.invalid(end, *port.EndPort, "may not be specified when `port` is not specified")
		}
	case port.Port.IsString:
		if port.EndPort != nil {
			c.invalid(end, *port.EndPort, "may not be specified when `port` is non-numeric")
		}
		c.each(p.Child("port"), port.Port.Str, isPortName(port.Port.Str))
	default:
		c.each(p.Child("port"), port.Port.Int, isPort(port.Port.Int))
		if port.EndPort == nil {
			return
		}
		if *port.EndPort < port.Port.Int {
			c.invalid(end, *port.EndPort, "must be greater than or equal to `port`")
		}
		c.each(end, *port.EndPort, isPort(*port.EndPort))
	}
}

func (c *check) peer(n *api.NetworkPolicyPeer, p *field.Path) {
	c.selector(p.Child("podSelector"), n.PodSelector)
	c.selector(p.Child("namespaceSelector"), n.NamespaceSelector)
	if n.IPBlock != nil {
		c.ipBlock(n.IPBlock, p.Child("ipBlock"))
	}
	selectors := n.PodSelector != nil || n.NamespaceSelector != nil
	switch {
	case !selectors && n.IPBlock == nil:
		c.required(p, "must specify a peer")
	case selectors && n.IPBlock != nil:
		c.forbidden(p, "may not specify both ipBlock and another peer")
	}
}

func (c *check) ipBlock(b *api.IPBlock, p *field.Path) {
	if b.CIDR == "" {
		c.last(func() { c.required(p.Child("cidr"), "") })
		return
	}
	c.each(p.Child("cidr"), b.CIDR, isCIDR(b.CIDR))
	whole, err := netip.ParsePrefix(b.CIDR)
	if err != nil {
		return
	}
	for i, e := range b.Except {
		at := p.Child("except").Index(i)
		c.each(at, e, isCIDR(e))
		part, err := netip.ParsePrefix(e)
		if err == nil && (!whole.Contains(part.Addr()) || whole.Bits() >= part.Bits()) {
			c.invalid(at, e, "must be a strict subset of `cidr`")
		}
	}
}
