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
// filter for what keeps its destination. Of the chains of endpoints only the one
// that is drawn is written.
func Walk(cfg *Config, e *proxy.Entry, p Packet) Verdict {
	w := walker{p: p, w: newWriter(cfg, e)}
	w.w.head()
	if p.DstLocal {
		s := Set{}
		s.close(cfg)
		w.w.out.NAT = append(w.w.out.NAT, s.NAT[0])
	}
	w.chain(servicesChain, 0)
	if w.out.To != "" {
		return w.out
	}
	for i := range w.w.out.Filter {
		if r := &w.w.out.Filter[i]; r.Chain != nodePortChain && w.meets(r) {
			w.out.Met, w.out.Target = append(w.out.Met, r.Text), r.Target
			return w.out
		}
	}
	return w.out
}

type walker struct {
	p     Packet
	w     *writer
	rolls int
	out   Verdict
}

// chain walks one chain and reports whether the packet's way has ended.
func (w *walker) chain(name string, depth int) bool {
	for i := range w.w.out.NAT {
		if r := &w.w.out.NAT[i]; r.Chain == name && w.rule(r, depth) {
			return true
		}
	}
	for i := range w.w.out.lots {
		if l := &w.w.out.lots[i]; l.chain == name {
			return w.draw(l, depth)
		}
	}
	return false
}

// rule lets the packet meet one rule and reports whether its way has ended.
func (w *walker) rule(r *Rule, depth int) bool {
	if !w.meets(r) {
		return false
	}
	w.out.Met = append(w.out.Met, r.Text)
	switch {
	case r.Target == markChain:
		w.out.Masq = true
	case r.Target == "DNAT":
		w.out.To, w.out.Chain = r.To, r.Chain
		return true
	case r.Target != "" && depth < 8:
		return w.chain(r.Target, depth+1)
	}
	return false
}

// draw picks the endpoint: that of the client's affinity, or by lot.
func (w *walker) draw(l *lot, depth int) bool {
	at := -1
	write := w.w.draw
	if w.w.p.Sticky > 0 && w.p.Recent != nil {
		for i := range l.eps {
			if w.p.Recent(EndpointChain(w.w.p, &l.eps[i])) {
				at, write = i, w.w.stick
				break
			}
		}
	}
	for i := 0; at < 0; i++ {
		left := len(l.eps) - i
		if left > 1 {
			w.rolls++
		}
		if left == 1 || w.p.Roll != nil && w.p.Roll(w.rolls, left) {
			at = i
		}
	}
	n := len(w.w.out.NAT)
	write(l, at)
	w.out.Met = append(w.out.Met, w.w.out.NAT[n].Text)
	w.w.endpoint(&l.eps[at])
	for i := n + 1; i < len(w.w.out.NAT); i++ {
		if w.rule(&w.w.out.NAT[i], depth+1) {
			return true
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
	}
	return true
}
