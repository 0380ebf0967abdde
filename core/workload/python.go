package workload

import (
	"strings"
	"time"
)

// cmdPython knows the web server, a small part of the language in -c, and files
// that are not there. Other programs run for ever.
func cmdPython(c *call) (int, bool) {
	if c.t.srv != nil {
		return c.turn(c.t.srv)
	}
	args, unbuffered := c.args, c.getenv("PYTHONUNBUFFERED", "") != ""
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "-c" && args[0] != "-m" {
		if args[0] == "--version" || args[0] == "-V" {
			c.print("Python " + c.version() + "\n")
			return 0, true
		}
		unbuffered = unbuffered || args[0] == "-u"
		args = args[1:]
	}
	switch {
	case len(args) == 0 || args[0] == "-":
		return c.pythonStdin()
	case args[0] == "-c" && len(args) > 1:
		return c.pythonText(args[1], args[2:])
	case args[0] == "-m" && len(args) > 1 && (args[1] == "http.server" || args[1] == "SimpleHTTPServer"):
		return c.pythonServer(args[2:], unbuffered)
	case args[0] == "-m":
		return c.guest(c.name + " " + strings.Join(args, " "))
	}
	data, err := c.w.ReadFile(c.abs(args[0]))
	if err != nil {
		if c.p.spec.Image.guessed() {
			return c.guest(c.name + " " + strings.Join(args, " "))
		}
		c.stderr(c.name + ": can't open file '" + c.abs(args[0]) + "': [Errno " + map[bool]string{true: "2", false: "13"}[err == ENOENT] + "] " + err.Error() + "\n")
		return 2, true
	}
	return c.pythonText(string(data), args[1:])
}

func (c *call) pythonStdin() (int, bool) {
	text, ok := c.gather(nil)
	if !ok {
		return 0, false
	}
	if strings.TrimSpace(text) == "" {
		return 0, true
	}
	c.st.buf = nil
	return c.pythonText(text, nil)
}

// pythonServer is python -m http.server.
func (c *call) pythonServer(args []string, unbuffered bool) (int, bool) {
	port, root := 8000, c.t.cwd
	for i, a := range args {
		switch {
		case a == "-d" || a == "--directory":
			if i+1 < len(args) {
				root = c.abs(args[i+1])
			}
		case atoi(a) > 0:
			port = atoi(a)
		}
	}
	if port > 65535 {
		c.stderr("OverflowError: bind(): port must be 0-65535.\n")
		return 1, true
	}
	p := &Program{Name: baseName(c.name), Kind: "python", Startup: 150 * time.Millisecond, Ports: []Port{{Port: int32(port), Proto: "http"}},
		Memory: []MemoryPoint{{0, 4 << 20}, {time.Second, 18 << 20}}, Stop: Stop{Default: true, Code: 143}}
	if unbuffered {
		p.Lines = []Line{{After: p.Startup, Text: "Serving HTTP on 0.0.0.0 port " + itoa(port) + " (http://0.0.0.0:" + itoa(port) + "/) ..."}}
	}
	c.t.srv = &serverState{program: p, start: c.now, last: c.now - 1, root: root}
	return c.turn(c.t.srv)
}

func (c *call) pythonAnswer(srv *serverState, path string, req Request) Response {
	full := absolute("/", srv.root+path)
	r := c.static(full, path)
	switch r.Code {
	case 403:
		r = Response{Code: 200, Headers: []Header{{"Content-Type", "text/html; charset=utf-8"}}, Body: c.listing(full, path)}
	case 404:
		r.Body = "<!DOCTYPE HTML>\n<html lang=\"en\">\n    <head>\n        <title>Error response</title>\n    </head>\n    <body>\n        <h1>Error response</h1>\n        <p>Error code: 404</p>\n        <p>Message: File not found.</p>\n    </body>\n</html>\n"
	}
	from := req.From
	if from == "" {
		from = "10.244.0.1"
	}
	if r.Code == 404 {
		c.say("stderr", from+` - - [{02/Jan/2006 15:04:05}] code 404, message File not found`)
	}
	c.say("stderr", from+` - - [{02/Jan/2006 15:04:05}] "`+orGet(req.Method)+" "+req.Path+` HTTP/1.1" `+itoa(r.Code)+" -")
	return r
}

func (c *call) listing(dir, path string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE HTML>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Directory listing for " + path + "</title>\n</head>\n<body>\n<h1>Directory listing for " + path + "</h1>\n<hr>\n<ul>\n")
	list, _ := c.w.ReadDir(dir)
	for _, i := range list {
		name := i.Name
		if i.IsDir() {
			name += "/"
		}
		b.WriteString("<li><a href=\"" + name + "\">" + name + "</a></li>\n")
	}
	b.WriteString("</ul>\n<hr>\n</body>\n</html>\n")
	return b.String()
}

// cmdPerl knows pi with any number of digits, the classic of the Job pages.
func cmdPerl(c *call) (int, bool) {
	if c.t.srv != nil {
		return c.turn(c.t.srv)
	}
	script := ""
	for i, a := range c.args {
		if strings.HasPrefix(a, "-") && strings.HasSuffix(a, "e") && i+1 < len(c.args) {
			script = c.args[i+1]
		}
	}
	digits := 0
	if text, ok := strings.CutPrefix(strings.ReplaceAll(script, " ", ""), "printbpi("); ok {
		digits = atoi(strings.TrimRight(text, ");"))
	}
	switch {
	case digits > 0 && digits <= 10000:
		if !c.pauseFor(time.Duration(digits) * time.Duration(digits) * time.Microsecond) {
			return 0, false
		}
		c.print(pi(digits) + "\n")
		return 0, true
	case len(c.args) == 0 || c.args[0] == "-de0":
		if c.p.spec.Stdin {
			return c.forever()
		}
		return 0, true
	case script == "" && !strings.HasPrefix(c.args[0], "-"):
		if _, err := c.w.ReadFile(c.abs(c.args[0])); err != nil && !c.p.spec.Image.guessed() {
			c.stderr("Can't open perl script \"" + c.args[0] + "\": " + err.Error() + "\n")
			return 2, true
		}
	}
	return c.guest("perl " + strings.Join(c.args, " "))
}

// pi returns the first n digits by the spigot of Rabinowitz and Wagon.
func pi(n int) string {
	n++
	size := n*10/3 + 2
	a := make([]int, size)
	for i := range a {
		a[i] = 2
	}
	out := make([]byte, 0, n+2)
	held, nines := -1, 0
	for range n + 1 {
		q := 0
		for i := size - 1; i >= 0; i-- {
			x := 10*a[i] + q*(i+1)
			a[i] = x % (2*i + 1)
			if i == 0 {
				a[i] = x % 10
				q = x / 10
				break
			}
			q = x / (2*i + 1)
			a[i] = x % (2*i + 1)
		}
		switch {
		case q == 9:
			nines++
			continue
		case q == 10:
			out = append(out, byte('0'+held+1))
			for range nines {
				out = append(out, '0')
			}
			held, nines = 0, 0
			continue
		}
		if held >= 0 {
			out = append(out, byte('0'+held))
		}
		for range nines {
			out = append(out, '9')
		}
		held, nines = q, 0
	}
	if len(out) > n-1 {
		out = out[:n-1]
	}
	return string(out[:1]) + "." + string(out[1:])
}
