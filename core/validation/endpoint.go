package validation

import (
	"net/netip"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The limits of an EndpointSlice (pkg/apis/discovery/validation).
const (
	maxAddresses = 100
	maxEndpoints = 1000
	maxPorts     = 20000
)

// endpoints checks Endpoints (ValidateEndpoints).
func (c *check) endpoints(e *api.Endpoints) {
	c.meta(&e.ObjectMeta, true, isSubdomain)
	for i := range e.Subsets {
		s, p := &e.Subsets[i], field.NewPath("subsets").Index(i)
		if len(s.Addresses)+len(s.NotReadyAddresses) == 0 {
			c.required(p, "must specify `addresses` or `notReadyAddresses`")
		}
		for j := range s.Addresses {
			c.endpointAddress(&s.Addresses[j], p.Child("addresses").Index(j))
		}
		for j := range s.NotReadyAddresses {
			c.endpointAddress(&s.NotReadyAddresses[j], p.Child("notReadyAddresses").Index(j))
		}
		for j := range s.Ports {
			c.endpointPort(&s.Ports[j], len(s.Ports) > 1, p.Child("ports").Index(j))
		}
	}
}

func (c *check) endpointAddress(a *api.EndpointAddress, p *field.Path) {
	c.each(p.Child("ip"), a.IP, isIP(a.IP))
	if a.Hostname != "" {
		c.each(p.Child("hostname"), a.Hostname, isDNSLabel(a.Hostname))
	}
	if a.NodeName != nil {
		c.each(p.Child("nodeName"), *a.NodeName, isSubdomain(*a.NodeName))
	}
	c.each(p.Child("ip"), a.IP, notSpecial(a.IP))
}

func (c *check) endpointPort(e *api.EndpointPort, named bool, p *field.Path) {
	switch {
	case e.Name != "":
		c.each(p.Child("name"), e.Name, isDNSLabel(e.Name))
	case named:
		c.required(p.Child("name"), "")
	}
	c.each(p.Child("port"), e.Port, isPort(e.Port))
	c.oneOf(p.Child("protocol"), e.Protocol, "SCTP", "TCP", "UDP")
	if e.AppProtocol != nil {
		c.labelName(p.Child("appProtocol"), *e.AppProtocol)
	}
}

// endpointSlice checks an EndpointSlice (ValidateEndpointSlice).
func (c *check) endpointSlice(e *api.EndpointSlice) {
	c.meta(&e.ObjectMeta, true, isSubdomain)
	c.lastOnCreate(func() { c.oneOf(field.NewPath("addressType"), e.AddressType, "FQDN", "IPv4", "IPv6") })
	c.slicePorts(e.Ports, field.NewPath("ports"))
	p := field.NewPath("endpoints")
	if len(e.Endpoints) > maxEndpoints {
		c.add(field.TooMany(p, len(e.Endpoints), maxEndpoints))
		return
	}
	for i := range e.Endpoints {
		c.sliceEndpoint(&e.Endpoints[i], e.AddressType, p.Index(i))
	}
}

func (c *check) slicePorts(list []api.EndpointSlicePort, p *field.Path) {
	if len(list) > maxPorts {
		c.add(field.TooMany(p, len(list), maxPorts))
		return
	}
	seen := map[string]bool{}
	for i, e := range list {
		at, name := p.Index(i), ""
		if e.Name != nil {
			name = *e.Name
		}
		if name != "" {
			c.each(at.Child("name"), name, isDNSLabel(name))
		}
		if seen[name] {
			c.duplicate(at.Child("name"), name)
		}
		seen[name] = true
		if e.Protocol == nil {
			c.required(at.Child("protocol"), "")
		} else {
			c.supported(at.Child("protocol"), *e.Protocol, "SCTP", "TCP", "UDP")
		}
		if e.AppProtocol != nil {
			c.labelName(at.Child("appProtocol"), *e.AppProtocol)
		}
	}
}

func (c *check) sliceEndpoint(e *api.Endpoint, kind string, p *field.Path) {
	at := p.Child("addresses")
	c.last(func() {
		if len(e.Addresses) == 0 {
			c.required(at, "")
		} else if len(e.Addresses) > maxAddresses {
			c.add(field.TooMany(at, len(e.Addresses), maxAddresses))
		}
	})
	for i, a := range e.Addresses {
		c.sliceAddress(a, kind, at, i)
	}
	if e.NodeName != nil {
		c.each(p.Child("nodeName"), *e.NodeName, isSubdomain(*e.NodeName))
	}
	c.labels(p.Child("deprecatedTopology"), e.DeprecatedTopology)
	if e.Hostname != nil {
		c.each(p.Child("hostname"), *e.Hostname, isDNSLabel(*e.Hostname))
	}
	if e.Hints != nil {
		c.zoneHints(e.Hints.ForZones, p.Child("hints", "forZones"))
		c.nodeHints(e.Hints.ForNodes, p.Child("hints", "forNodes"))
	}
}

func (c *check) nodeHints(list []api.ForNode, p *field.Path) {
	const most = 8
	if len(list) > most {
		c.add(field.TooMany(p, len(list), most))
		return
	}
	seen := map[string]bool{}
	for i, n := range list {
		at := p.Index(i).Child("name")
		if seen[n.Name] {
			c.duplicate(at, n.Name)
		}
		seen[n.Name] = true
		c.each(at, n.Name, isSubdomain(n.Name))
	}
}

func (c *check) sliceAddress(s, kind string, p *field.Path, i int) {
	switch kind {
	case "IPv4", "IPv6":
		if bad := isIP(s); len(bad) > 0 {
			c.each(p.Index(i), s, bad)
			return
		}
		if a, err := netip.ParseAddr(s); err == nil && a.Is4() != (kind == "IPv4") {
			c.invalid(p, s, "must be an "+kind+" address")
		}
		c.each(p.Index(i), s, notSpecial(s))
	case "FQDN":
		c.each(p.Index(i), s, isSubdomain(s))
	}
}

func (c *check) zoneHints(list []api.ForZone, p *field.Path) {
	if len(list) > 8 {
		c.add(field.TooMany(p, len(list), 8))
		return
	}
	seen := map[string]bool{}
	for i, z := range list {
		at := p.Index(i).Child("name")
		if seen[z.Name] {
			c.duplicate(at, z.Name)
		}
		seen[z.Name] = true
		c.each(at, z.Name, field.IsLabelValue(z.Name))
	}
}
