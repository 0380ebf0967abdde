package workload

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

// cmdPing sends echo requests. Whether they come back is asked of the network as for
// a connection to port 0: a refusal means that somebody is there.
func cmdPing(c *call) (int, bool) {
	o := c.options("c:W:w:i:I:qnt:s:46")
	if len(o.rest) == 0 {
		return c.usage("missing host")
	}
	host := o.rest[0]
	count := int64(-1)
	if v, ok := o.value['c']; ok {
		count = int64(atoi(v))
	}
	if c.st.phase == 0 {
		addr := host
		if !isAddress(host) {
			l := c.w.Lookup(host)
			if !c.pauseFor(l.Delay) {
				return 0, false
			}
			if l.Result != Found || len(l.Addrs) == 0 {
				if c.gnu() {
					c.stderr("ping: " + host + ": Name or service not known\n")
					return 2, true
				}
				c.stderr("ping: bad address '" + host + "'\n")
				return 1, true
			}
			addr = l.Addrs[0]
		}
		switch c.w.Dial(addr, 0).Outcome {
		case TimedOut, Unreachable:
			c.st.bad = true
		}
		c.st.phase, c.st.text, c.st.until = 1, addr, c.now
		c.print("PING " + host + " (" + addr + "): 56 data bytes\n")
	}
	for {
		if !c.pause(c.st.until) {
			return 0, false
		}
		if count >= 0 && c.st.n >= count {
			break
		}
		if !c.st.bad && !c.print("64 bytes from "+c.st.text+": seq="+strconv.FormatInt(c.st.n, 10)+" ttl=62 time=0.100 ms\n") {
			return 0, false
		}
		if c.st.n++; c.st.n == count {
			break
		}
		c.st.until = c.now + sim.Second
	}
	n := strconv.FormatInt(c.st.n, 10)
	if c.st.bad {
		c.print("\n--- " + host + " ping statistics ---\n" + n + " packets transmitted, 0 packets received, 100% packet loss\n")
		return 1, true
	}
	c.print("\n--- " + host + " ping statistics ---\n" + n + " packets transmitted, " + n + " packets received, 0% packet loss\nround-trip min/avg/max = 0.100/0.100/0.100 ms\n")
	return 0, true
}

// cmdNc connects, or listens with -l.
func cmdNc(c *call) (int, bool) {
	o := c.options("zvlkuntw:p:e:i:s:dNC46q:")
	if o.flags['l'] {
		return c.ncListen(o)
	}
	if o.bad != "" {
		return c.unknown(o)
	}
	if len(o.rest) < 2 && !(c.name == "telnet" && len(o.rest) == 1) {
		return c.usage("missing host or port")
	}
	host, port := o.rest[0], "23"
	if len(o.rest) > 1 {
		port = o.rest[1]
	}
	n := atoi(port)
	if n < 1 || n > 65535 {
		c.errorf("bad port '" + port + "'")
		return 1, true
	}
	body := ""
	if !o.flags['z'] {
		text, ok := c.gather(nil)
		if !ok && c.p.files[max(c.fd(0), 0)].kind != fileStdin {
			return 0, false
		}
		c.st.buf = nil
		body = text
	}
	return c.ncDial(o, host, int32(n), body)
}

func (c *call) ncDial(o options, host string, port int32, body string) (int, bool) {
	conn := c.w.Dial(host, port)
	wait := conn.Delay
	if conn.Outcome == TimedOut && wait == 0 {
		wait = 130 * time.Second
	}
	if limit := seconds(o.value['w']); limit > 0 && wait > limit {
		wait, conn.Outcome = limit, TimedOut
	}
	c.look()
	if !c.pauseFor(wait) {
		return 0, false
	}
	at := host + " (" + conn.Addr + ":" + strconv.Itoa(int(port)) + ")"
	switch conn.Outcome {
	case NoName:
		c.stderr(c.name + ": bad address '" + host + "'\n")
		return 1, true
	case Connected:
	default:
		text := map[string]string{Refused: "Connection refused", TimedOut: "Connection timed out", Unreachable: "No route to host"}[conn.Outcome]
		if o.flags['v'] || !o.flags['z'] {
			c.stderr(c.name + ": " + at + ": " + text + "\n")
		}
		return 1, true
	}
	if o.flags['v'] {
		c.stderr(at + " open\n")
	}
	if !o.flags['z'] && conn.Peer != nil && body != "" {
		c.print(rawAnswer(conn.Peer, host, body))
	}
	return 0, true
}

// rawAnswer sends bytes; a request in HTTP's form is sent as one.
func rawAnswer(peer Peer, host, body string) string {
	first, _, _ := strings.Cut(body, "\n")
	f := strings.Fields(first)
	if len(f) < 3 || !strings.HasPrefix(f[2], "HTTP/") {
		return peer.Answer(Request{Proto: "tcp", Body: body, Host: host}).Body
	}
	r := peer.Answer(Request{Proto: "http", Method: f[0], Path: f[1], Host: host})
	if r.Code == 0 {
		return r.Body
	}
	res := result{code: r.Code, headers: r.Headers, body: r.Body}
	return strings.Join(res.head(), "\r\n") + "\r\n\r\n" + r.Body
}

