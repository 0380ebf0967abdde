package validation

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) lifecycleAndProbes(ctr *api.Container, at *field.Path, s *podScope) {
	grace := s.spec.TerminationGracePeriodSeconds
	if ctr.Lifecycle != nil {
		c.lifecycle(ctr.Lifecycle, grace, at.Child("lifecycle"))
	}
	if p := ctr.LivenessProbe; p != nil {
		c.probe(p, at.Child("livenessProbe"))
		c.succeedsOnce(p, at.Child("livenessProbe"))
	}
	if p := ctr.ReadinessProbe; p != nil {
		c.probe(p, at.Child("readinessProbe"))
		if g := p.TerminationGracePeriodSeconds; g != nil {
			c.invalid(at.Child("readinessProbe", "terminationGracePeriodSeconds"), *g, "must not be set for readinessProbes")
		}
	}
	if p := ctr.StartupProbe; p != nil {
		c.probe(p, at.Child("startupProbe"))
		c.succeedsOnce(p, at.Child("startupProbe"))
	}
}

func (c *check) succeedsOnce(p *api.Probe, at *field.Path) {
	if p.SuccessThreshold != 1 {
		c.invalid(at.Child("successThreshold"), p.SuccessThreshold, "must be 1")
	}
}

func (c *check) probe(p *api.Probe, at *field.Path) {
	c.handler(handler{exec: p.Exec, http: p.HTTPGet, tcp: p.TCPSocket, grpc: p.GRPC}, nil, at)
	for _, f := range []struct {
		name string
		n    int32
	}{{"initialDelaySeconds", p.InitialDelaySeconds}, {"timeoutSeconds", p.TimeoutSeconds}, {"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold}, {"failureThreshold", p.FailureThreshold}} {
		c.nonNegative(at.Child(f.name), int64(f.n))
	}
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		c.invalid(at.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0")
	}
}

func (c *check) lifecycle(l *api.Lifecycle, grace *int64, at *field.Path) {
	if h := l.PostStart; h != nil {
		c.handler(handler{exec: h.Exec, http: h.HTTPGet, tcp: h.TCPSocket, sleep: h.Sleep}, grace, at.Child("postStart"))
	}
	if h := l.PreStop; h != nil {
		c.handler(handler{exec: h.Exec, http: h.HTTPGet, tcp: h.TCPSocket, sleep: h.Sleep}, grace, at.Child("preStop"))
	}
}

// handler is what a probe or hook does: one of these.
type handler struct {
	exec  *api.ExecAction
	http  *api.HTTPGetAction
	tcp   *api.TCPSocketAction
	grpc  *api.GRPCAction
	sleep *api.SleepAction
}

func (c *check) handler(h handler, grace *int64, at *field.Path) {
	count := 0
	next := func(name string, set bool, rule func(*field.Path)) {
		switch {
		case !set:
		case count > 0:
			c.forbidden(at.Child(name), "may not specify more than 1 handler type")
		default:
			count++
			rule(at.Child(name))
		}
	}
	next("exec", h.exec != nil, func(p *field.Path) {
		if len(h.exec.Command) == 0 {
			c.required(p.Child("command"), "")
		}
	})
	next("httpGet", h.http != nil, func(p *field.Path) { c.httpGet(h.http, p) })
	next("tcpSocket", h.tcp != nil, func(p *field.Path) { c.portOrName(h.tcp.Port, p.Child("port")) })
	next("grpc", h.grpc != nil, func(p *field.Path) { c.portOrName(api.FromInt(h.grpc.Port), p.Child("port")) })
	next("sleep", h.sleep != nil, func(p *field.Path) {
		if n := h.sleep.Seconds; grace != nil && (n < 0 || n > *grace) {
			c.invalid(p, n, "must be non-negative and less than terminationGracePeriodSeconds ("+strconv.FormatInt(*grace, 10)+")")
		}
	})
	if count == 0 {
		c.required(at, "must specify a handler type")
	}
}

func (c *check) httpGet(a *api.HTTPGetAction, p *field.Path) {
	c.filled(p.Child("path"), a.Path)
	c.portOrName(a.Port, p.Child("port"))
	c.supported(p.Child("scheme"), a.Scheme, "HTTP", "HTTPS")
	for _, h := range a.HTTPHeaders {
		c.each(p.Child("httpHeaders"), h.Name, isHeaderName(h.Name))
	}
}

func (c *check) portOrName(v api.IntOrString, p *field.Path) {
	if v.IsString {
		c.each(p, v.Str, isPortName(v.Str))
		return
	}
	c.each(p, v.Int, isPort(v.Int))
}
