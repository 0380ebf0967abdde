package iptables

import "podwalk/core/network/proxy"

// Packet is the first packet of a connection.
type Packet struct {
	Proto    string // tcp or udp
	Src, Dst string
	Port     int32
	DstLocal bool // Dst is an address of the node
	SrcLocal bool // Src is one
	// Roll draws the i-th lot: true in one of n cases.
	Roll func(i, n int) bool
	// Recent reports whether the client was sent to the chain within the time of its
	// session affinity.
	Recent func(chain string) bool
}

// Verdict is what the rules of a Service port make of a packet.
type Verdict struct {
	Met    []string // the lines that it met, in order
	To     string   // address:port it is sent to, "" if it stays as it is
	Chain  string   // of the endpoint
	Masq   bool     // its source becomes the node's address
	Target string   // DROP or REJECT, or "" if it goes on
}

// Walk sends a packet through the rules of one Service port: nat first, then
// filter for what keeps its destination.
func Walk(cfg *Config, e *proxy.Entry, p Packet) Verdict {
	rules := Service(cfg, e)
	if p.DstLocal {
		s := Set{}
		s.close(cfg)
		rules.NAT = append(rules.NAT, s.NAT[0])
	}
	w := walker{p: p, byChain: map[string][]*Rule{}}
	for i := range rules.NAT {
		r := &rules.NAT[i]
		w.byChain[r.Chain] = append(w.byChain[r.Chain], r)
	}
	w.chain(servicesChain, 0)
	if w.out.To != "" {
		return w.out
	}
	for i := range rules.Filter {
		if r := &rules.Filter[i]; r.Chain != nodePortChain && w.meets(r) {
			w.out.Met, w.out.Target = append(w.out.Met, r.Text), r.Target
			return w.out
		}
	}
	return w.out
}

type walker struct {
	p       Packet
	byChain map[string][]*Rule
	rolls   int
	out     Verdict
}

// chain walks one chain and reports whether the packet's way has ended.
func (w *walker) chain(name string, depth int) bool {
	for _, r := range w.byChain[name] {
		if !w.meets(r) {
			continue
		}
		w.out.Met = append(w.out.Met, r.Text)
		switch {
		case r.Target == markChain:
			w.out.Masq = true
		case r.Target == "DNAT":
			w.out.To, w.out.Chain = r.To, name
			return true
		case r.Target != "" && depth < 8:
			if w.chain(r.Target, depth+1) {
				return true
			}
		}
	}
	return false
}

func (w *walker) meets(r *Rule) bool {
	p := &w.p
	switch {
	case r.proto != "" && r.proto != p.Proto, r.dport != 0 && r.dport != p.Port, r.dst != "" && r.dst != p.Dst,
		r.loopback && !within(p.Dst, "127.0.0.0/8"), r.dstLocal && !p.DstLocal, r.srcOwn && !p.SrcLocal,
		r.src != "" && within(p.Src, r.src) == r.notSrc:
		return false
	case r.recent != "" && !r.set:
		return p.Recent != nil && p.Recent(r.recent)
	case r.of > 1:
		w.rolls++
		return p.Roll != nil && p.Roll(w.rolls, r.of)
	}
	return true
}
