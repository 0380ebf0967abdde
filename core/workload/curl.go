package workload

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// client is what the arguments of curl or wget ask for.
type client struct {
	fetch
	url                     string
	silent, showError, fail bool
	head, include, verbose  bool
	follow, spider          bool
	output, format          string
	retries                 int
	retryDelay              time.Duration
	retryAll                bool
	fault                   string
}

// curlNames and wgetNames give the long names of short options; those that end in
// "=" take a value.
const (
	curlNames = "s silent S show-error f fail I head i include v verbose L location O remote-name o output= X request= H header= d data= m max-time= w write-out= " +
		"F form= u user= A user-agent= b cookie= e referer= T upload-file= x proxy= Y speed-limit= y speed-time= z time-cond= C continue-at= D dump-header= E cert= K config="
	curlLong = " output request header data data-raw data-binary json data-urlencode form max-time connect-timeout write-out retry retry-delay retry-max-time url user user-agent " +
		"cookie cacert cert key resolve proxy unix-socket interface noproxy "
	wgetNames = "q quiet S server-response s spider O output-document= T timeout= t tries= P directory-prefix= U user-agent= o output-file= Y proxy= c continue"
	wgetLong  = " output-document timeout tries header post-data directory-prefix user-agent "
)

// arguments calls set for each option with its long name, and returns the rest.
func (c *call) arguments(short, long string, set func(name, value string)) (rest []string) {
	names := strings.Fields(short)
	args := c.args
	value := func(own string) string {
		if own == "" && len(args) > 0 {
			own, args = args[0], args[1:]
		}
		return own
	}
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case strings.HasPrefix(a, "--"):
			name, own, has := strings.Cut(a[2:], "=")
			if !has && strings.Contains(long, " "+name+" ") {
				own = value("")
			}
			set(name, own)
		case len(a) > 1 && a[0] == '-':
			for i := 1; i < len(a); i++ {
				at := slices.Index(names, a[i:i+1])
				if at < 0 {
					continue
				}
				name, valued := strings.CutSuffix(names[at+1], "=")
				if valued {
					set(name, value(a[i+1:]))
					break
				}
				set(name, "")
			}
		default:
			rest = append(rest, a)
		}
	}
	return rest
}

// option applies an option of curl or wget.
func (k *client) option(name, value string) {
	switch name {
	case "output", "output-document":
		k.output = value
	case "remote-name":
		k.output = "\x00"
	case "request":
		k.method = value
	case "header":
		n, v, _ := strings.Cut(value, ":")
		k.headers = append(k.headers, Header{n, strings.TrimSpace(v)})
	case "data", "data-raw", "data-binary", "json", "data-urlencode", "form", "post-data":
		k.body += value
		if k.method == "" {
			k.method = "POST"
		}
	case "max-time", "timeout":
		k.total = seconds(value)
	case "connect-timeout":
		k.connect = seconds(value)
	case "write-out":
		k.format = value
	case "retry":
		k.retries = min(atoi(value), 1000)
	case "retry-delay":
		k.retryDelay = seconds(value)
	case "retry-connrefused", "retry-all-errors":
		k.retryAll = true
	case "silent", "quiet":
		k.silent = true
	case "show-error":
		k.showError = true
	case "fail", "fail-with-body":
		k.fail = true
	case "head":
		k.head = true
	case "include", "show-headers", "server-response":
		k.include = true
	case "verbose":
		k.verbose = true
	case "location":
		k.follow = true
	case "spider":
		k.spider = true
	case "url":
		k.url = value
	}
}

func (k client) finish(urls []string) client {
	if len(urls) > 0 {
		k.url = urls[0]
	}
	if k.url == "" {
		k.fault = "(2) no URL specified"
		return k
	}
	f, ok := parseURL(k.url)
	if !ok {
		k.fault = "(3) URL rejected: Malformed input to a URL function"
		return k
	}
	k.host, k.port, k.path, k.scheme = f.host, f.port, f.path, f.scheme
	if k.method == "" {
		k.method = "GET"
	}
	if k.head {
		k.method = "HEAD"
	}
	if k.output == "\x00" {
		k.output = baseName(k.path)
	}
	return k
}

func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}

func cmdCurl(c *call) (int, bool) {
	if len(c.args) > 0 && (c.args[0] == "--version" || c.args[0] == "-V") {
		c.print("curl 8.14.1 (x86_64-pc-linux-gnu)\n")
		return 0, true
	}
	k := client{}
	urls := c.arguments(curlNames, curlLong, k.option)
	k = k.finish(urls)
	if k.fault != "" {
		c.stderr("curl: " + k.fault + "\n")
		return atoi(k.fault[1:2]), true
	}
	if c.st.phase == 9 {
		if !c.pause(c.st.until) {
			return 0, false
		}
		c.st.phase, c.st.bad = 0, false
	}
	c.moved(&k)
	res, ok := c.do(k.fetch)
	if !ok {
		return 0, false
	}
	if to := res.header("Location"); k.follow && res.code >= 300 && res.code < 400 && to != "" && c.st.child < 10 {
		c.move(k.fetch, to)
		return 0, false
	}
	code := c.curlResult(k, res)
	if (code == 28 || code == 22 && res.code >= 500 || code == 7 && k.retryAll || code == 6) && c.st.index < k.retries {
		wait := k.retryDelay
		if wait == 0 {
			wait = time.Second << min(c.st.index, 9)
		}
		c.st.index++
		c.st.phase, c.st.until = 9, c.now.Add(wait)
		c.pause(c.st.until)
		return 0, false
	}
	return code, true
}

