package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// systemUser is who makes what a new cluster holds.
var systemUser = api.User{Name: "system:apiserver", Groups: []string{"system:masters"}}

// Namespaces lists the namespaces of a new cluster.
var Namespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// Bootstrap creates what a cluster holds from the start: namespaces with their
// default ServiceAccounts and certificates, the service kubernetes, the
// PriorityClasses of the system, and the roles of people.
func (s *Server) Bootstrap(now sim.Time, log *trace.Log) {
	b := &bootstrap{s: s, now: now, log: log}
	for _, name := range Namespaces {
		b.create(&api.Namespace{ObjectMeta: api.ObjectMeta{Name: name}})
	}
	b.create(&api.PriorityClass{ObjectMeta: api.ObjectMeta{Name: "system-cluster-critical"}, Value: 2000000000,
		Description: "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."})
	b.create(&api.PriorityClass{ObjectMeta: api.ObjectMeta{Name: "system-node-critical"}, Value: 2000001000,
		Description: "Used for system critical pods that must not be moved from their current node."})
	b.roles()
	b.service()
}

type bootstrap struct {
	s   *Server
	now sim.Time
	log *trace.Log
}

func (b *bootstrap) create(o api.Object) {
	k := kindOfGo(o)
	req := api.Request{Verb: api.Create, Kind: k, Namespace: o.Meta().Namespace, Object: o, User: systemUser}
	if res := b.s.Handle(b.now, 0, b.log, req); res.Failed() {
		panic("apiserver: bootstrap of " + k.Kind + " " + o.Meta().Name + ": " + res.Status.Message)
	}
}

// kindOfGo finds the kind of an object whose type is not filled in.
func kindOfGo(o api.Object) *api.Kind {
	switch o.(type) {
	case *api.Namespace:
		return api.KindNamed("Namespace")
	case *api.ServiceAccount:
		return api.KindNamed("ServiceAccount")
	case *api.ConfigMap:
		return api.KindNamed("ConfigMap")
	case *api.PriorityClass:
		return api.KindNamed("PriorityClass")
	case *api.ClusterRole:
		return api.KindNamed("ClusterRole")
	case *api.ClusterRoleBinding:
		return api.KindNamed("ClusterRoleBinding")
	}
	if k := o.ObjectType().Kind; k != "" {
		return api.KindNamed(k)
	}
	return api.KindNamed("Service")
}

// RootCertificate is the ConfigMap that every namespace gets for its pods.
func RootCertificate(namespace string) *api.ConfigMap {
	return &api.ConfigMap{
		ObjectMeta: api.ObjectMeta{Namespace: namespace, Name: "kube-root-ca.crt", Annotations: map[string]string{
			"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."}},
		Data: map[string]string{"ca.crt": "-----BEGIN CERTIFICATE-----\n(simulated)\n-----END CERTIFICATE-----\n"},
	}
}

// service creates the ranges of addresses, and the way to the API server itself.
func (b *bootstrap) service() {
	r := b.s.serviceCIDR()
	b.create(r)
	r.Status.Conditions = []api.Condition{{Type: "Ready", Status: "True", Message: "Kubernetes Service CIDR is ready",
		LastTransitionTime: api.Time((b.s.cfg.Start + int64(b.now)) / 1e9)}}
	b.s.Handle(b.now, 0, b.log, api.Request{Verb: api.Update, Kind: api.KindNamed("ServiceCIDR"), Name: r.Name, Subresource: "status", Object: r, User: systemUser})
	for _, o := range KubernetesService(b.s.cfg.ServiceCIDR, b.s.cfg.Address) {
		b.create(o)
	}
}

// roles creates the roles that people are given, and the binding of the
// administrators of a cluster made by kubeadm
// (plugin/pkg/auth/authorizer/rbac/bootstrappolicy).
func (b *bootstrap) roles() {
	everything := []api.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		{NonResourceURLs: []string{"*"}, Verbs: []string{"*"}},
	}
	b.role("cluster-admin", everything)
	b.userRoles()
	b.binding("cluster-admin", "system:masters")
	b.binding("kubeadm:cluster-admins", "kubeadm:cluster-admins")
	b.basicRoles()
}

const rbacGroup = "rbac.authorization.k8s.io"

var bootstrapLabels = map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}

func (b *bootstrap) role(name string, rules []api.PolicyRule) {
	b.create(&api.ClusterRole{ObjectMeta: api.ObjectMeta{Name: name, Labels: bootstrapLabels,
		Annotations: map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"}}, Rules: rules})
}

func (b *bootstrap) binding(name, group string) {
	b.create(&api.ClusterRoleBinding{ObjectMeta: api.ObjectMeta{Name: name},
		RoleRef:  api.RoleRef{APIGroup: rbacGroup, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []api.RBACSubject{{APIGroup: rbacGroup, Kind: "Group", Name: group}}})
}
