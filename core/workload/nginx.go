package workload

import (
	"slices"
	"strconv"
	"strings"
)

// directive is one line or block of an nginx configuration.
type directive struct {
	words []string
	block []directive
	file  string
	line  int
}

// nginxParser reads configurations; fault is nginx's own text of the first error.
type nginxParser struct {
	c        *call
	fault    string
	count    int
	included int // files that were named by include
}

const maxDirectives = 5000

func (p *nginxParser) file(path string, depth int) []directive {
	data, err := p.c.w.ReadFile(path)
	if err != nil {
		number := 2
		if e, ok := err.(Errno); ok {
			number = e.number()
		}
		p.fail(`open() "` + path + `" failed (` + strconv.Itoa(number) + ": " + err.Error() + ")")
		return nil
	}
	cache := p.c.p.spec.Cache
	key := path + "\x00" + string(data)
	if list, ok := cache.config(key); ok {
		return list
	}
	included := p.included
	list := p.block(&nginxLexer{text: string(data), line: 1}, path, depth, false)
	if p.included == included && p.fault == "" {
		cache.keepConfig(key, list)
	}
	return list
}

func (p *nginxParser) fail(text string) {
	if p.fault == "" {
		p.fault = text
	}
}

func (p *nginxParser) block(l *nginxLexer, path string, depth int, inner bool) []directive {
	var list []directive
	var words []string
	for p.fault == "" {
		tok, quoted, ok := l.next()
		at := path + ":" + strconv.Itoa(l.line)
		switch {
		case !ok && (inner || len(words) > 0):
			p.fail(`unexpected end of file, expecting "` + map[bool]string{true: "}", false: ";"}[inner] + `" in ` + at)
			return list
		case !ok:
			return list
		case quoted:
			words = append(words, tok)
			continue
		case tok == ";" || tok == "{":
			if len(words) == 0 {
				p.fail(`unexpected "` + tok + `" in ` + at)
				return list
			}
			d := directive{words: words, file: path, line: l.line}
			if words = nil; tok == "{" {
				if depth > 20 {
					p.fail("too many levels of blocks in " + at)
					return list
				}
				d.block = append([]directive{}, p.block(l, path, depth+1, true)...)
			}
			if d.words[0] == "include" && len(d.words) == 2 {
				list = append(list, p.include(d.words[1], depth)...)
				continue
			}
			list = append(list, d)
		case tok == "}":
			if len(words) > 0 || !inner {
				p.fail(`unexpected "}" in ` + at)
			}
			return list
		default:
			words = append(words, tok)
		}
		if p.count++; p.count > maxDirectives {
			p.fail("too many directives in " + at)
		}
	}
	return list
}

func (p *nginxParser) include(pattern string, depth int) []directive {
	p.included++
	if !strings.HasPrefix(pattern, "/") {
		pattern = "/etc/nginx/" + pattern
	}
	if depth > 20 {
		p.fail("too many levels of includes in " + pattern)
		return nil
	}
	if !strings.ContainsAny(pattern, "*?[") {
		return p.file(pattern, depth+1)
	}
	var list []directive
	for _, path := range p.c.globPaths(pattern) {
		list = append(list, p.file(path, depth+1)...)
	}
	return list
}

type nginxLexer struct {
	text string
	line int
}

func (l *nginxLexer) next() (tok string, quoted, ok bool) {
	for l.text != "" {
		c := l.text[0]
		switch {
		case c == '\n':
			l.line++
			l.text = l.text[1:]
		case isSpace(c):
			l.text = l.text[1:]
		case c == '#':
			_, l.text, _ = strings.Cut(l.text, "\n")
			l.line++
		case c == ';' || c == '{' || c == '}':
			l.text = l.text[1:]
			return string(rune(c)), false, true
		case c == '"' || c == '\'':
			end := strings.IndexByte(l.text[1:], c)
			if end < 0 {
				return "", false, false
			}
			tok = l.text[1 : 1+end]
			l.line += strings.Count(tok, "\n")
			l.text = l.text[end+2:]
			return tok, true, true
		default:
			n := 0
			for n < len(l.text) && !isSpace(l.text[n]) && l.text[n] != ';' && (l.text[n] != '{' || n > 0 && l.text[n-1] == '$') && !(l.text[n] == '}' && !strings.Contains(l.text[:n], "${")) {
				n++
			}
			if n == 0 {
				n = 1
			}
			tok, l.text = l.text[:n], l.text[n:]
			return tok, false, true
		}
	}
	return "", false, false
}

