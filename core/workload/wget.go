package workload

import (
	"strconv"
	"strings"
	"time"
)

func (c *call) wgetArgs() client {
	k := client{}
	urls := c.arguments(wgetNames, wgetLong, k.option)
	k = k.finish(urls)
	if k.output == "" && k.fault == "" {
		if k.output = baseName(strings.SplitN(k.path, "?", 2)[0]); k.output == "" {
			k.output = "index.html"
		}
	}
	return k
}

// cmdWget follows redirects, as both wgets do. Its texts are busybox's or GNU's.
func cmdWget(c *call) (int, bool) {
	k := c.wgetArgs()
	if k.fault != "" {
		c.stderr("wget: " + map[bool]string{true: "missing URL", false: "bad address"}[k.url == ""] + "\n")
		return 1, true
	}
	if k.total == 0 {
		k.total = 900 * time.Second
	}
	c.moved(&k)
	res, ok := c.do(k.fetch)
	if !ok {
		return 0, false
	}
	if to := res.header("Location"); res.code >= 300 && res.code < 400 && to != "" && c.st.child < 10 {
		c.move(k.fetch, to)
		return 0, false
	}
	if c.gnu() {
		return c.wgetGNU(k, res), true
	}
	return c.wgetBusybox(k, res), true
}

func (c *call) wgetBusybox(k client, res result) int {
	if !k.silent && res.outcome != NoName {
		c.stderr("Connecting to " + k.host + " (" + res.addr + ":" + strconv.Itoa(int(k.port)) + ")\n")
	}
	switch res.outcome {
	case NoName:
		c.stderr("wget: bad address '" + hostPort(k) + "'\n")
		return 1
	case Refused:
		c.stderr("wget: can't connect to remote host (" + res.addr + "): Connection refused\n")
		return 1
	case Unreachable:
		c.stderr("wget: can't connect to remote host (" + res.addr + "): No route to host\n")
		return 1
	case TimedOut:
		if !res.late {
			c.stderr("wget: can't connect to remote host (" + res.addr + "): Connection timed out\n")
			return 1
		}
		c.stderr("wget: download timed out\n")
		return 1
	case "empty":
		if k.scheme == "https" {
			c.stderr("wget: error getting response: Connection reset by peer\n")
		} else {
			c.stderr("wget: error getting response\n")
		}
		return 1
	}
	if k.include {
		for _, l := range res.head() {
			c.stderr("  " + l + "\n")
		}
	}
	if res.code >= 400 {
		c.stderr("wget: server returned error: HTTP/1.1 " + strconv.Itoa(res.code) + " " + statusText(res.code) + "\n")
		return 1
	}
	if k.spider {
		if !k.silent {
			c.stderr("remote file exists\n")
		}
		return 0
	}
	return c.wgetSave(k, res)
}

func hostPort(k client) string {
	if k.port == 80 && k.scheme == "http" || k.port == 443 && k.scheme == "https" {
		return k.host
	}
	return k.host + ":" + strconv.Itoa(int(k.port))
}

// wgetSave writes the document.
func (c *call) wgetSave(k client, res result) int {
	if k.output == "-" {
		if !k.silent && !c.gnu() {
			c.stderr("writing to stdout\n")
		}
		c.print(res.body)
		if !k.silent && !c.gnu() {
			c.stderr(pad("-", 20) + " 100% |" + strings.Repeat("*", 32) + "| " + strconv.Itoa(len(res.body)) + "  0:00:00 ETA\nwritten to stdout\n")
		}
		return 0
	}
	file, err := c.openWrite(k.output, false)
	if err != nil {
		c.stderr("wget: can't open '" + k.output + "': " + err.Error() + "\n")
		return 1
	}
	c.write(file, []byte(res.body))
	c.p.release(file)
	if !k.silent && !c.gnu() {
		c.stderr("saving to '" + k.output + "'\n" + pad(baseName(k.output), 20) + " 100% |" + strings.Repeat("*", 32) + "| " + strconv.Itoa(len(res.body)) + "  0:00:00 ETA\n'" + k.output + "' saved\n")
	}
	return 0
}

func (c *call) wgetGNU(k client, res result) int {
	say := func(text string) {
		if !k.silent {
			c.stderr(text)
		}
	}
	at := k.host + ":" + strconv.Itoa(int(k.port))
	say("--" + c.wall().UTC().Format("2006-01-02 15:04:05") + "--  " + k.url + "\n")
	switch res.outcome {
	case NoName:
		say("Resolving " + k.host + " (" + k.host + ")... failed: Name or service not known.\nwget: unable to resolve host address ‘" + k.host + "’\n")
		return 4
	case Refused:
		say("Connecting to " + at + "... failed: Connection refused.\n")
		return 4
	case TimedOut, Unreachable, "empty":
		say("Connecting to " + at + "... failed: Connection timed out.\nGiving up.\n\n")
		return 4
	}
	say("Connecting to " + at + "... connected.\nHTTP request sent, awaiting response... " + strconv.Itoa(res.code) + " " + statusText(res.code) + "\n")
	if k.include {
		for _, l := range res.head() {
			c.stderr("  " + l + "\n")
		}
	}
	if res.code >= 400 {
		say(c.wall().UTC().Format("2006-01-02 15:04:05") + " ERROR " + strconv.Itoa(res.code) + ": " + statusText(res.code) + ".\n\n")
		return 8
	}
	if k.spider {
		say("Remote file exists.\n\n")
		return 0
	}
	return c.wgetSave(k, res)
}
