package request

import (
	"slices"
	"strings"

	"podwalk/core/network/dns"
)

// Resolve looks a name up as the sender's C library does: its hosts file, then the
// name service, each query of which goes through the network.
func Resolve(v View, from *Source, name string) (dns.Lookup, []Hop) {
	if ip := inHosts(from.Hosts, name); ip != "" {
		return dns.Lookup{Code: dns.NoError, Name: name, Addrs: []string{ip}}, nil
	}
	var hops []Hop
	asked := false
	l := dns.Resolve(from.Config, name, from.Musl, func(server string, q dns.Question) dns.Answer {
		if !asked {
			asked = true
			if r := Reach(v, from, server, 53, "udp"); r.Symptom != "" {
				hops = unresolved(r.Hops)
				return dns.Answer{Code: dns.Timeout}
			}
		}
		return ServerAt(v, server, q)
	})
	return l, append(hops, looked(v, from, name, &l))
}

// unresolved are the hops of a question that did not arrive: its sender sees a name
// that does not resolve.
func unresolved(hops []Hop) []Hop {
	for i := range hops {
		if hops[i].Symptom != "" {
			hops[i].Symptom = NoDNS
		}
	}
	return hops
}

// ServerAt asks the server at an address: the cluster's, or one outside.
func ServerAt(v View, server string, q dns.Question) dns.Answer {
	set := v.Settings()
	if server == set.DNS {
		return dns.Ask(v, q)
	}
	if Within(server, set.PodCIDR) || Within(server, set.ServiceCIDR) {
		return dns.Answer{Code: dns.Timeout}
	}
	if strings.HasSuffix("."+strings.ToLower(q.Name), "."+dns.Zone) {
		return dns.Answer{Code: dns.NXDomain}
	}
	return v.Outside(q)
}

// looked is the hop of a name's resolution.
func looked(v View, from *Source, name string, l *dns.Lookup) Hop {
	h := Hop{Source: "dns", Ref: RefOf(from.End), Verdict: Passed, Reason: "Lookup"}
	for i := range l.Queries {
		h.Detail = append(h.Detail, detail("query", queryText(&l.Queries[i])))
	}
	switch l.Code {
	case dns.NoError:
		h.Message = name + " is " + strings.Join(l.Addrs, ", ")
		if l.Name != name {
			h.Message = name + " is " + l.Name + ": " + strings.Join(l.Addrs, ", ")
		}
		if slices.ContainsFunc(l.Queries, func(q dns.Query) bool { return q.Forwarded && len(q.Records) > 0 }) {
			h.Verdict, h.Message = Assumed, h.Message+" (outside the cluster: the address is made up)"
		}
	case dns.Timeout, dns.ServFail:
		h.Verdict, h.Reason, h.Symptom = Failed, "NoAnswer", NoDNS
		h.Message = "no answer from " + l.Server + " for " + name
		if l.Server == "" {
			h.Message = "no name server is configured: " + name + " cannot be resolved"
		}
	default:
		h.Verdict, h.Reason, h.Symptom = Failed, "NXDOMAIN", NoName
		h.Message = name + " does not exist: " + counted(len(l.Queries)) + " asked of " + l.Server
	}
	return h
}

func counted(n int) string {
	if n == 1 {
		return "1 name and type"
	}
	return itoa(n) + " names and types"
}

// queryText is "NAME TYPE -> ANSWER".
func queryText(q *dns.Query) string {
	t := q.Name + ". " + q.Type + " -> " + q.Code
	if q.Code != dns.NoError {
		return t
	}
	if len(q.Records) == 0 {
		return t + ", no records"
	}
	for i, r := range q.Records {
		if i > 0 {
			t += ","
		}
		t += " " + r.Type + " " + r.Data
		if i == 7 && len(q.Records) > 8 {
			return t + " and " + itoa(len(q.Records)-8) + " more"
		}
	}
	return t
}

func inHosts(text, name string) string {
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) > 1 && f[0][0] != '#' && !strings.Contains(f[0], ":") && slices.Contains(f[1:], name) {
			return f[0]
		}
	}
	return ""
}

// Asked is the hop of one question to a name server.
func Asked(from *Source, server string, q dns.Question, a dns.Answer) Hop {
	h := Hop{Source: "dns", Ref: RefOf(from.End), Verdict: Passed, Reason: "Query"}
	h.Message = queryText(&dns.Query{Question: q, Server: server, Answer: a})
	if a.Code != dns.NoError {
		h.Verdict, h.Reason = Failed, a.Code
	}
	return h
}
