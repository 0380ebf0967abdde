package workload

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

// entryProgram is the key of entrypoint scripts and of tini: they end in their
// arguments.
const entryProgram = serverPrefix + "entry"

// serverState is a running server. Its program is frozen.
type serverState struct {
	program  *Program
	start    sim.Time
	last     sim.Time // up to here lines are printed
	up       bool
	tries    int // to bind
	stopping bool
	stopAt   sim.Time
	code     int
	root     string // of static content
	hits     int
}

type socket struct {
	port  int32
	host  string
	proto string
	pid   int
}

// serve runs a server of a kind: it prints, listens, stops.
func (c *call) serve(kind string) (int, bool) {
	t := c.t
	if kind == "entry" {
		return c.entry()
	}
	if t.srv == nil {
		s := &serverState{start: c.now, last: c.now - 1}
		program := c.p.spec.Image.Program
		if program.Kind != kind {
			program = Program{Kind: kind, Name: c.name, Stop: Stop{Code: 143}}
		}
		s.program = &program
		t.srv = s
		t.name = program.Name
		if code, done := c.configure(s); done || t.srv == nil {
			return code, done
		}
	}
	return c.turn(t.srv)
}

// entry runs the words after an entrypoint script. An option as the first word
// goes to the image's own program.
func (c *call) entry() (int, bool) {
	args := c.args
	for len(args) > 0 && (args[0] == "--" || args[0] == "-g" || args[0] == "-s") && strings.Contains(c.name, "tini") {
		args = args[1:]
	}
	img := c.p.spec.Image
	own := img.Program.Name
	if len(img.Cmd) > 0 && !strings.HasPrefix(img.Cmd[0], "-") {
		own = img.Cmd[0]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if img.Program.Kind == "" {
			return 0, true
		}
		args = append([]string{own}, args...)
	}
	to := c.resolve(args[0])
	switch {
	case to.err == nil:
	case img.Program.Kind != "":
		to = target{program: serverPrefix + img.Program.Kind}
	default:
		c.stderr(c.name + ": exec: " + args[0] + ": not found\n")
		return 127, true
	}
	c.become(c.t, to, args, c.t.env)
	return 0, false
}

// turn does what is due and waits for the next thing.
func (c *call) turn(s *serverState) (int, bool) {
	p := s.program
	c.printDue(s)
	switch {
	case s.stopping && c.now >= s.stopAt:
		return s.code, true
	case p.Exit != nil && !s.stopping && c.now >= s.start.Add(p.Exit.After):
		if p.Exit.Signal != 0 {
			c.exit(c.t, 128+p.Exit.Signal, p.Exit.Signal)
			return 0, false
		}
		return p.Exit.Code, true
	case !s.up && !s.stopping && c.now >= s.start.Add(p.Startup)+sim.Time(s.tries)*500*sim.Millisecond:
		if code, failed := c.bind(s); failed {
			return code, true
		}
	}
	next := s.nextLine(c.now)
	switch {
	case s.stopping:
		next = min(next, s.stopAt)
	case p.Exit != nil:
		next = min(next, s.start.Add(p.Exit.After))
	}
	if !s.up && !s.stopping {
		next = min(next, s.start.Add(p.Startup)+sim.Time(s.tries)*500*sim.Millisecond)
	}
	if next == sim.Never {
		return c.forever()
	}
	c.t.wait, c.t.wake = waitTime, max(next, c.now+1)
	return 0, false
}

type dueLine struct {
	at    sim.Time
	index int
}

func (c *call) printDue(s *serverState) {
	var due []dueLine
	for i, l := range s.program.Lines {
		for at := l.next(s.start, s.last); at <= c.now && at != sim.Never; at = l.next(s.start, at) {
			due = append(due, dueLine{at, i})
		}
	}
	sort.SliceStable(due, func(i, j int) bool { return due[i].at < due[j].at })
	s.last = c.now
	for _, d := range due {
		l := s.program.Lines[d.index]
		c.say(l.Stream, l.Text)
	}
}

