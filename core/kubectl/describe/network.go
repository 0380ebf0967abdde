package describe

import (
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

const serviceNameLabel = "kubernetes.io/service-name"

func (p *page) service(s *api.Service) {
	p.named(&s.ObjectMeta)
	p.meta(&s.ObjectMeta)
	p.field(0, "Selector", printer.Labels(s.Spec.Selector))
	p.field(0, "Type", s.Spec.Type)
	p.optional("IP Family Policy", deref(s.Spec.IPFamilyPolicy, ""))
	p.field(0, "IP Families", or(strings.Join(s.Spec.IPFamilies, ","), "<none>"))
	p.field(0, "IP", s.Spec.ClusterIP)
	p.field(0, "IPs", or(strings.Join(s.Spec.ClusterIPs, ","), "<none>"))
	p.optional("External IPs", strings.Join(s.Spec.ExternalIPs, ","))
	p.optional("Desired LoadBalancer IP", s.Spec.LoadBalancerIP)
	p.optional("External Name", s.Spec.ExternalName)
	p.optional("LoadBalancer Ingress", balancers(s.Status.LoadBalancer.Ingress))
	slices := p.slicesOf(s.Namespace, s.Name)
	for _, port := range s.Spec.Ports {
		p.servicePort(port, slices)
	}
	p.field(0, "Session Affinity", s.Spec.SessionAffinity)
	p.optional("External Traffic Policy", s.Spec.ExternalTrafficPolicy)
	p.optional("Internal Traffic Policy", deref(s.Spec.InternalTrafficPolicy, ""))
	if s.Spec.HealthCheckNodePort != 0 {
		p.field(0, "HealthCheck NodePort", num(s.Spec.HealthCheckNodePort))
	}
	p.optional("LoadBalancer Source Ranges", strings.Join(s.Spec.LoadBalancerSourceRanges, ","))
	p.optional("Traffic Distribution", deref(s.Spec.TrafficDistribution, ""))
}

func (p *page) servicePort(port api.ServicePort, slices []*api.EndpointSlice) {
	name := or(port.Name, "<unset>")
	p.put(0, "Port:\t", name, "\t", num(port.Port), "/", port.Protocol, "\n")
	p.field(0, "TargetPort", port.TargetPort.String()+"/"+port.Protocol)
	p.optional("AppProtocol", deref(port.AppProtocol, ""))
	if port.NodePort != 0 {
		p.put(0, "NodePort:\t", name, "\t", num(port.NodePort), "/", port.Protocol, "\n")
	}
	p.field(0, "Endpoints", endpoints(slices, port.Name))
}

func balancers(list []api.LoadBalancerIngress) string {
	var out []string
	for _, i := range list {
		text := or(i.IP, i.Hostname)
		if i.IP != "" && i.IPMode != nil {
			text += " (" + *i.IPMode + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (p *page) slicesOf(namespace, service string) []*api.EndpointSlice {
	list, _ := p.src.List("EndpointSlice", namespace, Query{Labels: serviceNameLabel + "=" + service})
	var out []*api.EndpointSlice
	for _, o := range list {
		out = append(out, o.(*api.EndpointSlice))
	}
	return out
}

// endpoints names the first three ready addresses behind a port of a service.
func endpoints(slices []*api.EndpointSlice, port string) string {
	if len(slices) == 0 {
		return "<none>"
	}
	const shown = 3
	var names []string
	more, count := false, 0
	add := func(e *api.Endpoint, number *int32) {
		more = more || len(names) == shown
		if e.Conditions.Ready != nil && !*e.Conditions.Ready || len(e.Addresses) == 0 {
			return
		}
		count++
		if more {
			return
		}
		name := e.Addresses[0]
		if number != nil {
			name = printer.HostPort(name, num(*number))
		}
		names = append(names, name)
	}
	for _, s := range slices {
		for i := range s.Endpoints {
			if len(s.Ports) == 0 {
				add(&s.Endpoints[i], nil)
			}
		}
		for _, sp := range s.Ports {
			if deref(sp.Name, "") != port {
				continue
			}
			for i := range s.Endpoints {
				add(&s.Endpoints[i], sp.Port)
			}
		}
	}
	text := strings.Join(names, ",")
	if more {
		text += " + " + num(count-shown) + " more..."
	}
	return text
}

func (p *page) endpoints(e *api.Endpoints) {
	p.named(&e.ObjectMeta)
	p.meta(&e.ObjectMeta)
	p.put(0, "Subsets:\n")
	ips := func(list []api.EndpointAddress) string {
		var out []string
		for _, a := range list {
			out = append(out, a.IP)
		}
		return or(strings.Join(out, ","), "<none>")
	}
	for _, s := range e.Subsets {
		p.field(1, "Addresses", ips(s.Addresses))
		p.field(1, "NotReadyAddresses", ips(s.NotReadyAddresses))
		if len(s.Ports) > 0 {
			p.put(1, "Ports:\n")
			p.put(2, "Name\tPort\tProtocol\n")
			p.put(2, "----\t----\t--------\n")
		}
		for _, port := range s.Ports {
			p.put(2, or(port.Name, "<unset>"), "\t", num(port.Port), "\t", port.Protocol, "\n")
		}
		p.put(0, "\n")
	}
}

func (p *page) endpointSlice(e *api.EndpointSlice) {
	p.named(&e.ObjectMeta)
	p.meta(&e.ObjectMeta)
	p.field(0, "AddressType", e.AddressType)
	if len(e.Ports) == 0 {
		p.put(0, "Ports: <unset>\n")
	} else {
		p.put(0, "Ports:\n")
		p.put(1, "Name\tPort\tProtocol\n")
		p.put(1, "----\t----\t--------\n")
	}
	for _, port := range e.Ports {
		number := "<unset>"
		if port.Port != nil {
			number = num(*port.Port)
		}
		p.put(1, or(deref(port.Name, ""), "<unset>"), "\t", number, "\t", deref(port.Protocol, ""), "\n")
	}
	if len(e.Endpoints) == 0 {
		p.put(0, "Endpoints: <none>\n")
		return
	}
	p.put(0, "Endpoints:\n")
	for i := range e.Endpoints {
		p.endpoint(&e.Endpoints[i])
	}
}

func (p *page) endpoint(e *api.Endpoint) {
	ready := "<unset>"
	if e.Conditions.Ready != nil {
		ready = lower(*e.Conditions.Ready)
	}
	p.field(1, "- Addresses", or(list(e.Addresses), "<none>"))
	p.put(2, "Conditions:\n")
	p.field(3, "Ready", ready)
	p.field(2, "Hostname", deref(e.Hostname, "<unset>"))
	if e.TargetRef != nil {
		p.field(2, "TargetRef", e.TargetRef.Kind+"/"+e.TargetRef.Name)
	}
	p.field(2, "NodeName", deref(e.NodeName, "<unset>"))
	p.field(2, "Zone", deref(e.Zone, "<unset>"))
}

func (p *page) ingress(i *api.Ingress) {
	p.field(0, "Name", i.Name)
	p.labels("Labels", i.Labels)
	p.field(0, "Namespace", i.Namespace)
	p.field(0, "Address", printer.IngressAddresses(i.Status.LoadBalancer))
	p.field(0, "Ingress Class", deref(i.Spec.IngressClassName, "<none>"))
	fallback := "<default>"
	if i.Spec.DefaultBackend != nil {
		fallback = p.backend(i.Namespace, i.Spec.DefaultBackend)
	}
	p.field(0, "Default backend", fallback)
	p.ingressTLS(i.Spec.TLS)
	p.put(0, "Rules:\n  Host\tPath\tBackends\n")
	p.put(1, "----\t----\t--------\n")
	count := 0
	for _, r := range i.Spec.Rules {
		if r.HTTP == nil {
			continue
		}
		count++
		p.put(1, or(r.Host, "*"), "\t\n")
		for _, path := range r.HTTP.Paths {
			p.put(2, "\t", path.Path, " \t", p.backend(i.Namespace, &path.Backend), "\n")
		}
	}
	if count == 0 {
		p.put(1, "*\t*\t", fallback, "\n")
	}
	p.annotations("Annotations", i.Annotations)
}

func (p *page) ingressTLS(list []api.IngressTLS) {
	if len(list) > 0 {
		p.put(0, "TLS:\n")
	}
	for _, t := range list {
		hosts := strings.Join(t.Hosts, ",")
		if t.SecretName == "" {
			p.put(1, "SNI routes ", hosts, "\n")
		} else {
			p.put(1, t.SecretName, " terminates ", hosts, "\n")
		}
	}
}

func (p *page) backend(namespace string, b *api.IngressBackend) string {
	switch {
	case b.Service != nil:
		port := b.Service.Port
		number := port.Name
		if port.Number != 0 {
			number = num(port.Number)
		}
		text := b.Service.Name + ":" + number
		o, err := p.src.Get("Service", namespace, b.Service.Name)
		if err != nil {
			return text + " (<error: " + err.Error() + ">)"
		}
		name := ""
		if s, ok := o.(*api.Service); ok {
			for _, sp := range s.Spec.Ports {
				if port.Number != 0 && port.Number == sp.Port || port.Name != "" && port.Name == sp.Name {
					name = sp.Name
				}
			}
		}
		return text + " (" + endpoints(p.slicesOf(namespace, b.Service.Name), name) + ")"
	case b.Resource != nil:
		return "APIGroup: " + deref(b.Resource.APIGroup, "<none>") + ", Kind: " + b.Resource.Kind + ", Name: " + b.Resource.Name
	}
	return ""
}

func (p *page) ipAddress(a *api.IPAddress) {
	p.field(0, "Name", a.Name)
	p.meta(&a.ObjectMeta)
	if r := a.Spec.ParentRef; r != nil {
		p.put(0, "Parent Reference:\n")
		p.field(1, "Group", r.Group)
		p.field(1, "Resource", r.Resource)
		p.field(1, "Namespace", r.Namespace)
		p.field(1, "Name", r.Name)
	}
}

func (p *page) serviceCIDR(c *api.ServiceCIDR) {
	p.field(0, "Name", c.Name)
	p.meta(&c.ObjectMeta)
	p.field(0, "CIDRs", strings.Join(c.Spec.CIDRs, ", "))
	if len(c.Status.Conditions) == 0 {
		return
	}
	p.put(0, "Status:\nConditions:\n")
	p.put(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n")
	p.put(1, "----\t------\t------------------\t------\t-------\n")
	for _, n := range c.Status.Conditions {
		p.put(1, n.Type, "\t", n.Status, "\t", time.Unix(int64(n.LastTransitionTime), 0).UTC().Format(time.RFC1123Z), "\t", n.Reason, "\t", n.Message, "\n")
	}
}

func (p *page) ingressClass(c *api.IngressClass) {
	p.field(0, "Name", c.Name)
	p.meta(&c.ObjectMeta)
	p.field(0, "Controller", c.Spec.Controller)
	if r := c.Spec.Parameters; r != nil {
		p.put(0, "Parameters:\n")
		if r.APIGroup != nil {
			p.field(1, "APIGroup", *r.APIGroup)
		}
		p.field(1, "Kind", r.Kind)
		p.field(1, "Name", r.Name)
	}
}

func (p *page) networkPolicy(n *api.NetworkPolicy) {
	p.named(&n.ObjectMeta)
	p.field(0, "Created on", time.Unix(int64(n.CreationTimestamp), 0).UTC().Format("2006-01-02 15:04:05 -0700 MST"))
	p.meta(&n.ObjectMeta)
	p.put(0, "Spec:\n")
	selector := printer.SelectorText(&n.Spec.PodSelector)
	p.put(1, "PodSelector: ")
	p.put(2, or(selector, "<none> (Allowing the specific traffic to all pods in this namespace)"), "\n")
	ingress, egress := false, false
	for _, t := range n.Spec.PolicyTypes {
		ingress, egress = ingress || t == "Ingress", egress || t == "Egress"
	}
	if ingress {
		p.put(1, "Allowing ingress traffic:\n")
		p.ingressRules(n.Spec.Ingress)
	} else {
		p.put(1, "Not affecting ingress traffic\n")
	}
	if egress {
		p.put(1, "Allowing egress traffic:\n")
		p.egressRules(n.Spec.Egress)
	} else {
		p.put(1, "Not affecting egress traffic\n")
	}
	p.put(1, "Policy Types: ", or(list(n.Spec.PolicyTypes), "<none>"), "\n")
}

func (p *page) ingressRules(rules []api.NetworkPolicyIngressRule) {
	if len(rules) == 0 {
		p.put(2, "<none> (Selected pods are isolated for ingress connectivity)\n")
	}
	for i, r := range rules {
		p.policyRule("From", "source", r.Ports, r.From, i < len(rules)-1)
	}
}

func (p *page) egressRules(rules []api.NetworkPolicyEgressRule) {
	if len(rules) == 0 {
		p.put(2, "<none> (Selected pods are isolated for egress connectivity)\n")
	}
	for i, r := range rules {
		p.policyRule("To", "destination", r.Ports, r.To, i < len(rules)-1)
	}
}

func (p *page) policyRule(title, what string, ports []api.NetworkPolicyPort, peers []api.NetworkPolicyPeer, more bool) {
	if len(ports) == 0 {
		p.put(2, "To Port: <any> (traffic allowed to all ports)\n")
	}
	for _, port := range ports {
		protocol, number := deref(port.Protocol, "TCP"), intOrString(port.Port)
		if port.EndPort == nil {
			p.put(2, "To Port: ", number, "/", protocol, "\n")
		} else {
			p.put(2, "To Port Range: ", number, "-", num(*port.EndPort), "/", protocol, "\n")
		}
	}
	if len(peers) == 0 {
		p.put(2, title, ": <any> (traffic not restricted by ", what, ")\n")
	}
	for _, peer := range peers {
		p.put(2, title, ":\n")
		p.policyPeer(peer)
	}
	if more {
		p.put(2, "----------\n")
	}
}

func (p *page) policyPeer(peer api.NetworkPolicyPeer) {
	if peer.NamespaceSelector != nil {
		p.put(3, "NamespaceSelector: ", api.FormatLabelSelector(peer.NamespaceSelector), "\n")
	}
	if peer.PodSelector != nil {
		p.put(3, "PodSelector: ", api.FormatLabelSelector(peer.PodSelector), "\n")
	}
	if b := peer.IPBlock; b != nil && peer.NamespaceSelector == nil && peer.PodSelector == nil {
		p.put(3, "IPBlock:\n")
		p.put(4, "CIDR: ", b.CIDR, "\n")
		p.put(4, "Except: ", list(b.Except), "\n")
	}
}
