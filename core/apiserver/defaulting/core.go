package defaulting

import (
	"maps"

	"podwalk/core/api"
)

// node completes a node; of two ranges for its pods that differ the single one
// holds (Convert_v1_NodeSpec_To_core_NodeSpec).
func node(n *api.Node) {
	if one := n.Spec.PodCIDR; one != "" && (len(n.Spec.PodCIDRs) == 0 || n.Spec.PodCIDRs[0] != one) {
		n.Spec.PodCIDRs = []string{one}
	} else if one == "" && len(n.Spec.PodCIDRs) > 0 {
		n.Spec.PodCIDR = n.Spec.PodCIDRs[0]
	}
	if n.Status.Allocatable == nil && n.Status.Capacity != nil {
		n.Status.Allocatable = maps.Clone(n.Status.Capacity)
	}
	roundUp(n.Status.Capacity)
	roundUp(n.Status.Allocatable)
}

func namespace(n *api.Namespace) {
	str(&n.Status.Phase, "Active")
	if n.Name == "" {
		return
	}
	labels := make(map[string]string, len(n.Labels)+1)
	maps.Copy(labels, n.Labels)
	labels["kubernetes.io/metadata.name"] = n.Name
	n.Labels = labels
}

func replicationController(c *api.ReplicationController) {
	ptr(&c.Spec.Replicas, 1)
	if c.Spec.Template == nil {
		return
	}
	template(c.Spec.Template)
	if labels := c.Spec.Template.Labels; labels != nil {
		if len(c.Spec.Selector) == 0 {
			c.Spec.Selector = labels
		}
		if len(c.Labels) == 0 {
			c.Labels = labels
		}
	}
}

// service completes a Service; addresses and node ports are allocated later
// (SetDefaults_Service).
func service(s *api.Service) {
	sp := &s.Spec
	str(&sp.SessionAffinity, "None")
	affinity(sp)
	str(&sp.Type, "ClusterIP")
	for i := range sp.Ports {
		p := &sp.Ports[i]
		str(&p.Protocol, "TCP")
		if p.TargetPort == (api.IntOrString{}) || p.TargetPort == (api.IntOrString{IsString: true}) {
			p.TargetPort = api.FromInt(p.Port)
		}
	}
	if external := sp.Type == "NodePort" || sp.Type == "LoadBalancer"; external || sp.Type == "ClusterIP" {
		ptr(&sp.InternalTrafficPolicy, "Cluster")
		if external || len(sp.ExternalIPs) > 0 {
			str(&sp.ExternalTrafficPolicy, "Cluster")
		}
	}
	if sp.Type != "LoadBalancer" {
		return
	}
	ptr(&sp.AllocateLoadBalancerNodePorts, true)
	for i := range s.Status.LoadBalancer.Ingress {
		if in := &s.Status.LoadBalancer.Ingress[i]; in.IP != "" {
			ptr(&in.IPMode, "VIP")
		}
	}
}

func affinity(sp *api.ServiceSpec) {
	switch sp.SessionAffinity {
	case "None":
		sp.SessionAffinityConfig = nil
	case "ClientIP":
		c := sp.SessionAffinityConfig
		if c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			seconds := int32(10800)
			sp.SessionAffinityConfig = &api.SessionAffinityConfig{ClientIP: &api.ClientIPConfig{TimeoutSeconds: &seconds}}
		}
	}
}
