package workload

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// configure applies arguments, environment and files to a server that starts. It
// reports the exit code of one that cannot.
func (c *call) configure(s *serverState) (code int, done bool) {
	switch s.program.Kind {
	case "nginx", "nginx-unprivileged":
		return c.startNginx(s)
	case "httpd":
		s.root = "/usr/local/apache2/htdocs"
	case "apache":
		s.root = "/var/www/html"
	case "redis", "valkey":
		return c.startRedis(s)
	case "postgres":
		return c.startPostgres()
	case "bitnami-postgresql":
		if c.getenv("POSTGRESQL_PASSWORD", "")+c.getenv("POSTGRES_PASSWORD", "")+c.getenv("ALLOW_EMPTY_PASSWORD", "") == "" {
			c.say("stderr", "postgresql {15:04:05.00} ERROR ==> The POSTGRESQL_PASSWORD environment variable is empty or not set. "+
				"Set the environment variable ALLOW_EMPTY_PASSWORD=yes to allow the container to be started with blank passwords. This is recommended only for development.")
			return 1, true
		}
	case "bitnami-redis":
		if c.getenv("REDIS_PASSWORD", "")+c.getenv("ALLOW_EMPTY_PASSWORD", "") == "" {
			c.say("stderr", "redis {15:04:05.00} ERROR ==> The REDIS_PASSWORD environment variable is empty or not set. "+
				"Set the environment variable ALLOW_EMPTY_PASSWORD=yes to allow the container to be started with blank passwords. This is recommended only for development.")
			return 1, true
		}
	case "mysql", "mariadb":
		return c.startMysql(s)
	case "mongo":
		return c.startMongo(s)
	case "elasticsearch":
		return c.startElasticsearch()
	case "haproxy":
		return c.needFile("/usr/local/etc/haproxy/haproxy.cfg", "[ALERT]    (1) : config : Could not open config file /usr/local/etc/haproxy/haproxy.cfg : No such file or directory", 1)
	case "http-echo":
		return c.startEcho(s)
	case "agnhost":
		return c.startAgnhost(s)
	case "vishstress":
		c.startVish(s)
	case "tcp-echo":
		c.startTCPEcho(s)
	case "socat":
		c.startSocat(s)
	case "prometheus":
		if _, code, done := c.promConfig(); done {
			return code, true
		}
	}
	c.flagPort(s)
	return 0, false
}

// needFile ends a server whose file is missing.
func (c *call) needFile(path, text string, code int) (int, bool) {
	if _, err := c.w.Stat(path); err != nil {
		c.say("stderr", text)
		return code, true
	}
	return 0, false
}

// flagPort lets a port flag move the first port of a server.
func (c *call) flagPort(s *serverState) {
	if len(s.program.Ports) == 0 {
		return
	}
	for i, a := range c.args {
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") {
			continue
		}
		if !has && i+1 < len(c.args) {
			value = c.args[i+1]
		}
		switch name {
		case "port", "p", "listen", "web.listen-address", "http-port", "addr", "address", "bind", "listen-client-urls", "port-number":
			c.movePort(s, value)
		}
	}
	if s.program.Kind == "hello-app" || s.program.Kind == "node-http" || s.program.Kind == "echo" {
		c.movePort(s, c.getenv("PORT", ""))
	}
}

func (c *call) movePort(s *serverState, value string) {
	value = strings.TrimPrefix(strings.TrimPrefix(value, "http://"), "https://")
	host := ""
	if i := strings.LastIndexByte(value, ':'); i >= 0 {
		host, value = value[:i], value[i+1:]
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 65535 {
		return
	}
	p := *s.program
	p.Ports = slices.Clone(p.Ports)
	p.Ports[0].Port = int32(n)
	if host == "127.0.0.1" || host == "localhost" {
		p.Ports[0].Host = "127.0.0.1"
	}
	p.Lines = slices.DeleteFunc(slices.Clone(p.Lines), func(l Line) bool { return strings.Contains(l.Text, "port") && p.Kind == "hello-app" })
	s.program = &p
}

func (c *call) startRedis(s *serverState) (int, bool) {
	text := ""
	if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
		data, err := c.w.ReadFile(c.abs(c.args[0]))
		if err != nil {
			c.say("", "")
			c.say("", "*** FATAL CONFIG FILE ERROR (Redis "+c.version()+") ***")
			c.say("", "Can't open config file '"+c.args[0]+"': "+err.Error())
			return 1, true
		}
		text = string(data)
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "port" {
			c.movePort(s, f[1])
		}
	}
	c.flagPort(s)
	return 0, false
}

