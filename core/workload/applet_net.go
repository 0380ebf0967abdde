package workload

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

func networkApplet(name string) applet {
	switch name {
	case "wget":
		return cmdWget
	case "curl":
		return cmdCurl
	case "nc", "ncat", "netcat", "telnet":
		return cmdNc
	case "nslookup":
		return cmdNslookup
	case "dig", "host":
		return cmdDig
	case "ping", "ping6":
		return cmdPing
	case "httpd":
		return cmdHTTPD
	case "redis-cli", "valkey-cli", "pg_isready", "mysqladmin", "mariadb-admin", "mysql", "mariadb", "psql", "mongosh", "mongo", "rabbitmq-diagnostics", "rabbitmqctl",
		"nodetool", "cqlsh":
		return cmdDatabase
	}
	return nil
}

// fetch is one HTTP request of a client, kept in state between calls: phase 0 not
// begun, 1 connecting, 2 waiting for the answer, 3 over.
type fetch struct {
	host, path, scheme string
	port               int32
	method, body       string
	headers            []Header
	connect, total     time.Duration // limits, 0 none
}

// result is how a fetch ended.
type result struct {
	outcome string // of Dial, "" if there was an answer, "empty" if it closed
	addr    string
	code    int
	headers []Header
	body    string
	size    int  // of the body, also where it was not asked for
	late    bool // the limit on the whole has passed
}

// parseURL reads scheme://host:port/path.
func parseURL(url string) (f fetch, ok bool) {
	f.scheme, f.port, f.method = "http", 80, "GET"
	if scheme, rest, has := strings.Cut(url, "://"); has {
		f.scheme, url = strings.ToLower(scheme), rest
	}
	if f.scheme == "https" {
		f.port = 443
	}
	host, path := url, "/"
	if i := strings.IndexAny(url, "/?"); i >= 0 {
		host, path = url[:i], url[i:]
		if path[0] == '?' {
			path = "/" + path
		}
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	f.path, _, _ = strings.Cut(path, "#")
	f.host = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		n, err := strconv.Atoi(host[i+1:])
		if err != nil || n < 1 || n > 65535 {
			return f, false
		}
		f.host, f.port = host[:i], int32(n)
	}
	f.host = strings.Trim(f.host, "[]")
	return f, f.host != "" && (f.scheme == "http" || f.scheme == "https")
}

// do goes on with a fetch. ok is false while it waits.
func (c *call) do(f fetch) (res result, ok bool) {
	st := c.st
	limit := f.connect
	if f.total > 0 && (limit == 0 || f.total < limit) {
		limit = f.total
	}
	switch st.phase {
	case 0:
		c.p.idle.read = true
		conn := c.w.Dial(f.host, f.port)
		wait := conn.Delay
		if conn.Outcome == TimedOut && wait == 0 {
			wait = 130 * time.Second
		}
		if limit > 0 && wait > limit {
			wait, st.bad = limit, true
		}
		st.phase, st.n, st.until = 1, int64(c.now), c.now.Add(wait)
		fallthrough
	case 1:
		if !c.pause(st.until) {
			return res, false
		}
		conn := c.w.Dial(f.host, f.port)
		if st.bad {
			return result{outcome: TimedOut, addr: conn.Addr, late: true}, true
		}
		if conn.Outcome != Connected {
			return result{outcome: conn.Outcome, addr: conn.Addr}, true
		}
		c.ask(f, conn)
	}
	if !c.pause(st.until) {
		return res, false
	}
	return c.answerOf(f), true
}

// ask sends the request and keeps the answer in state.
func (c *call) ask(f fetch, conn Conn) {
	st := c.st
	r := Response{Delay: time.Hour * 24}
	if conn.Peer != nil {
		c.p.idle.acted = true
		r = conn.Peer.Answer(Request{Proto: f.scheme, Method: f.method, Path: f.path, Host: f.host, Headers: f.headers, Body: f.body})
	}
	if len(r.Body) > maxVariable {
		r.Body = r.Body[:maxVariable]
	}
	st.phase, st.m, st.buf, st.text = 2, int64(r.Code), []byte(r.Body), conn.Addr
	st.list = nil
	for _, h := range r.Headers {
		st.list = append(st.list, h.Name+": "+h.Value)
	}
	at := c.now.Add(r.Delay)
	if limit := sim.Time(st.n).Add(f.total); f.total > 0 && at > limit {
		at, st.bad = limit, true
	}
	st.until = max(at, c.now+sim.Millisecond)
}

func (c *call) answerOf(f fetch) result {
	st := c.st
	res := result{code: int(st.m), addr: st.text, body: string(st.buf)}
	switch {
	case st.bad:
		return result{outcome: TimedOut, addr: st.text, late: true}
	case res.code == 0:
		return result{outcome: "empty", addr: st.text}
	}
	for _, h := range st.list {
		name, value, _ := strings.Cut(h, ": ")
		res.headers = append(res.headers, Header{name, value})
	}
	res.size = len(res.body)
	if f.method == "HEAD" {
		res.body = ""
	}
	return res
}

func (r result) header(name string) string {
	for _, h := range r.headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// head is the status line and the headers as a client prints them.
func (r result) head() []string {
	lines := []string{"HTTP/1.1 " + strconv.Itoa(r.code) + " " + statusText(r.code)}
	for _, h := range r.headers {
		lines = append(lines, h.Name+": "+h.Value)
	}
	return append(lines, "Content-Length: "+strconv.Itoa(max(r.size, len(r.body))))
}
