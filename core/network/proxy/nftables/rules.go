// Package nftables is the rules of a kube-proxy in nftables mode: its chains, sets
// and maps, as "nft list table ip kube-proxy" prints them
// (pkg/proxy/nftables/proxier.go). It is pure. Start reading at All and Text.
package nftables

import (
	"crypto/sha256"
	"encoding/base32"
	"net/netip"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/network/proxy"
)

// Config is what a node's kube-proxy was started with.
type Config struct {
	Node        proxy.Node
	ClusterCIDR string // addresses of pods
	ServiceCIDR string
	Mark        string
}

// Default returns the configuration that kubeadm gives.
func Default(n proxy.Node, clusterCIDR, serviceCIDR string) Config {
	return Config{Node: n, ClusterCIDR: clusterCIDR, ServiceCIDR: serviceCIDR, Mark: "0x00004000"}
}

// Table is the table kube-proxy.
type Table struct {
	Chains []Chain
	Sets   []Set
}

// Chain is a chain with its rules; Hook is the line of a base chain.
type Chain struct {
	Name, Hook, Comment string
	Rules               []string
}

// Set is a set or a verdict map.
type Set struct {
	Map                        bool
	Name, Type, Flags, Comment string
	Elements                   []string
}

const (
	clusterIPs = "cluster-ips"
	serviceIPs = "service-ips"
	nodePorts  = "service-nodeports"
	noServices = "no-endpoint-services"
	noPorts    = "no-endpoint-nodeports"
	firewalls  = "firewall-ips"
	hairpins   = "hairpin-connections"
)

func name(base string) string {
	sum := sha256.Sum256([]byte(base))
	base = base32.StdEncoding.EncodeToString(sum[:])[:8] + "-" + base
	if len(base) > 240 {
		base = base[:237] + "..."
	}
	return base
}

// base is the part of chain names that a port gives.
func base(p *proxy.Port) string {
	return p.Namespace + "/" + p.Service + "/" + p.Proto() + "/" + p.Name
}

// EndpointName is the part of the names that an endpoint gives.
func EndpointName(p *proxy.Port, e *proxy.Endpoint) string {
	return name(base(p) + "__" + strings.ReplaceAll(e.IP, ":", ".") + "/" + strconv.Itoa(int(e.Port)))
}

// builder collects the table of a node.
type builder struct {
	cfg      *Config
	t        Table
	elements map[string]map[string]bool
}

// All returns the table of a node.
func All(cfg Config, entries []*proxy.Entry) Table {
	b := &builder{cfg: &cfg, elements: map[string]map[string]bool{}}
	b.frame()
	for _, e := range entries {
		b.port(e)
	}
	for i := range b.t.Sets {
		s := &b.t.Sets[i]
		for k := range b.elements[s.Name] {
			s.Elements = append(s.Elements, k)
		}
		sort.Strings(s.Elements)
	}
	return b.t
}

func (b *builder) element(set, text string) {
	if b.elements[set] == nil {
		b.elements[set] = map[string]bool{}
	}
	b.elements[set][text] = true
}

// frame makes what does not depend on Services.
func (b *builder) frame() {
	mark := b.cfg.Mark
	base := func(name, kind, hook, priority string, rules ...string) {
		b.t.Chains = append(b.t.Chains, Chain{Name: name, Hook: "type " + kind + " hook " + hook + " priority " + priority + "; policy accept;", Rules: rules})
	}
	plain := func(name string, rules ...string) { b.t.Chains = append(b.t.Chains, Chain{Name: name, Rules: rules}) }
	base("filter-prerouting-pre-dnat", "filter", "prerouting", "dstnat - 10", "ct state new jump firewall-check")
	base("filter-output-pre-dnat", "filter", "output", "-110", "ct state new jump firewall-check")
	base("filter-input", "filter", "input", "filter", "ct state new jump nodeport-endpoints-check", "ct state new jump service-endpoints-check")
	base("filter-forward", "filter", "forward", "filter", "ct state new jump service-endpoints-check", "ct state new jump cluster-ips-check")
	base("filter-output", "filter", "output", "filter", "ct state new jump service-endpoints-check", "ct state new jump cluster-ips-check")
	base("nat-prerouting", "nat", "prerouting", "dstnat", "jump services")
	base("nat-output", "nat", "output", "-100", "jump services")
	base("nat-postrouting", "nat", "postrouting", "srcnat", "jump masquerading")
	plain("nodeport-endpoints-check", "ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @"+noPorts)
	plain("service-endpoints-check", "ip daddr . meta l4proto . th dport vmap @"+noServices)
	plain("firewall-check", "ip daddr . meta l4proto . th dport vmap @"+firewalls)
	plain("services",
		"ip daddr @"+clusterIPs+" ip saddr != "+b.cfg.ClusterCIDR+" meta mark set meta mark | "+mark+` comment "masquerade clusterIP traffic from outside cluster"`,
		"ip daddr . meta l4proto . th dport vmap @"+serviceIPs,
		"fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @"+nodePorts)
	plain("masquerading",
		"meta mark & "+mark+" != 0x00000000 meta mark set meta mark ^ "+mark+" masquerade fully-random",
		"ct status dnat ip saddr . ip daddr . meta l4proto . th dport @"+hairpins+" masquerade fully-random")
	plain("cluster-ips-check",
		"ip daddr @"+clusterIPs+` reject with icmp port-unreachable comment "Reject traffic to invalid ports of ClusterIPs"`,
		"ip daddr { "+b.cfg.ServiceCIDR+` } drop comment "Drop traffic to unallocated ClusterIPs"`)
	b.t.Chains = append(b.t.Chains, Chain{Name: "reject-chain", Comment: "helper for @no-endpoint-services / @no-endpoint-nodeports", Rules: []string{"reject with icmp port-unreachable"}})
	verdicts := "ipv4_addr . inet_proto . inet_service : verdict"
	b.t.Sets = []Set{
		{false, clusterIPs, "ipv4_addr", "", "Active ClusterIPs", nil},
		{false, hairpins, "ipv4_addr . ipv4_addr . inet_proto . inet_service", "", "service hairpin connections", nil},
		{true, noServices, verdicts, "", "vmap to drop or reject packets to services with no endpoints", nil},
		{true, noPorts, "inet_proto . inet_service : verdict", "", "vmap to drop or reject packets to service nodeports with no endpoints", nil},
		{true, firewalls, verdicts, "", "destinations that are subject to LoadBalancerSourceRanges", nil},
		{true, serviceIPs, verdicts, "", "ClusterIP, ExternalIP and LoadBalancer IP traffic", nil},
		{true, nodePorts, "inet_proto . inet_service : verdict", "", "NodePort traffic", nil},
	}
}

