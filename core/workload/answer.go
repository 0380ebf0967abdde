package workload

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

// Serve answers a request that arrives at a port on which the process listens. A
// Response of code 0 and no body is a closed connection.
func (p *Process) Serve(port int32, req Request, w World) Response {
	i := slices.IndexFunc(p.socks, func(s socket) bool { return s.port == port })
	if p.done || i < 0 {
		return Response{}
	}
	t := p.task(p.socks[i].pid)
	if t == nil || t.srv == nil {
		return Response{}
	}
	w.SetTime(w.Now())
	p.unpark(w)
	p.idle.acted = true
	t.srv.hits++
	c := &call{runner: &runner{p: p, w: w, now: w.Now(), t: t}, name: t.name, args: t.argv[min(1, len(t.argv)):], st: &state{}}
	return c.answer(p.socks[i], req)
}

func (c *call) answer(s socket, req Request) Response {
	srv := c.t.srv
	if req.Path == "" {
		req.Path = "/"
	}
	if len(srv.program.Answers) > 0 {
		return c.declaredAnswer(srv, s, req)
	}
	switch s.proto {
	case "http":
		if req.Proto == "https" || req.Proto == "grpc" || req.Proto == "tcp" {
			return Response{}
		}
	case "https":
		if req.Proto == "" || req.Proto == "http" {
			return Response{Code: 400, Body: "Client sent an HTTP request to an HTTPS server.\n"}
		}
	case "grpc":
		return Response{Code: map[bool]int{true: 1}[req.Proto == "grpc"]}
	case "":
		if req.Proto == "grpc" { // an unknown program speaks what it is asked in
			return Response{Code: 1}
		}
	default:
		return c.protocol(s, req)
	}
	return c.httpAnswer(srv, s, req)
}

// declaredAnswer looks a request up in the answers of a program. Where none
// matches it is 404, or 200 if only other times were declared.
func (c *call) declaredAnswer(srv *serverState, s socket, req Request) Response {
	since := c.now.Sub(srv.start)
	path, _, _ := strings.Cut(req.Path, "?")
	known := false
	for _, a := range srv.program.Answers {
		prefix, wild := strings.CutSuffix(a.Path, "*")
		if a.Port != 0 && a.Port != s.port || a.Path != "" && a.Path != path && !(wild && strings.HasPrefix(path, prefix)) {
			continue
		}
		known = true
		if since < a.From || a.Until > 0 && since >= a.Until {
			continue
		}
		code := a.Code
		switch {
		case req.Proto == "grpc" && (code == 0 || code == 200):
			code = 1
		case req.Proto == "grpc":
			code = 2
		case code == 0:
			code = 200
		}
		return Response{Code: code, Body: a.Body, Delay: a.Delay}
	}
	switch {
	case req.Proto == "grpc":
		return Response{Code: 1}
	case known:
		return Response{Code: 200, Body: "ok"}
	}
	return Response{Code: 404, Body: "404 page not found\n"}
}

// protocol answers bytes on ports that do not speak HTTP.
func (c *call) protocol(s socket, req Request) Response {
	if req.Proto != "tcp" {
		return Response{}
	}
	word, _, _ := strings.Cut(strings.TrimSpace(req.Body), "\n")
	word = strings.TrimSpace(word)
	switch s.proto {
	case "redis":
		if strings.EqualFold(word, "PING") {
			return Response{Body: "+PONG\r\n"}
		}
		return Response{Body: "-ERR unknown command '" + word + "'\r\n"}
	case "zookeeper":
		if word == "ruok" {
			return Response{Body: "imok"}
		}
		return Response{}
	}
	if c.t.srv.program.Kind == "tcp-echo" {
		prefix := ""
		if len(c.args) > 1 {
			prefix = c.args[1] + " "
		}
		return Response{Body: prefix + req.Body}
	}
	return Response{}
}

func plainText(code int, body string) Response {
	return Response{Code: code, Headers: []Header{{"Content-Type", "text/plain; charset=utf-8"}}, Body: body}
}

