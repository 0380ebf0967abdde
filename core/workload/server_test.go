package workload

import (
	"slices"
	"strings"
	"testing"
	"time"

	"podwalk/core/sim"
)

func serverOf(t *testing.T, name string, args []string, env ...string) (*bench, *Process, Step) {
	t.Helper()
	img := resolve(t, name)
	b := newBench(img)
	p := b.start(t, Spec{Image: img, Argv: Argv(img, nil, args), Env: append(slices.Clone(img.Env), env...), Epoch: epoch, Ports: []int32{9999}})
	return b, p, b.drive(p, sim.Minute)
}

func TestServersListenWhereTheirImagesSay(t *testing.T) {
	for _, c := range []struct {
		image string
		args  []string
		env   []string
		want  []int32
	}{
		{"nginx:1.27", nil, nil, []int32{80}},
		{"httpd:2.4", nil, nil, []int32{80}},
		{"redis:7", nil, nil, []int32{6379}},
		{"redis:7", []string{"redis-server", "--port", "6380"}, nil, []int32{6380}},
		{"postgres:16", nil, []string{"POSTGRES_PASSWORD=x"}, []int32{5432}},
		{"mysql:8.4", nil, []string{"MYSQL_ALLOW_EMPTY_PASSWORD=yes"}, []int32{3306, 33060}},
		{"hashicorp/http-echo:0.2.3", []string{"-text=hi", "-listen=:8081"}, nil, []int32{8081}},
		{"registry.k8s.io/e2e-test-images/agnhost:2.40", []string{"netexec", "--http-port=8083"}, nil, []int32{8083}},
		{"gcr.io/google-samples/hello-app:1.0", nil, []string{"PORT=9000"}, []int32{9000}},
		{"registry.istio.io/release/tcp-echo-server:1.3", []string{"9000,9001,9002", "hello"}, nil, []int32{9000, 9001, 9002}},
		{"quay.io/prometheus/node-exporter:v1.12.1", []string{"--web.listen-address=127.0.0.1:9101"}, nil, []int32{9101}},
		{"example.com/app:1", nil, nil, []int32{9999}},
	} {
		_, p, step := serverOf(t, c.image, c.args, c.env...)
		if got := p.Listening(); step.Done || !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %v %+v", c.image, c.args, got, step)
		}
	}
}

// The entrypoints of the official images refuse to start without a password.
func TestDatabasesRefuseToStartWithoutAPassword(t *testing.T) {
	for image, want := range map[string]string{
		"postgres:16":  "Error: Database is uninitialized and superuser password is not specified.",
		"mysql:8.4":    "Database is uninitialized and password option is not specified",
		"mariadb:11.4": "Database is uninitialized and password option is not specified",
	} {
		b, _, step := serverOf(t, image, nil)
		if !step.Done || step.Code != 1 || !strings.Contains(b.text(), want) {
			t.Errorf("%s: %+v %s", image, step, b.text())
		}
	}
}

func TestASecondBindEndsWithTheServersOwnWords(t *testing.T) {
	for image, want := range map[string]string{
		"nginx:1.27":                          "bind() to 0.0.0.0:80 failed (98: Address already in use)",
		"httpd:2.4":                           "could not bind to address 0.0.0.0:80",
		"redis:7":                             "bind: Address already in use",
		"gcr.io/google-samples/hello-app:1.0": "listen tcp :8080: bind: address already in use",
	} {
		img := resolve(t, image)
		b := newBench(img)
		for _, n := range []int32{80, 6379, 8080} {
			b.bound[n] = true
		}
		p := b.start(t, Spec{Image: img, Argv: Argv(img, nil, nil), Env: img.Env})
		if step := b.drive(p, sim.Minute); !step.Done || step.Code != 1 || !strings.Contains(b.text(), want) {
			t.Errorf("%s: %+v %s", image, step, b.text())
		}
	}
}