func (c *call) startPostgres() (int, bool) {
	trust := c.getenv("POSTGRES_HOST_AUTH_METHOD", "") == "trust"
	if c.secretEnv("POSTGRES_PASSWORD") == "" && !trust && !c.hasData("/var/lib/postgresql/data", "PG_VERSION") {
		for _, line := range strings.Split(postgresRefusal, "\n") {
			c.say("stderr", line)
		}
		return 1, true
	}
	data := absolute("/", c.getenv("PGDATA", "/var/lib/postgresql/data"))
	c.act()
	if err := makeDirs(c.w, data); err != nil && err != EACCES {
		c.say("stderr", "mkdir: cannot create directory '"+data+"': "+err.Error())
		return 1, true
	}
	if list, err := c.w.ReadDir(data); err == nil && len(list) == 1 && list[0].Name == "lost+found" {
		c.say("stderr", `initdb: error: directory "`+data+`" exists but is not empty`)
		c.say("stderr", "initdb: detail: It contains a lost+found directory, perhaps due to it being a mount point.")
		c.say("stderr", "initdb: hint: Using a mount point directly as the data directory is not recommended.")
		c.say("stderr", "Create a subdirectory under the mount point.")
		return 1, true
	}
	c.w.WriteFile(data+"/PG_VERSION", []byte(c.getenv("PG_MAJOR", "17")+"\n"), false)
	return 0, false
}

const postgresRefusal = `Error: Database is uninitialized and superuser password is not specified.
       You must specify POSTGRES_PASSWORD to a non-empty value for the
       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".

       You may also use "POSTGRES_HOST_AUTH_METHOD=trust" to allow all
       connections without a password. This is *not* recommended.

       See PostgreSQL documentation about "trust":
       https://www.postgresql.org/docs/current/auth-trust.html`

// secretEnv returns NAME or the content of the file that NAME_FILE names.
func (c *call) secretEnv(name string) string {
	if v := c.getenv(name, ""); v != "" {
		return v
	}
	data, _ := c.w.ReadFile(c.abs(c.getenv(name+"_FILE", "/dev/null")))
	return string(data)
}

func (c *call) hasData(dir, file string) bool {
	_, err := c.w.Stat(absolute("/", dir+"/"+file))
	return err == nil
}

func (c *call) startMysql(s *serverState) (int, bool) {
	names := []string{"MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD"}
	if s.program.Kind == "mariadb" {
		names = append([]string{"MARIADB_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD_HASH", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "MARIADB_RANDOM_ROOT_PASSWORD"}, names...)
	}
	set := slices.ContainsFunc(names, func(n string) bool { return c.secretEnv(n) != "" })
	if !set && !c.hasData("/var/lib/mysql", "mysql") {
		stamp := "{2006-01-02 15:04:05}+00:00 "
		c.say("", c.program0(s))
		c.say("stderr", stamp+"[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified")
		if s.program.Kind == "mariadb" {
			c.say("stderr", "\tYou need to specify one of MARIADB_ROOT_PASSWORD, MARIADB_ROOT_PASSWORD_HASH, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD and MARIADB_RANDOM_ROOT_PASSWORD")
		} else {
			c.say("stderr", "    You need to specify one of the following as an environment variable:")
			for _, n := range names {
				c.say("stderr", "    - "+n)
			}
		}
		return 1, true
	}
	for _, a := range c.args {
		if a == "--ignore-db-dir" && s.program.Kind == "mysql" && !strings.HasPrefix(c.version(), "5.") {
			c.say("stderr", "{2006-01-02T15:04:05.000000Z} 0 [ERROR] [MY-000067] [Server] unknown variable 'ignore-db-dir=lost+found'.")
			c.say("stderr", "{2006-01-02T15:04:05.000000Z} 0 [ERROR] [MY-010119] [Server] Aborting")
			return 1, true
		}
	}
	c.act()
	makeDirs(c.w, "/var/lib/mysql/mysql")
	c.flagPort(s)
	return 0, false
}

// program0 is the first line that the server would print.
func (c *call) program0(s *serverState) string {
	if len(s.program.Lines) > 0 {
		return s.program.Lines[0].Text
	}
	return ""
}

func (c *call) startMongo(s *serverState) (int, bool) {
	user, password := c.secretEnv("MONGO_INITDB_ROOT_USERNAME"), c.secretEnv("MONGO_INITDB_ROOT_PASSWORD")
	if (user == "") != (password == "") {
		c.say("stderr", "")
		c.say("stderr", "error: missing 'MONGO_INITDB_ROOT_USERNAME' or 'MONGO_INITDB_ROOT_PASSWORD'")
		c.say("stderr", "       both must be specified for a user to be created")
		c.say("stderr", "")
		return 1, true
	}
	c.flagPort(s)
	return 0, false
}

func (c *call) startElasticsearch() (int, bool) {
	major := atoi(strings.SplitN(c.p.spec.Image.Ref.Tag, ".", 2)[0])
	for _, e := range c.environment() {
		name, value, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "discovery.") || name == "cluster.initial_master_nodes" || strings.HasPrefix(name, "transport.host") && value == "localhost" {
			return 0, false
		}
	}
	if major < 7 {
		return 0, false
	}
	if data, _ := c.w.ReadFile("/usr/share/elasticsearch/config/elasticsearch.yml"); strings.Contains(string(data), "discovery") {
		return 0, false
	}
	c.say("", "ERROR: [1] bootstrap checks failed. You must address the points described in the following [1] lines before starting Elasticsearch.")
	c.say("", "bootstrap check failure [1] of [1]: the default discovery settings are unsuitable for production use; at least one of [discovery.seed_hosts, discovery.seed_providers, cluster.initial_master_nodes] must be configured")
	return 78, true
}

