package apiserver

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/trace"
)

// Admin is who kubectl is when nothing else is said, as in a cluster made by
// kubeadm.
var Admin = api.User{Name: "kubernetes-admin", Groups: []string{"kubeadm:cluster-admins", "system:authenticated"}}

// identify settles who sends the request. Credentials are not simulated: a
// request is from whom it says.
func (c *call) identify() *api.Status {
	u := &c.req.User
	switch {
	case u.Name == "" || u.Name == Admin.Name && len(u.Groups) == 0:
		*u = Admin
	case strings.HasPrefix(u.Name, "system:serviceaccount:"):
		u.Groups = accountGroups(*u)
	}
	if c.loud && !isComponent(*u) {
		c.record(trace.Record{Source: "authentication", Stage: trace.Authorised, Verdict: trace.Passed,
			Message: "user " + u.Name + ", groups " + strings.Join(u.Groups, ", ")})
	}
	return nil
}

// accountGroups adds the groups that every service account is in.
func accountGroups(u api.User) []string {
	namespace, _, _ := strings.Cut(strings.TrimPrefix(u.Name, "system:serviceaccount:"), ":")
	groups := append([]string(nil), u.Groups...)
	for _, g := range []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"} {
		if !contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
