package kubelet

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/workload"
)

// startProbe sends a probe (pkg/kubelet/prober/prober.go, runProbe).
func (s *step) startProbe(p *probe, spec *api.Probe) {
	p.run = probeRun{busy: true, until: s.now + s.k.cfg.Latency.Probe}
	c := containerSpec(s.w.pod, p.container)
	switch {
	case spec.Exec != nil:
		s.execProbe(p, spec, c)
	case spec.HTTPGet != nil:
		s.httpProbe(p, spec, c)
	case spec.TCPSocket != nil:
		s.tcpProbe(p, spec, c)
	case spec.GRPC != nil:
		s.grpcProbe(p, spec)
	default:
		s.probeError(p, "missing probe handler for "+s.w.podName()+":"+p.container)
	}
}

func (s *step) probeError(p *probe, text string) {
	p.run.err, p.run.message = true, text
}

func (p *probe) fails(text string) { p.run.result, p.run.message = probeFailure, text }

func (s *step) execProbe(p *probe, spec *api.Probe, c *api.Container) {
	argv := make([]string, len(spec.Exec.Command))
	for i, a := range spec.Exec.Command {
		argv[i] = expand(a, staticEnv(c.Env))
	}
	n, err := s.machine().ExecSync(s.call(), p.id, argv)
	if err != nil {
		s.probeError(p, err.Error())
		return
	}
	p.run.exec = n
	p.run.until = s.now + s.k.cfg.Latency.Exec
	p.run.limit = s.now.Add(probeTimeout(spec))
}

// pollProbe moves a probe on that waits for its answer.
func (s *step) pollProbe(p *probe) bool {
	spec := probeSpec(containerSpec(s.w.pod, p.container), p.kind)
	if spec == nil || s.now < p.run.until {
		return false
	}
	if p.run.exec == 0 {
		s.endProbe(p, spec)
		return true
	}
	st := s.machine().ExecPoll(s.call(), p.id, p.run.exec)
	switch {
	case st.Done && st.Code == 0:
		p.run.result, p.run.message = probeSuccess, bounded(st.Output())
	case st.Done:
		p.fails(bounded(st.Output()))
	case s.now >= p.run.limit:
		s.machine().ExecKill(s.call(), p.id, p.run.exec)
		p.fails("command timed out: " + quote(join(spec.Exec.Command, " ")) + " timed out after " + probeTimeout(spec).String())
	default:
		p.run.until = min(st.Next, p.run.limit)
		return false
	}
	s.endProbe(p, spec)
	return true
}

// maxProbeOutput bounds what an exec probe may say (pkg/probe/exec/exec.go).
const maxProbeOutput = 10 << 10

func bounded(text string) string { return text[:min(len(text), maxProbeOutput)] }

// dial connects for a probe and says after how long what happened; "" is success.
func (s *step) dial(host string, port int32, timeout time.Duration) (workload.Conn, string) {
	conn := s.machine().Dial(s.call(), host, port)
	addr := host + ":" + strconv.Itoa(int(port))
	switch {
	case conn.Outcome == workload.Connected && conn.Delay <= timeout:
		return conn, ""
	case conn.Outcome == workload.Refused:
		return conn, "dial tcp " + addr + ": connect: connection refused"
	case conn.Outcome == workload.NoName:
		return conn, "dial tcp: lookup " + host + ": no such host"
	case conn.Outcome == workload.Unreachable:
		return conn, "dial tcp " + addr + ": connect: no route to host"
	}
	conn.Delay = timeout
	return conn, "dial tcp " + addr + ": i/o timeout"
}

func (s *step) httpProbe(p *probe, spec *api.Probe, c *api.Container) {
	h := spec.HTTPGet
	port, bad := resolvePort(h.Port, c)
	if bad != "" {
		s.probeError(p, bad)
		return
	}
	host := h.Host
	if host == "" {
		host = s.w.status.PodIP
	}
	timeout := probeTimeout(spec)
	target := "Get " + quote(url(h, host, port)) + ": "
	conn, fault := s.dial(host, port, timeout)
	if fault != "" {
		p.run.until = max(p.run.until, s.now.Add(min(conn.Delay, timeout)))
		if strings.HasSuffix(fault, "i/o timeout") {
			fault = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
		}
		p.fails(target + fault)
		return
	}
	s.httpAnswer(p, h, conn, target, timeout)
}

