package cluster

import "podwalk/core/api"

// coreDNS is the add-on that runs the name service as pods, as kubeadm does: names
// resolve only while one of them is ready. Without it the name service is built in
// and never fails.
const coreDNS = "coredns"

// addCoreDNS makes the Deployment and the Service of kubeadm
// (cmd/kubeadm/app/phases/addons/dns/manifests.go); its configuration is fixed.
func (c *Cluster) addCoreDNS() {
	labels := map[string]string{"k8s-app": "kube-dns"}
	two := int32(2)
	d := &api.Deployment{TypeMeta: api.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}}
	d.Name, d.Namespace, d.Labels = coreDNS, "kube-system", labels
	d.Spec.Replicas, d.Spec.Selector = &two, &api.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec = api.PodSpec{
		PriorityClassName: "system-cluster-critical", DNSPolicy: "Default",
		Tolerations:  []api.Toleration{{Key: "CriticalAddonsOnly", Operator: "Exists"}, {Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}},
		NodeSelector: map[string]string{"kubernetes.io/os": "linux"},
		Containers: []api.Container{{Name: coreDNS, Image: "registry.k8s.io/coredns/coredns:v1.13.1", Args: []string{"-conf", "/etc/coredns/Corefile"},
			Ports: []api.ContainerPort{{Name: "dns", ContainerPort: 53, Protocol: "UDP"}, {Name: "dns-tcp", ContainerPort: 53, Protocol: "TCP"},
				{Name: "metrics", ContainerPort: 9153, Protocol: "TCP"}, {Name: "readiness-probe", ContainerPort: 8181, Protocol: "TCP"}},
			ReadinessProbe: &api.Probe{HTTPGet: &api.HTTPGetAction{Path: "/ready", Port: api.FromString("readiness-probe"), Scheme: "HTTP"}},
			Resources: api.ResourceRequirements{Limits: map[string]api.Quantity{"memory": api.MustQuantity("170Mi")},
				Requests: map[string]api.Quantity{"cpu": api.MustQuantity("100m"), "memory": api.MustQuantity("70Mi")}}}}}
	s := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	s.Name, s.Namespace = "kube-dns", "kube-system"
	s.Labels = map[string]string{"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
	s.Spec.ClusterIP, s.Spec.Selector = clusterDNS, labels
	s.Spec.Ports = []api.ServicePort{{Name: "dns", Port: 53, Protocol: "UDP", TargetPort: api.FromInt(53)},
		{Name: "dns-tcp", Port: 53, Protocol: "TCP", TargetPort: api.FromInt(53)}, {Name: "metrics", Port: 9153, Protocol: "TCP", TargetPort: api.FromInt(9153)}}
	for _, o := range []api.Object{s, d} {
		c.Request(0, api.Request{Verb: api.Create, Kind: api.KindFor(o.ObjectType().APIVersion, o.ObjectType().Kind), Namespace: "kube-system", Object: o, User: Admin()})
	}
}
