package request

import (
	"net/netip"
	"strconv"
	"strings"

	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
	"podwalk/core/network/proxy/iptables"
	"podwalk/core/network/proxy/nftables"
)

// walk is one connection on its way.
type walk struct {
	v     View
	set   *Settings
	from  *Source
	proto string // tcp or udp
	dst   string // address that was called
	dport int32
	node  proxy.Node // whose rules it meets
	masq  bool
	out   Route
}

// Reach follows a connection of from to an address; proto is tcp or udp.
func Reach(v View, from *Source, ip string, port int32, proto string) Route {
	w := &walk{v: v, set: v.Settings(), from: from, proto: proto, dst: ip, dport: port, node: from.Node}
	w.out = Route{IP: ip, Port: port, From: from.End.IP}
	if from.Node.Name == "" && !w.enter() {
		return w.out
	}
	if !w.translate() {
		return w.out
	}
	w.arrive()
	return w.out
}

// enter finds the node through which traffic from outside comes in. It reports
// whether it can.
func (w *walk) enter() bool {
	if e := w.v.EndAt(w.dst); e != nil && e.Name == "" && e.Node != "" {
		w.node, _ = w.v.Node(e.Node)
		return !w.lost(e.Node, RefOf(e), TimedOut)
	}
	e := w.v.Table("").ByAddress(w.proto, w.dst, w.dport)
	if e == nil && !Within(w.dst, w.set.PodCIDR) && !Within(w.dst, w.set.ServiceCIDR) {
		w.out.Outside = true
		w.out.To = &policy.End{IP: w.dst}
		w.out.add(Hop{Source: "network", Ref: RefOf(w.out.To), Verdict: NotSimulated, Reason: "Outside",
			Message: w.dst + " is no address of the cluster; what answers there is not simulated"})
		return false
	}
	if e == nil || e.ClusterIP == w.dst {
		w.out.add(Hop{Source: "network", Ref: Ref{Kind: "Address", Name: w.dst}, Verdict: Failed, Reason: "NotRouted",
			Message: w.dst + " is not routed outside the cluster", Symptom: TimedOut})
		return false
	}
	return w.balance(e)
}

// balance is the load balancer in front of the nodes: it leaves out those without
// a local endpoint when the Service asks for that, and those whose kube-proxy does
// not answer its health checks.
func (w *walk) balance(e *proxy.Entry) bool {
	var fit []proxy.Node
	sick := 0
	for _, n := range w.v.Nodes() {
		if e.ExternalLocal && len(proxy.Categorize(&e.Port, e.Endpoints, n).Local) == 0 {
			continue
		}
		if l := w.v.Line(n.Name); l.Lost() || l.Proxy != "" {
			sick++
			continue
		}
		fit = append(fit, n)
	}
	ref := Ref{Kind: "Service", Namespace: e.Namespace, Name: e.Service}
	if len(fit) == 0 {
		why := "none has a local endpoint of " + e.Port.String()
		if sick > 0 {
			why = "the kube-proxies of " + strconv.Itoa(sick) + " nodes do not answer its health checks"
		}
		w.out.add(Hop{Source: "network", Ref: ref, Verdict: Failed, Reason: "NoHealthyNode",
			Message: "the load balancer has no node to send to: " + why, Symptom: TimedOut})
		return false
	}
	w.node = fit[w.v.Roll("loadbalancer/"+w.dst+"/"+w.from.End.IP, 0)%uint64(len(fit))]
	w.out.add(Hop{Source: "network", Ref: ref, Verdict: Passed, Reason: "LoadBalancer",
		Message: "the load balancer " + w.dst + " sends it to " + w.node.Name})
	return true
}

