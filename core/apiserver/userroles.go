package apiserver

import (
	"strings"

	"podwalk/core/api"
)

// userRules are the rules of the roles that people are given in a namespace, one a
// line: verbs, groups and resources. A role aggregates what its own name and the
// weaker ones say (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go).
var userRules = map[string]string{
	"view": `
read core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
read core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status
read core namespaces
read core,events.k8s.io events
read discovery.k8s.io endpointslices
read apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
read autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
read batch cronjobs,cronjobs/status,jobs,jobs/status
read extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
read policy poddisruptionbudgets,poddisruptionbudgets/status
read networking.k8s.io ingresses,ingresses/status,networkpolicies
read resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates`,
	"edit": `
read core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
impersonate core serviceaccounts
write core pods,pods/attach,pods/exec,pods/portforward,pods/proxy
create core pods/eviction
write core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
create core serviceaccounts/token
write core,events.k8s.io events
write apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
write autoscaling horizontalpodautoscalers
write batch cronjobs,jobs
write extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
write policy poddisruptionbudgets
write networking.k8s.io ingresses,networkpolicies
all coordination.k8s.io leases
write resource.k8s.io resourceclaims,resourceclaimtemplates`,
	"admin": `
create authorization.k8s.io localsubjectaccessreviews
all rbac.authorization.k8s.io rolebindings,roles`,
}

var verbSets = map[string][]string{
	"read":  {"get", "list", "watch"},
	"write": {"create", "delete", "deletecollection", "patch", "update"},
	"all":   {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
}

// userRoles creates the roles view, edit and admin, and those that they aggregate,
// as their controller leaves them.
func (b *bootstrap) userRoles() {
	var rules []api.PolicyRule
	for _, name := range []string{"view", "edit", "admin"} {
		own := parseRules(userRules[name])
		const mark = "rbac.authorization.k8s.io/aggregate-to-"
		b.createRole(&api.ClusterRole{ObjectMeta: api.ObjectMeta{Name: "system:aggregate-to-" + name, Labels: map[string]string{mark + name: "true"}}, Rules: own})
		if name == "admin" {
			rules = append(rules, own...) // edit comes before system:aggregate-to-admin
		} else {
			rules = append(own[:len(own):len(own)], rules...)
		}
		labels := map[string]string{}
		switch name {
		case "view":
			labels[mark+"edit"] = "true"
		case "edit":
			labels[mark+"admin"] = "true"
		}
		b.createRole(&api.ClusterRole{ObjectMeta: api.ObjectMeta{Name: name, Labels: labels}, Rules: rules,
			AggregationRule: &api.AggregationRule{ClusterRoleSelectors: []api.LabelSelector{{MatchLabels: map[string]string{mark + name: "true"}}}}})
	}
}

// createRole creates a role with the marks of those that the API server keeps.
func (b *bootstrap) createRole(r *api.ClusterRole) {
	r.Annotations = map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"}
	for k, v := range bootstrapLabels {
		r.Labels[k] = v
	}
	b.create(r)
}

func parseRules(text string) (list []api.PolicyRule) {
	for _, line := range strings.Split(strings.TrimPrefix(text, "\n"), "\n") {
		f := strings.Split(line, " ")
		verbs, ok := verbSets[f[0]]
		if !ok {
			verbs = strings.Split(f[0], ",")
		}
		groups := strings.Split(f[1], ",")
		for i := range groups {
			if groups[i] == "core" {
				groups[i] = ""
			}
		}
		list = append(list, api.PolicyRule{APIGroups: groups, Resources: strings.Split(f[2], ","), Verbs: verbs})
	}
	return list
}
