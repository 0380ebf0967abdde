package validation

import (
	"bytes"
	"reflect"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

const betaClass = "volume.beta.kubernetes.io/storage-class"

// other notes what concerns kinds without pods.
func (n *notes) other(o, old api.Object) {
	switch x := o.(type) {
	case *api.Service:
		n.service(x)
	case *api.PersistentVolumeClaim:
		if _, ok := x.Annotations[betaClass]; ok {
			n.at(metaPath.Child("annotations").Key(betaClass), `deprecated since v1.8; use "storageClassName" attribute instead`)
		}
		n.claim(&x.Spec, specPath)
	case *api.PersistentVolume:
		n.persistentVolume(x)
	case *api.Secret:
		n.secret(x)
	case *api.ServiceAccount:
		n.account(x, old)
	case *api.Node:
		for i, v := range x.Spec.PodCIDRs {
			n.cidr(specPath.Child("podCIDRs").Index(i), v)
		}
	case *api.Ingress:
		if _, ok := x.Annotations["kubernetes.io/ingress.class"]; ok && old == nil && x.Spec.IngressClassName == nil {
			n.add(`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`)
		}
	case *api.StorageClass:
		n.storageClass(x)
	case *api.RuntimeClass:
		n.runtimeClass(x)
	case *api.ResourceQuota:
		if old == nil {
			n.quota(x.Spec.Hard)
		}
	case *api.NetworkPolicy:
		n.networkPolicy(x)
	case *api.EndpointSlice:
		if x.AddressType == "FQDN" && old == nil {
			n.add("spec.addressType: FQDN endpoints are deprecated")
		}
		for i, e := range x.Endpoints {
			n.endpoint(field.NewPath("endpoints").Index(i).Child("addresses"), e.Addresses)
		}
	case *api.Endpoints:
		for i, s := range x.Subsets {
			n.subset(field.NewPath("subsets").Index(i), &s)
		}
	case *api.CSIDriver:
		n.csiDriver(x, old)
	}
}

func (n *notes) service(x *api.Service) {
	s := &x.Spec
	if _, ok := x.Annotations["service.kubernetes.io/topology-aware-hints"]; ok {
		n.add("annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead")
	}
	if s.ClusterIP != "" && s.ClusterIP != "None" {
		for i, ip := range s.ClusterIPs {
			n.address(specPath.Child("clusterIPs").Index(i), ip)
		}
	}
	headless := s.Type == "ClusterIP" && s.ClusterIP == "None"
	if headless {
		n.headless(s)
	}
	for i, ip := range s.ExternalIPs {
		n.address(specPath.Child("externalIPs").Index(i), ip)
	}
	external := s.Type == "ExternalName"
	if len(s.ExternalIPs) > 0 && !headless && !external {
		n.add("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	n.address(specPath.Child("loadBalancerIP"), s.LoadBalancerIP)
	for i, r := range s.LoadBalancerSourceRanges {
		n.cidr(specPath.Child("loadBalancerSourceRanges").Index(i), r)
	}
	if external && len(s.ExternalIPs) > 0 {
		n.add(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	}
	if !external && s.ExternalName != "" {
		n.add(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if s.TrafficDistribution != nil && *s.TrafficDistribution == "PreferClose" {
		n.add(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
}

// headless notes what a service without an address makes no use of.
func (n *notes) headless(s *api.ServiceSpec) {
	const ignored = " is ignored for headless services"
	if s.LoadBalancerIP != "" {
		n.add("spec.loadBalancerIP" + ignored)
	}
	if len(s.ExternalIPs) > 0 {
		n.add("spec.externalIPs" + ignored)
	}
	if s.SessionAffinity != "None" {
		n.add("spec.SessionAffinity" + ignored)
	}
}

func (n *notes) persistentVolume(x *api.PersistentVolume) {
	for _, old := range []struct{ key, text string }{
		{betaClass, `deprecated since v1.8; use "storageClassName" attribute instead`},
		{"volume.beta.kubernetes.io/mount-options", `deprecated since v1.31; use "mountOptions" attribute instead`},
	} {
		if _, ok := x.Annotations[old.key]; ok {
			n.at(metaPath.Child("annotations").Key(old.key), old.text)
		}
	}
	s := &x.Spec
	if s.PersistentVolumeReclaimPolicy == "Recycle" {
		n.at(specPath.Child("persistentVolumeReclaimPolicy"), "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	if s.NodeAffinity != nil && s.NodeAffinity.Required != nil {
		for i := range s.NodeAffinity.Required.NodeSelectorTerms {
			n.nodeTerm(&s.NodeAffinity.Required.NodeSelectorTerms[i], false, specPath.Child("nodeAffinity", "required", "nodeSelectorTerms").Index(i))
		}
	}
	for _, old := range []struct {
		on         bool
		name, text string
	}{
		{s.CephFS != nil, "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
		{s.PhotonPersistentDisk != nil, "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
		{s.ScaleIO != nil, "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
		{s.StorageOS != nil, "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
		{s.Glusterfs != nil, "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
		{s.RBD != nil, "rbd", "deprecated in v1.28, non-functional in v1.31+"},
	} {
		if old.on {
			n.at(specPath.Child(old.name), old.text)
		}
	}
}

// secret notes a certificate or key that is none. That a key belongs to its
// certificate is not simulated.
func (n *notes) secret(x *api.Secret) {
	if x.Type != "kubernetes.io/tls" {
		return
	}
	begin := []byte("-----BEGIN ")
	switch {
	case !bytes.Contains(x.Data["tls.crt"], begin):
		n.add("tls: failed to find any PEM data in certificate input")
	case !bytes.Contains(x.Data["tls.key"], begin):
		n.add("tls: failed to find any PEM data in key input")
	}
}

func (n *notes) account(x *api.ServiceAccount, old api.Object) {
	const key = "kubernetes.io/enforce-mountable-secrets"
	if old != nil {
		if _, ok := old.Meta().Annotations[key]; ok {
			return
		}
	}
	if _, ok := x.Annotations[key]; ok {
		n.add("metadata.annotations[" + key + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets")
	}
}

func (n *notes) endpoint(p *field.Path, addresses []string) {
	for i, a := range addresses {
		n.address(p.Index(i), a)
	}
}

func (n *notes) subset(p *field.Path, s *api.EndpointSubset) {
	for i, a := range s.Addresses {
		n.address(p.Child("addresses").Index(i).Child("ip"), a.IP)
	}
	for i, a := range s.NotReadyAddresses {
		n.address(p.Child("notReadyAddresses").Index(i).Child("ip"), a.IP)
	}
}

// csiDriver notes tokens that a driver gets among the attributes of a volume.
func (n *notes) csiDriver(x *api.CSIDriver, old api.Object) {
	if len(x.Spec.TokenRequests) == 0 || x.Spec.ServiceAccountTokenInSecrets != nil {
		return
	}
	if o, ok := old.(*api.CSIDriver); !ok || !reflect.DeepEqual(o.Spec.TokenRequests, x.Spec.TokenRequests) {
		n.add("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes")
	}
}

func (n *notes) storageClass(x *api.StorageClass) {
	for i, t := range x.AllowedTopologies {
		for j, e := range t.MatchLabelExpressions {
			if text := oldNodeLabels[e.Key]; text != "" {
				n.add("allowedTopologies[" + strconv.Itoa(i) + "].matchLabelExpressions[" + strconv.Itoa(j) + "].key: " + text)
			}
		}
	}
}

func (n *notes) runtimeClass(x *api.RuntimeClass) {
	if x.Scheduling == nil {
		return
	}
	for _, k := range sorted(x.Scheduling.NodeSelector) {
		if text := oldNodeLabels[k]; text != "" {
			n.add("scheduling.nodeSelector: " + text)
		}
	}
}

// quota notes requests that are limited less than the limits themselves.
func (n *notes) quota(hard map[string]api.Quantity) {
	for _, name := range []string{"cpu", "memory", "storage", "ephemeral-storage"} {
		key := "requests." + name
		request, ok := hard[key]
		if !ok && (name == "cpu" || name == "memory") {
			if request, ok = hard[name]; ok {
				key = name
			}
		}
		limit, limited := hard["limits."+name]
		if ok && limited && request.Cmp(limit) > 0 {
			n.add("ResourceQuota " + key + " (" + request.String() + ") should be less than limits." + name + " (" + limit.String() + ")")
		}
	}
}

func (n *notes) networkPolicy(x *api.NetworkPolicy) {
	peers := func(list []api.NetworkPolicyPeer, p *field.Path) {
		for i := range list {
			b := list[i].IPBlock
			if b == nil {
				continue
			}
			at := p.Index(i).Child("ipBlock")
			n.cidr(at.Child("cidr"), b.CIDR)
			for j, e := range b.Except {
				n.cidr(at.Child("except").Index(j), e)
			}
		}
	}
	for i := range x.Spec.Ingress {
		peers(x.Spec.Ingress[i].From, specPath.Child("ingress").Index(i).Child("from"))
	}
	for i := range x.Spec.Egress {
		peers(x.Spec.Egress[i].To, specPath.Child("egress").Index(i).Child("to"))
	}
}