// port adds the elements and chains of a Service port.
func (b *builder) port(e *proxy.Entry) {
	p := &e.Port
	c := proxy.Categorize(p, e.Endpoints, b.cfg.Node)
	in := c.Any && (!p.InternalLocal || len(c.Local) > 0)
	out := c.Any && (!p.ExternalLocal || len(c.Local) > 0)
	for i := range c.All {
		if ep := &c.All[i]; ep.Node == b.cfg.Node.Name {
			b.element(hairpins, ep.IP+" . "+ep.IP+" . "+p.Proto()+" . "+number(ep.Port))
		}
	}
	refusal := "drop"
	if !c.Any {
		refusal = "goto reject-chain"
	}
	b.element(clusterIPs, p.ClusterIP)
	if in {
		b.element(serviceIPs, b.key(p, p.ClusterIP)+" : goto "+policyChain(p, p.InternalLocal))
	} else {
		b.element(noServices, b.key(p, p.ClusterIP)+comment(p)+" : "+refusal)
	}
	for _, ip := range append(append([]string(nil), p.ExternalIPs...), p.LoadBalancerIPs...) {
		if c.Any {
			b.element(serviceIPs, b.key(p, ip)+" : goto "+externalChain(p))
		}
		if !out {
			b.element(noServices, b.key(p, ip)+comment(p)+" : "+refusal)
		}
	}
	if p.NodePort != 0 {
		key := p.Proto() + " . " + number(p.NodePort)
		if c.Any {
			b.element(nodePorts, key+" : goto "+externalChain(p))
		}
		if !out {
			b.element(noPorts, key+comment(p)+" : "+refusal)
		}
	}
	b.chains(p, &c, out)
}

func (b *builder) chains(p *proxy.Port, c *proxy.Choice, out bool) {
	if len(c.Cluster) > 0 && p.UsesCluster() {
		b.balance(p, policyChain(p, false), c.Cluster)
	}
	if len(c.Local) > 0 && p.UsesLocal() {
		b.balance(p, policyChain(p, true), c.Local)
	}
	if c.Any && p.External() {
		b.external(p, out)
	}
	if len(p.LoadBalancerIPs) > 0 && len(p.SourceRanges) > 0 {
		b.firewall(p)
	}
	if p.Sticky == 0 {
		return
	}
	for i := range c.All {
		n := EndpointName(p, &c.All[i])
		b.t.Sets = append(b.t.Sets, Set{false, "affinity-" + n, "ipv4_addr", "size 65535\n\t\tflags dynamic,timeout\n\t\ttimeout " + span(p.Sticky), "", nil})
		b.t.Chains = append(b.t.Chains, Chain{Name: "endpoint-" + n, Rules: []string{"update @affinity-" + n + " { ip saddr }",
			"meta l4proto " + p.Proto() + " dnat to " + c.All[i].String()}})
	}
}

func policyChain(p *proxy.Port, local bool) string {
	if local {
		return "local-" + name(base(p))
	}
	return "service-" + name(base(p))
}

func externalChain(p *proxy.Port) string { return "external-" + name(base(p)) }

