package cluster

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/controllers/ingressnginx"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
	"podwalk/core/network/request"
	"podwalk/core/runtime"
	"podwalk/core/workload"
)

// ingresses are those that the simulated controller serves: where the cluster has
// the add-on those of its class, else all.
func (n *network) ingresses() (list []*api.Ingress) {
	view, all := n.c.Latest(), !n.c.cfg.has(ingressnginx.Addon)
	view.Each("Ingress", "", func(o api.Object) bool {
		if in := o.(*api.Ingress); all || ingressnginx.Handled(view, in) {
			list = append(list, in)
		}
		return true
	})
	return list
}

// ingress lets the simulated controller of Ingresses answer for a host that one of
// them names. It reports whether it did.
func (s *sending) ingress() bool {
	if s.url.scheme == "tcp" || s.url.port != 80 && s.url.port != 443 || isIP(s.url.host) && s.url.host != ingressnginx.Address {
		return false
	}
	path, _, _ := strings.Cut(s.url.path, "?")
	to := request.RouteIngress(s.n.ingresses(), s.url.host, path)
	if !to.Known(s.url.host) && s.url.host != ingressnginx.Address {
		return false
	}
	s.serve(&to)
	return true
}

// serve is what the controller does with a request.
func (s *sending) serve(to *request.Routed) {
	h := request.Hop{Source: "ingress", Ref: request.Ref{Kind: "IngressClass", Name: "nginx"}, Verdict: request.Passed, Reason: "Controller",
		Message: s.url.host + " leads to the controller at " + ingressnginx.Address}
	if !s.n.c.cfg.has(ingressnginx.Addon) {
		h.Verdict = request.Assumed
		h.Message = s.url.host + " is answered as ingress-nginx would, though the cluster has no controller (add-on " + ingressnginx.Addon + ")"
	}
	s.add(h)
	switch {
	case s.url.scheme == "https" && !s.certificate(to):
	case s.url.scheme == "http" && to.TLS && to.Ingress != nil:
		s.own(to, 308, "Redirect", "the host has TLS: the controller redirects to https")
	default:
		s.backend(to)
	}
}

// ingressFace is the controller as programs in the cluster reach it.
type ingressFace struct {
	f    *fabric
	call runtime.Call
}

// Answer routes a request by its host.
func (e ingressFace) Answer(req workload.Request) workload.Response {
	if req.Proto != "http" && req.Proto != "https" && req.Proto != "" {
		return workload.Response{}
	}
	s := &sending{n: &network{e.f.c, e.call.Now}, call: e.call, src: &request.Source{End: &policy.End{IP: outsideAddress}}}
	s.url = target{scheme: "http", host: req.Host, path: req.Path, port: 80}
	if req.Proto == "https" {
		s.url.scheme = "https"
	}
	path, _, _ := strings.Cut(req.Path, "?")
	to := request.RouteIngress(s.n.ingresses(), req.Host, path)
	s.serve(&to)
	e.f.note(e.call, s.src, "/"+req.Host+path, s.out.Hops)
	return workload.Response{Code: s.out.Code, Body: s.out.Body, Headers: []workload.Header{{Name: "Content-Type", Value: "text/html"}}}
}

// own is an answer of the controller itself.
func (s *sending) own(to *request.Routed, code int, reason, message string) {
	h := request.Hop{Source: "ingress", Ref: request.Ref{Kind: "IngressClass", Name: "nginx"}, Verdict: request.Failed, Reason: reason,
		Message: message + " (" + strconv.Itoa(code) + ")"}
	if to.Ingress != nil {
		h.Ref = request.Ref{Kind: "Ingress", Namespace: to.Ingress.Namespace, Name: to.Ingress.Name}
	}
	if code < 400 {
		h.Verdict = request.Passed
	} else {
		h.Symptom = "HTTP " + strconv.Itoa(code)
	}
	s.out.Code, s.out.Body = code, page(code)
	s.add(h)
}

// page is the body of the controller's own answers.
func page(code int) string {
	text := map[int]string{308: "Permanent Redirect", 404: "Not Found", 502: "Bad Gateway", 503: "Service Temporarily Unavailable", 504: "Gateway Time-out"}[code]
	title := strconv.Itoa(code) + " " + text
	return "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title + "</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
}