func (c *call) ncListen(o options) (int, bool) {
	port := o.value['p']
	if port == "" && len(o.rest) > 0 {
		port = o.rest[len(o.rest)-1]
	}
	n := atoi(port)
	if n < 1 || n > 65535 {
		c.errorf("bad port '" + port + "'")
		return 1, true
	}
	if c.t.srv == nil {
		text, _ := c.peekAll()
		kind := "nc"
		if o.flags['k'] {
			kind = "nc -k"
		}
		p := &Program{Name: "nc", Kind: kind, Ports: []Port{{Port: int32(n)}}, Stop: Stop{Default: true, Code: 143}, Answers: ncAnswer(text)}
		c.t.srv = &serverState{program: p, start: c.now, last: c.now}
	}
	s := c.t.srv
	if s.hits > 0 && s.program.Kind == "nc" {
		return 0, true
	}
	code, done := c.turn(s)
	return code, done
}

func (c *call) peekAll() (string, bool) {
	data, more := c.peek(c.fd(0))
	text := string(data)
	c.take(c.fd(0), len(data))
	return text, !more
}

// ncAnswer turns what nc would send into an answer.
func ncAnswer(text string) []Answer {
	head, body, ok := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	if !strings.HasPrefix(head, "HTTP/") {
		return []Answer{{Code: 200, Body: text}}
	}
	if !ok {
		body = ""
	}
	f := strings.Fields(head)
	code := 200
	if len(f) > 1 && atoi(f[1]) >= 100 && atoi(f[1]) <= 599 {
		code = atoi(f[1])
	}
	return []Answer{{Code: code, Body: body}}
}

// cmdHTTPD is busybox's web server.
func cmdHTTPD(c *call) (int, bool) {
	o := c.options("fvp:h:u:c:r:ie:d:m:")
	if c.t.srv == nil {
		port, root := "80", c.t.cwd
		if v, ok := o.value['p']; ok {
			port = v[strings.LastIndexByte(v, ':')+1:]
		}
		if v, ok := o.value['h']; ok {
			root = c.abs(v)
		}
		p := &Program{Name: "httpd", Kind: "httpd", Ports: []Port{{Port: int32(atoi(port)), Proto: "http"}}, Stop: Stop{Default: true, Code: 143}}
		srv := &serverState{program: p, start: c.now, last: c.now, root: root}
		if !o.flags['f'] {
			child, ok := c.spawn("httpd")
			if ok {
				child.ppid, child.prog, child.argv, child.env, child.srv, child.began = 1, "httpd", append([]string{"httpd", "-f"}, c.args...), c.environment(), srv, c.now
			}
			return 0, true
		}
		c.t.srv = srv
	}
	return c.turn(c.t.srv)
}

// cmdDatabase is for the clients of databases: they tell whether the server
// answers; what is sent to it is not simulated.
func cmdDatabase(c *call) (int, bool) {
	host, port := "127.0.0.1", map[string]int32{"redis-cli": 6379, "valkey-cli": 6379, "pg_isready": 5432, "psql": 5432, "mongosh": 27017, "mongo": 27017,
		"rabbitmq-diagnostics": 5672, "rabbitmqctl": 5672, "nodetool": 7199, "cqlsh": 9042}[c.name]
	if port == 0 {
		port = 3306
	}
	for i, a := range c.args {
		value := ""
		if i+1 < len(c.args) {
			value = c.args[i+1]
		}
		switch {
		case a == "-h" || a == "--host":
			host = value
		case strings.HasPrefix(a, "--host="):
			host = a[7:]
		case strings.HasPrefix(a, "-h") && len(a) > 2:
			host = a[2:]
		case a == "-p" && c.name != "mysql" && c.name != "mysqladmin" && c.name != "mariadb" || a == "-P":
			port = int32(max(atoi(value), 1))
		}
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	c.look()
	conn := c.w.Dial(host, port)
	if !c.pauseFor(conn.Delay + 20*time.Millisecond) {
		return 0, false
	}
	return c.databaseResult(host, strconv.Itoa(int(port)), conn.Outcome), true
}

func (c *call) databaseResult(host, port, outcome string) int {
	up := outcome == Connected
	args := strings.Join(c.args, " ")
	switch c.name {
	case "redis-cli", "valkey-cli":
		if !up {
			c.stderr("Could not connect to Redis at " + host + ":" + port + ": " + map[bool]string{true: "Name does not resolve", false: "Connection refused"}[outcome == NoName] + "\n")
			return 1
		}
		if strings.HasSuffix(strings.ToLower(args), "ping") {
			c.print("PONG\n")
			return 0
		}
		c.print("OK\n")
	case "pg_isready":
		if !up {
			c.print(host + ":" + port + " - no response\n")
			return 2
		}
		c.print(host + ":" + port + " - accepting connections\n")
		return 0
	case "mysqladmin", "mariadb-admin":
		if !up {
			c.stderr(c.name + ": connect to server at '" + host + "' failed\nerror: 'Can't connect to MySQL server on '" + host + ":" + port + "' (111)'\nCheck that mysqld is running on " + host + " and that the port is " + port + ".\n")
			return 1
		}
		c.print("mysqld is alive\n")
		return 0
	case "mysql", "mariadb":
		if !up {
			c.stderr("ERROR 2003 (HY000): Can't connect to MySQL server on '" + host + ":" + port + "' (111)\n")
			return 1
		}
	case "psql":
		if !up {
			c.stderr("psql: error: connection to server at \"" + host + "\", port " + port + " failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n")
			return 2
		}
	default:
		if !up {
			c.stderr(c.name + ": connection to " + host + ":" + port + " refused\n")
			return 1
		}
	}
	c.w.NotSimulated(c.name + " " + args + ": taken as done")
	return 0
}
