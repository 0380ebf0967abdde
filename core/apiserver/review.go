package apiserver

import (
	"strconv"
	"strings"

	"podwalk/core/api"
)

// review answers a question about the sender (pkg/registry/authorization,
// pkg/registry/authentication).
func (c *call) review() api.Response {
	o := &api.SubjectReview{User: c.req.User}
	switch opts := c.req.Options; c.req.Kind {
	case api.SelfSubjectAccessReview:
		q := question{verb: opts["verb"], group: opts["group"], resource: opts["resource"], name: opts["name"], namespace: c.req.Namespace, path: opts["path"]}
		if opts["subresource"] != "" {
			q.resource += "/" + opts["subresource"]
		}
		o.Reason, o.Allowed = c.allowed(q)
		if contains(c.req.User.Groups, "system:masters") {
			o.Allowed = true
		}
	case api.SelfSubjectRulesReview:
		o.Rules = c.everyRule(c.req.Namespace)
	}
	return api.Response{Object: o}
}

// everyRule lists the rules that hold for the sender in a namespace, those of the
// whole cluster first.
func (c *call) everyRule(namespace string) (rules []api.PolicyRule) {
	take := func(ref api.RoleRef, subjects []api.RBACSubject, in string) {
		for _, s := range subjects {
			if isSubject(s, c.req.User, in) {
				rules = append(rules, c.rules(ref, in)...)
				return
			}
		}
	}
	c.read.Each("ClusterRoleBinding", "", func(o api.Object) bool {
		b := o.(*api.ClusterRoleBinding)
		take(b.RoleRef, b.Subjects, "")
		return true
	})
	c.read.Each("RoleBinding", namespace, func(o api.Object) bool {
		b := o.(*api.RoleBinding)
		take(b.RoleRef, b.Subjects, b.Namespace)
		return true
	})
	return rules
}

// wouldAllow names a role that would allow what was refused, for the record.
func (c *call) wouldAllow(q question) string {
	text := ""
	look := func(kind string, name string, rules []api.PolicyRule) bool {
		for _, r := range rules {
			if permits(r, q) && name != "cluster-admin" && !strings.HasPrefix(name, "system:") {
				text = kind + " " + strconv.Quote(name)
			}
		}
		return text == ""
	}
	if q.namespace != "" {
		c.read.Each("Role", q.namespace, func(o api.Object) bool { return look("Role", o.Meta().Name, o.(*api.Role).Rules) })
	}
	c.read.Each("ClusterRole", "", func(o api.Object) bool {
		return text == "" && look("ClusterRole", o.Meta().Name, c.aggregate(o.(*api.ClusterRole)))
	})
	if text == "" {
		return "no role but cluster-admin has a rule that allows it"
	}
	return text + " would allow it; no binding gives it to " + c.req.User.Name
}

// token answers a TokenRequest for a service account.
func (c *call) token() api.Response {
	a, ok := c.current().(*api.ServiceAccount)
	if !ok {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	seconds := int64(3600)
	if n, err := strconv.ParseInt(c.req.Options["expirationSeconds"], 10, 64); err == nil {
		seconds = n
	}
	if seconds < 600 {
		why := "Invalid value: " + strconv.FormatInt(seconds, 10) + ": may not specify a duration less than 10 minutes"
		return c.refuse("validation", api.NewInvalid(&api.Kind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, "",
			[]api.StatusCause{{Type: "FieldValueInvalid", Message: why, Field: "spec.expirationSeconds"}}, "spec.expirationSeconds: "+why))
	}
	var audiences []string
	if text := c.req.Options["audiences"]; text != "" {
		audiences = strings.Split(text, ",")
	}
	return api.Response{Text: c.s.issue(a, c.now, seconds, audiences)}
}
