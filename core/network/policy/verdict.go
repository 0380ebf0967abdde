package policy

import (
	"net/netip"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// End is one end of a connection: a pod, a node, or an address outside.
type End struct {
	IP              string
	Namespace, Name string // of a pod; "" for all else
	Labels          map[string]string
	NamespaceLabels map[string]string
	Node            string // where the pod runs, or the node itself
	Host            bool   // a node, or a pod on its network: no policy selects it
	Ports           []api.ContainerPort
}

// EndOf returns the end that a pod is.
func EndOf(p *api.Pod, namespaceLabels map[string]string) *End {
	e := &End{IP: p.Status.PodIP, Namespace: p.Namespace, Name: p.Name, Labels: p.Labels, NamespaceLabels: namespaceLabels,
		Node: p.Spec.NodeName, Host: p.Spec.HostNetwork}
	for _, l := range [][]api.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range l {
			e.Ports = append(e.Ports, l[i].Ports...)
		}
	}
	return e
}

// String names an end: namespace/name of a pod, the node, or the address.
func (e *End) String() string {
	switch {
	case e.Name != "":
		return e.Namespace + "/" + e.Name
	case e.Node != "":
		return e.Node
	}
	return e.IP
}

// selected reports whether policies can select the end.
func (e *End) selected() bool { return e.Name != "" && !e.Host }

// Decision is what the policies of one direction say.
type Decision struct {
	Allowed   bool
	Isolating []string // policies that select the pod for this direction, as namespace/name
	Policy    string   // that allows it, "" if none is needed or none does
	Rule      int      // of Policy, from 0
	Why       string   // in a few words
}

// Verdict is what all policies say of a connection.
type Verdict struct {
	Allowed         bool
	Egress, Ingress Decision
}

// Denied returns the direction that keeps a connection off, "" if none does, and
// its decision.
func (v *Verdict) Denied() (string, *Decision) {
	switch {
	case !v.Egress.Allowed:
		return "egress", &v.Egress
	case !v.Ingress.Allowed:
		return "ingress", &v.Ingress
	}
	return "", nil
}

// Verdict judges a connection to a port; proto is TCP, UDP or SCTP. A pod always
// reaches itself, and a node the pods that run on it.
func (s *Set) Verdict(from, to *End, port int32, proto string) Verdict {
	if from.selected() && from.Namespace == to.Namespace && from.Name == to.Name {
		d := Decision{Allowed: true, Why: "a pod reaches itself"}
		return Verdict{Allowed: true, Egress: d, Ingress: d}
	}
	v := Verdict{Egress: s.judge(egress, from, to, to, port, proto)}
	if from.Host && from.Node != "" && from.Node == to.Node {
		v.Ingress = Decision{Allowed: true, Why: "a node reaches the pods that run on it"}
	} else {
		v.Ingress = s.judge(ingress, to, from, to, port, proto)
	}
	v.Allowed = v.Egress.Allowed && v.Ingress.Allowed
	return v
}

// judge asks the policies that select own whether other may be reached, or may
// reach it, on a port of to.
func (s *Set) judge(way int, own, other, to *End, port int32, proto string) Decision {
	if !own.selected() {
		return Decision{Allowed: true, Why: "no policy selects " + own.String()}
	}
	var d Decision
	for _, p := range s.spaces[own.Namespace] {
		w := &p.ways[way]
		if !w.isolates || !p.selector.Matches(own.Labels) {
			continue
		}
		d.Isolating = append(d.Isolating, p.namespace+"/"+p.name)
		if d.Allowed {
			continue
		}
		for i := range w.rules {
			if w.rules[i].allows(p, other, to, port, proto) {
				d.Allowed, d.Policy, d.Rule = true, p.namespace+"/"+p.name, i
				break
			}
		}
	}
	return d.explained(way)
}

var wayNames = [2]string{"ingress", "egress"}

func (d Decision) explained(way int) Decision {
	switch {
	case len(d.Isolating) == 0:
		d.Allowed, d.Why = true, "no policy restricts its "+wayNames[way]
	case d.Allowed:
		d.Why = "policy " + d.Policy + ", " + wayNames[way] + " rule " + strconv.Itoa(d.Rule)
	default:
		d.Why = "no " + wayNames[way] + " rule of " + strings.Join(d.Isolating, ", ") + " allows it"
	}
	return d
}

func (r *rule) allows(p *policy, other, to *End, port int32, proto string) bool {
	if !r.onPort(to, port, proto) {
		return false
	}
	if len(r.peers) == 0 {
		return true
	}
	for i := range r.peers {
		if r.peers[i].is(p, other) {
			return true
		}
	}
	return false
}

func (r *rule) onPort(to *End, number int32, proto string) bool {
	if len(r.ports) == 0 {
		return true
	}
	for i := range r.ports {
		p := &r.ports[i]
		switch {
		case p.proto != proto:
		case p.name != "":
			if named(to, p.name, number, proto) {
				return true
			}
		case p.from == 0 && p.to == 0, number >= p.from && number <= p.to:
			return true
		}
	}
	return false
}

// named reports whether the pod calls the port by that name.
func named(to *End, name string, number int32, proto string) bool {
	for i := range to.Ports {
		p := &to.Ports[i]
		if p.Name == name && p.ContainerPort == number && (p.Protocol == proto || p.Protocol == "" && proto == "TCP") {
			return true
		}
	}
	return false
}

func (q *peer) is(p *policy, e *End) bool {
	if q.block != nil {
		return q.block.holds(e.IP)
	}
	if !e.selected() {
		return false
	}
	if q.namespaces == nil {
		if e.Namespace != p.namespace {
			return false
		}
	} else if !q.namespaces.Matches(e.NamespaceLabels) {
		return false
	}
	return q.pods == nil || q.pods.Matches(e.Labels)
}

func (b *block) holds(ip string) bool {
	a, err := netip.ParseAddr(ip)
	if err != nil || !b.in.IsValid() || !b.in.Contains(a) {
		return false
	}
	for _, e := range b.except {
		if e.Contains(a) {
			return false
		}
	}
	return true
}