func (c *call) httpAnswer(srv *serverState, s socket, req Request) Response {
	path, _, _ := strings.Cut(req.Path, "?")
	host := c.w.Hostname()
	body := ""
	switch kind := srv.program.Kind; kind {
	case "nginx", "nginx-unprivileged":
		r := c.nginxAnswer(s.port, req)
		c.accessLog(req, r)
		return r
	case "httpd", "apache":
		r := c.static(srv.root+path, path)
		if kind == "apache" && r.Code == 403 {
			r = plainText(200, "")
		}
		c.accessLog(req, r)
		return r
	case "python":
		return c.pythonAnswer(srv, path, req)
	case "agnhost-netexec":
		return c.netexec(path, req)
	case "agnhost-serve-hostname", "serve-hostname":
		body = host
	case "agnhost-liveness", "liveness":
		return c.livenessAnswer(srv, path)
	case "agnhost-echo-server", "echo":
		body = "Hostname: " + host + "\n\nRequest Information:\n\tmethod=" + orGet(req.Method) + "\n\treal path=" + req.Path + "\n"
	case "whoami":
		body = "Hostname: " + host + "\nGET " + req.Path + " HTTP/1.1\nHost: " + req.Host + "\n"
	case "hello-app":
		body = "Hello, world!\nVersion: " + c.p.spec.Image.Ref.Tag + ".0\nHostname: " + host + "\n"
	case "httpbin":
		return httpbin(path)
	}
	return plainText(200, body)
}

func orGet(method string) string {
	if method == "" {
		return "GET"
	}
	return method
}

// accessLog prints a request in the combined format.
func (c *call) accessLog(req Request, r Response) {
	from, agent := req.From, "-"
	if from == "" {
		from = "10.244.0.1"
	}
	for _, h := range req.Headers {
		if strings.EqualFold(h.Name, "User-Agent") {
			agent = h.Value
		}
	}
	line := from + ` - - [{02/Jan/2006:15:04:05} +0000] "` + orGet(req.Method) + " " + req.Path + ` HTTP/1.1" ` + strconv.Itoa(r.Code) + " " + strconv.Itoa(len(r.Body))
	if k := c.t.srv.program.Kind; k == "nginx" || k == "nginx-unprivileged" {
		line += ` "-" "` + agent + `" "-"`
	} else if k == "apache" {
		line += ` "-" "` + agent + `"`
	}
	c.say("", line)
}

// livenessAnswer is that of the documentation's example: it turns bad after ten
// seconds.
func (c *call) livenessAnswer(srv *serverState, path string) Response {
	if path != "/healthz" {
		return plainText(200, c.now.Sub(srv.start).String())
	}
	if d := c.now.Sub(srv.start); d > 10*time.Second {
		return plainText(500, "error: "+strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	return plainText(200, "ok")
}

func (c *call) netexec(path string, req Request) Response {
	_, query, _ := strings.Cut(req.Path, "?")
	switch path {
	case "/":
		return plainText(200, "NOW: "+c.wall().UTC().String())
	case "/hostname", "/hostName":
		return plainText(200, c.w.Hostname())
	case "/healthz":
		return plainText(200, "")
	case "/echo":
		msg, _ := strings.CutPrefix(query, "msg=")
		return plainText(200, msg)
	case "/clientip":
		return plainText(200, req.From+":40000")
	case "/exit":
		code, _ := strings.CutPrefix(query, "code=")
		c.t.srv.stopping, c.t.srv.code, c.t.srv.stopAt = true, atoi(code), c.now+sim.Millisecond
		c.t.wait, c.t.wake = waitTime, c.t.srv.stopAt
		return plainText(200, "")
	}
	return plainText(404, "404 page not found\n")
}

func httpbin(path string) Response {
	switch {
	case strings.HasPrefix(path, "/status/"):
		return plainText(atoi(path[8:]), "")
	case strings.HasPrefix(path, "/delay/"):
		r := plainText(200, "{}\n")
		r.Delay = time.Duration(min(atoi(path[7:]), 10)) * time.Second
		return r
	case path == "/", path == "/get", path == "/headers", path == "/ip", path == "/anything", path == "/html", path == "/json":
		return plainText(200, "{}\n")
	}
	return plainText(404, "")
}