// each visits directives of a name at any depth.
func each(list []directive, name string, f func(directive)) {
	for _, d := range list {
		if d.words[0] == name {
			f(d)
		}
		each(d.block, name, f)
	}
}

// startNginx reads the configuration and checks what nginx checks at its start.
func (c *call) startNginx(s *serverState) (int, bool) {
	if v, ok := c.flag("s"); ok {
		return c.signalNginx(v)
	}
	if slices.Contains(c.args, "-v") || slices.Contains(c.args, "-V") {
		c.say("stderr", "nginx version: nginx/$TAG")
		return 0, true
	}
	path := "/etc/nginx/nginx.conf"
	if v, ok := c.flag("c"); ok {
		path = c.abs(v)
	}
	p := &nginxParser{c: c}
	conf := p.file(path, 0)
	globals, _ := c.flag("g")
	if p.fault == "" {
		c.checkUpstreams(p, conf)
	}
	if p.fault != "" {
		if s.start == c.now {
			c.say("stderr", "{2006/01/02 15:04:05} [emerg] 1#1: "+p.fault)
		}
		c.say("stderr", "nginx: [emerg] "+p.fault)
		if slices.Contains(c.args, "-t") {
			c.say("stderr", "nginx: configuration file "+path+" test failed")
		}
		return 1, true
	}
	if slices.Contains(c.args, "-t") || slices.Contains(c.args, "-T") {
		return c.testNginx(path)
	}
	if c.p.spec.UID != 0 {
		each(conf, "user", func(d directive) {
			c.say("stderr", `nginx: [warn] the "user" directive makes sense only if the master process runs with super-user privileges, ignored in `+d.file+":"+strconv.Itoa(d.line))
		})
	}
	if code, failed := c.nginxDirs(s); failed {
		return code, true
	}
	c.nginxPorts(s, conf)
	foreground := strings.Contains(globals, "daemon off")
	each(conf, "daemon", func(d directive) { foreground = foreground || len(d.words) > 1 && d.words[1] == "off" })
	if !foreground {
		return c.daemonize(s)
	}
	return 0, false
}

// daemonize leaves the server running as an orphan; the one that was started ends.
func (c *call) daemonize(s *serverState) (int, bool) {
	child, ok := c.spawn("nginx")
	if !ok {
		return 1, true
	}
	child.ppid, child.prog, child.argv, child.env = 1, c.t.prog, c.t.argv, c.t.env
	child.srv = s
	child.began = c.now
	c.t.srv = nil
	return 0, true
}

func (c *call) signalNginx(what string) (int, bool) {
	sig := map[string]int{"stop": SIGTERM, "quit": SIGQUIT, "reload": SIGHUP, "reopen": SIGUSR1}[what]
	if sig == 0 {
		c.say("stderr", "nginx: invalid option: \"-s "+what+"\"")
		return 1, true
	}
	for _, p := range c.all() {
		if p.Name == "nginx" && p.PID != c.t.pid {
			c.killArg(strconv.Itoa(p.PID), sig)
			c.say("stderr", "{2006/01/02 15:04:05} [notice] "+strconv.Itoa(c.t.pid)+"#"+strconv.Itoa(c.t.pid)+": signal process started")
			return 0, true
		}
	}
	c.say("stderr", `nginx: [error] open() "/run/nginx.pid" failed (2: No such file or directory)`)
	return 1, true
}

func (c *call) testNginx(path string) (int, bool) {
	c.say("stderr", "nginx: the configuration file "+path+" syntax is ok")
	c.say("stderr", "nginx: configuration file "+path+" test is successful")
	if slices.Contains(c.args, "-T") {
		files := append([]string{path, "/etc/nginx/mime.types"}, c.globPaths("/etc/nginx/conf.d/*.conf")...)
		for _, f := range files {
			if data, err := c.w.ReadFile(f); err == nil {
				c.print("# configuration file " + f + ":\n" + string(data) + "\n")
			}
		}
	}
	return 0, true
}