// next is the first time after last at which the line is printed.
func (l Line) next(start, last sim.Time) sim.Time {
	at := start.Add(l.After)
	switch {
	case at > last:
		return at
	case l.Every <= 0:
		return sim.Never
	}
	every := sim.Time(l.Every)
	return at + ((last-at)/every+1)*every
}

func (s *serverState) nextLine(now sim.Time) sim.Time {
	next := sim.Never
	for _, l := range s.program.Lines {
		next = min(next, l.next(s.start, now))
	}
	return next
}

// say prints a line of a program, with its times and version filled in.
func (c *call) say(stream, text string) {
	fd := 1
	if stream == "stderr" {
		fd = 2
	}
	c.put(fd, []byte(c.fill(text)+"\n"))
}

// fill replaces {layout} by the wall clock and $TAG by the version.
func (r *runner) fill(text string) string {
	if strings.Contains(text, "$TAG") {
		text = strings.ReplaceAll(text, "$TAG", r.version())
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return b.String() + text
		}
		j := strings.IndexAny(text[i+1:], "{}\"")
		if j < 0 || text[i+1+j] != '}' || !isLayout(text[i+1:i+1+j]) {
			b.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		wall := r.epoch().Add(time.Duration(r.now)).UTC()
		if layout := text[i+1 : i+1+j]; layout == "unix" {
			b.WriteString(text[:i] + strconv.FormatInt(wall.Unix(), 10))
		} else {
			b.WriteString(text[:i] + wall.Format(layout))
		}
		text = text[i+2+j:]
	}
}

func isLayout(s string) bool {
	return s == "unix" || strings.Contains(s, "15:04:05")
}

// version is that of the image's program.
func (r *runner) version() string {
	if v := r.p.spec.Image.version; v != "" {
		return v
	}
	return "1.0"
}

// bind makes the server listen. A port that is taken ends it with its own words.
func (c *call) bind(s *serverState) (code int, failed bool) {
	for _, o := range s.program.Ports {
		if slices.ContainsFunc(c.p.socks, func(x socket) bool { return x.port == o.Port && x.pid == c.t.pid }) {
			continue
		}
		if err := c.w.Listen(o.Port, o.Host); err != nil {
			return c.cannotBind(s, o, err)
		}
		c.p.socks = append(c.p.socks, socket{port: o.Port, host: o.Host, proto: o.Proto, pid: c.t.pid})
	}
	s.up = true
	return 0, false
}

// cannotBind words a bind that fails. nginx tries five times.
func (c *call) cannotBind(s *serverState, o Port, err error) (int, bool) {
	c.unlisten(c.t)
	port, text := strconv.Itoa(int(o.Port)), err.Error()
	host := o.Host
	if host == "" {
		host = "0.0.0.0"
	}
	number := 98
	if e, ok := err.(Errno); ok {
		number = e.number()
	}
	stamp := "{2006/01/02 15:04:05} "
	switch s.program.Kind {
	case "nginx", "nginx-unprivileged":
		c.say("stderr", stamp+"[emerg] 1#1: bind() to "+host+":"+port+" failed ("+strconv.Itoa(number)+": "+text+")")
		if s.tries++; s.tries < 5 && err == EADDRINUSE {
			return 0, false
		}
		if err == EADDRINUSE {
			c.say("stderr", stamp+"[emerg] 1#1: still could not bind()")
		}
		c.say("stderr", "nginx: [emerg] still could not bind()")
		return 1, true
	case "httpd", "apache":
		c.say("stderr", "("+strconv.Itoa(number)+")"+text+": AH00072: make_sock: could not bind to address "+host+":"+port)
		c.say("stderr", "no listening sockets available, shutting down")
		c.say("stderr", "AH00015: Unable to open logs")
	case "redis", "valkey":
		c.say("", "1:M {02 Jan 2006 15:04:05.000} # Warning: Could not create server TCP listening socket *:"+port+": bind: "+text)
		c.say("", "1:M {02 Jan 2006 15:04:05.000} # Failed listening on port "+port+" (tcp), aborting.")
	case "postgres":
		c.say("stderr", `{2006-01-02 15:04:05.000} UTC [1] LOG:  could not bind IPv4 address "0.0.0.0": `+text)
		c.say("stderr", "{2006-01-02 15:04:05.000} UTC [1] HINT:  Is another postmaster already running on port "+port+"? If not, wait a few seconds and retry.")
		c.say("stderr", "{2006-01-02 15:04:05.000} UTC [1] FATAL:  could not create any TCP/IP sockets")
	case "python":
		c.say("stderr", "OSError: [Errno 98] "+text)
	case "node-http", "node-hello", "ghost":
		c.say("stderr", "Error: listen EADDRINUSE: address already in use :::"+port)
	default:
		c.say("stderr", stamp+"listen tcp "+o.Host+":"+port+": bind: "+strings.ToLower(text))
	}
	return 1, true
}