func (b *builder) key(p *proxy.Port, ip string) string {
	return ip + " . " + p.Proto() + " . " + number(p.Port)
}

func comment(p *proxy.Port) string { return ` comment "` + p.String() + `"` }

func number(n int32) string { return strconv.Itoa(int(n)) }

// span prints seconds as nft does.
func span(n int32) string {
	h, m, s := n/3600, n/60%60, n%60
	t := ""
	for _, p := range []struct {
		n    int32
		unit string
	}{{h / 24, "d"}, {h % 24, "h"}, {m, "m"}, {s, "s"}} {
		if p.n > 0 {
			t += number(p.n) + p.unit
		}
	}
	return t
}

// balance writes the chain that leads to one of the endpoints.
func (b *builder) balance(p *proxy.Port, chain string, eps []proxy.Endpoint) {
	c := Chain{Name: chain}
	var parts []string
	for i := range eps {
		if p.Sticky > 0 {
			n := EndpointName(p, &eps[i])
			c.Rules = append(c.Rules, "ip saddr @affinity-"+n+" goto endpoint-"+n)
			parts = append(parts, strconv.Itoa(i)+" : goto endpoint-"+n)
			continue
		}
		parts = append(parts, strconv.Itoa(i)+" : "+eps[i].IP+" . "+number(eps[i].Port))
	}
	list := "{ " + strings.Join(parts, ", ") + " }"
	switch {
	case p.Sticky > 0:
		c.Rules = append(c.Rules, "numgen random mod "+strconv.Itoa(len(eps))+" vmap "+list)
	case len(eps) == 1:
		c.Rules = append(c.Rules, "meta l4proto "+p.Proto()+" dnat to "+eps[0].String())
	default:
		c.Rules = append(c.Rules, "meta l4proto "+p.Proto()+" dnat ip to numgen random mod "+strconv.Itoa(len(eps))+" map "+list)
	}
	b.t.Chains = append(b.t.Chains, c)
}

func (b *builder) external(p *proxy.Port, out bool) {
	c := Chain{Name: externalChain(p)}
	mark := "meta mark set meta mark | " + b.cfg.Mark
	if p.ExternalLocal {
		all := policyChain(p, false)
		c.Rules = []string{"ip saddr " + b.cfg.ClusterCIDR + " goto " + all + ` comment "short-circuit pod traffic"`,
			"fib saddr type local " + mark + ` comment "masquerade local traffic"`,
			"fib saddr type local goto " + all + ` comment "short-circuit local traffic"`}
	} else {
		c.Rules = []string{mark + ` comment "masquerade"`}
	}
	if out {
		c.Rules = append(c.Rules, "goto "+policyChain(p, p.ExternalLocal))
	}
	b.t.Chains = append(b.t.Chains, c)
}

func (b *builder) firewall(p *proxy.Port) {
	chain, sources, own := "firewall-"+name(base(p)), append([]string(nil), p.SourceRanges...), false
	for _, cidr := range p.SourceRanges {
		own = own || within(b.cfg.Node.IP, cidr)
	}
	if own {
		sources = append(sources, p.LoadBalancerIPs...)
	}
	for _, ip := range p.LoadBalancerIPs {
		b.element(firewalls, b.key(p, ip)+" : goto "+chain)
	}
	b.t.Chains = append(b.t.Chains, Chain{Name: chain, Rules: []string{"ip saddr != { " + strings.Join(sources, ", ") + " } drop"}})
}

func within(ip, cidr string) bool {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Contains(a)
}

// Lines prints the table as nft list does.
func (t Table) Lines() []string {
	l := []string{"table ip kube-proxy {", "\tcomment \"rules for kube-proxy\""}
	for _, s := range t.Sets {
		l = append(l, s.lines()...)
	}
	for _, c := range t.Chains {
		l = append(l, "\tchain "+c.Name+" {")
		if c.Comment != "" {
			l = append(l, "\t\tcomment \""+c.Comment+"\"")
		}
		if c.Hook != "" {
			l = append(l, "\t\t"+c.Hook)
		}
		for _, r := range c.Rules {
			l = append(l, "\t\t"+r)
		}
		l = append(l, "\t}", "")
	}
	return append(l[:len(l)-1], "}")
}

func (s *Set) lines() []string {
	kind := "set"
	if s.Map {
		kind = "map"
	}
	l := []string{"\t" + kind + " " + s.Name + " {", "\t\ttype " + s.Type}
	if s.Flags != "" {
		l = append(l, strings.Split("\t\t"+s.Flags, "\n")...)
	}
	if s.Comment != "" {
		l = append(l, "\t\tcomment \""+s.Comment+"\"")
	}
	for i, e := range s.Elements {
		line := "\t\t\t     " + e
		if i == 0 {
			line = "\t\telements = { " + e
		}
		if i == len(s.Elements)-1 {
			line += " }"
		} else {
			line += ","
		}
		l = append(l, line)
	}
	return append(l, "\t}", "")
}