func (c *call) startEcho(s *serverState) (int, bool) {
	text, ok := c.flag("text")
	if v := c.getenv("ECHO_TEXT", ""); !ok && v != "" {
		text, ok = v, true
	}
	if !ok || text == "" {
		c.say("stderr", "Missing -text option!")
		return 127, true
	}
	p := *s.program
	p.Answers = []Answer{{Code: 200, Body: text + "\n"}}
	s.program = &p
	if v, ok := c.flag("listen"); ok {
		c.movePort(s, v)
	}
	port := strconv.Itoa(int(s.program.Ports[0].Port))
	q := *s.program
	q.Lines = append(slices.Clone(q.Lines), Line{After: 5 * time.Millisecond, Text: "{2006/01/02 15:04:05} [INFO] server is listening on :" + port, Stream: "stderr"})
	s.program = &q
	return 0, false
}

// flag returns the value of -name=value, --name=value or --name value.
func (c *call) flag(name string) (string, bool) {
	for i, a := range c.args {
		if !strings.HasPrefix(a, "-") {
			continue
		}
		n, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if n != name {
			continue
		}
		if !has && i+1 < len(c.args) {
			value = c.args[i+1]
		}
		return value, true
	}
	return "", false
}

// startAgnhost chooses the behaviour of Kubernetes' own test image.
func (c *call) startAgnhost(s *serverState) (int, bool) {
	p := *s.program
	s.program = &p
	port := func(def int32, names ...string) {
		p.Ports = []Port{{Port: def, Proto: "http"}}
		for _, n := range names {
			if v, ok := c.flag(n); ok {
				if m := atoi(strings.TrimPrefix(v, ":")); m > 0 {
					p.Ports[0].Port = int32(m)
				}
			}
		}
	}
	what := "pause"
	if len(c.args) > 0 {
		what = c.args[0]
	}
	switch what {
	case "pause":
		p.Lines = []Line{{Text: "Paused"}}
		p.Stop = Stop{Code: 0}
	case "netexec":
		port(8080, "http-port")
		p.Lines = []Line{{Text: "{2006/01/02 15:04:05} Started HTTP server on port " + strconv.Itoa(int(p.Ports[0].Port))}}
	case "serve-hostname":
		port(9376, "port")
	case "test-webserver":
		port(80, "port")
	case "echo-server", "tcp-echo-server":
		port(8080, "port")
	case "liveness":
		port(8080, "port")
	case "nettest", "webhook", "porter", "guestbook", "entrypoint-tester", "logs-generator", "grpc-health-checking":
		port(8080, "http-port", "port")
		if what == "entrypoint-tester" {
			c.say("", strings.Join(c.t.argv, " "))
			return 0, true
		}
	default:
		c.w.NotSimulated("agnhost " + what)
	}
	s.code = 0
	p.Kind = "agnhost-" + what
	return 0, false
}

func (c *call) startVish(s *serverState) {
	p := *s.program
	total, _ := c.flag("mem-total")
	step, _ := c.flag("mem-alloc-size")
	pause, _ := c.flag("mem-alloc-sleep")
	size, _ := parseBytes(total)
	chunk, ok := parseBytes(step)
	if !ok || chunk <= 0 {
		chunk = 4 << 10
	}
	wait := duration(pause)
	if wait == 0 {
		wait = time.Millisecond
	}
	if size > 0 {
		span := time.Duration(size/chunk+1) * min(wait, time.Hour)
		p.Memory = []MemoryPoint{{0, 2 << 20}, {min(span, 1000*time.Hour), 2<<20 + size}}
	}
	s.program = &p
}

func (c *call) startTCPEcho(s *serverState) {
	p := *s.program
	if len(c.args) > 0 {
		for _, f := range strings.Split(c.args[0], ",") {
			if n := atoi(f); n > 0 && n < 65536 {
				p.Ports = append(p.Ports, Port{Port: int32(n), Proto: "tcp"})
			}
		}
	}
	s.program = &p
}

func (c *call) startSocat(s *serverState) {
	p := *s.program
	for _, a := range c.args {
		low := strings.ToLower(a)
		for _, kind := range []string{"tcp-listen:", "tcp4-listen:", "tcp-l:"} {
			if rest, ok := strings.CutPrefix(low, kind); ok {
				number, _, _ := strings.Cut(rest, ",")
				if n := atoi(number); n > 0 && n < 65536 {
					p.Ports = append(p.Ports, Port{Port: int32(n), Proto: "tcp"})
				}
			}
		}
	}
	s.program = &p
}

func (c *call) promConfig() (string, int, bool) {
	path, ok := c.flag("config.file")
	if !ok {
		path = "prometheus.yml"
	}
	if _, err := c.w.Stat(c.abs(path)); err != nil {
		c.say("stderr", `time={2006-01-02T15:04:05.000Z} level=ERROR source=main.go msg="Error loading config (--config.file=`+path+`)" file=`+c.abs(path)+` err="open `+path+`: no such file or directory"`)
		return "", 2, true
	}
	return path, 0, false
}