func (r *runner) unlisten(t *task) {
	r.p.socks = slices.DeleteFunc(r.p.socks, func(s socket) bool {
		if s.pid != t.pid {
			return false
		}
		r.w.Close(s.port)
		return true
	})
}

// handled lets a server react to a signal. It reports false for the default
// action.
func (r *runner) handled(t *task, sig int) bool {
	s := t.srv
	if s == nil {
		return false
	}
	p := s.program
	switch sig {
	case SIGTERM, SIGINT, SIGQUIT, SIGWINCH, SIGUSR1:
	case SIGHUP:
		return p.Kind != "" && p.Kind != "declared"
	default:
		return false
	}
	if sig == SIGWINCH && p.Kind != "httpd" && p.Kind != "apache" || sig == SIGUSR1 && p.Kind != "haproxy" {
		return p.Kind != ""
	}
	if p.Stop.Default {
		return false
	}
	if p.Stop.Ignore || s.stopping {
		return true
	}
	if p.Stop.Code == 128+SIGTERM && p.Stop.After == 0 && !r.init1(t) {
		return false
	}
	c := &call{runner: r, name: t.name}
	was := r.t
	r.t, c.st = t, &state{}
	for _, l := range p.Stop.Lines {
		c.say(map[bool]string{true: "stderr"}[p.Kind == "nginx" || p.Kind == "postgres"], l)
	}
	r.t = was
	s.stopping, s.code = true, p.Stop.Code
	if s.code == 128+SIGTERM {
		s.code = 128 + sig
	}
	s.stopAt = max(r.now.Add(p.Stop.After), r.now+2*sim.Millisecond)
	t.wait, t.wake = waitTime, s.stopAt
	return true
}

// assumed is a program of which nothing is known but its name. As the main one it
// listens on the declared ports and runs for ever; in a probe, a hook or the
// middle of a script it ends well at once.
func (c *call) assumed() (int, bool) {
	name := strings.Join(c.t.argv, " ")
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	if c.t.sh != nil || c.t.brief || !c.p.Main() {
		if c.st.phase == 0 {
			c.st.phase = 1
			c.w.Assumed("program " + strconv.Quote(name) + " of image " + c.p.spec.Image.Ref.Familiar() + " ends with 0")
		}
		return 0, c.pauseFor(100 * time.Millisecond)
	}
	return c.guest(name)
}

// guest is a main program whose inside is not simulated.
func (c *call) guest(what string) (int, bool) {
	t := c.t
	if t.sh != nil {
		c.w.Assumed("program " + strconv.Quote(what) + " ends with 0")
		return 0, true
	}
	if t.srv == nil {
		program := Program{Name: baseName(t.argv[0]), Startup: 100 * time.Millisecond, Stop: Stop{Code: 143}, Memory: []MemoryPoint{{0, 32 << 20}}}
		program.Stop.Default = strings.HasPrefix(program.Name, "python") || program.Name == "node"
		for _, n := range c.p.spec.Ports {
			program.Ports = append(program.Ports, Port{Port: n})
		}
		t.srv = &serverState{program: &program, start: c.now, last: c.now - 1}
		c.w.Assumed("program " + strconv.Quote(what) + " runs for ever and listens on the declared ports")
	}
	return c.turn(t.srv)
}