func TestNginxServesItsFilesAndItsConfiguration(t *testing.T) {
	img := resolve(t, "nginx:1.27")
	b := newBench(img)
	conf := NewTree()
	conf.Put("site.conf", []byte(`server {
  listen 8080;
  location / { root /usr/share/nginx/html; }
  location = /healthz { return 200 "ok\n"; }
  location /down { return 503; }
  location /api/ { proxy_pass http://backend:5678; }
}`), 0o644, 0, 0)
	b.FS.Mounts = []Mount{{Path: "/etc/nginx/conf.d", Tree: conf}}
	b.names["backend"] = Lookup{Result: Found, Addrs: []string{"10.96.0.7"}}
	b.hosts["backend"] = Conn{Outcome: Connected, Peer: peer(func(r Request) Response { return Response{Code: 200, Body: "from " + r.Path} })}
	p := b.start(t, Spec{Image: img, Argv: Argv(img, nil, nil), Env: img.Env})
	b.drive(p, sim.Second)
	for path, want := range map[string]struct {
		code int
		body string
	}{"/": {200, "Welcome to nginx!"}, "/healthz": {200, "ok"}, "/down": {503, "503 Service Unavailable"}, "/nope": {404, "404 Not Found"}, "/api/x": {200, "from /api/x"}} {
		r := p.Serve(8080, Request{Method: "GET", Path: path}, b)
		if r.Code != want.code || !strings.Contains(r.Body, want.body) {
			t.Errorf("%s: %d %q", path, r.Code, r.Body)
		}
	}
	if r := p.Serve(80, Request{Path: "/"}, b); r.Code != 0 {
		t.Errorf("port 80 is not listened on: %d", r.Code)
	}
}

type peer func(Request) Response

func (p peer) Answer(r Request) Response { return p(r) }

func TestNginxRefusesWhatItRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		conf string
		fs   FS
		want string
	}{
		"an upstream that does not resolve": {"server { listen 80; location / { proxy_pass http://nosuch:80; } }", FS{}, `host not found in upstream "nosuch:80" in /etc/nginx/conf.d/default.conf:1`},
		"a block without an end":            {"server { listen 80;", FS{}, `unexpected end of file, expecting "}"`},
		"a read-only root":                  {"server { listen 80; }", FS{ReadOnly: true}, `mkdir() "/var/cache/nginx/client_temp" failed (30: Read-only file system)`},
		"another user than root":            {"server { listen 80; }", FS{UID: 1000}, `mkdir() "/var/cache/nginx/client_temp" failed (13: Permission denied)`},
	} {
		img := resolve(t, "nginx:1.27")
		b := newBench(img)
		conf := NewTree()
		conf.Put("default.conf", []byte(c.conf), 0o644, 0, 0)
		b.FS.Mounts = []Mount{{Path: "/etc/nginx/conf.d", Tree: conf}}
		b.FS.ReadOnly, b.FS.UID = c.fs.ReadOnly, c.fs.UID
		p := b.start(t, Spec{Image: img, Argv: Argv(img, nil, nil), Env: img.Env, UID: c.fs.UID})
		if step := b.drive(p, sim.Minute); step.Code != 1 || !strings.Contains(b.text(), "nginx: [emerg] "+c.want) {
			t.Errorf("%s: %+v %s", name, step, b.text())
		}
	}
}

func TestNginxWithoutDaemonOffLeavesAndEndsTheContainer(t *testing.T) {
	b, p := begin(t, resolve(t, "nginx:1.27"), "nginx")
	if step := b.drive(p, sim.Minute); !step.Done || step.Code != 0 {
		t.Errorf("%+v", step)
	}
	b, p = begin(t, resolve(t, "nginx:1.27"), "sh", "-c", "nginx && sleep 3600")
	if b.drive(p, sim.Minute); !slices.Equal(p.Listening(), []int32{80}) {
		t.Errorf("as a daemon it listens on %v", p.Listening())
	}
}

// The program of the liveness page of the Kubernetes documentation.
func TestTheLivenessExampleTurnsBadAfterTenSeconds(t *testing.T) {
	b, p, _ := serverOf(t, "registry.k8s.io/e2e-test-images/agnhost:2.40", []string{"liveness"})
	for at, want := range map[sim.Time]int{5 * sim.Second: 200, 11 * sim.Second: 500} {
		if b.now = at; p.Serve(8080, Request{Path: "/healthz"}, b).Code != want {
			t.Errorf("at %s it is not %d", at, want)
		}
	}
}

func TestMemoryPassesItsLimitAtTheInstantThatIsForetold(t *testing.T) {
	img := resolve(t, "polinux/stress:1.0.4")
	b := newBench(img)
	const limit = 128 << 20
	p := b.start(t, Spec{Image: img, Env: img.Env, Memory: limit, Argv: []string{"stress", "--vm", "1", "--vm-bytes", "300M", "--vm-hang", "1"}})
	step := p.Run(b)
	if step.Next <= 0 || step.Next > sim.Second || p.Memory(step.Next) <= limit || p.Memory(step.Next-sim.Millisecond) > limit {
		t.Errorf("%+v: %d then %d", step, p.Memory(step.Next-sim.Millisecond), p.Memory(step.Next))
	}
	if p.Exceeds(1<<30, 0) != sim.Never {
		t.Error("it never holds 1 GiB")
	}
}