// translate lets the packet meet the rules of the node. It reports whether the
// packet goes on.
func (w *walk) translate() bool {
	owner := w.v.EndAt(w.dst)
	local := owner != nil && owner.Name == "" && owner.Node == w.node.Name
	t := w.v.Table(w.node.Name)
	e := t.ByAddress(w.proto, w.dst, w.dport)
	if e == nil && owner != nil && owner.Name == "" && owner.Node != "" {
		if e = t.ByNodePort(w.proto, w.dport); e != nil && !local {
			if w.lost(owner.Node, RefOf(owner), Unreachable) {
				return false
			}
			w.node, _ = w.v.Node(owner.Node)
			if e = w.v.Table(w.node.Name).ByNodePort(w.proto, w.dport); e == nil {
				return w.untranslated(owner)
			}
			local = true
		}
	}
	if e == nil {
		return w.untranslated(owner)
	}
	verdict := iptables.Walk(w.config(), e, iptables.Packet{Proto: w.proto, Src: w.from.End.IP, Dst: w.dst, Port: w.dport,
		DstLocal: local, SrcLocal: w.from.End.Host && w.from.End.Node == w.node.Name,
		Roll: func(i, n int) bool { return w.v.Roll(w.from.End.String()+">"+e.Port.String(), i)%uint64(n) == 0 },
		Recent: func(chain string) bool {
			return w.v.Recent(w.from.End.IP, chain, e.Sticky)
		}})
	if e.Sticky > 0 && verdict.Chain != "" {
		w.v.Remember(w.from.End.IP, verdict.Chain)
	}
	w.out.Service, w.masq = e.Port.String(), verdict.Masq
	w.note(e, &verdict)
	return w.out.Symptom == ""
}

func (w *walk) config() *iptables.Config {
	cfg := iptables.Default(w.node, w.set.PodCIDR)
	return &cfg
}

// note makes the hop of kube-proxy.
func (w *walk) note(e *proxy.Entry, verdict *iptables.Verdict) {
	h := Hop{Source: "kube-proxy", Ref: Ref{Kind: "Service", Namespace: e.Namespace, Name: e.Service},
		Detail: []Detail{detail("node", w.node.Name), detail("mode", w.set.Mode)}}
	for _, line := range w.met(e, verdict) {
		h.Detail = append(h.Detail, detail("rule", line))
	}
	switch {
	case verdict.To != "":
		ip, port := split(verdict.To)
		w.out.IP, w.out.Port = ip, port
		h.Verdict, h.Reason = Passed, "Endpoint"
		h.Message = w.called() + " of " + e.Port.String() + " leads to " + verdict.To + ", one of " + strconv.Itoa(len(e.Endpoints))
		if len(e.Endpoints) == 1 {
			h.Message = w.called() + " of " + e.Port.String() + " leads to " + verdict.To
		}
	case verdict.Target == "REJECT":
		h.Verdict, h.Reason, h.Symptom = Denied, "NoEndpoints", RefusedConn
		h.Message = e.Port.String() + " has no endpoints"
	default:
		h.Verdict, h.Reason, h.Symptom = Denied, "NoLocalEndpoints", TimedOut
		h.Message = e.Port.String() + " has no local endpoints on " + w.node.Name
		if len(e.SourceRanges) > 0 && verdict.Target == "DROP" && len(verdict.Met) > 0 && strings.Contains(verdict.Met[len(verdict.Met)-1], "traffic not accepted") {
			h.Reason, h.Message = "SourceRange", w.from.End.IP+" is in none of the loadBalancerSourceRanges of "+e.Port.String()
		}
	}
	w.age(&h)
	w.out.add(h)
}

// age says so where the rules of the node are old.
func (w *walk) age(h *Hop) {
	if l := w.v.Line(w.node.Name); l.Proxy != "" {
		h.Message += "; these rules are old: " + l.Proxy
	}
}

// met lists the rules that the packet met, in the form of the proxy's mode.
func (w *walk) met(e *proxy.Entry, verdict *iptables.Verdict) []string {
	switch w.set.Mode {
	case "nftables":
		return nftables.Met(nftables.Default(w.node, w.set.PodCIDR, w.set.ServiceCIDR), e, w.dst, w.dport,
			Within(w.from.End.IP, w.set.PodCIDR), w.from.End.Host && w.from.End.Node == w.node.Name)
	case "ipvs":
		l := []string{e.Protocol + "  " + w.called() + " rr"}
		if verdict.To != "" {
			l = append(l, "-> "+verdict.To+" ")
		}
		return l
	}
	return verdict.Met
}

