// Package iptables is the rules of a kube-proxy in iptables mode: the names of its
// chains, the rules of each Service, the whole input of iptables-restore, and how
// a packet walks through them (pkg/proxy/iptables/proxier.go). It is pure.
// Start reading at Service, Text and Walk.
package iptables

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"

	"podwalk/core/network/proxy"
)

// Config is what a node's kube-proxy was started with. The zero value is not
// useful: see Default.
type Config struct {
	Node         proxy.Node
	ClusterCIDR  string // addresses of pods; "" if the proxy does not know them
	Mark         string // of packets to be masqueraded
	Localhost    bool   // node ports answer on 127.0.0.1
	Accounting   bool   // the kernel has nfacct
	TCPLiberal   bool   // the kernel lets packets pass that do not fit a connection
	Masquerade   bool   // all packets (--masquerade-all)
	LargeCluster bool   // more than 1000 endpoints: fewer comments
	IPv6         bool
}

// LargeFrom is the number of endpoints above which rules go without comments.
const LargeFrom = 1000

// Default returns the configuration that kubeadm gives.
func Default(n proxy.Node, clusterCIDR string) Config {
	return Config{Node: n, ClusterCIDR: clusterCIDR, Mark: "0x00004000", Localhost: true, Accounting: true}
}

// Rule is one line of a chain, and what a packet must be like to meet it.
type Rule struct {
	Chain  string
	Text   string // the whole line, "-A CHAIN ..."
	Target string // a chain, or ACCEPT, DROP, REJECT, DNAT, MARK; "" goes on
	To     string // of DNAT

	proto, dst       string // dst is an address
	loopback         bool   // dst is 127.0.0.0/8
	dport            int32
	src              string // an address or a CIDR
	notSrc           bool
	dstLocal, srcOwn bool // addrtype LOCAL
}

// Rules are those of one Service port on one node, by table.
type Rules struct {
	Chains []string // of nat, in the order of their making
	Filter []Rule
	NAT    []Rule
	lots   []lot // chains that lead to one of several endpoints
}

// lot is such a chain.
type lot struct {
	chain string
	eps   []proxy.Endpoint
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base32.StdEncoding.EncodeToString(sum[:])[:16]
}

// The names of the chains of a Service port.
func clusterChain(p *proxy.Port) string  { return "KUBE-SVC-" + hash(p.String()+p.Proto()) }
func localChain(p *proxy.Port) string    { return "KUBE-SVL-" + hash(p.String()+p.Proto()) }
func firewallChain(p *proxy.Port) string { return "KUBE-FW-" + hash(p.String()+p.Proto()) }
func externalChain(p *proxy.Port) string { return "KUBE-EXT-" + hash(p.String()+p.Proto()) }

// EndpointChain names the chain of an endpoint of a port.
func EndpointChain(p *proxy.Port, e *proxy.Endpoint) string {
	return "KUBE-SEP-" + hash(p.String()+p.Proto()+e.String())
}

const (
	servicesChain = "KUBE-SERVICES"
	outsideChain  = "KUBE-EXTERNAL-SERVICES"
	nodePortChain = "KUBE-NODEPORTS"
	wallChain     = "KUBE-PROXY-FIREWALL"
	markChain     = "KUBE-MARK-MASQ"
)

// writer collects the rules of one port.
type writer struct {
	cfg  *Config
	p    *proxy.Port
	c    proxy.Choice
	name string
	out  Rules
}

func comment(text string) string { return `-m comment --comment "` + text + `" ` }

func number(n int32) string { return strconv.Itoa(int(n)) }

// line finishes a rule: text is what stands between the chain and the target.
func line(r Rule, text string) Rule {
	r.Text = "-A " + r.Chain + " " + text
	if r.Target != "" {
		r.Text += "-j " + r.Target
	}
	r.Text = strings.TrimSuffix(r.Text, " ")
	return r
}

func (w *writer) nat(r Rule, text string)    { w.out.NAT = append(w.out.NAT, line(r, text)) }
func (w *writer) filter(r Rule, text string) { w.out.Filter = append(w.out.Filter, line(r, text)) }
func (w *writer) chain(name string)          { w.out.Chains = append(w.out.Chains, name) }

// match is the part of a rule that names protocol, address and port.
func (w *writer) match(dst string, port int32) string {
	t := "-m " + w.p.Proto() + " -p " + w.p.Proto() + " "
	if dst != "" {
		t += "-d " + dst + " "
	}
	return t + "--dport " + number(port) + " "
}

// Service returns the rules of one Service port on a node.
func Service(cfg *Config, e *proxy.Entry) Rules {
	w := newWriter(cfg, e)
	w.head()
	for i := range w.out.lots {
		w.balance(&w.out.lots[i])
	}
	for i := range w.c.All {
		w.endpoint(&w.c.All[i])
	}
	return w.out
}

