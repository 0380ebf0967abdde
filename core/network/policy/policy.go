// Package policy judges connections by NetworkPolicies: which policy and rule lets
// one pass, or which policies keep it off. It is pure and knows no plugin: whether
// anybody enforces the verdict is the network plugin's business.
// Start reading at Set and Verdict.
package policy

import (
	"maps"
	"net/netip"
	"slices"
	"sort"

	"podwalk/core/api"
)

// Set is the NetworkPolicies of a cluster, ready to judge. Copies by Clone share
// what neither has changed. The zero value holds none.
type Set struct {
	spaces map[string][]*policy // by namespace, sorted by name
	shared bool
}

// policy is a NetworkPolicy whose selectors and ranges have been read.
type policy struct {
	namespace, name string
	selector        api.Selector
	ways            [2]way
}

// The two directions.
const (
	ingress = iota
	egress
)

// way is what a policy says of one direction.
type way struct {
	isolates bool
	rules    []rule
}

type rule struct {
	peers []peer // none is everybody
	ports []port // none is every port
}

type peer struct {
	block      *block
	pods       *api.Selector // nil: not asked
	namespaces *api.Selector // nil: the policy's own
}

type block struct {
	in     netip.Prefix
	except []netip.Prefix
}

type port struct {
	proto    string
	name     string
	from, to int32 // 0 and 0: all
}

// Clone returns an independent copy.
func (s *Set) Clone() Set {
	s.shared = true
	return *s
}

// Empty reports whether there are no policies.
func (s *Set) Empty() bool { return len(s.spaces) == 0 }

// Put adds a policy or replaces the one of its name.
func (s *Set) Put(p *api.NetworkPolicy) { s.replace(p.Namespace, p.Name, compile(p)) }

// Remove takes a policy out.
func (s *Set) Remove(namespace, name string) { s.replace(namespace, name, nil) }

func (s *Set) replace(namespace, name string, p *policy) {
	if s.shared || s.spaces == nil {
		s.spaces, s.shared = maps.Clone(s.spaces), false
		if s.spaces == nil {
			s.spaces = map[string][]*policy{}
		}
	}
	old := s.spaces[namespace]
	l := make([]*policy, 0, len(old)+1)
	for _, q := range old {
		if q.name != name {
			l = append(l, q)
		}
	}
	if p != nil {
		l = append(l, p)
		sort.Slice(l, func(i, j int) bool { return l[i].name < l[j].name })
	}
	if len(l) == 0 {
		delete(s.spaces, namespace)
	} else {
		s.spaces[namespace] = l
	}
}

// compile reads a policy. What the API server would have refused selects nothing.
func compile(p *api.NetworkPolicy) *policy {
	c := &policy{namespace: p.Namespace, name: p.Name, selector: selector(&p.Spec.PodSelector)}
	types := p.Spec.PolicyTypes
	if len(types) == 0 {
		types = []string{"Ingress"}
		if len(p.Spec.Egress) > 0 {
			types = append(types, "Egress")
		}
	}
	c.ways[ingress].isolates = slices.Contains(types, "Ingress")
	c.ways[egress].isolates = slices.Contains(types, "Egress")
	for i := range p.Spec.Ingress {
		r := &p.Spec.Ingress[i]
		c.ways[ingress].rules = append(c.ways[ingress].rules, rule{peers(r.From), ports(r.Ports)})
	}
	for i := range p.Spec.Egress {
		r := &p.Spec.Egress[i]
		c.ways[egress].rules = append(c.ways[egress].rules, rule{peers(r.To), ports(r.Ports)})
	}
	return c
}

func selector(l *api.LabelSelector) api.Selector {
	sel, err := l.AsSelector()
	if err != nil {
		return api.Selector{Nothing: true}
	}
	return sel
}

func peers(list []api.NetworkPolicyPeer) (l []peer) {
	for i := range list {
		p := &list[i]
		var c peer
		if p.IPBlock != nil {
			c.block = readBlock(p.IPBlock)
		}
		if p.PodSelector != nil {
			s := selector(p.PodSelector)
			c.pods = &s
		}
		if p.NamespaceSelector != nil {
			s := selector(p.NamespaceSelector)
			c.namespaces = &s
		}
		l = append(l, c)
	}
	return l
}

func readBlock(b *api.IPBlock) *block {
	c := &block{}
	c.in, _ = netip.ParsePrefix(b.CIDR)
	c.in = c.in.Masked()
	for _, e := range b.Except {
		if p, err := netip.ParsePrefix(e); err == nil {
			c.except = append(c.except, p.Masked())
		}
	}
	return c
}

func ports(list []api.NetworkPolicyPort) (l []port) {
	for i := range list {
		p, c := &list[i], port{proto: "TCP"}
		if p.Protocol != nil {
			c.proto = *p.Protocol
		}
		switch {
		case p.Port == nil:
		case p.Port.IsString:
			c.name = p.Port.Str
		default:
			c.from, c.to = p.Port.Int, p.Port.Int
			if p.EndPort != nil {
				c.to = *p.EndPort
			}
		}
		l = append(l, c)
	}
	return l
}