func (w *walk) called() string { return w.dst + ":" + strconv.Itoa(int(w.dport)) }

// untranslated deals with packets that no rule of a Service meets.
func (w *walk) untranslated(owner *policy.End) bool {
	if owner != nil || w.dst == w.set.DNS {
		return true
	}
	ref := Ref{Kind: "Address", Name: w.dst}
	switch {
	case Within(w.dst, w.set.ServiceCIDR):
		h := Hop{Source: "kube-proxy", Ref: ref, Verdict: Failed, Reason: "NoRule", Symptom: TimedOut,
			Message: "no rule is for " + w.called() + ": no Service has that address and port, and nothing answers"}
		if s := w.v.ServiceAt(w.dst); s != nil {
			h.Ref = Ref{Kind: "Service", Namespace: s.Namespace, Name: s.Name}
			h.Message = "Service " + s.Namespace + "/" + s.Name + " has no port " + strconv.Itoa(int(w.dport)) + ", and no rule is for it"
			if w.set.Mode != "iptables" {
				h.Symptom = RefusedConn
			}
			if w.dport == 0 {
				h.Message = "the address of Service " + s.Namespace + "/" + s.Name + " is nobody's: nothing answers a ping"
			}
		}
		w.age(&h)
		w.out.add(h)
		return false
	case Within(w.dst, w.set.PodCIDR):
		w.nobody(w.dst)
		return false
	}
	return true
}

// nobody makes the hop of a pod's address that no pod has.
func (w *walk) nobody(ip string) {
	ref := Ref{Kind: "Address", Name: ip}
	if at := w.v.NodeOf(ip); at != "" && at != w.node.Name && w.lost(at, ref, w.set.Lost) {
		return
	}
	w.out.add(Hop{Source: "network", Ref: ref, Verdict: Failed, Reason: "NoPod", Message: "no pod has the address " + ip, Symptom: w.set.Unknown})
}

// lost makes the hop at which a packet for another node is lost, because that node
// or the one that it comes from is. It reports whether it is.
func (w *walk) lost(node string, ref Ref, symptom string) bool {
	for _, n := range [2]string{w.node.Name, node} {
		if n == "" {
			continue
		}
		if l := w.v.Line(n); l.Lost() {
			w.out.add(Hop{Source: "network", Ref: ref, Verdict: Failed, Reason: "NodeLost", Message: l.why(n) + ": nothing answers", Symptom: symptom,
				Detail: []Detail{detail("node", n)}})
			return true
		}
	}
	return false
}

// arrive takes the packet to its end, past the policies.
func (w *walk) arrive() {
	to := w.v.EndAt(w.out.IP)
	if to == nil {
		if Within(w.out.IP, w.set.PodCIDR) {
			w.nobody(w.out.IP)
			return
		}
		to = &policy.End{IP: w.out.IP}
		w.out.Outside = w.out.IP != w.set.DNS
	}
	w.out.To = to
	from := w.seen(to)
	w.judge(from, to)
	if w.out.Symptom != "" {
		return
	}
	if w.out.Outside {
		w.out.From = w.node.IP
		w.out.add(Hop{Source: "network", Ref: RefOf(to), Verdict: NotSimulated, Reason: "Outside",
			Message: "leaves the cluster from " + w.node.Name + " with its address; what answers there is not simulated"})
		return
	}
	message := w.way(to)
	if message != "" {
		w.out.add(Hop{Source: "network", Ref: RefOf(to), Verdict: Passed, Reason: "Route", Message: message,
			Detail: []Detail{detail("source", w.out.From), detail("destination", w.out.IP+":"+strconv.Itoa(int(w.out.Port)))}})
	}
}

