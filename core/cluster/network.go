package cluster

import (
	"maps"
	"strconv"
	"time"

	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	cnidaemon "podwalk/core/cni"
	"podwalk/core/controllers/ingressnginx"
	"podwalk/core/kubeproxy"
	"podwalk/core/network/cni"
	"podwalk/core/network/cni/calico"
	"podwalk/core/network/cni/cilium"
	"podwalk/core/network/cni/flannel"
	"podwalk/core/network/cni/kindnet"
	"podwalk/core/network/dns"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
	"podwalk/core/network/request"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// The addresses of a cluster made by kubeadm.
const (
	podCIDR     = "10.244.0.0/16"
	serviceCIDR = "10.96.0.0/12"
	clusterDNS  = "10.96.0.10"
)

// plugin returns the network plugin of a name; an unknown one is kindnet.
func plugin(name string) cni.Plugin {
	for _, p := range []cni.Plugin{calico.Plugin{}, flannel.Plugin{}, cilium.Plugin{}} {
		if p.Name() == name {
			return p
		}
	}
	return kindnet.Plugin{}
}

// network is what lies between the pods of a cluster, at one instant.
type network struct {
	c   *Cluster
	now sim.Time
}

var (
	_ request.View    = (*network)(nil)
	_ runtime.Network = (*fabric)(nil)
)

// fabric carries the connections of programs.
type fabric struct{ c *Cluster }

func (c *Cluster) proxies() *kubeproxy.Proxies {
	return c.seats[c.byName["kube-proxy"]].actor.(*kubeproxy.Proxies)
}

func (c *Cluster) agent() *cnidaemon.Agent {
	return c.seats[c.byName["cni"]].actor.(*cnidaemon.Agent)
}

// Network returns the network as it is now.
func (c *Cluster) Network() request.View { return &network{c, c.now} }

// Settings are what the cluster was made with.
func (n *network) Settings() *request.Settings {
	p := n.c.agent().Plugin()
	s := &request.Settings{Mode: n.c.proxies().Mode(), Plugin: p.Name(), Enforces: p.Enforces(), Unknown: request.TimedOut,
		PodCIDR: podCIDR, ServiceCIDR: serviceCIDR, DNS: clusterDNS}
	s.Lost = request.TimedOut
	if p.Absent() == cni.Told {
		s.Unknown = request.Unreachable
	}
	if p.Lost() == cni.Told {
		s.Lost = request.Unreachable
	}
	return s
}

// Service returns a Service or nil.
func (n *network) Service(namespace, name string) *api.Service {
	s, _ := n.c.Latest().Get("Service", namespace, name).(*api.Service)
	return s
}

// Slices returns the EndpointSlices of a Service.
func (n *network) Slices(namespace, service string) (l []*api.EndpointSlice) {
	for _, o := range n.c.Latest().ByIndex(endpoint.SliceIndex, namespace+"/"+service) {
		l = append(l, o.(*api.EndpointSlice))
	}
	return l
}

// Namespace reports whether there is one of that name.
func (n *network) Namespace(name string) bool {
	return n.c.Latest().Get("Namespace", "", name) != nil
}

// ServiceAt returns the Service with a cluster address.
func (n *network) ServiceAt(ip string) *api.Service {
	for _, o := range n.c.Latest().ByIndex(serviceAddress, ip) {
		return o.(*api.Service)
	}
	return nil
}

// SlicesAt returns the EndpointSlices that hold an address.
func (n *network) SlicesAt(ip string) (l []*api.EndpointSlice) {
	n.c.Latest().Each("EndpointSlice", "", func(o api.Object) bool {
		s := o.(*api.EndpointSlice)
		for i := range s.Endpoints {
			if len(s.Endpoints[i].Addresses) > 0 && s.Endpoints[i].Addresses[0] == ip {
				l = append(l, s)
				break
			}
		}
		return true
	})
	return l
}

// publicDomains are the endings of names that are taken to exist outside.
const publicDomains = " com org net io dev edu gov info ai app co de fr uk eu cn jp me cloud sh us ca au in br ch nl se no fi dk pl es it xyz "

// Outside makes an address up for a name outside the cluster.
func (n *network) Outside(q dns.Question) dns.Answer {
	a := dns.Answer{Code: dns.NXDomain, Forwarded: true}
	if to := request.RouteIngress(n.ingresses(), q.Name, "/"); to.Names(q.Name) {
		a.Code = dns.NoError
		if q.Type == "A" {
			a.Records = []dns.Record{{Name: q.Name, Type: "A", TTL: dns.TTL, Data: ingressnginx.Address}}
		}
		return a
	}
	if !isPublic(q.Name) {
		return a
	}
	a.Code = dns.NoError
	if q.Type == "A" {
		h := n.c.random().Uint64("outside", q.Name, 0)
		a.Records = []dns.Record{{Name: q.Name, Type: "A", TTL: dns.TTL, Data: "203.0.113." + strconv.FormatUint(1+h%254, 10)}}
	}
	return a
}

func (c *Cluster) random() sim.Random { return sim.Random{Seed: c.cfg.Seed} }

// EndAt tells who has an address.
func (n *network) EndAt(ip string) *policy.End {
	if ns, name, ok := n.c.rt.Owner(ip); ok {
		if p, ok := n.c.Latest().Get("Pod", ns, name).(*api.Pod); ok {
			e := policy.EndOf(p, n.labelsOf(ns))
			e.IP = ip
			return e
		}
	}
	for _, o := range n.c.Latest().ByIndex(nodeAddress, ip) {
		return &policy.End{IP: ip, Node: o.Meta().Name, Host: true}
	}
	if ip == clusterDNS && n.Table("").ByAddress("udp", ip, 53) == nil {
		return &policy.End{IP: ip, Namespace: "kube-system", Name: "coredns", Labels: map[string]string{"k8s-app": "kube-dns"},
			NamespaceLabels: n.labelsOf("kube-system"), Ports: []api.ContainerPort{{Name: "dns", ContainerPort: 53, Protocol: "UDP"},
				{Name: "dns-tcp", ContainerPort: 53, Protocol: "TCP"}, {Name: "metrics", ContainerPort: 9153, Protocol: "TCP"}}}
	}
	return nil
}

func (n *network) labelsOf(namespace string) map[string]string {
	if o := n.c.Latest().Get("Namespace", "", namespace); o != nil {
		return o.Meta().Labels
	}
	return nil
}

// Node returns what a proxy knows of its node.
func (n *network) Node(name string) (proxy.Node, bool) {
	o, ok := n.c.Latest().Get("Node", "", name).(*api.Node)
	if !ok {
		return proxy.Node{}, false
	}
	return proxyNode(o), true
}

func proxyNode(o *api.Node) proxy.Node {
	n := proxy.Node{Name: o.Name, Zone: o.Labels["topology.kubernetes.io/zone"]}
	for _, a := range o.Status.Addresses {
		if a.Type == "InternalIP" && n.IP == "" {
			n.IP = a.Address
		}
	}
	return n
}

// Nodes lists all nodes.
func (n *network) Nodes() (l []proxy.Node) {
	n.c.Latest().Each("Node", "", func(o api.Object) bool {
		l = append(l, proxyNode(o.(*api.Node)))
		return true
	})
	return l
}

// Roll returns a random number for a choice of this instant.
func (n *network) Roll(key string, i int) uint64 {
	return n.c.random().Uint64("kube-proxy/"+strconv.Itoa(i), key, uint64(n.now))
}

// Recent reports whether a client was sent to an endpoint within seconds.
func (n *network) Recent(client, endpoint string, seconds int32) bool {
	return n.c.proxies().Recent(n.now, client, endpoint, seconds)
}

// Remember notes that it was.
func (n *network) Remember(client, endpoint string) { n.c.proxies().Remember(n.now, client, endpoint) }

// source describes the pod of a program.
func (n *network) source(s runtime.Sender) *request.Source {
	node, _ := n.Node(s.Node)
	src := &request.Source{Node: node, Config: dns.ParseConfig(s.ResolvConf), Hosts: s.Hosts, Musl: s.Musl}
	if p, ok := n.c.Latest().Get("Pod", s.Namespace, s.Name).(*api.Pod); ok {
		src.End = policy.EndOf(p, n.labelsOf(s.Namespace))
	} else {
		src.End = &policy.End{Namespace: s.Namespace, Name: s.Name, Node: s.Node, Host: s.HostNetwork}
	}
	src.End.IP = s.IP
	return src
}

// Route says where a connection of a pod leads.
func (f *fabric) Route(c runtime.Call, from runtime.Sender, ip string, port int32) runtime.Route {
	n := &network{f.c, c.Now}
	src := n.source(from)
	r := request.Reach(n, src, ip, port, "tcp")
	f.note(c, src, ">"+ip+":"+strconv.Itoa(int(port)), r.Hops)
	return n.routeOf(c, &r)
}

// routeOf turns the end of a route into what the runtime does.
func (n *network) routeOf(c runtime.Call, r *request.Route) runtime.Route {
	out := runtime.Route{IP: r.IP, Port: r.Port, From: r.From}
	switch r.Symptom {
	case request.RefusedConn:
		out.Outcome = workload.Refused
	case request.TimedOut:
		out.Outcome, out.Delay = workload.TimedOut, timeoutOfConnect
	case request.Unreachable:
		out.Outcome, out.Delay = workload.Unreachable, 3*time.Second
	case "":
		switch {
		case r.Outside && r.IP == ingressnginx.Address:
			out.Peer = ingressFace{&fabric{n.c}, c}
		case r.Outside:
			out.Peer = outside{}
		case n.isAPIServer(r) && n.c.stopped[apiServer]:
			out.Outcome = workload.Refused
		case n.isAPIServer(r):
			out.Peer = apiFace{}
		case r.To != nil && r.To.Name == "" && r.To.Node != "" && n.c.rt.NodeAt(r.IP) == "":
			out.Outcome = workload.Refused
		}
	}
	return out
}

// timeoutOfConnect is how long Linux tries to connect (tcp_syn_retries 6).
const timeoutOfConnect = 127 * time.Second

// Lookup resolves a name as a pod's C library does.
func (f *fabric) Lookup(c runtime.Call, from runtime.Sender, name string) workload.Lookup {
	n := &network{f.c, c.Now}
	src := n.source(from)
	l, hops := request.Resolve(n, src, name)
	f.note(c, src, "?"+name, hops)
	out := workload.Lookup{Result: workload.NoName, Addrs: l.Addrs, Name: l.Name, Server: l.Server}
	switch l.Code {
	case dns.NoError:
		out.Result = workload.Found
	case dns.Timeout:
		out.Result, out.Delay = workload.TimedOut, 10*time.Second
	}
	return out
}

// Query asks a name server one question.
func (f *fabric) Query(c runtime.Call, from runtime.Sender, server, name, kind string) workload.Reply {
	n := &network{f.c, c.Now}
	src := n.source(from)
	q := dns.Question{Name: name, Type: kind}
	if r := request.Reach(n, src, server, 53, "udp"); r.Symptom != "" {
		f.note(c, src, "@"+server, r.Hops)
		return workload.Reply{Code: dns.Timeout}
	}
	a := request.ServerAt(n, server, q)
	f.note(c, src, "?"+name+" "+kind, []request.Hop{request.Asked(src, server, q, a)})
	out := workload.Reply{Code: a.Code}
	for _, r := range a.Records {
		out.Records = append(out.Records, workload.ReplyRecord(r))
	}
	return out
}

// heard is what was last noted of one pod and one target.
type heard struct {
	text  string
	at    sim.Time
	times int
}

// notedAlike is how many times the same outcome is noted in a row.
const notedAlike = 5

// fresh reports whether the outcome of a pod's request is worth a record: a program
// asks twice for one connection (when it begins and when its wait is over), and a
// loop hears the same for ever.
func (f *fabric) fresh(c runtime.Call, key string, hops []request.Hop) bool {
	text := ""
	for i := range hops {
		text += hops[i].Source + hops[i].Reason + hops[i].Symptom + ";"
	}
	h := f.c.heard[key]
	if h.text == text && (h.at == c.Now || h.at+sim.Time(timeoutOfConnect) == c.Now) {
		return false
	}
	if h.text != text {
		h.times = 0
	}
	if !f.c.heardOwn {
		f.c.heard, f.c.heardOwn = maps.Clone(f.c.heard), true
		if f.c.heard == nil {
			f.c.heard = map[string]heard{}
		}
	}
	f.c.heard[key] = heard{text, c.Now, h.times + 1}
	return h.times < notedAlike
}

// note writes the hops as records, each caused by the one before; key names what
// was asked for.
func (f *fabric) note(c runtime.Call, src *request.Source, key string, hops []request.Hop) {
	if len(hops) == 0 || !f.fresh(c, src.End.String()+key, hops) {
		return
	}
	cause := sim.Cause(0)
	for i := range hops {
		r := record(&hops[i], request.RefOf(src.End), cause)
		if c.Record != nil {
			r.At = c.Now
			cause = c.Record(r)
		} else {
			cause = f.c.Note(r)
		}
	}
}

func record(h *request.Hop, from request.Ref, cause sim.Cause) trace.Record {
	r := trace.Record{Cause: cause, Source: h.Source, Ref: trace.Ref(h.Ref), Verdict: trace.Verdict(h.Verdict), Reason: h.Reason, Message: h.Message}
	if from != h.Ref {
		r.Detail = append(r.Detail, trace.Detail{Name: "from", Value: from.String()})
	}
	for _, d := range h.Detail {
		r.Detail = append(r.Detail, trace.Detail(d))
	}
	if h.Symptom != "" {
		r.Detail = append(r.Detail, trace.Detail{Name: "symptom", Value: h.Symptom})
	}
	return r
}