func (s *step) httpAnswer(p *probe, h *api.HTTPGetAction, conn workload.Conn, target string, timeout time.Duration) {
	req := workload.Request{Proto: proto(h.Scheme), Method: "GET", Path: path(h.Path), Host: conn.Addr, From: s.nodeIP(),
		Headers: []workload.Header{{Name: "User-Agent", Value: "kube-probe/1.37"}}}
	for _, x := range h.HTTPHeaders {
		req.Headers = append(req.Headers, workload.Header{Name: x.Name, Value: x.Value})
		if strings.EqualFold(x.Name, "Host") {
			req.Host = x.Value
		}
	}
	if conn.Peer == nil {
		p.run.until = s.now.Add(timeout)
		p.fails(target + "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
		return
	}
	res := conn.Peer.Answer(req)
	took := conn.Delay + res.Delay
	p.run.until = max(p.run.until, s.now.Add(min(took, timeout)))
	switch {
	case took >= timeout:
		p.fails(target + "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
	case res.Code == 0:
		p.fails(target + "EOF")
	case res.Code >= 200 && res.Code < 400:
		p.run.result, p.run.message = probeSuccess, "HTTP status "+strconv.Itoa(res.Code)
	default:
		p.fails("HTTP probe failed with statuscode: " + strconv.Itoa(res.Code))
	}
}

func (s *step) tcpProbe(p *probe, spec *api.Probe, c *api.Container) {
	port, bad := resolvePort(spec.TCPSocket.Port, c)
	if bad != "" {
		s.probeError(p, bad)
		return
	}
	host := spec.TCPSocket.Host
	if host == "" {
		host = s.w.status.PodIP
	}
	conn, fault := s.dial(host, port, probeTimeout(spec))
	p.run.until = max(p.run.until, s.now.Add(conn.Delay))
	if fault != "" {
		p.fails(fault)
		return
	}
	p.run.result, p.run.message = probeSuccess, "connected"
}

func (s *step) grpcProbe(p *probe, spec *api.Probe) {
	timeout := probeTimeout(spec)
	host, port := s.w.status.PodIP, spec.GRPC.Port
	addr := host + ":" + strconv.Itoa(int(port))
	conn, fault := s.dial(host, port, timeout)
	if fault != "" {
		p.run.until = s.now.Add(timeout)
		p.fails("timeout: failed to connect service " + quote(addr) + " within " + timeout.String() + ": context deadline exceeded")
		return
	}
	res := workload.Response{}
	if conn.Peer != nil {
		res = conn.Peer.Answer(workload.Request{Proto: "grpc", Path: deref(spec.GRPC.Service), Host: addr, From: s.nodeIP()})
	}
	took := conn.Delay + res.Delay
	p.run.until = max(p.run.until, s.now.Add(min(took, timeout)))
	switch {
	case took >= timeout:
		p.fails("timeout: health rpc did not complete within " + timeout.String())
	case res.Code == 1:
		p.run.result, p.run.message = probeSuccess, "service healthy"
	case res.Code == 2:
		p.fails(`service unhealthy (responded with "NOT_SERVING")`)
	case res.Code == 12:
		p.fails("error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health")
	default:
		p.run.until = s.now.Add(timeout)
		p.fails("timeout: failed to connect service " + quote(addr) + " within " + timeout.String() + ": context deadline exceeded")
	}
}

// resolvePort finds the number of a port that may be named
// (pkg/probe/util.go, ResolveContainerPort).
func resolvePort(v api.IntOrString, c *api.Container) (int32, string) {
	port := v.Int
	if v.IsString {
		i := slices.IndexFunc(c.Ports, func(p api.ContainerPort) bool { return p.Name == v.Str })
		if i < 0 {
			return 0, "port " + quote(v.Str) + " not found"
		}
		port = c.Ports[i].ContainerPort
	}
	if port <= 0 || port > 65535 {
		return 0, "invalid port number: " + strconv.Itoa(int(port))
	}
	return port, ""
}

func url(h *api.HTTPGetAction, host string, port int32) string {
	return proto(h.Scheme) + "://" + host + ":" + strconv.Itoa(int(port)) + path(h.Path)
}

func proto(scheme string) string {
	if scheme == "" {
		return "http"
	}
	return strings.ToLower(scheme)
}

func path(p string) string {
	if !strings.HasPrefix(p, "/") {
		return "/" + p
	}
	return p
}

func (s *step) podIP() string {
	if s.w.run != nil && len(s.w.run.ips) > 0 {
		return s.w.run.ips[0]
	}
	return s.w.status.PodIP
}

func (s *step) call() runtime.Call {
	return runtime.Call{Now: s.now, Ref: s.ref(), Record: s.note}
}

func (s *step) machine() *runtime.Machine {
	if s.m == nil {
		s.m = s.k.rt.Node(s.w.node)
		if !s.m.Configured() {
			s.configureMachine(s.m)
		}
	}
	return s.m
}