// seen is the sender as the policies at the far end see it: a node that
// masqueraded a packet for another node stands in for its sender.
func (w *walk) seen(to *policy.End) *policy.End {
	if !w.masq {
		return w.from.End
	}
	w.out.From = w.node.IP
	if to.Node == w.node.Name || to.Node == "" {
		return w.from.End
	}
	return &policy.End{IP: w.node.IP, Node: w.node.Name, Host: true}
}

func (w *walk) way(to *policy.End) string {
	switch {
	case to.Node == "":
		return ""
	case to.Node == w.node.Name:
		return "stays on " + to.Node + w.unwatched(to)
	}
	return "goes from " + w.node.Name + " to " + to.Node + w.unwatched(to)
}

// unwatched says so where no kubelet looks after the receiver.
func (w *walk) unwatched(to *policy.End) string {
	if l := w.v.Line(to.Node); l.Kubelet {
		return ", whose kubelet is stopped: its containers go on"
	}
	return ""
}

// strand makes the hop of a packet that must leave a lost node, or reach one.
func (w *walk) strand(to *policy.End) bool {
	symptom := w.set.Lost
	switch {
	case to.Node == w.node.Name && !w.v.Line(to.Node).Off:
		return false
	case to.Node == "": // outside, or the name service
		symptom = TimedOut
	case to.Host:
		symptom = Unreachable
	}
	return w.lost(to.Node, RefOf(to), symptom)
}

// judge asks the NetworkPolicies.
func (w *walk) judge(from, to *policy.End) {
	set, there := w.v.Policies(w.node.Name), w.v.Policies(to.Node)
	if set.Empty() && there.Empty() {
		w.strand(to)
		return
	}
	proto := strings.ToUpper(w.proto)
	v := set.Verdict(w.from.End, to, w.out.Port, proto)
	if from != w.from.End || there != set {
		v.Ingress = there.Verdict(from, to, w.out.Port, proto).Ingress
		v.Allowed = v.Egress.Allowed && v.Ingress.Allowed
	}
	if len(v.Egress.Isolating) == 0 && len(v.Ingress.Isolating) == 0 {
		w.strand(to)
		return
	}
	ref := RefOf(w.from.End)
	if !w.set.Enforces {
		text := "would pass"
		if !v.Allowed {
			text = "would be denied"
		}
		w.out.add(Hop{Source: "networkpolicy", Ref: RefOf(to), Verdict: NotSimulated, Reason: "NotEnforced",
			Message: w.set.Plugin + " does not enforce NetworkPolicies; by them the connection " + text})
		w.out.Hops[len(w.out.Hops)-1].Verdict = Info
		w.strand(to)
		return
	}
	w.decided("egress", w.node.Name, ref, &v.Egress)
	if w.out.Symptom == "" && !w.strand(to) {
		w.decided("ingress", to.Node, RefOf(to), &v.Ingress)
	}
}

func (w *walk) decided(way, node string, ref Ref, d *policy.Decision) {
	if len(d.Isolating) == 0 && d.Allowed {
		return
	}
	h := Hop{Source: "networkpolicy", Ref: ref, Verdict: Passed, Reason: strings.ToUpper(way[:1]) + way[1:], Message: way + " allowed: " + d.Why,
		Detail: []Detail{detail("policies", strings.Join(d.Isolating, ", "))}}
	if d.Policy != "" {
		h.Detail = append(h.Detail, detail("policy", d.Policy), detail("rule", strconv.Itoa(d.Rule)))
	}
	if !d.Allowed {
		h.Verdict, h.Message, h.Symptom = Denied, way+" denied: "+d.Why, TimedOut
	}
	if l := w.v.Line(node); l.Agent != "" {
		h.Message += "; these policies are old: " + l.Agent
	}
	w.out.add(h)
}

func split(address string) (string, int32) {
	i := strings.LastIndexByte(address, ':')
	n, _ := strconv.Atoi(address[i+1:])
	return strings.Trim(address[:i], "[]"), int32(n)
}

// Within reports whether an address is of a range; both are texts.
func Within(ip, cidr string) bool {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Contains(a)
}