func newWriter(cfg *Config, e *proxy.Entry) *writer {
	return &writer{cfg: cfg, p: &e.Port, name: e.Port.String(), c: proxy.Categorize(&e.Port, e.Endpoints, cfg.Node)}
}

// head writes all but the chains of endpoints and those that lead to them.
func (w *writer) head() {
	in, out := w.internal(), w.outside()
	w.capture(in, out)
	if in {
		w.masquerade()
	}
	if w.c.Any && w.p.External() {
		w.external(out)
	}
	if w.fenced() {
		w.firewall()
	}
	if len(w.c.Cluster) > 0 && w.p.UsesCluster() {
		w.out.lots = append(w.out.lots, lot{clusterChain(w.p), w.c.Cluster})
	}
	if len(w.c.Local) > 0 && w.p.UsesLocal() {
		w.out.lots = append(w.out.lots, lot{localChain(w.p), w.c.Local})
	}
}

// internal reports whether the cluster address leads anywhere from this node.
func (w *writer) internal() bool { return w.c.Any && (!w.p.InternalLocal || len(w.c.Local) > 0) }

// outside reports whether the addresses for the outside lead anywhere.
func (w *writer) outside() bool { return w.c.Any && (!w.p.ExternalLocal || len(w.c.Local) > 0) }

func (w *writer) fenced() bool {
	return w.c.Any && len(w.p.LoadBalancerIPs) > 0 && len(w.p.SourceRanges) > 0
}

// refusal is what happens to packets that have nowhere to go.
func (w *writer) refusal() (target, text string) {
	if !w.c.Any {
		return "REJECT", comment(w.name + " has no endpoints")
	}
	return "DROP", comment(w.name + " has no local endpoints")
}

// capture writes the rules that take packets out of the stream.
func (w *writer) capture(in, out bool) {
	p := w.p
	target, why := w.refusal()
	to := Rule{Chain: servicesChain, proto: p.Proto(), dst: p.ClusterIP, dport: p.Port}
	if in {
		to.Target = w.policyChain(p.InternalLocal)
		w.nat(to, comment(w.name+" cluster IP")+w.match(p.ClusterIP, p.Port))
	} else {
		to.Target = target
		w.filter(to, why+w.match(p.ClusterIP, p.Port))
	}
	refuse := func(ip string) {
		w.filter(Rule{Chain: outsideChain, Target: target, proto: p.Proto(), dst: ip, dport: p.Port}, why+w.match(ip, p.Port))
	}
	for _, ip := range p.ExternalIPs {
		if w.c.Any {
			w.nat(Rule{Chain: servicesChain, Target: externalChain(p), proto: p.Proto(), dst: ip, dport: p.Port}, comment(w.name+" external IP")+w.match(ip, p.Port))
		}
		if !out {
			refuse(ip)
		}
	}
	for _, ip := range p.LoadBalancerIPs {
		w.captureBalancer(ip)
	}
	if !out {
		for _, ip := range p.LoadBalancerIPs {
			refuse(ip)
		}
	}
	if p.NodePort != 0 {
		w.captureNodePort(out)
	}
	if p.HealthCheckPort != 0 {
		w.filter(Rule{Chain: nodePortChain, Target: "ACCEPT", proto: "tcp", dport: p.HealthCheckPort},
			comment(w.name+" health check node port")+"-m tcp -p tcp --dport "+number(p.HealthCheckPort)+" ")
	}
}

func (w *writer) policyChain(local bool) string {
	if local {
		return localChain(w.p)
	}
	return clusterChain(w.p)
}

func (w *writer) captureBalancer(ip string) {
	p := w.p
	r := Rule{Chain: servicesChain, Target: externalChain(p), proto: p.Proto(), dst: ip, dport: p.Port}
	if w.fenced() {
		r.Target = firewallChain(p)
	}
	if w.c.Any {
		w.nat(r, comment(w.name+" loadbalancer IP")+w.match(ip, p.Port))
	}
	if w.fenced() {
		r.Chain, r.Target = wallChain, "DROP"
		w.filter(r, comment(w.name+" traffic not accepted by "+firewallChain(p))+w.match(ip, p.Port))
	}
}

func (w *writer) captureNodePort(out bool) {
	p := w.p
	r := Rule{Chain: nodePortChain, Target: externalChain(p), proto: p.Proto(), dport: p.NodePort}
	plain := "-m comment --comment " + w.name + " "
	if w.c.Any {
		if w.cfg.Localhost && w.cfg.Accounting && !w.cfg.IPv6 {
			own := r
			own.loopback = true
			w.nat(own, plain+w.match("127.0.0.0/8", p.NodePort)+"-m nfacct --nfacct-name localhost_nps_accepted_pkts ")
		}
		w.nat(r, plain+w.match("", p.NodePort))
	}
	if !out {
		target, why := w.refusal()
		w.filter(Rule{Chain: outsideChain, Target: target, proto: p.Proto(), dport: p.NodePort, dstLocal: true},
			why+"-m addrtype --dst-type LOCAL "+w.match("", p.NodePort))
	}
}

