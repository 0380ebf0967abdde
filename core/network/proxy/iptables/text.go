package iptables

import (
	"net/netip"
	"sort"
	"strings"

	"podwalk/core/network/proxy"
)

// Set is all rules of a node, in the order in which they are written.
type Set struct {
	FilterChains, NATChains []string
	Filter, NAT             []Rule
}

// All returns the rules of every Service of a table on a node.
func All(cfg Config, entries []*proxy.Entry) Set {
	total := 0
	for _, e := range entries {
		total += len(e.Endpoints)
	}
	cfg.LargeCluster = total > LargeFrom
	s := frame(&cfg)
	for _, e := range entries {
		s.add(Service(&cfg, e))
	}
	s.close(&cfg)
	return s
}

func (s *Set) add(r Rules) {
	s.NATChains = append(s.NATChains, r.Chains...)
	s.Filter = append(s.Filter, r.Filter...)
	s.NAT = append(s.NAT, r.NAT...)
}

// frame holds the rules that do not depend on Services and stand before them.
func frame(cfg *Config) Set {
	s := Set{FilterChains: []string{servicesChain, outsideChain, "KUBE-FORWARD", nodePortChain, wallChain},
		NATChains: []string{servicesChain, nodePortChain, "KUBE-POSTROUTING", markChain}}
	s.NAT = []Rule{
		line(Rule{Chain: "KUBE-POSTROUTING", Target: "RETURN"}, "-m mark ! --mark "+cfg.Mark+"/"+cfg.Mark+" "),
		{Chain: "KUBE-POSTROUTING", Target: "MARK", Text: "-A KUBE-POSTROUTING -j MARK --xor-mark " + cfg.Mark},
		{Chain: "KUBE-POSTROUTING", Target: "MASQUERADE", Text: "-A KUBE-POSTROUTING " + comment("kubernetes service traffic requiring SNAT") + "-j MASQUERADE --random-fully"},
		{Chain: markChain, Target: "MARK", Text: "-A " + markChain + " -j MARK --or-mark " + cfg.Mark},
	}
	if cfg.Localhost && !cfg.IPv6 {
		s.FilterChains = append(s.FilterChains, "KUBE-FIREWALL")
		s.Filter = []Rule{line(Rule{Chain: "KUBE-FIREWALL", Target: "DROP"}, comment("block incoming localnet connections")+
			"-d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT ")}
	}
	return s
}

// close adds the rules that stand after those of the Services.
func (s *Set) close(cfg *Config) {
	not := ""
	switch {
	case cfg.IPv6:
		not = "! -d ::1/128 "
	case !cfg.Localhost:
		not = "! -d 127.0.0.0/8 "
	}
	s.NAT = append(s.NAT, line(Rule{Chain: servicesChain, Target: nodePortChain, dstLocal: true},
		comment("kubernetes service nodeports; NOTE: this must be the last rule in this chain")+"-m addrtype --dst-type LOCAL "+not))
	if !cfg.TCPLiberal {
		counter := ""
		if cfg.Accounting {
			counter = "-m nfacct --nfacct-name ct_state_invalid_dropped_pkts "
		}
		s.Filter = append(s.Filter, line(Rule{Chain: "KUBE-FORWARD", Target: "DROP"}, "-m conntrack --ctstate INVALID "+counter))
	}
	s.Filter = append(s.Filter,
		line(Rule{Chain: "KUBE-FORWARD", Target: "ACCEPT"}, comment("kubernetes forwarding rules")+"-m mark --mark "+cfg.Mark+"/"+cfg.Mark+" "),
		line(Rule{Chain: "KUBE-FORWARD", Target: "ACCEPT"}, comment("kubernetes forwarding conntrack rule")+"-m conntrack --ctstate RELATED,ESTABLISHED "))
}

// Lines returns the input of iptables-restore line by line, each table's chains
// first and sorted, its rules by chain: KUBE-NODEPORTS and KUBE-SERVICES lead.
func (s Set) Lines() []string {
	var l []string
	for _, t := range []struct {
		name   string
		chains []string
		rules  []Rule
	}{{"filter", s.FilterChains, s.Filter}, {"nat", s.NATChains, s.NAT}} {
		l = append(l, "*"+t.name)
		chains := append([]string(nil), t.chains...)
		sort.Slice(chains, func(i, j int) bool { return before(chains[i], chains[j]) })
		by := map[string][]string{}
		for i := range t.rules {
			by[t.rules[i].Chain] = append(by[t.rules[i].Chain], t.rules[i].Text)
		}
		for _, c := range chains {
			l = append(l, ":"+c+" - [0:0]")
		}
		for _, c := range chains {
			l = append(l, by[c]...)
		}
		l = append(l, "COMMIT")
	}
	return l
}

// Text returns Lines as one text.
func (s Set) Text() string { return strings.Join(s.Lines(), "\n") + "\n" }

func before(a, b string) bool {
	first := func(c string) bool { return c == nodePortChain || c == servicesChain }
	if first(a) != first(b) {
		return first(a)
	}
	return a < b
}

func within(ip, cidr string) bool {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	if !strings.Contains(cidr, "/") {
		return ip == cidr
	}
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Contains(a)
}