// certificate reports whether the controller has one for the host.
func (s *sending) certificate(to *request.Routed) bool {
	ns, name, _ := strings.Cut(to.Secret, "/")
	o, ok := s.n.c.Latest().Get("Secret", ns, name).(*api.Secret)
	h := request.Hop{Source: "ingress", Ref: request.Ref{Kind: "Secret", Namespace: ns, Name: name}, Verdict: request.Failed, Reason: "Certificate", Symptom: "certificate not trusted"}
	switch {
	case to.Secret == "" || name == "":
		h.Ref = request.Ref{Kind: "IngressClass", Name: "nginx"}
		h.Message = "no Ingress has a TLS secret for " + s.url.host + ": the controller shows its own certificate (Kubernetes Ingress Controller Fake Certificate)"
	case !ok:
		h.Message = "Secret " + to.Secret + " does not exist: the controller shows its own certificate (Kubernetes Ingress Controller Fake Certificate)"
	case o.Data["tls.crt"] == nil || o.Data["tls.key"] == nil:
		h.Message = "Secret " + to.Secret + " has no tls.crt and tls.key: the controller shows its own certificate (Kubernetes Ingress Controller Fake Certificate)"
	default:
		return true
	}
	s.add(h)
	return false
}

// backend sends the request on to an endpoint of the Service that a rule names.
func (s *sending) backend(to *request.Routed) {
	if to.Ingress == nil {
		s.own(to, 404, "NoRule", "no rule for "+s.url.host+" matches the path "+s.url.path)
		return
	}
	ns := to.Ingress.Namespace
	if to.Backend.Service == nil {
		s.own(to, 503, "Resource", "a resource as backend is not simulated")
		return
	}
	name := to.Backend.Service.Name
	ref := request.Ref{Kind: "Ingress", Namespace: ns, Name: to.Ingress.Name}
	if s.n.Service(ns, name) == nil {
		s.own(to, 503, "NoService", "Service "+ns+"/"+name+" does not exist")
		return
	}
	ep, why := s.endpointOf(ns, to.Backend.Service)
	if why != "" {
		s.own(to, 503, "NoEndpoints", why)
		return
	}
	s.add(request.Hop{Source: "ingress", Ref: ref, Verdict: request.Passed, Reason: "Rule",
		Message: "host " + orAny(to.Host) + ", path " + orAny(to.Path) + " leads to Service " + ns + "/" + name + ", endpoint " + ep.String()})
	node := s.controllerNode(ep.Node)
	s.src = &request.Source{Node: node, End: &policy.End{IP: "10.244.255.10", Namespace: "ingress-nginx", Name: "ingress-nginx-controller",
		Labels:          map[string]string{"app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller"},
		NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": "ingress-nginx"}}}
	r := request.Reach(s.n, s.src, ep.IP, ep.Port, "tcp")
	s.add(r.Hops...)
	if r.Symptom == "" {
		s.url.scheme = "http"
		s.deliver(&r)
	}
	s.gateway()
}

// controllerNode is where the controller runs: beside the endpoint, or on another
// node if that one is lost.
func (s *sending) controllerNode(beside string) proxy.Node {
	node, _ := s.n.Node(beside)
	if l := s.n.Line(beside); !l.Lost() {
		return node
	}
	for _, n := range s.n.Nodes() {
		if l := s.n.Line(n.Name); !l.Lost() {
			return n
		}
	}
	return node
}

// gateway turns what went wrong behind the controller into its own answer.
func (s *sending) gateway() {
	switch s.out.Symptom {
	case request.TimedOut:
		s.out.Code, s.out.Symptom, s.out.Body = 504, "HTTP 504", page(504)
	case request.RefusedConn, request.Unreachable, request.Reset:
		s.out.Code, s.out.Symptom, s.out.Body = 502, "HTTP 502", page(502)
	}
}

func orAny(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// endpointOf picks a ready endpoint; the controller goes to endpoints itself, past
// kube-proxy.
func (s *sending) endpointOf(ns string, b *api.IngressServiceBackend) (proxy.Endpoint, string) {
	for _, e := range s.n.Table("").Service(ns, b.Name) {
		if b.Port.Name != "" && e.Name != b.Port.Name || b.Port.Number != 0 && e.Port.Port != b.Port.Number {
			continue
		}
		var ready []proxy.Endpoint
		for i := range e.Endpoints {
			if e.Endpoints[i].Ready {
				ready = append(ready, e.Endpoints[i])
			}
		}
		if len(ready) == 0 {
			return proxy.Endpoint{}, "Service " + ns + "/" + b.Name + " has no ready endpoints"
		}
		return ready[s.n.Roll("ingress/"+ns+"/"+b.Name, 0)%uint64(len(ready))], ""
	}
	return proxy.Endpoint{}, "Service " + ns + "/" + b.Name + " has no port " + portText(b)
}

func portText(b *api.IngressServiceBackend) string {
	if b.Port.Name != "" {
		return b.Port.Name
	}
	return strconv.Itoa(int(b.Port.Number))
}
