package apiserver

import (
	"strings"

	"podwalk/core/api"
)

// securePort is where the API server listens.
const securePort = 6443

// defaultAddress is where the API server is reached in a cluster without nodes.
const defaultAddress = "172.18.0.2"

// KubernetesService returns the Service default/kubernetes, which has the first
// address of the range, its Endpoints and its EndpointSlice: how pods reach the
// API server. The server itself keeps them
// (pkg/controlplane/controller/kubernetesservice, pkg/controlplane/reconcilers).
func KubernetesService(ranges, address string) []api.Object {
	if ranges == "" {
		ranges = DefaultServiceCIDR
	}
	if address == "" {
		address = defaultAddress
	}
	list, _ := parseCIDRs(ranges)
	ip := list[0].at(1).String()
	named := api.ObjectMeta{Namespace: "default", Name: "kubernetes"}
	svc := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: named,
		Spec: api.ServiceSpec{Type: "ClusterIP", ClusterIP: ip, ClusterIPs: []string{ip}, SessionAffinity: "None",
			Ports: []api.ServicePort{{Name: "https", Port: 443, Protocol: "TCP", TargetPort: api.FromInt(securePort)}}}}
	svc.Labels = map[string]string{"component": "apiserver", "provider": "kubernetes"}
	eps := &api.Endpoints{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}, ObjectMeta: named,
		Subsets: []api.EndpointSubset{{Addresses: []api.EndpointAddress{{IP: address}}, Ports: []api.EndpointPort{{Name: "https", Port: securePort, Protocol: "TCP"}}}}}
	eps.Labels = map[string]string{"endpointslice.kubernetes.io/skip-mirror": "true"}
	name, protocol, port, yes := "https", "TCP", int32(securePort), true
	kind := "IPv4"
	if isIPv6(address) {
		kind = "IPv6"
	}
	slice := &api.EndpointSlice{TypeMeta: api.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, ObjectMeta: named, AddressType: kind,
		Endpoints: []api.Endpoint{{Addresses: []string{address}, Conditions: api.EndpointConditions{Ready: &yes}}},
		Ports:     []api.EndpointSlicePort{{Name: &name, Port: &port, Protocol: &protocol}}}
	slice.Labels = map[string]string{"kubernetes.io/service-name": "kubernetes"}
	return []api.Object{svc, eps, slice}
}

// serviceCIDR is the range of the command line as an object, ready
// (pkg/controlplane/controller/defaultservicecidr).
func (s *Server) serviceCIDR() *api.ServiceCIDR {
	r := &api.ServiceCIDR{TypeMeta: api.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "ServiceCIDR"},
		Spec: api.ServiceCIDRSpec{CIDRs: strings.Split(s.cfg.ServiceCIDR, ",")}}
	r.Name, r.Finalizers = "kubernetes", []string{"networking.k8s.io/service-cidr-finalizer"}
	return r
}
