package workload

import (
	"strconv"
	"strings"
	"time"
)

// nginxAnswer finds the server and location of a request and answers.
func (c *call) nginxAnswer(port int32, req Request) Response {
	p := &nginxParser{c: c}
	path := "/etc/nginx/nginx.conf"
	for i, a := range c.t.argv {
		if a == "-c" && i+1 < len(c.t.argv) {
			path = c.t.argv[i+1]
		}
	}
	conf := p.file(path, 0)
	var server *directive
	each(conf, "server", func(d directive) {
		for _, l := range d.block {
			if l.words[0] != "listen" || len(l.words) < 2 || server != nil {
				continue
			}
			if o, ok := listenPort(l.words); ok && o.Port == port {
				server = &d
			}
		}
		if server == nil && port == 80 && d.block != nil {
			server = &d
		}
	})
	if server == nil {
		return nginxError(404)
	}
	uri, _, _ := strings.Cut(req.Path, "?")
	return c.nginxBlock(conf, server.block, uri, req)
}

// location returns the block for a path: exact, then the longest prefix.
func location(server []directive, uri string) []directive {
	best, length := []directive(nil), -1
	for _, d := range server {
		if d.words[0] != "location" || len(d.words) < 2 {
			continue
		}
		path := d.words[len(d.words)-1]
		switch {
		case d.words[1] == "=" && path == uri:
			return d.block
		case d.words[1] == "=" || strings.HasPrefix(d.words[1], "~"):
		case strings.HasPrefix(uri, path) && len(path) > length:
			best, length = d.block, len(path)
		}
	}
	return best
}

func find(list []directive, name string) []string {
	for _, d := range list {
		if d.words[0] == name && len(d.words) > 1 {
			return d.words[1:]
		}
	}
	return nil
}

func (c *call) nginxBlock(conf, server []directive, uri string, req Request) Response {
	loc := location(server, uri)
	for _, block := range [][]directive{loc, server} {
		if words := find(block, "return"); words != nil {
			return nginxReturn(words)
		}
		if words := find(block, "proxy_pass"); words != nil {
			return c.nginxProxy(conf, words[0], req)
		}
	}
	if find(loc, "stub_status") != nil || hasWord(loc, "stub_status") {
		return Response{Code: 200, Body: "Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n"}
	}
	root := "/etc/nginx/html"
	for _, block := range [][]directive{server, loc} {
		if words := find(block, "root"); words != nil {
			root = words[0]
		}
	}
	if alias := find(loc, "alias"); alias != nil {
		for _, d := range server {
			if d.words[0] == "location" && len(d.words) > 1 && strings.HasPrefix(uri, d.words[len(d.words)-1]) && find(d.block, "alias") != nil {
				return c.static(alias[0]+"/"+strings.TrimPrefix(uri, d.words[len(d.words)-1]), uri)
			}
		}
	}
	r := c.static(root+uri, uri)
	if try := find(loc, "try_files"); r.Code != 200 && try != nil {
		last := try[len(try)-1]
		if code, ok := strings.CutPrefix(last, "="); ok {
			return nginxError(atoi(code))
		}
		return c.static(root+last, last)
	}
	return r
}

func hasWord(list []directive, name string) bool {
	for _, d := range list {
		if d.words[0] == name {
			return true
		}
	}
	return false
}

func nginxReturn(words []string) Response {
	code, err := strconv.Atoi(words[0])
	switch {
	case err != nil:
		return Response{Code: 302, Headers: []Header{{"Location", words[0]}}}
	case code >= 300 && code < 400 && len(words) > 1:
		return Response{Code: code, Headers: []Header{{"Location", words[1]}}}
	case len(words) > 1:
		body := strings.ReplaceAll(words[1], `\n`, "\n")
		return Response{Code: code, Headers: []Header{{"Content-Type", "text/plain"}}, Body: body}
	}
	return nginxError(code)
}

func (c *call) nginxProxy(conf []directive, url string, req Request) Response {
	host := hostOf(url)
	each(conf, "upstream", func(d directive) {
		if len(d.words) > 1 && d.words[1] == host {
			if words := find(d.block, "server"); words != nil {
				host = words[0]
			}
		}
	})
	name, number, ok := strings.Cut(host, ":")
	port := int32(80)
	if ok {
		port = int32(atoi(number))
	}
	conn := c.w.Dial(name, port)
	if conn.Outcome != Connected || conn.Peer == nil {
		return nginxError(502)
	}
	if req.Hops++; req.Hops > 8 {
		return nginxError(502)
	}
	r := conn.Peer.Answer(req)
	r.Delay += conn.Delay
	if r.Code == 0 {
		return nginxError(502)
	}
	if r.Delay > time.Minute {
		r = nginxError(504)
		r.Delay = time.Minute
	}
	return r
}

// static serves a file below a document root.
func (c *call) static(path, uri string) Response {
	path = absolute("/", path)
	info, err := c.w.Stat(path)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(uri, "/") {
			return Response{Code: 301, Headers: []Header{{"Location", uri + "/"}}, Body: nginxError(301).Body}
		}
		path += "/index.html"
		if _, err = c.w.Stat(path); err != nil {
			return nginxError(403)
		}
	}
	if err != nil {
		return nginxError(404)
	}
	data, err := c.w.ReadFile(path)
	if err != nil {
		return nginxError(403)
	}
	kind := "text/html"
	for _, t := range [][2]string{{".txt", "text/plain"}, {".json", "application/json"}, {".css", "text/css"}, {".js", "application/javascript"}} {
		if strings.HasSuffix(path, t[0]) {
			kind = t[1]
		}
	}
	return Response{Code: 200, Headers: []Header{{"Content-Type", kind}}, Body: string(data)}
}

func nginxError(code int) Response {
	title := strconv.Itoa(code) + " " + statusText(code)
	return Response{Code: code, Headers: []Header{{"Content-Type", "text/html"}},
		Body: "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title + "</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"}
}

// statusText names the HTTP codes that the simulated servers give.
func statusText(code int) string {
	switch code {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 204:
		return "No Content"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 304:
		return "Not Modified"
	case 307:
		return "Temporary Redirect"
	case 308:
		return "Permanent Redirect"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 408:
		return "Request Timeout"
	case 418:
		return "I'm a teapot"
	case 429:
		return "Too Many Requests"
	case 500:
		return "Internal Server Error"
	case 501:
		return "Not Implemented"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return "Status " + strconv.Itoa(code)
}