// checkUpstreams resolves the hosts of proxy_pass, as nginx does at its start.
func (c *call) checkUpstreams(p *nginxParser, conf []directive) {
	named := map[string]bool{}
	each(conf, "upstream", func(d directive) {
		if len(d.words) < 2 {
			return
		}
		named[d.words[1]] = true
		each(d.block, "server", func(s directive) {
			if len(s.words) > 1 {
				c.checkHost(p, s, s.words[1])
			}
		})
	})
	each(conf, "proxy_pass", func(d directive) {
		if len(d.words) < 2 || strings.Contains(d.words[1], "$") {
			return
		}
		host := hostOf(d.words[1])
		if !named[host] {
			c.checkHost(p, d, host)
		}
	})
}

func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	rest, _, _ = strings.Cut(rest, "/")
	return rest
}

func (c *call) checkHost(p *nginxParser, d directive, host string) {
	name, _, _ := strings.Cut(host, ":")
	if name == "" || name == "localhost" || name == "unix" || isAddress(name) {
		return
	}
	if l := c.w.Lookup(name); l.Result != Found {
		p.fail(`host not found in upstream "` + host + `" in ` + d.file + ":" + strconv.Itoa(d.line))
	}
}

func isAddress(s string) bool {
	return s != "" && only(s, func(b byte) bool { return isDigit(b) || b == '.' }) && strings.Count(s, ".") == 3
}

// nginxDirs makes the directories of temporary files.
func (c *call) nginxDirs(s *serverState) (int, bool) {
	dir := "/var/cache/nginx"
	if s.program.Kind == "nginx-unprivileged" {
		dir = "/tmp"
	}
	for _, name := range []string{"client_temp", "proxy_temp", "fastcgi_temp", "uwsgi_temp", "scgi_temp"} {
		path := dir + "/" + name
		if dir == "/tmp" {
			path = "/tmp/" + strings.TrimSuffix(name, "_temp") + "_temp"
		}
		err := c.w.Mkdir(path, 0o700)
		if err == nil || err == EEXIST {
			continue
		}
		number := 13
		if e, ok := err.(Errno); ok {
			number = e.number()
		}
		text := `mkdir() "` + path + `" failed (` + strconv.Itoa(number) + ": " + err.Error() + ")"
		c.say("stderr", "{2006/01/02 15:04:05} [emerg] 1#1: "+text)
		c.say("stderr", "nginx: [emerg] "+text)
		return 1, true
	}
	return 0, false
}

// nginxPorts takes the ports from listen directives; a server without one has 80.
func (c *call) nginxPorts(s *serverState, conf []directive) {
	q := *s.program
	q.Ports = nil
	each(conf, "server", func(d directive) {
		found := d.block == nil
		for _, l := range d.block {
			if l.words[0] != "listen" || len(l.words) < 2 {
				continue
			}
			found = true
			if o, ok := listenPort(l.words); ok && !slices.ContainsFunc(q.Ports, func(x Port) bool { return x.Port == o.Port }) {
				q.Ports = append(q.Ports, o)
			}
		}
		if !found {
			q.Ports = append(q.Ports, Port{Port: 80, Proto: "http"})
		}
	})
	q.Stop.Code = 0
	s.program = &q
}

func listenPort(words []string) (Port, bool) {
	value, o := words[1], Port{Proto: "http"}
	if slices.Contains(words, "ssl") {
		o.Proto = "https"
	}
	if strings.HasPrefix(value, "unix:") {
		return o, false
	}
	if i := strings.LastIndexByte(value, ':'); i >= 0 && !strings.HasSuffix(value, "]") {
		if value[:i] == "127.0.0.1" || value[:i] == "localhost" {
			o.Host = "127.0.0.1"
		}
		value = value[i+1:]
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		n = 80
	}
	o.Port = int32(n)
	return o, n > 0 && n < 65536
}
