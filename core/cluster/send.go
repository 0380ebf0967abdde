package cluster

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/network/dns"
	"podwalk/core/network/policy"
	"podwalk/core/network/request"
	"podwalk/core/runtime"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// Sent is what became of a request of a user.
type Sent struct {
	Hops    []request.Hop
	Records []uint64 // their ids, in order
	Symptom string   // of the first hop that failed, "" if an answer came
	Code    int      // HTTP status, 0 if none came
	Body    string
}

// outsideAddress is where requests from outside come from.
const outsideAddress = "198.51.100.7"

// sending is one request on its way.
type sending struct {
	n    *network
	call runtime.Call
	src  *request.Source
	url  target
	out  Sent
}

// target is a parsed address.
type target struct {
	scheme, host, path string
	port               int32
}

// Send sends a request of a user. From is pod/NAMESPACE/NAME, node/NAME, outside or
// outside/ADDRESS; to is a URL, NAME:PORT or ADDRESS:PORT (tcp://NAME:PORT only
// connects). The error says what is wrong with the two.
func (c *Cluster) Send(from, to string) (Sent, error) {
	url, err := parseTarget(to)
	if err != nil {
		return Sent{}, err
	}
	s := &sending{n: &network{c, c.now}, url: url}
	s.call = runtime.Call{Now: c.now, Record: c.Note}
	if s.src, err = s.sender(from); err != nil {
		return Sent{}, err
	}
	s.run()
	cause := c.Note(trace.Record{Source: "request", Ref: trace.Ref(request.RefOf(s.src.End)), Verdict: trace.Info, Message: from + " to " + to})
	for i := range s.out.Hops {
		cause = c.Note(record(&s.out.Hops[i], request.RefOf(s.src.End), cause))
		s.out.Records = append(s.out.Records, uint64(cause))
	}
	return s.out, nil
}

func (s *sending) add(hops ...request.Hop) {
	for _, h := range hops {
		s.out.Hops = append(s.out.Hops, h)
		if h.Symptom != "" && s.out.Symptom == "" {
			s.out.Symptom = h.Symptom
		}
	}
}

func parseTarget(to string) (target, error) {
	t := target{scheme: "http", port: 80, path: "/"}
	rest := to
	if scheme, after, ok := strings.Cut(to, "://"); ok {
		t.scheme, rest = strings.ToLower(scheme), after
	}
	switch t.scheme {
	case "https":
		t.port = 443
	case "http", "tcp":
	default:
		return t, textError("want http, https or tcp, not " + strconv.Quote(t.scheme))
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		t.path, rest = rest[i:], rest[:i]
		if t.path[0] == '?' {
			t.path = "/" + t.path
		}
	}
	t.host = rest
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && strings.Count(rest, ":") == 1 {
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil || n < 1 || n > 65535 {
			return t, textError("no port number: " + strconv.Quote(rest[i+1:]))
		}
		t.host, t.port = rest[:i], int32(n)
	}
	if t.host == "" {
		return t, textError("no name or address in " + strconv.Quote(to))
	}
	return t, nil
}

type textError string

func (e textError) Error() string { return string(e) }

// sender finds who asks.
func (s *sending) sender(from string) (*request.Source, error) {
	part := strings.Split(from, "/")
	switch {
	case part[0] == "outside" && len(part) <= 2:
		ip := outsideAddress
		if len(part) == 2 {
			ip = part[1]
		}
		return &request.Source{End: &policy.End{IP: ip}}, nil
	case part[0] == "node" && len(part) == 2:
		n, ok := s.n.Node(part[1])
		if !ok {
			return nil, textError("no node " + strconv.Quote(part[1]))
		}
		if s.n.Line(n.Name).Off {
			return nil, textError("the machine of node " + n.Name + " does not run")
		}
		return &request.Source{End: &policy.End{IP: n.IP, Node: n.Name, Host: true}, Node: n, Config: dns.Config{Servers: []string{"192.0.2.53"}, Ndots: 1}}, nil
	case part[0] == "pod" && len(part) == 3:
		p, ok := s.n.c.Latest().Get("Pod", part[1], part[2]).(*api.Pod)
		if !ok {
			return nil, textError("no pod " + strconv.Quote(part[1]+"/"+part[2]))
		}
		sender, ok := s.n.c.rt.SenderOf(s.call, p.Spec.NodeName, p.UID)
		if !ok {
			return nil, textError("no container of pod " + strconv.Quote(part[1]+"/"+part[2]) + " is running")
		}
		return s.n.source(sender), nil
	}
	return nil, textError("want pod/NAMESPACE/NAME, node/NAME or outside, not " + strconv.Quote(from))
}

