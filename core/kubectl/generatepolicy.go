package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// newBudget makes a PodDisruptionBudget.
func (s *session) newBudget(name string) (api.Object, error) {
	selector, least, most := s.flags.text("selector"), s.flags.text("min-available"), s.flags.text("max-unavailable")
	switch {
	case selector == "":
		return nil, plain("a selector must be specified")
	case least == "" && most == "":
		return nil, plain("one of min-available or max-unavailable must be specified")
	case least != "" && most != "":
		return nil, plain("min-available and max-unavailable cannot be both specified")
	}
	o := &api.PodDisruptionBudget{ObjectMeta: named(name)}
	var err error
	if o.Spec.Selector, err = labelSelector(selector); err != nil {
		return nil, err
	}
	for text, into := range map[string]**api.IntOrString{least: &o.Spec.MinAvailable, most: &o.Spec.MaxUnavailable} {
		if text == "" {
			continue
		}
		v, err := amount(text)
		if err != nil {
			return nil, err
		}
		*into = &v
	}
	return o, nil
}

// amount is a whole number or a percentage.
func amount(text string) (api.IntOrString, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		if n < 0 {
			return api.IntOrString{}, plain("invalid value: " + text + " provided for min-available and max-unavailable")
		}
		return api.FromInt(int32(n)), nil
	}
	return api.FromString(text), nil
}

// labelSelector makes a selector of an object of its words
// (apimachinery/pkg/apis/meta/v1 ParseToLabelSelector).
func labelSelector(text string) (*api.LabelSelector, error) {
	sel, err := api.ParseSelector(text)
	if err != nil {
		return nil, plain("couldn't parse the selector string " + quoted(text) + ": " + err.Error())
	}
	out := &api.LabelSelector{}
	names := map[api.Operator]string{api.OpIn: "In", api.OpNotIn: "NotIn", api.OpNotEquals: "NotIn", api.OpExists: "Exists", api.OpDoesNotExist: "DoesNotExist"}
	for _, r := range sel.Requirements {
		switch {
		case r.Op == api.OpEquals || r.Op == api.OpDoubleEquals:
			if out.MatchLabels == nil {
				out.MatchLabels = map[string]string{}
			}
			out.MatchLabels[r.Key] = r.Values[0]
		case names[r.Op] == "":
			return nil, plain(quoted(string(r.Op)) + " is not a valid label selector operator")
		default:
			out.MatchExpressions = append(out.MatchExpressions, api.LabelSelectorRequirement{Key: r.Key, Operator: names[r.Op], Values: r.Values})
		}
	}
	return out, nil
}

func (s *session) newPriorityClass(name string) (api.Object, error) {
	value, err := s.flags.number("value", 0)
	if err != nil {
		return nil, err
	}
	policy := or(s.flags.text("preemption-policy"), "PreemptLowerPriority")
	return &api.PriorityClass{ObjectMeta: named(name), Value: int32(value), GlobalDefault: s.flags.bool("global-default"),
		Description: s.flags.text("description"), PreemptionPolicy: &policy}, nil
}

// newIngress makes an Ingress of rules HOST/PATH=SERVICE:PORT[,tls[=SECRET]].
func (s *session) newIngress(name string) (api.Object, error) {
	rules, backend := s.flags["rule"], s.flags.text("default-backend")
	if len(rules) == 0 && backend == "" {
		return nil, plain("not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)")
	}
	o := &api.Ingress{ObjectMeta: named(name)}
	for _, rule := range rules {
		r, ok := parseIngressRule(rule)
		if !ok {
			return nil, plain("rule " + rule + " is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
		}
		r.addTo(&o.Spec)
	}
	for _, a := range s.flags["annotation"] {
		key, value, ok := strings.Cut(a, "=")
		if !ok {
			return nil, plain("annotation " + a + " is invalid and should be in format key=[value]")
		}
		if o.Annotations == nil {
			o.Annotations = map[string]string{}
		}
		o.Annotations[key] = value
	}
	if backend != "" {
		if strings.Count(backend, ":") != 1 {
			return nil, plain("default-backend should be in format servicename:serviceport")
		}
		b := ingressBackend(backend)
		o.Spec.DefaultBackend = &b
	}
	if class := s.flags.text("class"); class != "" {
		o.Spec.IngressClassName = &class
	}
	return o, nil
}

type ingressRule struct {
	host, path, service, secret string
	tls                         bool
}

func parseIngressRule(text string) (r ingressRule, ok bool) {
	text, tls, hasTLS := strings.Cut(text, ",")
	if r.tls = hasTLS; hasTLS {
		word, secret, _ := strings.Cut(tls, "=")
		if r.secret = secret; word != "tls" || strings.ContainsAny(secret, "=,") {
			return r, false
		}
	}
	left, service, ok := strings.Cut(text, "=")
	host, path, slash := strings.Cut(left, "/")
	name, port, colon := strings.Cut(service, ":")
	r.host, r.path, r.service = host, "/"+path, service
	return r, ok && slash && colon && name != "" && port != "" && !strings.ContainsAny(service, "=,")
}

func (r ingressRule) addTo(spec *api.IngressSpec) {
	kind, path := "Exact", r.path
	if cut, ok := strings.CutSuffix(path, "*"); ok {
		kind, path = "Prefix", cut
	}
	p := api.HTTPIngressPath{Path: path, PathType: &kind, Backend: ingressBackend(r.service)}
	i := slices.IndexFunc(spec.Rules, func(o api.IngressRule) bool { return o.Host == r.host })
	if i < 0 {
		spec.Rules = append(spec.Rules, api.IngressRule{Host: r.host, HTTP: &api.HTTPIngressRuleValue{Paths: []api.HTTPIngressPath{p}}})
	} else {
		spec.Rules[i].HTTP.Paths = append(spec.Rules[i].HTTP.Paths, p)
	}
	known := slices.ContainsFunc(spec.TLS, func(t api.IngressTLS) bool { return slices.Contains(t.Hosts, r.host) })
	if !r.tls || known || r.host == "" && r.secret == "" {
		return
	}
	i = slices.IndexFunc(spec.TLS, func(t api.IngressTLS) bool { return t.SecretName == r.secret })
	switch {
	case i >= 0:
		spec.TLS[i].Hosts = append(spec.TLS[i].Hosts, r.host)
	case r.host == "":
		spec.TLS = append(spec.TLS, api.IngressTLS{SecretName: r.secret})
	default:
		spec.TLS = append(spec.TLS, api.IngressTLS{Hosts: []string{r.host}, SecretName: r.secret})
	}
}

func ingressBackend(service string) api.IngressBackend {
	name, port, _ := strings.Cut(service, ":")
	b := &api.IngressServiceBackend{Name: name, Port: api.ServiceBackendPort{Name: port}}
	if n, err := strconv.ParseInt(port, 10, 32); err == nil {
		b.Port = api.ServiceBackendPort{Number: int32(n)}
	}
	return api.IngressBackend{Service: b}
}
