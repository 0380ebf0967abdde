package cluster

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy/iptables"
	"podwalk/core/network/proxy/ipvs"
	"podwalk/core/network/proxy/nftables"
)

// ProxyMode is how the kube-proxies of the cluster write their rules.
func (c *Cluster) ProxyMode() string { return c.proxies().Mode() }

// Rules returns the rules that the kube-proxy of a node has written, line by line;
// mode is iptables, ipvs or nftables, "" is the cluster's own.
func (c *Cluster) Rules(node, mode string) ([]string, error) {
	v := &network{c, c.now}
	n, ok := v.Node(node)
	if !ok {
		return nil, textError("no node " + strconv.Quote(node))
	}
	if mode == "" {
		mode = c.proxies().Mode()
	}
	entries := v.Table(n.Name).Entries()
	switch mode {
	case "iptables":
		return iptables.All(iptables.Default(n, podCIDR), entries).Lines(), nil
	case "ipvs":
		return ipvs.Lines(ipvs.All(n, entries)), nil
	case "nftables":
		return nftables.All(nftables.Default(n, podCIDR, serviceCIDR), entries).Lines(), nil
	}
	return nil, textError("want iptables, ipvs or nftables, not " + strconv.Quote(mode))
}

// Met marks the lines of rules that a request met.
func (s *Sent) Met(lines []string) []bool {
	met := make([]bool, len(lines))
	for _, h := range s.Hops {
		for _, d := range h.Detail {
			if d.Name != "rule" || h.Source != "kube-proxy" {
				continue
			}
			for i, l := range lines {
				met[i] = met[i] || strings.Contains(l, d.Value)
			}
		}
	}
	return met
}

// Matrix judges who reaches whom by the NetworkPolicies: the running pods of a
// namespace ("" is all), each to each of their ports, and an address outside.
func (c *Cluster) Matrix(namespace string) policy.Matrix {
	v := &network{c, c.now}
	var from []*policy.End
	var to []policy.Target
	c.Latest().Each("Pod", "", func(o api.Object) bool {
		p := o.(*api.Pod)
		if p.Status.PodIP == "" || p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
			return true
		}
		e := policy.EndOf(p, v.labelsOf(p.Namespace))
		from = append(from, e)
		if namespace == "" || p.Namespace == namespace {
			to = append(to, policy.Targets(e)...)
		}
		return len(from) < maxMatrix
	})
	out := &policy.End{IP: outsideAddress}
	from, to = append(from, out), append(to, policy.Target{End: out, Port: 443, Proto: "TCP"})
	return v.Policies("").Matrix(from, to)
}

// maxMatrix bounds the rows of a matrix.
const maxMatrix = 200