// run takes the request as far as it goes.
func (s *sending) run() {
	outsider := s.src.Node.Name == ""
	if outsider && s.ingress() {
		return
	}
	ip := s.url.host
	if !isIP(ip) {
		if ip = s.resolve(outsider); ip == "" {
			return
		}
	}
	r := request.Reach(s.n, s.src, ip, s.url.port, "tcp")
	s.add(r.Hops...)
	if r.Symptom == "" {
		s.deliver(&r)
	}
}

func isIP(s string) bool { return strings.Trim(s, "0123456789.") == "" || strings.Contains(s, ":") }

func (s *sending) resolve(outsider bool) string {
	if !outsider {
		l, hops := request.Resolve(s.n, s.src, s.url.host)
		s.add(hops...)
		if len(l.Addrs) == 0 {
			return ""
		}
		return l.Addrs[0]
	}
	q := dns.Question{Name: s.url.host, Type: "A"}
	a := s.n.Outside(q)
	h := request.Asked(s.src, "", q, a)
	if len(a.Records) == 0 {
		h.Symptom = request.NoName
		h.Message = s.url.host + " is no name outside the cluster"
		s.add(h)
		return ""
	}
	s.add(h)
	return a.Records[0].Data
}

// deliver connects to the end of a route and asks the program there.
func (s *sending) deliver(r *request.Route) {
	conn := s.n.c.rt.Connect(s.call, s.n.routeOf(s.call, r))
	at := r.IP + ":" + strconv.Itoa(int(r.Port))
	h := request.Hop{Source: "program", Ref: request.RefOf(r.To), Verdict: request.Failed}
	switch conn.Outcome {
	case workload.Connected:
		s.answer(r, conn.Peer)
		return
	case workload.Refused:
		h.Reason, h.Symptom, h.Message = "NothingListens", request.RefusedConn, "nothing listens on "+at
		if l := s.n.c.rt.Listening(r.IP); len(l) > 0 {
			h.Message += "; the pod listens on " + numbers(l)
		}
	default:
		h.Reason, h.Symptom, h.Message = "NoAnswer", request.TimedOut, "no answer from "+at
	}
	s.add(h)
}

func numbers(l []int32) string {
	t := ""
	for i, n := range l {
		if i > 0 {
			t += ", "
		}
		t += strconv.Itoa(int(n))
	}
	return t
}

func (s *sending) answer(r *request.Route, peer workload.Peer) {
	h := request.Hop{Source: "program", Ref: request.RefOf(r.To), Verdict: request.Passed, Reason: "Connected", Message: "the connection is accepted"}
	if s.url.scheme == "tcp" || peer == nil {
		s.add(h)
		return
	}
	res := peer.Answer(workload.Request{Proto: s.url.scheme, Method: "GET", Path: s.url.path, Host: s.url.host, From: r.From})
	s.out.Code, s.out.Body = res.Code, res.Body
	h.Reason = "Answer"
	switch {
	case res.Code == 0:
		h.Verdict, h.Symptom, h.Message = request.Failed, request.Reset, "the program closes the connection without an answer: it does not speak "+s.url.scheme
	case r.Outside:
		h.Verdict, h.Message = request.Assumed, "a server outside answers "+strconv.Itoa(res.Code)
	default:
		h.Message = "answers " + strconv.Itoa(res.Code) + ", " + strconv.Itoa(len(res.Body)) + " bytes"
	}
	s.add(h)
}
