// Package dns is the cluster's name service and the resolvers that ask it: the
// answers of CoreDNS with the configuration that kubeadm gives it, and the queries
// that a C library makes of a name, in order. It is pure.
// Start reading at Ask and Resolve.
package dns

import (
	"net/netip"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// Zone is the domain of the cluster.
const Zone = "cluster.local"

// TTL of the records of the cluster, in seconds.
const TTL = 30

// Question is what is asked: a full name without the dot at its end, and A, AAAA,
// SRV, CNAME or PTR.
type Question struct{ Name, Type string }

// Record is one line of an answer.
type Record struct {
	Name, Type string
	TTL        int
	Data       string // an address, a name, or "priority weight port target" of SRV
}

// Codes of answers.
const (
	NoError  = "NOERROR"
	NXDomain = "NXDOMAIN"
	ServFail = "SERVFAIL"
	Refused  = "REFUSED"
	Timeout  = "TIMEOUT" // no answer came
)

// Answer is what a server says. A name that exists without records of the type has
// NOERROR and no records. Forwarded is set where the server asked others outside
// the cluster.
type Answer struct {
	Code      string
	Records   []Record
	Forwarded bool
}

// Source is what CoreDNS has read from the API server.
type Source interface {
	Service(namespace, name string) *api.Service
	Slices(namespace, service string) []*api.EndpointSlice
	Namespace(name string) bool
	// ServiceAt returns the Service that has a cluster address.
	ServiceAt(ip string) *api.Service
	// SlicesAt returns the slices that hold an address.
	SlicesAt(ip string) []*api.EndpointSlice
	// Outside resolves a name outside the cluster.
	Outside(q Question) Answer
}

// Ask answers a question as CoreDNS does (plugin/kubernetes of coredns/coredns).
func Ask(src Source, q Question) Answer {
	name := strings.ToLower(strings.TrimSuffix(q.Name, "."))
	if ip, ok := reversed(name); ok {
		return pointer(src, q, ip)
	}
	rest, inside := strings.CutSuffix("."+name, "."+Zone)
	if !inside {
		return src.Outside(Question{name, q.Type})
	}
	labels := strings.Split(strings.TrimPrefix(rest, "."), ".")
	if rest == "" {
		return Answer{Code: NoError}
	}
	kind := labels[len(labels)-1]
	labels = labels[:len(labels)-1]
	switch {
	case kind == "svc":
		return services(src, Question{name, q.Type}, labels)
	case kind == "pod":
		return pods(src, Question{name, q.Type}, labels)
	}
	return Answer{Code: NXDomain}
}

// services answers what lies below svc.cluster.local.
func services(src Source, q Question, labels []string) Answer {
	n := len(labels)
	if n == 0 {
		return Answer{Code: NoError}
	}
	namespace := labels[n-1]
	if !src.Namespace(namespace) {
		return Answer{Code: NXDomain}
	}
	if n == 1 {
		return Answer{Code: NoError}
	}
	s := src.Service(namespace, labels[n-2])
	if s == nil || n > 4 {
		return Answer{Code: NXDomain}
	}
	port, proto, host := "", "", ""
	switch {
	case n == 4:
		port, proto = strings.TrimPrefix(labels[0], "_"), strings.TrimPrefix(labels[1], "_")
	case n == 3:
		host = labels[0]
	}
	if s.Spec.Type == "ExternalName" {
		return external(src, q, s)
	}
	targets := targetsOf(src, s, host)
	if len(targets) == 0 {
		return Answer{Code: NXDomain}
	}
	return records(q, s, targets, port, proto)
}

// target is one address of a Service with its ports.
type target struct {
	name, ip string
	ports    []portOf
}

type portOf struct {
	name, proto string
	number      int32
}

// targetsOf lists the cluster addresses, or the ready endpoints of a headless
// Service or of one host.
func targetsOf(src Source, s *api.Service, host string) (l []target) {
	full := s.Name + "." + s.Namespace + ".svc." + Zone
	if s.Spec.ClusterIP != "None" && host == "" {
		t := target{name: full}
		for i := range s.Spec.Ports {
			p := &s.Spec.Ports[i]
			t.ports = append(t.ports, portOf{p.Name, strings.ToLower(p.Protocol), p.Port})
		}
		ips := s.Spec.ClusterIPs
		if len(ips) == 0 {
			ips = []string{s.Spec.ClusterIP}
		}
		for _, ip := range ips {
			t.ip = ip
			l = append(l, t)
		}
		return l
	}
	for _, sl := range src.Slices(s.Namespace, s.Name) {
		var ports []portOf
		for i := range sl.Ports {
			p := &sl.Ports[i]
			ports = append(ports, portOf{deref(p.Name), strings.ToLower(deref(p.Protocol)), number(p.Port)})
		}
		for i := range sl.Endpoints {
			e := &sl.Endpoints[i]
			if len(e.Addresses) == 0 || e.Conditions.Ready != nil && !*e.Conditions.Ready {
				continue
			}
			if h := HostOf(e); host == "" || h == host {
				l = append(l, target{h + "." + full, e.Addresses[0], ports})
			}
		}
	}
	sort.SliceStable(l, func(i, j int) bool { return l[i].ip < l[j].ip })
	return l
}

// HostOf is the first label of an endpoint: its host name, or its address with
// dashes.
func HostOf(e *api.Endpoint) string {
	if e.Hostname != nil && *e.Hostname != "" {
		return *e.Hostname
	}
	return strings.NewReplacer(".", "-", ":", "-").Replace(e.Addresses[0])
}

func records(q Question, s *api.Service, targets []target, port, proto string) Answer {
	a := Answer{Code: NoError}
	known := port == ""
	for _, t := range targets {
		for _, p := range t.ports {
			known = known || p.name == port && p.proto == proto
		}
		if port == "" && q.Type == family(t.ip) {
			a.Records = append(a.Records, Record{q.Name, q.Type, TTL, t.ip})
		}
		if q.Type == "SRV" {
			a.Records = append(a.Records, srv(q, t, port, proto, len(targets))...)
		}
	}
	if !known {
		return Answer{Code: NXDomain}
	}
	return a
}

func srv(q Question, t target, port, proto string, n int) (l []Record) {
	for _, p := range t.ports {
		if port == "" || p.name == port && p.proto == proto {
			l = append(l, Record{q.Name, "SRV", TTL, "0 " + strconv.Itoa(100/max(n, 1)) + " " + strconv.Itoa(int(p.number)) + " " + t.name + "."})
		}
	}
	return l
}

func family(ip string) string {
	if strings.Contains(ip, ":") {
		return "AAAA"
	}
	return "A"
}

// external answers for a Service of type ExternalName: its CNAME, and what the
// name there leads to.
func external(src Source, q Question, s *api.Service) Answer {
	to := strings.TrimSuffix(s.Spec.ExternalName, ".")
	a := Answer{Code: NoError, Records: []Record{{q.Name, "CNAME", TTL, to + "."}}}
	if q.Type == "CNAME" || to == q.Name {
		return a
	}
	next := Ask(src, Question{to, q.Type})
	if next.Code == ServFail {
		return next
	}
	a.Code, a.Forwarded = next.Code, next.Forwarded
	if len(next.Records) < 16 {
		a.Records = append(a.Records, next.Records...)
	}
	return a
}

// pods answers the names of pods by address ("pods insecure").
func pods(src Source, q Question, labels []string) Answer {
	n := len(labels)
	if n == 0 {
		return Answer{Code: NoError}
	}
	if !src.Namespace(labels[n-1]) {
		return Answer{Code: NXDomain}
	}
	if n == 1 {
		return Answer{Code: NoError}
	}
	ip := strings.ReplaceAll(labels[n-2], "-", ".")
	if strings.Count(ip, ".") != 3 {
		ip = strings.ReplaceAll(labels[n-2], "-", ":")
	}
	a, err := netip.ParseAddr(ip)
	if err != nil || n > 2 {
		return Answer{Code: NXDomain}
	}
	if q.Type != family(ip) {
		return Answer{Code: NoError}
	}
	return Answer{Code: NoError, Records: []Record{{q.Name, q.Type, TTL, a.String()}}}
}

// pointer answers for an address: the Service that has it, or the endpoints.
func pointer(src Source, q Question, ip string) Answer {
	a := Answer{Code: NoError}
	if s := src.ServiceAt(ip); s != nil {
		a.Records = []Record{{q.Name, "PTR", TTL, s.Name + "." + s.Namespace + ".svc." + Zone + "."}}
		return a
	}
	for _, sl := range src.SlicesAt(ip) {
		for i := range sl.Endpoints {
			e := &sl.Endpoints[i]
			if len(e.Addresses) > 0 && e.Addresses[0] == ip && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
				a.Records = append(a.Records, Record{q.Name, "PTR", TTL,
					HostOf(e) + "." + sl.Labels["kubernetes.io/service-name"] + "." + sl.Namespace + ".svc." + Zone + "."})
			}
		}
	}
	if len(a.Records) == 0 {
		return src.Outside(Question{q.Name, "PTR"})
	}
	return a
}

// Reverse is the name under which the PTR record of an IPv4 address stands.
func Reverse(ip string) string {
	p := strings.Split(ip, ".")
	if len(p) != 4 {
		return ip
	}
	return p[3] + "." + p[2] + "." + p[1] + "." + p[0] + ".in-addr.arpa"
}

func reversed(name string) (string, bool) {
	rest, ok := strings.CutSuffix(name, ".in-addr.arpa")
	if !ok {
		return "", false
	}
	p := strings.Split(rest, ".")
	if len(p) != 4 {
		return "", false
	}
	return p[3] + "." + p[2] + "." + p[1] + "." + p[0], true
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func number(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}
