package runtime

import (
	"errors"
	"slices"
	"strconv"

	"podwalk/core/network/cni"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Sandbox is a pause container with the network namespace that the containers of
// a pod share.
type Sandbox struct {
	ID      string
	Attempt int
	Ready   bool
	Created sim.Time
	IP      string // of the pod; "" when it uses the host's network
	Net     cni.Result
	Config  SandboxConfig
	hosts   []byte // content of /etc/hosts
	stale   bool   // not ready since the machine lost its power, and not torn down yet
}

// SandboxConfig is the request of RunPodSandbox. It is frozen.
type SandboxConfig struct {
	UID, Namespace, Name string
	Attempt              int
	Hostname             string
	Domain               string // of the pod's full name, "" if it has none
	HostNetwork          bool
	SharePID             bool
	Handler              string // runtime handler, "" is runc
	Hosts                string // content of /etc/hosts, the pod's own line excepted
	ResolvConf           string
	HostPorts            []HostPort
}

// HostPort is a port of the node that leads to the sandbox.
type HostPort struct {
	Host, Container int32
	IP, Protocol    string
}

// Handlers are the runtime handlers that a machine has whose node states none.
var Handlers = []string{"", "runc"}

func (m *Machine) handlers() []string {
	if m.handled == nil {
		return Handlers
	}
	return m.handled
}

// RunPodSandbox starts the pause container and calls the network plugin. The error
// texts are containerd's (internal/cri/server/sandbox_run.go).
func (m *Machine) RunPodSandbox(c Call, cfg SandboxConfig) (*Sandbox, error) {
	detail := []trace.Detail{{Name: "attempt", Value: strconv.Itoa(cfg.Attempt)}, {Name: "hostname", Value: cfg.Hostname}}
	if !slices.Contains(m.handlers(), cfg.Handler) {
		err := &Error{"Unknown", "failed to get sandbox runtime: no runtime for " + strconv.Quote(cfg.Handler) + " is configured"}
		c.note(trace.Sandbox, "RunPodSandbox", err, "", detail...)
		return nil, err
	}
	s := &Sandbox{ID: m.rt.id("sandbox", m.Name+"/"+cfg.UID+"/"+strconv.Itoa(cfg.Attempt)), Attempt: cfg.Attempt, Created: c.Now, Config: cfg}
	if err := m.connect(c, s); err != nil {
		c.note(trace.Sandbox, "RunPodSandbox", err, "", detail...)
		return nil, err
	}
	s.Ready = true
	s.hosts = []byte(hostsFile(s))
	p := m.podFor(cfg.UID)
	p.namespace, p.name = cfg.Namespace, cfg.Name
	p.sandboxes = slices.Insert(p.sandboxes, 0, s)
	m.where[s.ID] = cfg.UID
	p.touch(c.Now)
	detail = append(detail, trace.Detail{Name: "sandbox", Value: s.ID}, trace.Detail{Name: "address", Value: s.IP})
	c.note(trace.Sandbox, "RunPodSandbox", nil, "pause container runs", detail...)
	return s, nil
}

// connect calls the network plugin for a sandbox.
func (m *Machine) connect(c Call, s *Sandbox) error {
	if s.Config.HostNetwork {
		return nil
	}
	plugin := m.rt.cfg.CNI
	net, res, err := plugin.Add(m.net, cni.Request{Sandbox: s.ID, Pod: s.Config.Namespace + "/" + s.Config.Name})
	if why := plugin.Orphaned(); why != "" && (m.rt.orphans[""] || m.rt.orphans[m.Name]) {
		err = errors.New(why)
	}
	if err != nil {
		return &Error{"Unknown", "failed to setup network for sandbox " + strconv.Quote(s.ID) + ": plugin type=" +
			strconv.Quote(plugin.Type()) + " failed (add): " + err.Error()}
	}
	m.net, s.IP, s.Net = net, res.IP, res
	m.rt.addrs[s.IP] = place{m.Name, s.Config.UID}
	if c.Record != nil {
		detail := []trace.Detail{{Name: "address", Value: res.IP}, {Name: "gateway", Value: res.Gateway}, {Name: "device", Value: res.Device}, {Name: "peer", Value: res.Peer}}
		for _, r := range res.Routes {
			detail = append(detail, trace.Detail{Name: "route", Value: r.To + " via " + r.Via})
		}
		c.Record(trace.Record{At: c.Now, Source: "cni", Stage: trace.Sandbox, Ref: c.Ref, Verdict: trace.Passed, Reason: "ADD", Message: plugin.Name() + " gives " + res.IP, Detail: detail})
	}
	return nil
}

// hostsFile is what the kubelet writes to /etc/hosts of a pod
// (pkg/kubelet/kubelet_pods.go, managedHostsFileContent).
func hostsFile(s *Sandbox) string {
	own := ""
	if s.IP != "" {
		own = s.IP + "\t" + s.Config.Hostname + "\n"
		if s.Config.Domain != "" {
			own = s.IP + "\t" + s.Config.Hostname + "." + s.Config.Domain + "\t" + s.Config.Hostname + "\n"
		}
	}
	return "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n" +
		"fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n" + own + s.Config.Hosts
}

// StopPodSandbox kills what still runs in a sandbox and gives its address back.
func (m *Machine) StopPodSandbox(c Call, id string) error {
	p := m.pod(m.where[id])
	s := p.sandbox(id)
	if s == nil {
		return &Error{"NotFound", "an error occurred when try to find sandbox " + strconv.Quote(id) + ": not found"}
	}
	for _, ct := range p.containers {
		if ct.Sandbox == id && ct.State == Running {
			m.end(p, ct, c.Now, 137, 9)
		}
	}
	if s.Ready || s.stale {
		s.Ready, s.stale = false, false
		m.disconnect(s)
		p.touch(c.Now)
	}
	c.note(trace.Ended, "StopPodSandbox", nil, "stopped", trace.Detail{Name: "sandbox", Value: id})
	return nil
}

func (m *Machine) disconnect(s *Sandbox) {
	if s.IP == "" {
		return
	}
	m.net = m.rt.cfg.CNI.Del(m.net, cni.Request{Sandbox: s.ID, IP: s.IP})
	if m.rt.addrs[s.IP].uid == s.Config.UID {
		delete(m.rt.addrs, s.IP)
	}
}

// RemovePodSandbox forgets a stopped sandbox and its containers.
func (m *Machine) RemovePodSandbox(c Call, id string) error {
	p := m.pod(m.where[id])
	s := p.sandbox(id)
	if s == nil {
		return nil
	}
	for _, ct := range slices.Clone(p.containers) {
		if ct.Sandbox == id {
			if err := m.RemoveContainer(c, ct.ID); err != nil {
				return err
			}
		}
	}
	p.sandboxes = slices.DeleteFunc(p.sandboxes, func(x *Sandbox) bool { return x == s })
	delete(m.where, id)
	p.touch(c.Now)
	c.note(trace.Ended, "RemovePodSandbox", nil, "removed", trace.Detail{Name: "sandbox", Value: id})
	return nil
}

func (p *pod) sandbox(id string) *Sandbox {
	if p == nil {
		return nil
	}
	for _, s := range p.sandboxes {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Sandboxes returns the sandboxes of a pod, newest first. They must not be
// changed and are valid until the next call of the machine.
func (m *Machine) Sandboxes(uid string) []*Sandbox {
	if p := m.pods[uid]; p != nil {
		return p.sandboxes
	}
	return nil
}