// moved applies the redirect that state.text remembers as "> host port path".
func (c *call) moved(k *client) {
	if rest, ok := strings.CutPrefix(c.t.moved, ">"); ok {
		if f, ok := parseURL(rest); ok {
			k.host, k.port, k.path, k.scheme = f.host, f.port, f.path, f.scheme
		}
	}
}

// move starts the fetch again at the address of a redirect.
func (c *call) move(f fetch, to string) {
	if strings.HasPrefix(to, "/") {
		to = f.scheme + "://" + f.host + ":" + strconv.Itoa(int(f.port)) + to
	}
	hops, retries := c.st.child+1, c.st.index
	*c.st = state{child: hops, index: retries}
	c.t.moved = ">" + to
	c.t.wait, c.t.wake = waitTime, c.now+1
}

// curlResult prints what came and returns curl's exit code.
func (c *call) curlResult(k client, res result) int {
	elapsed := strconv.FormatInt(int64(c.now.Sub(0)-time.Duration(c.st.n))/1e6, 10)
	port := strconv.Itoa(int(k.port))
	fault, code := "", 0
	switch res.outcome {
	case NoName:
		fault, code = "Could not resolve host: "+k.host, 6
	case Refused, Unreachable:
		fault, code = "Failed to connect to "+k.host+" port "+port+" after "+elapsed+" ms: Could not connect to server", 7
	case TimedOut:
		fault, code = "Failed to connect to "+k.host+" port "+port+" after "+elapsed+" ms: Could not connect to server", 28
		if res.late && c.st.phase == 2 {
			fault = "Operation timed out after " + elapsed + " milliseconds with 0 bytes received"
		} else if res.late {
			fault = "Connection timed out after " + elapsed + " milliseconds"
		}
	case "empty":
		fault, code = "Empty reply from server", 52
		if k.scheme == "https" {
			fault, code = "TLS connect error: error:0A00010B:SSL routines::wrong version number", 35
		}
	default:
		if k.fail && res.code >= 400 {
			fault, code = "The requested URL returned error: "+strconv.Itoa(res.code), 22
		}
	}
	c.curlProgress(k, res)
	if fault != "" && (!k.silent || k.showError) {
		c.stderr("curl: (" + strconv.Itoa(code) + ") " + fault + "\n")
	}
	if code == 0 {
		code = c.curlBody(k, res)
	}
	if k.format != "" {
		c.print(curlFormat(k, res))
	}
	return code
}

func (c *call) curlProgress(k client, res result) {
	if k.silent || k.output == "" && c.p.spec.TTY {
		return
	}
	n := strconv.Itoa(len(res.body))
	if res.outcome != "" {
		spent := "--:--:--"
		if s := int(c.now.Sub(0).Seconds() - time.Duration(c.st.n).Seconds()); s > 0 {
			spent = " " + strconv.Itoa(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
		}
		c.stderr(curlHead + "  0     0    0     0    0     0      0      0 --:--:-- " + spent + " --:--:--     0\n")
		return
	}
	c.stderr(curlHead + "100 " + strings.Repeat(" ", max(0, 5-len(n))) + n + "  100 " + strings.Repeat(" ", max(0, 5-len(n))) + n + "    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n")
}

// curlHead are the titles of curl's progress.
const curlHead = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n" +
	"                                 Dload  Upload   Total   Spent    Left  Speed\n"

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func (c *call) curlBody(k client, res result) int {
	text := res.body
	if k.head || k.include {
		text = strings.Join(res.head(), "\r\n") + "\r\n\r\n" + text
	}
	if k.verbose {
		c.stderr("> " + k.method + " " + k.path + " HTTP/1.1\n> Host: " + k.host + "\n> \n< " + strings.Join(res.head(), "\n< ") + "\n< \n")
	}
	if k.output == "" || k.output == "-" {
		c.print(text)
		return 0
	}
	file, err := c.openWrite(k.output, false)
	if err != nil {
		c.stderr("curl: (23) client returned ERROR on write, " + strconv.Itoa(len(text)) + " bytes wanted 0 written\n")
		return 23
	}
	c.write(file, []byte(text))
	c.p.release(file)
	return 0
}

func curlFormat(k client, res result) string {
	code := strconv.Itoa(res.code)
	if res.code == 0 {
		code = "000"
	}
	text, _ := escapes(k.format, true)
	for _, p := range [][2]string{{"%{http_code}", code}, {"%{response_code}", code}, {"%{size_download}", strconv.Itoa(len(res.body))}, {"%{time_total}", "0.002000"},
		{"%{url_effective}", k.url}, {"%{remote_ip}", res.addr}, {"%{num_redirects}", "0"}, {"%{content_type}", res.header("Content-Type")}} {
		text = strings.ReplaceAll(text, p[0], p[1])
	}
	return text
}
