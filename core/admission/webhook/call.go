package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// call tries to reach a hook, and returns the refusal of a request that may not
// pass without it.
func (h *hook) call(a *admission.Attributes) *api.Status {
	if a.DryRun && (h.sideEffects == nil || *h.sideEffects != "None" && *h.sideEffects != "NoneOnDryRun") {
		return api.NewBadRequest("admission webhook " + strconv.Quote(h.name) + " does not support dry run")
	}
	why := h.unreachable(a)
	switch {
	case why == "":
		a.Note(trace.NotSimulated, "WebhookAnswer", "webhook "+h.name+" of "+h.configuredByName+
			" has a ready pod, whose answer is not simulated: the request passes")
		return nil
	case h.failure != nil && *h.failure == "Ignore":
		a.Note(trace.Info, "WebhookIgnored", "failed calling webhook, failing open "+h.name+": failed to call webhook: "+why)
		return nil
	}
	return api.NewInternalError("failed calling webhook " + strconv.Quote(h.name) + ": failed to call webhook: " + why)
}

// unreachable returns the error of the call, "" where something would answer.
func (h *hook) unreachable(a *admission.Attributes) string {
	timeout := int32(10)
	if h.timeout != nil {
		timeout = *h.timeout
	}
	query := "timeout=" + strconv.Itoa(int(timeout)) + "s"
	if s := h.client.Service; s != nil {
		return service(a, s, query)
	}
	if h.client.URL == nil {
		return "webhook configuration must have either service or URL"
	}
	u, err := url.Parse(*h.client.URL)
	if err != nil {
		return "Unparsable webhook URL: " + err.Error()
	}
	u.RawQuery = query
	return `Post ` + strconv.Quote(u.String()) + ": " + dial(u)
}

// dial is the error of a connection to a place outside the cluster. Nothing but
// the API server listens on the machine of the control plane.
func dial(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "localhost":
		return "dial tcp 127.0.0.1:" + port + ": connect: connection refused"
	case err != nil:
		return "dial tcp: lookup " + host + ": no such host"
	case ip.IsLoopback():
		return "dial tcp " + netip.AddrPortFrom(ip, number(port)).String() + ": connect: connection refused"
	}
	return "context deadline exceeded"
}

func number(port string) uint16 {
	n, _ := strconv.ParseUint(port, 10, 16)
	return uint16(n)
}

// service resolves a Service to its address (apiserver/pkg/util/proxy,
// ResolveCluster); an address without ready endpoints refuses connections.
func service(a *admission.Attributes, s *api.WebhookServiceReference, query string) string {
	port := int32(443)
	if s.Port != nil {
		port = *s.Port
	}
	u := url.URL{Scheme: "https", Host: s.Name + "." + s.Namespace + ".svc:" + strconv.Itoa(int(port)), Path: "/", RawQuery: query}
	if s.Path != nil && *s.Path != "" {
		u.Path = "/" + strings.TrimPrefix(*s.Path, "/")
	}
	post := "Post " + strconv.Quote(u.String()) + ": "
	svc, ok := a.Read.Get("Service", s.Namespace, s.Name).(*api.Service)
	if !ok {
		return post + "service " + strconv.Quote(s.Name) + " not found"
	}
	if svc.Spec.Type == "ExternalName" {
		return post + dial(&url.URL{Host: svc.Spec.ExternalName + ":" + strconv.Itoa(int(port))})
	}
	found := false
	for _, p := range svc.Spec.Ports {
		found = found || p.Port == port
	}
	switch {
	case svc.Spec.ClusterIP == "" || svc.Spec.ClusterIP == "None":
		return post + `cannot route to service with ClusterIP "None"`
	case !found:
		return post + "no service port " + strconv.Itoa(int(port)) + " found for service " + strconv.Quote(s.Name)
	case ready(a, svc):
		return ""
	}
	return post + "dial tcp " + svc.Spec.ClusterIP + ":" + strconv.Itoa(int(port)) + ": connect: connection refused"
}

// ready reports whether a Service has a ready endpoint.
func ready(a *admission.Attributes, svc *api.Service) bool {
	any := false
	a.Read.Each("EndpointSlice", svc.Namespace, func(o api.Object) bool {
		e := o.(*api.EndpointSlice)
		if e.Labels["kubernetes.io/service-name"] != svc.Name {
			return true
		}
		for i := range e.Endpoints {
			if r := e.Endpoints[i].Conditions.Ready; r == nil || *r {
				any = true
			}
		}
		return !any
	})
	return any
}
