package printer

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

func serviceCells(s *api.Service, now int64) []string {
	ip := "<none>"
	if len(s.Spec.ClusterIPs) > 0 {
		ip = s.Spec.ClusterIPs[0]
	}
	return []string{s.Name, s.Spec.Type, ip, externalIP(s), or(servicePorts(s.Spec.Ports), "<none>"),
		age.Since(now, s.CreationTimestamp), Labels(s.Spec.Selector)}
}

func externalIP(s *api.Service) string {
	given := strings.Join(s.Spec.ExternalIPs, ",")
	switch s.Spec.Type {
	case "ClusterIP", "NodePort":
		return or(given, "<none>")
	case "LoadBalancer":
		var as api.IngressLoadBalancerStatus
		for _, i := range s.Status.LoadBalancer.Ingress {
			as.Ingress = append(as.Ingress, api.IngressLoadBalancerIngress{IP: i.IP, Hostname: i.Hostname})
		}
		balanced := IngressAddresses(as)
		if balanced != "" && given != "" {
			return balanced + "," + given
		}
		return or(or(balanced, given), "<pending>")
	case "ExternalName":
		return s.Spec.ExternalName
	}
	return "<unknown>"
}

func servicePorts(ports []api.ServicePort) string {
	var out []string
	for _, p := range ports {
		text := num(p.Port)
		if p.NodePort > 0 {
			text += ":" + num(p.NodePort)
		}
		out = append(out, text+"/"+p.Protocol)
	}
	return strings.Join(out, ",")
}

// atMost joins the first three of a list and says how many more there are.
func atMost(list []string, none string) string {
	const shown = 3
	if more := len(list) - shown; more > 0 {
		return strings.Join(list[:shown], ",") + " + " + num(more) + " more..."
	}
	return or(strings.Join(list, ","), none)
}

func endpointsCells(e *api.Endpoints, now int64) []string {
	text := "<none>"
	if len(e.Subsets) > 0 {
		text = atMost(endpointAddresses(e), "")
	}
	return []string{e.Name, text, age.Since(now, e.CreationTimestamp)}
}

func endpointAddresses(e *api.Endpoints) []string {
	var list []string
	for _, s := range e.Subsets {
		for _, p := range s.Ports {
			for _, a := range s.Addresses {
				list = append(list, HostPort(a.IP, num(p.Port)))
			}
		}
		if len(s.Ports) == 0 {
			for _, a := range s.Addresses {
				list = append(list, a.IP)
			}
		}
	}
	return list
}

func sliceCells(e *api.EndpointSlice, now int64) []string {
	var ports, addresses []string
	for _, p := range e.Ports {
		switch {
		case p.Port != nil:
			ports = append(ports, num(*p.Port))
		default:
			ports = append(ports, deref(p.Name, "*"))
		}
	}
	for _, e := range e.Endpoints {
		addresses = append(addresses, e.Addresses...)
	}
	return []string{e.Name, e.AddressType, atMost(ports, "<unset>"), atMost(addresses, "<unset>"), age.Since(now, e.CreationTimestamp)}
}

func ingressCells(i *api.Ingress, now int64) []string {
	ports := "80"
	if len(i.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []string{i.Name, deref(i.Spec.IngressClassName, "<none>"), hosts(i.Spec.Rules), IngressAddresses(i.Status.LoadBalancer),
		ports, age.Since(now, i.CreationTimestamp)}
}

// hosts names three hosts at most; how many more there are counts the rules.
func hosts(rules []api.IngressRule) string {
	var list []string
	for _, r := range rules {
		if len(list) == 3 {
			return strings.Join(list, ",") + " + " + num(len(rules)-3) + " more..."
		}
		if r.Host != "" {
			list = append(list, r.Host)
		}
	}
	return or(strings.Join(list, ","), "*")
}

// ipAddressCells has no age: the real server counts it out but names no column.
func ipAddressCells(a *api.IPAddress, _ int64) []string {
	parent := "<none>"
	if r := a.Spec.ParentRef; r != nil {
		parent = r.Resource
		if r.Group != "" {
			parent += "." + r.Group
		}
		parent = strings.ToLower(parent) + "/"
		if r.Namespace != "" {
			parent += r.Namespace + "/"
		}
		parent += r.Name
	}
	return []string{a.Name, parent}
}

func serviceCIDRCells(c *api.ServiceCIDR, now int64) []string {
	return []string{c.Name, strings.Join(c.Spec.CIDRs, ","), age.Since(now, c.CreationTimestamp)}
}

func ingressClassCells(c *api.IngressClass, now int64) []string {
	name, parameters := c.Name, "<none>"
	if c.Annotations["ingressclass.kubernetes.io/is-default-class"] == "true" {
		name += " (default)"
	}
	if p := c.Spec.Parameters; p != nil {
		parameters = p.Kind
		if p.APIGroup != nil {
			parameters += "." + *p.APIGroup
		}
		parameters += "/" + p.Name
	}
	return []string{name, c.Spec.Controller, parameters, age.Since(now, c.CreationTimestamp)}
}

func networkPolicyCells(p *api.NetworkPolicy, now int64) []string {
	return []string{p.Name, api.FormatLabelSelector(&p.Spec.PodSelector), age.Since(now, p.CreationTimestamp)}
}
