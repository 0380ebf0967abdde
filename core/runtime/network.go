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
	ip, delay := host, time.Duration(0)
	if !isAddress(host) {
		l := w.Lookup(host)
		if l.Result != workload.Found || len(l.Addrs) == 0 {
			return workload.Conn{Outcome: workload.NoName, Delay: l.Delay}
		}
		ip, delay = l.Addrs[0], l.Delay
	}
	if strings.HasPrefix(ip, "127.") || ip == "::1" {
		return w.m.connectIn(w.call, w.pod, port, ip, ip)
	}
	r := Route{IP: ip, Port: port, From: w.sender().IP}
	if n := w.m.rt.net; n != nil {
		r = n.Route(w.call, w.sender(), ip, port)
	}
	conn := w.m.rt.follow(w.call, r)
	conn.Addr = ip
	conn.Delay += delay
	return conn
}

// follow connects to the end of a route.
func (r *Runtime) follow(c Call, to Route) workload.Conn {
	switch {
	case to.Outcome != "":
		return workload.Conn{Outcome: to.Outcome, Delay: to.Delay}
	case to.Peer != nil:
		return workload.Conn{Outcome: workload.Connected, Peer: to.Peer}
	}
	return r.connect(c, to.IP, to.Port, to.From)
}

// Connect follows a route from outside the pods, as a user's request does.
func (r *Runtime) Connect(c Call, to Route) workload.Conn { return r.follow(c, to) }

// SenderOf describes a pod to the network as its first running container sees it.
func (r *Runtime) SenderOf(c Call, node, uid string) (Sender, bool) {
	if r.machines[node] == nil {
		return Sender{}, false
	}
	m := r.Node(node)
	p := m.pod(uid)
	if p == nil {
		return Sender{}, false
	}
	for _, ct := range p.containers {
		if ct.State == Running {
			return m.world(c, p, ct, nil).sender(), true
		}
	}
	return Sender{}, false
}

// Listening lists the ports on which the processes of a pod listen.
func (r *Runtime) Listening(ip string) (ports []int32) {
	at, ok := r.addrs[ip]
	if !ok {
		return nil
	}
	if p := r.machines[at.node].pods[at.uid]; p != nil {
		for _, s := range p.socks {
			if s.host == "" || s.host == ip {
				ports = append(ports, s.port)
			}
		}
	}
	slices.Sort(ports)
	return ports
}

// sender describes the pod to the network.
func (w *world) sender() Sender {
	s := Sender{Namespace: w.pod.namespace, Name: w.pod.name, Node: w.m.Name, Musl: w.ct.Config.Image.Musl()}
	if len(w.pod.sandboxes) > 0 {
		sb := w.pod.sandboxes[0]
		s.IP, s.HostNetwork, s.ResolvConf = sb.IP, sb.Config.HostNetwork, sb.Config.ResolvConf
		if s.HostNetwork {
			s.IP = w.m.addr
		}
	}
	if b, err := w.ReadFile("/etc/resolv.conf"); err == nil {
		s.ResolvConf = string(b)
	}
	if b, err := w.ReadFile("/etc/hosts"); err == nil {
		s.Hosts = string(b)
	}
	return s
}

// Dial connects to a pod's or a node's address from anywhere in the cluster.
func (r *Runtime) Dial(c Call, ip string, port int32) workload.Conn {
	return r.connect(c, ip, port, "")
}

func (r *Runtime) connect(c Call, ip string, port int32, from string) workload.Conn {
	at, ok := r.addrs[ip]
	if ok {
		m := r.Node(at.node)
		if p := m.pod(at.uid); p != nil {
			return m.connectIn(c, p, port, ip, from)
		}
	}
	if name := r.hosts[ip]; name != "" {
		return r.Node(name).connectHost(c, port, ip, from)
	}
	return workload.Conn{Outcome: workload.TimedOut, Delay: 2 * time.Minute, Addr: ip}
}

// Dial connects from the machine itself, as its kubelet does.
func (m *Machine) Dial(c Call, ip string, port int32) workload.Conn {
	if strings.HasPrefix(ip, "127.") || ip == "::1" || ip == "localhost" {
		return m.connectHost(c, port, ip, ip)
	}
	return m.rt.connect(c, ip, port, m.net.Block.Gateway())
}

// connectHost reaches a pod on the host's network, or one behind a host port.
func (m *Machine) connectHost(c Call, port int32, ip, from string) workload.Conn {
	for _, uid := range sortedKeys(m.pods) {
		p := m.pods[uid]
		if len(p.sandboxes) == 0 || !p.sandboxes[0].Ready {
			continue
		}
		cfg := &p.sandboxes[0].Config
		if cfg.HostNetwork && slices.ContainsFunc(p.socks, func(s socket) bool { return s.port == port }) {
			return m.connectIn(c, m.pod(uid), port, ip, from)
		}
		for _, h := range cfg.HostPorts {
			if h.Host == port {
				return m.connectIn(c, m.pod(uid), h.Container, ip, from)
			}
		}
	}
	return workload.Conn{Outcome: workload.Refused, Addr: ip}
}

// connectIn connects to a port in the network of a pod.
func (m *Machine) connectIn(c Call, p *pod, port int32, ip, from string) workload.Conn {
	loopback := strings.HasPrefix(ip, "127.") || ip == "::1"
	for _, q := range m.sharing(p) {
		for _, s := range q.socks {
			if s.port != port || s.host != "" && s.host != ip && !(loopback && s.host == "localhost") {
				continue
			}
			return workload.Conn{Outcome: workload.Connected, Addr: ip, Peer: &peer{m: m, call: c, uid: q.uid, sock: s, from: from}}
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
	from string
}

// Answer lets the process serve a request.
func (e *peer) Answer(req workload.Request) workload.Response {
	if req.From == "" {
		req.From = e.from
	}
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
	if n := w.m.rt.net; n != nil {
		return n.Lookup(w.call, w.sender(), name)
	}
	for line := range strings.SplitSeq(w.sender().Hosts, "\n") {
		f := strings.Fields(line)
		if len(f) > 1 && !strings.HasPrefix(f[0], "#") && !strings.Contains(f[0], ":") && slices.Contains(f[1:], name) {
			return workload.Lookup{Result: workload.Found, Addrs: []string{f[0]}, Name: name}
		}
	}
	return workload.Lookup{Result: workload.NoName, Server: "10.96.0.10"}
}

// Query asks a name server one question, as nslookup and dig do.
func (w *world) Query(server, name, kind string) workload.Reply {
	if n := w.m.rt.net; n != nil {
		return n.Query(w.call, w.sender(), server, name, kind)
	}
	return workload.Reply{Code: "TIMEOUT"}
}

func isAddress(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") == 3 || strings.Contains(s, ":")
}
