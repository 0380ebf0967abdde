package validation

import (
	"net/url"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// hook is what the webhooks of both kinds have in common; what only the mutating
// ones have is a pointer to it.
type hook struct {
	*api.ValidatingWebhook
	reinvocation *string
}

// hooks checks the webhooks of a configuration but for their conditions, which
// Admission does (pkg/apis/admissionregistration/validation).
func (c *check) hooks(list []hook) {
	seen := map[string]bool{}
	for i, h := range list {
		p := field.NewPath("webhooks").Index(i)
		c.hook(h, p)
		c.reviewVersions(h.AdmissionReviewVersions, p.Child("admissionReviewVersions"))
		if h.Name != "" && seen[h.Name] {
			c.duplicate(p.Child("name"), h.Name)
		}
		seen[h.Name] = true
	}
}

func validatingHooks(list []api.ValidatingWebhook) (out []hook) {
	for i := range list {
		out = append(out, hook{&list[i], nil})
	}
	return out
}

func mutatingHooks(list []api.MutatingWebhook) (out []hook) {
	for i := range list {
		w := &list[i]
		out = append(out, hook{&api.ValidatingWebhook{AdmissionReviewVersions: w.AdmissionReviewVersions, ClientConfig: w.ClientConfig,
			FailurePolicy: w.FailurePolicy, MatchConditions: w.MatchConditions, MatchPolicy: w.MatchPolicy, Name: w.Name,
			NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector, Rules: w.Rules, SideEffects: w.SideEffects,
			TimeoutSeconds: w.TimeoutSeconds}, w.ReinvocationPolicy})
	}
	return out
}

func (c *check) hook(h hook, p *field.Path) {
	c.fullName(p.Child("name"), h.Name)
	for i := range h.Rules {
		c.hookRule(&h.Rules[i], p.Child("rules").Index(i))
	}
	c.choice(p.Child("failurePolicy"), h.FailurePolicy, "Fail", "Ignore")
	c.choice(p.Child("matchPolicy"), h.MatchPolicy, "Equivalent", "Exact")
	if h.SideEffects == nil {
		c.required(p.Child("sideEffects"), "must specify one of None, NoneOnDryRun")
	}
	c.choice(p.Child("sideEffects"), h.SideEffects, "None", "NoneOnDryRun")
	if t := h.TimeoutSeconds; t != nil && (*t > 30 || *t < 1) {
		c.invalid(p.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds")
	}
	c.selector(p.Child("namespaceSelector"), h.NamespaceSelector)
	c.selector(p.Child("objectSelector"), h.ObjectSelector)
	c.choice(p.Child("reinvocationPolicy"), h.reinvocation, "IfNeeded", "Never")
	at := p.Child("clientConfig")
	switch cc := &h.ClientConfig; {
	case (cc.URL == nil) == (cc.Service == nil):
		c.required(at, "exactly one of url or service is required")
	case cc.URL != nil:
		c.hookURL(*cc.URL, at.Child("url"))
	default:
		c.hookService(cc.Service, at.Child("service"))
	}
}

// choice checks a value that may be absent.
func (c *check) choice(p *field.Path, v *string, valid ...string) {
	if v != nil {
		c.supported(p, *v, valid...)
	}
}

// fullName checks a name of three parts at least (IsFullyQualifiedName).
func (c *check) fullName(p *field.Path, name string) {
	switch errs := isSubdomain(name); {
	case name == "":
		c.required(p, "")
	case len(errs) > 0:
		c.invalid(p, name, strings.Join(errs, ","))
	case strings.Count(name, ".") < 2:
		c.invalid(p, name, "should be a domain with at least three segments separated by dots")
	}
}

func (c *check) hookRule(r *api.RuleWithOperations, p *field.Path) {
	c.wildcardAlone(r.Operations, "operations", p.Child("operations"))
	for i, op := range r.Operations {
		c.supported(p.Child("operations").Index(i), op, operations...)
	}
	c.wildcardAlone(r.APIGroups, "API groups", p.Child("apiGroups"))
	at := p.Child("apiVersions")
	c.wildcardAlone(r.APIVersions, "API versions", at)
	for i, v := range r.APIVersions {
		c.filled(at.Index(i), v)
	}
	c.hookResources(r.Resources, p.Child("resources"))
	c.choice(p.Child("scope"), r.Scope, "*", "Cluster", "Namespaced")
}

// wildcardAlone wants a list that is not empty, and nothing beside "*".
func (c *check) wildcardAlone(list []string, what string, p *field.Path) {
	if len(list) == 0 {
		c.required(p, "")
	}
	if len(list) > 1 && contains(list, "*") {
		c.invalid(p, list, "if '*' is present, must not specify other "+what)
	}
}

// hookResources checks resources and subresources, each of which may be "*".
func (c *check) hookResources(list []string, p *field.Path) {
	if len(list) == 0 {
		c.required(p, "")
	}
	anySub, anyResource := map[string]bool{}, map[string]bool{}
	single, plain := false, false
	for i, r := range list {
		at := p.Index(i)
		res, sub, ok := strings.Cut(r, "/")
		switch {
		case r == "":
			c.required(at, "")
			continue
		case !ok:
			single = single || r == "*"
			plain = r != "*"
			continue
		}
		if anySub[res] {
			c.invalid(at, r, "if '"+res+"/*' is present, must not specify "+r)
		}
		if anyResource[sub] {
			c.invalid(at, r, "if '*/"+sub+"' is present, must not specify "+r)
		}
		anySub[res] = anySub[res] || sub == "*"
		anyResource[sub] = anyResource[sub] || res == "*"
	}
	if len(list) > 1 && contains(list, "*/*") {
		c.invalid(p, list, "if '*/*' is present, must not specify other resources")
	}
	if single && plain {
		c.invalid(p, list, "if '*' is present, must not specify other resources without subresources")
	}
}

func (c *check) reviewVersions(list []string, p *field.Path) {
	const known = "v1, v1beta1"
	if len(list) == 0 {
		c.required(p, "must specify one of "+known)
		return
	}
	seen := map[string]bool{}
	for i, v := range list {
		if seen[v] {
			c.invalid(p.Index(i), v, "duplicate version")
			continue
		}
		seen[v] = true
		c.each(p.Index(i), v, characters(isDNS1035Label(v)))
	}
	if !seen["v1"] && !seen["v1beta1"] {
		c.invalid(p, list, "must include at least one of "+known)
	}
}

// hookURL checks where a webhook is called (apiserver/pkg/util/webhook).
func (c *check) hookURL(text string, p *field.Path) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		c.required(p, "url must be a valid URL: "+err.Error()+form)
		return
	}
	if u.Scheme != "https" {
		c.invalid(p, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		c.invalid(p, u.Host, "host must be specified"+form)
	}
	if u.User != nil {
		c.invalid(p, u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		c.invalid(p, u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		c.invalid(p, u.RawQuery, "query parameters are not permitted in the URL")
	}
}

// hookService checks the service of a webhook. Name and namespace stand in each
// other's place, as upstream's call has them.
func (c *check) hookService(s *api.WebhookServiceReference, p *field.Path) {
	c.filled(p.Child("name"), s.Namespace)
	c.filled(p.Child("namespace"), s.Name)
	if s.Port != nil {
		if errs := isPort(*s.Port); len(errs) > 0 {
			c.invalid(p.Child("port"), *s.Port, "port is not valid: "+strings.Join(errs, ", "))
		}
	}
	if s.Path != nil {
		c.hookPath(*s.Path, p.Child("path"))
	}
}

func (c *check) hookPath(path string, p *field.Path) {
	switch path {
	case "", "/":
		return
	case "//":
		c.invalid(p, path, "segment[0] may not be empty")
		return
	}
	if path[0] != '/' {
		c.invalid(p, path, "must start with a '/'")
	}
	for i, step := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		at := "segment[" + strconv.Itoa(i) + "]"
		if step == "" {
			c.invalid(p, path, at+" may not be empty")
			continue
		}
		for _, m := range field.IsDNS1123Subdomain(step) {
			c.invalid(p, path, at+": "+m)
		}
	}
}
