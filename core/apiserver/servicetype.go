package apiserver

import "podwalk/core/api"

// dropForType clears what a Service of the new type cannot have, unless the
// writer has changed it too (dropTypeDependentFields).
func dropForType(s, was *api.Service) {
	now, old := &s.Spec, &was.Spec
	if needsAddress(was) && !needsAddress(s) {
		if now.ClusterIP == old.ClusterIP && api.Equal(now.ClusterIPs, old.ClusterIPs) {
			now.ClusterIP, now.ClusterIPs = "", nil
		}
		if api.Equal(now.IPFamilies, old.IPFamilies) {
			now.IPFamilies = nil
		}
		if api.Equal(now.IPFamilyPolicy, old.IPFamilyPolicy) {
			now.IPFamilyPolicy = nil
		}
	}
	if onNodes(old) && !onNodes(now) && samePorts(now.Ports, old.Ports) {
		for i := range now.Ports {
			now.Ports[i].NodePort = 0
		}
	}
	if needsHealthPort(was) && !needsHealthPort(s) && now.HealthCheckNodePort == old.HealthCheckNodePort {
		now.HealthCheckNodePort = 0
	}
	if old.Type == "LoadBalancer" && now.Type != "LoadBalancer" {
		if api.Equal(now.AllocateLoadBalancerNodePorts, old.AllocateLoadBalancerNodePorts) {
			now.AllocateLoadBalancerNodePorts = nil
		}
		if api.Equal(now.LoadBalancerClass, old.LoadBalancerClass) {
			now.LoadBalancerClass = nil
		}
	}
	if external(old) && !external(now) && now.ExternalTrafficPolicy == old.ExternalTrafficPolicy {
		now.ExternalTrafficPolicy = ""
	}
	dropInternalPolicy(s)
	if now.Type != "LoadBalancer" {
		s.Status.LoadBalancer = api.ServiceStatus{}.LoadBalancer
	}
}

// dropInternalPolicy leaves out what no read shows of an ExternalName
// (defaultOnReadInternalTrafficPolicy).
func dropInternalPolicy(s *api.Service) {
	if s.Spec.Type == "ExternalName" {
		s.Spec.InternalTrafficPolicy = nil
	}
}

func onNodes(s *api.ServiceSpec) bool { return s.Type == "NodePort" || s.Type == "LoadBalancer" }

func external(s *api.ServiceSpec) bool {
	return onNodes(s) || s.Type == "ClusterIP" && len(s.ExternalIPs) > 0
}

// samePorts reports whether no new node port is asked for.
func samePorts(now, old []api.ServicePort) bool {
	known := map[int32]bool{0: true}
	for _, p := range old {
		known[p.NodePort] = true
	}
	for _, p := range now {
		if !known[p.NodePort] {
			return false
		}
	}
	return true
}