// masquerade marks packets for the cluster address that do not come from pods.
func (w *writer) masquerade() {
	p := w.p
	r := Rule{Chain: w.policyChain(p.InternalLocal), Target: markChain, proto: p.Proto(), dst: p.ClusterIP, dport: p.Port}
	text := comment(w.name+" cluster IP") + w.match(p.ClusterIP, p.Port)
	switch {
	case w.cfg.Masquerade:
		w.nat(r, text)
	case w.cfg.ClusterCIDR != "":
		r.src, r.notSrc = w.cfg.ClusterCIDR, true
		w.nat(r, text+"! -s "+w.cfg.ClusterCIDR+" ")
	}
}

// external writes the chain for addresses that are meant for the outside.
func (w *writer) external(out bool) {
	p, chain, all := w.p, externalChain(w.p), clusterChain(w.p)
	w.chain(chain)
	to := " " + w.name + " external destinations"
	if !p.ExternalLocal {
		w.nat(Rule{Chain: chain, Target: markChain}, comment("masquerade traffic for"+to))
	} else {
		if w.cfg.ClusterCIDR != "" {
			w.nat(Rule{Chain: chain, Target: all, src: w.cfg.ClusterCIDR}, comment("pod traffic for"+to)+"-s "+w.cfg.ClusterCIDR+" ")
		}
		w.nat(Rule{Chain: chain, Target: markChain, srcOwn: true}, comment("masquerade LOCAL traffic for"+to)+"-m addrtype --src-type LOCAL ")
		w.nat(Rule{Chain: chain, Target: all, srcOwn: true}, comment("route LOCAL traffic for"+to)+"-m addrtype --src-type LOCAL ")
	}
	if out {
		w.nat(Rule{Chain: chain, Target: w.policyChain(p.ExternalLocal)}, "")
	}
}

// firewall writes the chain that lets only the source ranges in.
func (w *writer) firewall() {
	p, chain := w.p, firewallChain(w.p)
	w.chain(chain)
	text := comment(w.name + " loadbalancer IP")
	self := false
	for _, cidr := range p.SourceRanges {
		w.nat(Rule{Chain: chain, Target: externalChain(p), src: cidr}, text+"-s "+cidr+" ")
		self = self || within(w.cfg.Node.IP, cidr)
	}
	if self {
		for _, ip := range p.LoadBalancerIPs {
			w.nat(Rule{Chain: chain, Target: externalChain(p), src: ip}, text+"-s "+ip+" ")
		}
	}
	w.nat(Rule{Chain: chain}, comment("other traffic to "+w.name+" will be dropped by KUBE-PROXY-FIREWALL"))
}

// balance writes a chain that leads to one of the endpoints.
func (w *writer) balance(l *lot) {
	w.chain(l.chain)
	if w.p.Sticky > 0 {
		for i := range l.eps {
			w.stick(l, i)
		}
	}
	for i := range l.eps {
		w.draw(l, i)
	}
}

// stick writes the rule that keeps a client with an endpoint.
func (w *writer) stick(l *lot, i int) {
	to := EndpointChain(w.p, &l.eps[i])
	w.nat(Rule{Chain: l.chain, Target: to}, w.about(&l.eps[i])+"-m recent --name "+to+" --rcheck --seconds "+number(w.p.Sticky)+" --reap ")
}

// draw writes the rule that takes its share of what the rules before have left.
func (w *writer) draw(l *lot, i int) {
	r, text := Rule{Chain: l.chain, Target: EndpointChain(w.p, &l.eps[i])}, w.about(&l.eps[i])
	if left := len(l.eps) - i; left > 1 {
		text += "-m statistic --mode random --probability " + strconv.FormatFloat(1/float64(left), 'f', 10, 64) + " "
	}
	w.nat(r, text)
}

func (w *writer) about(e *proxy.Endpoint) string {
	if w.cfg.LargeCluster {
		return ""
	}
	return comment(w.name + " -> " + e.String())
}

func (w *writer) endpoint(e *proxy.Endpoint) {
	chain, text := EndpointChain(w.p, e), ""
	w.chain(chain)
	if !w.cfg.LargeCluster {
		text = "-m comment --comment " + w.name + " "
	}
	w.nat(Rule{Chain: chain, Target: markChain, src: e.IP}, text+"-s "+e.IP+" ")
	r := Rule{Chain: chain, Target: "DNAT", To: e.String()}
	if w.p.Sticky > 0 {
		text += "-m recent --name " + chain + " --set "
	}
	r = line(r, text+"-m "+w.p.Proto()+" -p "+w.p.Proto()+" ")
	r.Text += " --to-destination " + r.To
	w.out.NAT = append(w.out.NAT, r)
}
