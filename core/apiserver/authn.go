package apiserver

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/trace"
)

// Admin is who kubectl is when nothing else is said, as in a cluster made by
// kubeadm.
var Admin = api.User{Name: "kubernetes-admin", Groups: []string{"kubeadm:cluster-admins", "system:authenticated"}}

// identify settles who sends the request: whom its credential proves or, without
// one, whom it says.
func (c *call) identify() *api.Status {
	u := &c.req.User
	switch {
	case c.req.Credential != nil:
		who, why := c.s.authenticate(*c.req.Credential, c.now, c.read)
		if why != "" {
			c.record(trace.Record{Source: "authentication", Stage: trace.Authorised, Verdict: trace.Info, Message: why})
			return api.NewUnauthorized()
		}
		*u, c.person = who, true
	case u.Name == "" || u.Name == Admin.Name && len(u.Groups) == 0:
		*u = Admin
	case strings.HasPrefix(u.Name, accountPrefix):
		u.Groups = accountGroups(*u)
	}
	if c.loud && (c.person || !isComponent(*u)) {
		c.record(trace.Record{Source: "authentication", Stage: trace.Authorised, Verdict: trace.Passed,
			Message: "user " + u.Name + ", groups " + strings.Join(u.Groups, ", ")})
	}
	if c.req.Impersonate == nil {
		return nil
	}
	return c.impersonate()
}

// impersonate makes the request one of another user, if the sender may do that
// (apiserver/pkg/endpoints/filters/impersonation).
func (c *call) impersonate() *api.Status {
	as := *c.req.Impersonate
	c.person = true
	asked := []question{{verb: "impersonate", resource: "users", name: as.Name}}
	if account, ok := strings.CutPrefix(as.Name, accountPrefix); ok {
		namespace, name, _ := strings.Cut(account, ":")
		asked[0] = question{verb: "impersonate", resource: "serviceaccounts", namespace: namespace, name: name}
	}
	for _, g := range as.Groups {
		asked = append(asked, question{verb: "impersonate", resource: "groups", name: g})
	}
	for _, q := range asked {
		if _, ok := c.allowed(q); !ok && !contains(c.req.User.Groups, "system:masters") {
			return api.NewForbidden(&api.Kind{Plural: q.resource}, q.name, q.refusal(c.req.User.Name))
		}
	}
	sender := c.req.User.Name
	switch {
	case strings.HasPrefix(as.Name, accountPrefix) && len(as.Groups) == 0:
		as.Groups = accountGroups(as)
	case as.Name != Anonymous.Name && !contains(as.Groups, "system:authenticated"):
		as.Groups = append(as.Groups[:len(as.Groups):len(as.Groups)], "system:authenticated")
	}
	c.req.User = as
	c.pass("authentication", trace.Authorised, sender+" acts as "+as.Name+", groups "+strings.Join(as.Groups, ", "))
	return nil
}

const accountPrefix = "system:serviceaccount:"

// accountGroups adds the groups that every service account is in.
func accountGroups(u api.User) []string {
	namespace, _, _ := strings.Cut(strings.TrimPrefix(u.Name, accountPrefix), ":")
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
