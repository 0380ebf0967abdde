package defaulting

import (
	"strings"

	"podwalk/core/api"
)

const rbacGroup = "rbac.authorization.k8s.io"

// cluster completes the kinds that describe the cluster and reports whether o is
// one.
func cluster(o api.Object) bool {
	switch x := o.(type) {
	case *api.StorageClass:
		ptr(&x.ReclaimPolicy, "Delete")
		ptr(&x.VolumeBindingMode, "Immediate")
	case *api.CSIDriver:
		csiDriver(&x.Spec)
	case *api.CustomResourceDefinition:
		customResource(&x.Spec)
	case *api.PriorityClass:
		ptr(&x.PreemptionPolicy, "PreemptLowerPriority")
	case *api.RuntimeClass:
		if x.Overhead != nil {
			roundUp(x.Overhead.PodFixed)
		}
	case *api.IngressClass:
		if x.Spec.Parameters != nil {
			ptr(&x.Spec.Parameters.Scope, "Cluster")
		}
	case *api.EndpointSlice:
		for i := range x.Ports {
			ptr(&x.Ports[i].Name, "")
			ptr(&x.Ports[i].Protocol, "TCP")
		}
	default:
		return false
	}
	return true
}

// customResource completes the names of a custom kind
// (apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go).
func customResource(s *api.CustomResourceDefinitionSpec) {
	str(&s.Names.Singular, strings.ToLower(s.Names.Kind))
	if s.Names.Kind != "" {
		str(&s.Names.ListKind, s.Names.Kind+"List")
	}
	ptr(&s.Conversion, api.CustomResourceConversion{Strategy: "None"})
}

func csiDriver(s *api.CSIDriverSpec) {
	ptr(&s.AttachRequired, true)
	ptr(&s.PodInfoOnMount, false)
	ptr(&s.StorageCapacity, false)
	ptr(&s.FSGroupPolicy, "ReadWriteOnceWithFSType")
	if len(s.VolumeLifecycleModes) == 0 {
		s.VolumeLifecycleModes = []string{"Persistent"}
	}
	ptr(&s.RequiresRepublish, false)
	ptr(&s.SELinuxMount, false)
	ptr(&s.PreventPodSchedulingIfMissing, false)
}

// policies completes the kinds that say who may do what.
func policies(o api.Object) {
	switch x := o.(type) {
	case *api.NetworkPolicy:
		networkPolicy(&x.Spec)
	case *api.RoleBinding:
		str(&x.RoleRef.APIGroup, rbacGroup)
		subjects(x.Subjects)
	case *api.ClusterRoleBinding:
		str(&x.RoleRef.APIGroup, rbacGroup)
		subjects(x.Subjects)
	case *api.ValidatingWebhookConfiguration:
		for i := range x.Webhooks {
			w := &x.Webhooks[i]
			webhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds)
			hookTarget(w.ClientConfig.Service, w.Rules)
		}
	case *api.MutatingWebhookConfiguration:
		for i := range x.Webhooks {
			w := &x.Webhooks[i]
			webhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds)
			ptr(&w.ReinvocationPolicy, "Never")
			hookTarget(w.ClientConfig.Service, w.Rules)
		}
	case *api.ValidatingAdmissionPolicy:
		ptr(&x.Spec.FailurePolicy, "Fail")
		matchResources(x.Spec.MatchConstraints)
	case *api.ValidatingAdmissionPolicyBinding:
		matchResources(x.Spec.MatchResources)
	case *api.MutatingAdmissionPolicy:
		ptr(&x.Spec.FailurePolicy, "Fail")
		matchResources(x.Spec.MatchConstraints)
	case *api.MutatingAdmissionPolicyBinding:
		matchResources(x.Spec.MatchResources)
	}
}

func subjects(list []api.RBACSubject) {
	for i := range list {
		if s := &list[i]; s.Kind == "User" || s.Kind == "Group" {
			str(&s.APIGroup, rbacGroup)
		}
	}
}

func networkPolicy(s *api.NetworkPolicySpec) {
	for _, r := range s.Ingress {
		policyPorts(r.Ports)
	}
	for _, r := range s.Egress {
		policyPorts(r.Ports)
	}
	if len(s.PolicyTypes) > 0 {
		return
	}
	s.PolicyTypes = []string{"Ingress"}
	if len(s.Egress) > 0 {
		s.PolicyTypes = append(s.PolicyTypes, "Egress")
	}
}

func policyPorts(ports []api.NetworkPolicyPort) {
	for i := range ports {
		ptr(&ports[i].Protocol, "TCP")
	}
}

func webhook(failure, match **string, namespaces, objects **api.LabelSelector, timeout **int32) {
	ptr(failure, "Fail")
	ptr(match, "Equivalent")
	ptr(namespaces, api.LabelSelector{})
	ptr(objects, api.LabelSelector{})
	ptr(timeout, 10)
}

func hookTarget(s *api.WebhookServiceReference, rules []api.RuleWithOperations) {
	if s != nil {
		ptr(&s.Port, 443)
	}
	for i := range rules {
		ptr(&rules[i].Scope, "*")
	}
}

func matchResources(m *api.MatchResources) {
	if m == nil {
		return
	}
	ptr(&m.MatchPolicy, "Equivalent")
	ptr(&m.NamespaceSelector, api.LabelSelector{})
	ptr(&m.ObjectSelector, api.LabelSelector{})
	for _, rules := range [][]api.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			ptr(&rules[i].Scope, "*")
		}
	}
}
