package request

import (
	"sort"
	"strings"

	"podwalk/core/api"
)

// Routed is what the ingress controller makes of a host and a path.
type Routed struct {
	Ingress *api.Ingress            // nil: no rule matches, the controller's own backend answers
	Host    string                  // of the rule, "" is any
	Path    string                  // of the rule, "" for a default backend
	Backend *api.IngressBackend     // nil without Ingress
	Secret  string                  // of the TLS entry for the host, "" if it names none
	TLS     bool                    // the host has a TLS entry
	known   map[string]*api.Ingress // hosts of all rules
}

// Known reports whether some rule names the host, or any host.
func (r *Routed) Known(host string) bool { return r.known[host] != nil || r.known[""] != nil }

// Names reports whether a rule names the host, by itself or by a wildcard.
func (r *Routed) Names(host string) bool { return r.known[host] != nil && host != "" }

// candidate is a rule with its rank.
type candidate struct {
	in    *api.Ingress
	host  string
	path  string
	exact bool
	to    *api.IngressBackend
}

// RouteIngress finds the backend for a request: the host by name before wildcards
// before rules for any host, then an exact path, then the longest prefix, then the
// older Ingress (networking.k8s.io/v1, Ingress rules). Resources as backends are not
// simulated: such a rule matches and has no Service.
func RouteIngress(list []*api.Ingress, host, path string) Routed {
	r := Routed{known: map[string]*api.Ingress{}}
	var fit []candidate
	for _, in := range list {
		for i := range in.Spec.Rules {
			rule := &in.Spec.Rules[i]
			r.known[rule.Host] = in
			if strings.HasPrefix(rule.Host, "*.") && hostMatches(rule.Host, host) {
				r.known[host] = in
			}
			if !hostMatches(rule.Host, host) || rule.HTTP == nil {
				continue
			}
			for j := range rule.HTTP.Paths {
				p := &rule.HTTP.Paths[j]
				if pathMatches(p, path) {
					fit = append(fit, candidate{in, rule.Host, p.Path, p.PathType != nil && *p.PathType == "Exact", &p.Backend})
				}
			}
		}
		if in.Spec.DefaultBackend != nil {
			fit = append(fit, candidate{in, "", "", false, in.Spec.DefaultBackend})
			if len(in.Spec.Rules) == 0 {
				r.known[""] = in
			}
		}
		r.tls(in, host)
	}
	if len(fit) == 0 {
		return r
	}
	sort.SliceStable(fit, func(i, j int) bool { return fit[i].before(&fit[j]) })
	b := fit[0]
	r.Ingress, r.Host, r.Path, r.Backend = b.in, b.host, b.path, b.to
	return r
}

func (c *candidate) before(d *candidate) bool {
	switch {
	case rank(c.host) != rank(d.host):
		return rank(c.host) > rank(d.host)
	case c.exact != d.exact:
		return c.exact
	case len(c.path) != len(d.path):
		return len(c.path) > len(d.path)
	}
	return c.in.CreationTimestamp < d.in.CreationTimestamp
}

// rank orders hosts: a name, a wildcard, any.
func rank(host string) int {
	switch {
	case host == "":
		return 0
	case strings.HasPrefix(host, "*."):
		return 1
	}
	return 2
}

// hostMatches: a wildcard stands for exactly one label.
func hostMatches(rule, host string) bool {
	if rule == "" || rule == host {
		return true
	}
	if suffix, ok := strings.CutPrefix(rule, "*"); ok {
		label, ok := strings.CutSuffix(host, suffix)
		return ok && label != "" && !strings.Contains(label, ".")
	}
	return false
}

// pathMatches compares by elements for Prefix, whole for Exact; what is left to the
// implementation is a plain prefix here.
func pathMatches(p *api.HTTPIngressPath, path string) bool {
	kind := ""
	if p.PathType != nil {
		kind = *p.PathType
	}
	switch kind {
	case "Exact":
		return p.Path == path
	case "Prefix":
		base := strings.TrimSuffix(p.Path, "/")
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return strings.HasPrefix(path, p.Path)
}

func (r *Routed) tls(in *api.Ingress, host string) {
	for _, t := range in.Spec.TLS {
		for _, h := range t.Hosts {
			if hostMatches(h, host) && h != "" {
				r.TLS = true
				if r.Secret == "" {
					r.Secret = in.Namespace + "/" + t.SecretName
				}
			}
		}
	}
}
