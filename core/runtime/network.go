package runtime

import (
	"slices"
	"strings"
	"time"

	"podwalk/core/workload"
)

// socket is a listening port in the network of a sandbox.
type socket struct {
	port      int32
	host      string // "" all addresses
	container string
	exec      int // session, 0 is the main process
}

// Listen binds a port; all containers of a pod share one set of ports, and pods on
// the host's network share the node's.
func (w *world) Listen(port int32, host string) error {
	for _, p := range w.m.sharing(w.pod) {
		for _, s := range p.socks {
			if s.port == port && (s.host == host || s.host == "" || host == "") {
				return workload.EADDRINUSE
			}
		}
	}
	n := 0
	if w.exec != nil {
		n = w.exec.id
	}
	w.pod.socks = append(w.pod.socks, socket{port: port, host: host, container: w.ct.ID, exec: n})
	return nil
}

// sharing returns the pods that share a network namespace with p, p included.
func (m *Machine) sharing(p *pod) []*pod {
	if len(p.sandboxes) == 0 || !p.sandboxes[0].Config.HostNetwork {
		return []*pod{p}
	}
	var l []*pod
	for _, uid := range sortedKeys(m.pods) {
		if q := m.pods[uid]; len(q.sandboxes) > 0 && q.sandboxes[0].Config.HostNetwork {
			l = append(l, q)
		}
	}
	return l
}

// Close gives back a port that the calling process had bound.
func (w *world) Close(port int32) {
	n := 0
	if w.exec != nil {
		n = w.exec.id
	}
	w.pod.socks = slices.DeleteFunc(w.pod.socks, func(s socket) bool {
		return s.port == port && s.container == w.ct.ID && s.exec == n
	})
}

func (p *pod) closeAll(container string) {
	p.socks = slices.DeleteFunc(p.socks, func(s socket) bool { return s.container == container })
}

// Dial connects to a name or an address from inside the pod.
func (w *world) Dial(host string, port int32) workload.Conn {
	ip := host
	if !isAddress(host) {
		l := w.Lookup(host)
		switch {
		case l.Result == workload.TimedOut:
			return workload.Conn{Outcome: workload.TimedOut, Delay: l.Delay}
		case l.Result != workload.Found || len(l.Addrs) == 0:
			return workload.Conn{Outcome: workload.NoName, Delay: l.Delay}
		}
		ip = l.Addrs[0]
	}
	if strings.HasPrefix(ip, "127.") || ip == "::1" {
		return w.m.connectIn(w.call, w.pod, port, ip)
	}
	if n := w.m.rt.cfg.Network; n != nil {
		from := ""
		if len(w.pod.sandboxes) > 0 {
			from = w.pod.sandboxes[0].IP
		}
		if to, p, ok := n.Translate(ip, port, from); ok {
			ip, port = to, p
		}
	}
	return w.m.rt.Dial(w.call, ip, port)
}

// Dial connects to a pod's or a node's address from anywhere in the cluster.
func (r *Runtime) Dial(c Call, ip string, port int32) workload.Conn {
	at, ok := r.addrs[ip]
	if ok {
		m := r.Node(at.node)
		if p := m.pod(at.uid); p != nil {
			return m.connectIn(c, p, port, ip)
		}
	}
	for _, name := range sortedKeys(r.machines) {
		if r.machines[name].addr == ip {
			return r.Node(name).connectHost(c, port, ip)
		}
	}
	return workload.Conn{Outcome: workload.TimedOut, Delay: 2 * time.Minute, Addr: ip}
}

// Dial connects from the machine itself, as its kubelet does.
func (m *Machine) Dial(c Call, ip string, port int32) workload.Conn {
	if strings.HasPrefix(ip, "127.") || ip == "::1" || ip == "localhost" {
		return m.connectHost(c, port, ip)
	}
	return m.rt.Dial(c, ip, port)
}

// connectHost reaches a pod on the host's network, or one behind a host port.
func (m *Machine) connectHost(c Call, port int32, ip string) workload.Conn {
	for _, uid := range sortedKeys(m.pods) {
		p := m.pods[uid]
		if len(p.sandboxes) == 0 || !p.sandboxes[0].Ready {
			continue
		}
		cfg := &p.sandboxes[0].Config
		if cfg.HostNetwork && slices.ContainsFunc(p.socks, func(s socket) bool { return s.port == port }) {
			return m.connectIn(c, m.pod(uid), port, ip)
		}
		for _, h := range cfg.HostPorts {
			if h.Host == port {
				return m.connectIn(c, m.pod(uid), h.Container, ip)
			}
		}
	}
	return workload.Conn{Outcome: workload.Refused, Addr: ip}
}

// connectIn connects to a port in the network of a pod.
func (m *Machine) connectIn(c Call, p *pod, port int32, ip string) workload.Conn {
	loopback := strings.HasPrefix(ip, "127.") || ip == "::1"
	for _, q := range m.sharing(p) {
		for _, s := range q.socks {
			if s.port != port || s.host != "" && s.host != ip && !(loopback && s.host == "localhost") {
				continue
			}
			return workload.Conn{Outcome: workload.Connected, Addr: ip, Peer: &peer{m: m, call: c, uid: q.uid, sock: s}}
		}
	}
	return workload.Conn{Outcome: workload.Refused, Addr: ip}
}

// peer answers for a listening process.
type peer struct {
	m    *Machine
	call Call
	uid  string
	sock socket
}

// Answer lets the process serve a request.
func (e *peer) Answer(req workload.Request) workload.Response {
	p, ct := e.m.find(e.sock.container)
	if ct == nil || ct.State != Running {
		return workload.Response{}
	}
	if e.sock.exec == 0 {
		return ct.proc.Serve(e.sock.port, req, e.m.world(e.call, p, ct, nil))
	}
	for _, s := range ct.execs {
		if s.id == e.sock.exec {
			return s.proc.Serve(e.sock.port, req, e.m.world(e.call, p, ct, s))
		}
	}
	return workload.Response{}
}

// Lookup resolves a name as the C library does: the hosts file, then DNS.
func (w *world) Lookup(name string) workload.Lookup {
	if b, err := w.ReadFile("/etc/hosts"); err == nil {
		for line := range strings.SplitSeq(string(b), "\n") {
			f := strings.Fields(line)
			if len(f) > 1 && !strings.HasPrefix(f[0], "#") && !strings.Contains(f[0], ":") && slices.Contains(f[1:], name) {
				return workload.Lookup{Result: workload.Found, Addrs: []string{f[0]}, Name: name}
			}
		}
	}
	if n := w.m.rt.cfg.Network; n != nil {
		return n.Lookup(name, w.pod.namespace)
	}
	return workload.Lookup{Result: workload.NoName, Server: "10.96.0.10"}
}

func isAddress(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") == 3 || strings.Contains(s, ":")
}