func TestClientsPrintWhatComes(t *testing.T) {
	for _, c := range []struct {
		kind, script string
		code         int
		want         string
	}{
		{"busybox", "wget -qO- http://web:8080/x", 0, "body of /x"},
		{"busybox", "wget -O /tmp/f http://web/ 2>/dev/null; cat /tmp/f", 0, "body of /"},
		{"busybox", "wget http://web/missing", 1, "Connecting to web (10.0.0.9:80)\nwget: server returned error: HTTP/1.1 404 Not Found"},
		{"busybox", "wget -q -T 2 http://slow/", 1, "wget: download timed out"},
		{"busybox", "wget http://refused/", 1, "Connecting to refused (10.0.0.8:80)\nwget: can't connect to remote host (10.0.0.8): Connection refused"},
		{"busybox", "wget -qO- http://web/moved", 0, "body of /x"},
		{"busybox", "nc -z -w 1 web 80 && echo up; nc -z refused 80 || echo down", 0, "up\ndown"},
		{"busybox", "nslookup web.default.svc.cluster.local", 0, "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\tweb.default.svc.cluster.local\nAddress: 10.0.0.9\n\n"},
		// A name without a dot is asked for in each domain of the search list, and one
		// that does not exist makes the whole fail; other names are asked for as they are.
		{"busybox", "nslookup -type=a web", 1, "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\tweb.default.svc.cluster.local\nAddress: 10.0.0.9\n\n" +
			"** server can't find web.svc.cluster.local: NXDOMAIN\n"},
		{"busybox", "nslookup -type=a web.default", 1, "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n** server can't find web.default: NXDOMAIN\n"},
		{"full", "curl -s http://web/x", 0, "body of /x"},
		{"full", "curl -sS http://nosuch/", 6, "curl: (6) Could not resolve host: nosuch"},
		{"full", "curl -sf http://web/missing", 22, ""},
		{"full", "curl -s -o /dev/null -w '%{http_code}' http://web/missing", 0, "404"},
		{"full", "curl -s -m 2 http://slow/; echo $?", 0, "28"},
		{"full", "curl -sL http://web/moved", 0, "body of /x"},
	} {
		b, p := begin(t, testImage(c.kind), "sh", "-c", c.script)
		b.names["web"] = Lookup{Result: Found, Name: "web.default.svc.cluster.local", Addrs: []string{"10.0.0.9"}, Server: "10.96.0.10"}
		b.names["web.default.svc.cluster.local"] = b.names["web"]
		_ = b.Root.Put("etc/resolv.conf", []byte("search default.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n"), 0o644, 0, 0)
		b.hosts["web"] = Conn{Outcome: Connected, Addr: "10.0.0.9", Delay: time.Millisecond, Peer: peer(func(r Request) Response {
			switch r.Path {
			case "/missing":
				return Response{Code: 404}
			case "/moved":
				return Response{Code: 302, Headers: []Header{{"Location", "/x"}}}
			}
			return Response{Code: 200, Body: "body of " + r.Path}
		})}
		b.hosts["slow"] = Conn{Outcome: TimedOut, Addr: "10.0.0.7"}
		b.hosts["refused"] = Conn{Outcome: Refused, Addr: "10.0.0.8"}
		step := b.drive(p, sim.Hour)
		if b.text() != c.want || step.Code != c.code {
			t.Errorf("%s: %d %q, want %d %q", c.script, step.Code, b.text(), c.code, c.want)
		}
	}
}

// What an image does is not known, so its program is supposed to speak what its
// manifest asks it in: a gRPC probe is such a question.
func TestAnUnknownProgramAnswersInWhatItIsAskedIn(t *testing.T) {
	img := resolve(t, "example.com/team/app:1")
	b := newBench(img)
	p, fault := Start(Spec{Image: img, Argv: Argv(img, nil, nil), Ports: []int32{8080}}, b)
	if fault != nil {
		t.Fatal(fault)
	}
	b.drive(p, 10*sim.Second)
	for proto, want := range map[string]int{"http": 200, "grpc": 1} {
		if r := p.Serve(8080, Request{Proto: proto, Path: "/"}, b); r.Code != want {
			t.Errorf("%s: code %d, want %d", proto, r.Code, want)
		}
	}
}
