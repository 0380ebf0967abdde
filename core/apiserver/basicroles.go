package apiserver

import "podwalk/core/api"

// basicRoles creates the roles that everybody has, and their bindings
// (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go).
func (b *bootstrap) basicRoles() {
	create := []string{"create"}
	get := []string{"get"}
	b.role("system:basic-user", []api.PolicyRule{
		{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}, Verbs: create},
		{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}, Verbs: create},
	})
	b.role("system:discovery", []api.PolicyRule{{NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez",
		"/openapi", "/openapi/*", "/readyz", "/version", "/version/"}, Verbs: get}})
	b.role("system:public-info-viewer", []api.PolicyRule{{NonResourceURLs: []string{"/healthz", "/livez", "/readyz", "/version", "/version/"}, Verbs: get}})
	b.basicBinding("system:basic-user", "system:authenticated")
	b.basicBinding("system:discovery", "system:authenticated")
	b.basicBinding("system:public-info-viewer", "system:authenticated", "system:unauthenticated")
}

func (b *bootstrap) basicBinding(role string, groups ...string) {
	o := &api.ClusterRoleBinding{ObjectMeta: api.ObjectMeta{Name: role, Labels: bootstrapLabels,
		Annotations: map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"}},
		RoleRef: api.RoleRef{APIGroup: rbacGroup, Kind: "ClusterRole", Name: role}}
	for _, g := range groups {
		o.Subjects = append(o.Subjects, api.RBACSubject{APIGroup: rbacGroup, Kind: "Group", Name: g})
	}
	b.create(o)
}
