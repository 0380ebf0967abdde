package nftables

import (
	"strings"

	"podwalk/core/network/proxy"
)

// Met returns the lines that a packet for an address of a Service port meets: the
// element of a map and the rules of the chains it leads to. fromPod and fromNode
// tell where the packet comes from.
func Met(cfg Config, e *proxy.Entry, dst string, port int32, fromPod, fromNode bool) []string {
	t := All(cfg, []*proxy.Entry{e})
	keys := []string{dst + " . " + e.Proto() + " . " + number(port), e.Proto() + " . " + number(port)}
	var met []string
	for _, s := range t.Sets {
		if !s.Map || s.Name == firewalls && fromPod {
			continue
		}
		for _, el := range s.Elements {
			for _, k := range keys {
				if strings.HasPrefix(el, k+" ") {
					met = append(met, el)
					_, chain, _ := strings.Cut(el, ": goto ")
					met = t.follow(met, &cfg, chain, fromPod, fromNode, 0)
				}
			}
		}
	}
	return met
}

// follow collects the rules of a chain that the packet meets, and of those it goes
// to.
func (t *Table) follow(met []string, cfg *Config, chain string, fromPod, fromNode bool, depth int) []string {
	for i := range t.Chains {
		if t.Chains[i].Name != chain || depth > 4 {
			continue
		}
		for _, r := range t.Chains[i].Rules {
			switch {
			case strings.HasPrefix(r, "ip saddr "+cfg.ClusterCIDR) && !fromPod, strings.HasPrefix(r, "fib saddr") && !fromNode, strings.HasPrefix(r, "ip saddr @"):
				continue
			}
			met = append(met, r)
			if _, to, ok := strings.Cut(r, "goto "); ok && !strings.Contains(r, "vmap") {
				to, _, _ = strings.Cut(to, " ")
				return t.follow(met, cfg, to, fromPod, fromNode, depth+1)
			}
		}
	}
	return met
}
