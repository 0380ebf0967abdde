package apiserver

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/trace"
)

// authorise asks RBAC. The cluster's own components are trusted without a record;
// of people the binding that allows the request is named.
func (c *call) authorise() *api.Status {
	if !c.person && isComponent(c.req.User) {
		return nil
	}
	if contains(c.req.User.Groups, "system:masters") {
		c.pass("authorization", trace.Authorised, "group system:masters may do everything")
		return nil
	}
	q := c.question()
	if reason, ok := c.allowed(q); ok {
		c.pass("authorization", trace.Authorised, reason)
		return nil
	}
	c.record(trace.Record{Source: "authorization", Stage: trace.Authorised, Verdict: trace.Info, Message: c.wouldAllow(q)})
	return api.NewForbidden(c.req.Kind, q.name, q.refusal(c.req.User.Name))
}

// question is what a request asks for, in RBAC's terms.
type question struct {
	verb, group, resource, name, namespace string
	path                                   string // of what is no resource
}

func (c *call) question() question {
	q := question{verb: string(c.req.Verb), group: c.req.Kind.Group, resource: c.req.Kind.Plural}
	if c.req.Subresource != "" {
		q.resource += "/" + c.req.Subresource
	}
	if c.req.Verb != api.Create || c.req.Subresource != "" {
		q.name = c.req.Name
	}
	switch {
	case c.req.Kind.Namespaced:
		q.namespace = c.req.Namespace
	case c.req.Kind.Kind == "Namespace":
		q.namespace = q.name
	}
	return q
}

// refusal is the text of the real server
// (apiserver/pkg/endpoints/handlers/responsewriters/errors.go).
func (q question) refusal(user string) string {
	text := "User " + strconv.Quote(user) + " cannot " + q.verb + " resource " + strconv.Quote(q.resource) +
		" in API group " + strconv.Quote(q.group)
	if q.namespace != "" {
		return text + " in the namespace " + strconv.Quote(q.namespace)
	}
	return text + " at the cluster scope"
}

// allowed looks for a binding whose role allows what is asked, first those of the
// whole cluster, and says which it was (plugin/pkg/auth/authorizer/rbac/rbac.go).
func (c *call) allowed(q question) (reason string, ok bool) {
	c.read.Each("ClusterRoleBinding", "", func(o api.Object) bool {
		b := o.(*api.ClusterRoleBinding)
		reason, ok = c.grants(q, "ClusterRoleBinding "+strconv.Quote(b.Name), b.RoleRef, b.Subjects, "")
		return !ok
	})
	if ok || q.namespace == "" {
		return reason, ok
	}
	c.read.Each("RoleBinding", q.namespace, func(o api.Object) bool {
		b := o.(*api.RoleBinding)
		reason, ok = c.grants(q, "RoleBinding "+strconv.Quote(b.Name+"/"+b.Namespace), b.RoleRef, b.Subjects, b.Namespace)
		return !ok
	})
	return reason, ok
}

func (c *call) grants(q question, binding string, ref api.RoleRef, subjects []api.RBACSubject, namespace string) (string, bool) {
	for _, s := range subjects {
		if !isSubject(s, c.req.User, namespace) {
			continue
		}
		for _, r := range c.rules(ref, namespace) {
			if permits(r, q) {
				return "RBAC: allowed by " + binding + " of " + ref.Kind + " " + strconv.Quote(ref.Name) +
					" to " + s.Kind + " " + strconv.Quote(s.Name), true
			}
		}
	}
	return "", false
}

func isSubject(s api.RBACSubject, u api.User, namespace string) bool {
	switch s.Kind {
	case "User":
		return s.Name == u.Name
	case "Group":
		return contains(u.Groups, s.Name)
	case "ServiceAccount":
		if s.Namespace != "" {
			namespace = s.Namespace
		}
		return u.Name == "system:serviceaccount:"+namespace+":"+s.Name
	}
	return false
}

func (c *call) rules(ref api.RoleRef, namespace string) []api.PolicyRule {
	switch r := c.read.Get(ref.Kind, roleNamespace(ref, namespace), ref.Name).(type) {
	case *api.ClusterRole:
		return c.aggregate(r)
	case *api.Role:
		return r.Rules
	}
	return nil
}

func roleNamespace(ref api.RoleRef, namespace string) string {
	if ref.Kind == "Role" {
		return namespace
	}
	return ""
}

// aggregate returns the rules of a role and of those that its selectors gather,
// which in a real cluster a controller copies into it.
func (c *call) aggregate(role *api.ClusterRole) []api.PolicyRule {
	rules := role.Rules
	if role.AggregationRule == nil {
		return rules
	}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		sel, err := role.AggregationRule.ClusterRoleSelectors[i].AsSelector()
		if err != nil {
			continue
		}
		c.read.Each("ClusterRole", "", func(o api.Object) bool {
			if r := o.(*api.ClusterRole); r != role && sel.Matches(r.Labels) {
				rules = append(rules[:len(rules):len(rules)], r.Rules...)
			}
			return true
		})
	}
	return rules
}

// permits reports whether one rule allows it (pkg/apis/rbac/v1/evaluation_helpers.go).
func permits(r api.PolicyRule, q question) bool {
	if q.path != "" {
		return has(r.Verbs, q.verb) && hasPath(r.NonResourceURLs, q.path)
	}
	if !has(r.Verbs, q.verb) || !has(r.APIGroups, q.group) || !hasResource(r.Resources, q.resource) {
		return false
	}
	return len(r.ResourceNames) == 0 || contains(r.ResourceNames, q.name)
}

func has(list []string, s string) bool { return contains(list, "*") || contains(list, s) }

// hasPath compares paths; a * at the end of one stands for any rest.
func hasPath(list []string, path string) bool {
	for _, p := range list {
		if prefix, ok := strings.CutSuffix(p, "*"); p == path || ok && strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func hasResource(list []string, resource string) bool {
	_, sub, isSub := strings.Cut(resource, "/")
	return has(list, resource) || isSub && contains(list, "*/"+sub)
}
