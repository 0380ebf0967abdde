package workload

import (
	"strconv"
	"strings"
	"time"
)

// timeoutOfNames is how long the tools wait for a name server, all tries together.
const timeoutOfNames = 10 * time.Second

// resolverFile is what a tool reads of /etc/resolv.conf.
func (c *call) resolverFile() (server string, search []string, ndots int) {
	ndots = 1
	data, _ := c.w.ReadFile("/etc/resolv.conf")
	for line := range strings.SplitSeq(string(data), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) < 2:
		case f[0] == "nameserver" && server == "":
			server = f[1]
		case f[0] == "search":
			search = f[1:]
		case f[0] == "options":
			for _, o := range f[1:] {
				if n, ok := strings.CutPrefix(o, "ndots:"); ok {
					ndots = atoi(n)
				}
			}
		}
	}
	if server == "" {
		server = "127.0.0.1"
	}
	return server, search, ndots
}

// cmdNslookup asks as the tool of the image does: busybox (before and since 1.29)
// or BIND's.
func cmdNslookup(c *call) (int, bool) {
	var words []string
	kinds := []string{"A", "AAAA"}
	for _, a := range c.args {
		a = strings.TrimPrefix(a, "-")
		if name, value, ok := strings.Cut(a, "="); ok && (name == "type" || name == "query" || name == "querytype" || name == "q") {
			kinds = []string{strings.ToUpper(value)}
		} else if a != "debug" {
			words = append(words, a)
		}
	}
	if len(words) == 0 {
		return c.usage("missing name")
	}
	server, search, ndots := c.resolverFile()
	if len(words) > 1 {
		server = words[1]
	}
	name := words[0]
	if isAddress(name) {
		name, kinds, search = reverseName(name), []string{"PTR"}, nil
	}
	c.look()
	switch {
	case c.gnu():
		return c.nslookupBIND(server, name, kinds, candidates(name, search, ndots))
	case oldBusybox(c.p.spec.Image.Ref.Tag):
		return c.nslookupOld(name)
	}
	names := []string{strings.TrimSuffix(name, ".")}
	if !strings.Contains(name, ".") && len(search) > 0 {
		names = names[:0]
		for _, s := range search {
			names = append(names, name+"."+s)
		}
	}
	return c.nslookupBusybox(server, names, kinds)
}

// oldBusybox reports whether a tag is of a version whose nslookup resolved by the C
// library.
func oldBusybox(tag string) bool {
	rest, ok := strings.CutPrefix(tag, "1.")
	minor, _, _ := strings.Cut(rest, ".")
	minor, _, _ = strings.Cut(minor, "-")
	n, err := strconv.Atoi(minor)
	return ok && err == nil && n < 29
}

func reverseName(ip string) string {
	p := strings.Split(ip, ".")
	if len(p) != 4 {
		return ip
	}
	return p[3] + "." + p[2] + "." + p[1] + "." + p[0] + ".in-addr.arpa"
}

// candidates are the names that a resolver tries, in order.
func candidates(name string, search []string, ndots int) []string {
	if full, ok := strings.CutSuffix(name, "."); ok {
		return []string{full}
	}
	var l []string
	for _, s := range search {
		l = append(l, name+"."+s)
	}
	if strings.Count(name, ".") < ndots {
		return append(l, name)
	}
	return append([]string{name}, l...)
}

// nslookupBusybox asks for all names and types at once and prints each answer; one
// that fails makes the whole fail (networking/nslookup.c of busybox).
func (c *call) nslookupBusybox(server string, names, kinds []string) (int, bool) {
	var out strings.Builder
	out.WriteString("Server:\t\t" + server + "\nAddress:\t" + server + ":53\n\n")
	code := 0
	for _, kind := range kinds {
		for _, name := range names {
			r := c.w.Query(server, name, kind)
			switch r.Code {
			case "TIMEOUT":
				if !c.pauseFor(timeoutOfNames) {
					return 0, false
				}
				c.print(";; connection timed out; no servers could be reached\n\n")
				return 1, true
			case "NOERROR":
				for i := range r.Records {
					out.WriteString(r.Records[i].busybox())
				}
			default:
				out.WriteString("** server can't find " + name + ": " + r.Code + "\n")
				code = 1
			}
			out.WriteByte('\n')
		}
	}
	c.print(out.String())
	return code, true
}

func (r *ReplyRecord) busybox() string {
	to := strings.TrimSuffix(r.Data, ".")
	switch r.Type {
	case "A", "AAAA":
		return "Name:\t" + r.Name + "\nAddress: " + r.Data + "\n"
	case "CNAME":
		return r.Name + "\tcanonical name = " + to + "\n"
	case "PTR":
		return r.Name + "\tname = " + to + "\n"
	}
	return r.Name + "\tservice = " + to + "\n"
}

// nslookupOld is that of busybox before 1.29, which asks the C library.
func (c *call) nslookupOld(name string) (int, bool) {
	l := c.w.Lookup(name)
	if !c.pauseFor(l.Delay) {
		return 0, false
	}
	server, _, _ := c.resolverFile()
	own := server
	if r := c.w.Query(server, reverseName(server), "PTR"); len(r.Records) > 0 {
		own += " " + strings.TrimSuffix(r.Records[0].Data, ".")
	}
	c.print("Server:    " + server + "\nAddress 1: " + own + "\n\n")
	if l.Result != Found || len(l.Addrs) == 0 {
		c.stderr("nslookup: can't resolve '" + name + "'\n")
		return 1, true
	}
	c.print("Name:      " + name + "\n")
	for i, a := range l.Addrs {
		line := "Address " + strconv.Itoa(i+1) + ": " + a
		if r := c.w.Query(server, reverseName(a), "PTR"); len(r.Records) > 0 {
			line += " " + strings.TrimSuffix(r.Records[0].Data, ".")
		}
		c.print(line + "\n")
	}
	return 0, true
}

// first asks for the names in turn until one has an answer of the kind.
func (c *call) first(server string, names []string, kind string) (name string, r Reply, ok bool) {
	for _, n := range names {
		r = c.w.Query(server, n, kind)
		if r.Code == "TIMEOUT" {
			return n, r, c.pauseFor(timeoutOfNames)
		}
		if r.Code == "NOERROR" && len(r.Records) > 0 {
			return n, r, true
		}
		name = n
	}
	return name, r, true
}

func (c *call) nslookupBIND(server, name string, kinds, names []string) (int, bool) {
	full, r, ok := c.first(server, names, kinds[0])
	if !ok {
		return 0, false
	}
	if r.Code == "TIMEOUT" {
		c.print(";; communications error to " + server + "#53: timed out\n;; no servers could be reached\n\n")
		return 1, true
	}
	c.print("Server:\t\t" + server + "\nAddress:\t" + server + "#53\n\n")
	if r.Code != "NOERROR" {
		c.print("** server can't find " + name + ": " + r.Code + "\n\n")
		return 1, true
	}
	if len(r.Records) == 0 {
		c.print("*** Can't find " + full + ": No answer\n\n")
		return 0, true
	}
	for i := range r.Records {
		rec := &r.Records[i]
		switch rec.Type {
		case "A", "AAAA":
			c.print("Name:\t" + rec.Name + "\nAddress: " + rec.Data + "\n")
		case "CNAME":
			c.print(rec.Name + "\tcanonical name = " + rec.Data + "\n")
		case "PTR":
			c.print(rec.Name + "\tname = " + rec.Data + "\n")
		default:
			c.print(rec.Name + "\tservice = " + rec.Data + "\n")
		}
	}
	c.print("\n")
	return 0, true
}

// cmdDig is dig and host.
func cmdDig(c *call) (int, bool) {
	server, search, ndots := c.resolverFile()
	name, kind, short, searching := "", "A", false, c.name == "host"
	args := c.args
	for i, a := range args {
		switch {
		case a == "+short":
			short = true
		case a == "+search":
			searching = true
		case a == "-x" && i+1 < len(args):
			name, kind = reverseName(args[i+1]), "PTR"
		case a == "-t" || strings.HasPrefix(a, "+") || strings.HasPrefix(a, "-") || kind == "PTR" && i > 0 && args[i-1] == "-x":
		case strings.HasPrefix(a, "@"):
			server = a[1:]
		case a == "A" || a == "AAAA" || a == "SRV" || a == "CNAME" || a == "PTR" || a == "IN" || a == "ANY":
			if a != "IN" && a != "ANY" {
				kind = a
			}
		case name == "":
			name = a
		}
	}
	if name == "" {
		return c.usage("missing name")
	}
	if c.name == "host" && isAddress(name) {
		name, kind = reverseName(name), "PTR"
	}
	names := []string{strings.TrimSuffix(name, ".")}
	if searching && kind != "PTR" {
		names = candidates(name, search, ndots)
	}
	c.look()
	full, r, ok := c.first(server, names, kind)
	if !ok {
		return 0, false
	}
	if c.name == "host" {
		return c.hostAnswer(name, r)
	}
	if r.Code == "TIMEOUT" {
		c.print(";; communications error to " + server + "#53: timed out\n\n; <<>> DiG 9.18.33 <<>> " + strings.Join(args, " ") +
			"\n;; global options: +cmd\n;; no servers could be reached\n\n")
		return 9, true
	}
	if short {
		for _, rec := range r.Records {
			c.print(rec.Data + "\n")
		}
		return 0, true
	}
	c.digAnswer(server, full, kind, r)
	return 0, true
}

func (c *call) digAnswer(server, name, kind string, r Reply) {
	id := strconv.FormatUint(c.w.Random("dig", uint64(c.now))%65536, 10)
	c.print("\n; <<>> DiG 9.18.33 <<>> " + strings.Join(c.args, " ") + "\n;; global options: +cmd\n;; Got answer:\n;; ->>HEADER<<- opcode: QUERY, status: " + r.Code +
		", id: " + id + "\n;; flags: qr aa rd; QUERY: 1, ANSWER: " + strconv.Itoa(len(r.Records)) + ", AUTHORITY: 0, ADDITIONAL: 1\n;; WARNING: recursion requested but not available\n\n" +
		";; OPT PSEUDOSECTION:\n; EDNS: version: 0, flags:; udp: 1232\n;; QUESTION SECTION:\n;" + name + ".\tIN\t" + kind + "\n\n")
	if len(r.Records) > 0 {
		c.print(";; ANSWER SECTION:\n")
		for _, rec := range r.Records {
			c.print(rec.Name + ". " + strconv.Itoa(rec.TTL) + " IN\t" + rec.Type + "\t" + rec.Data + "\n")
		}
		c.print("\n")
	}
	c.print(";; Query time: 0 msec\n;; SERVER: " + server + "#53(" + server + ") (UDP)\n;; WHEN: " + c.wall().UTC().Format("Mon Jan 02 15:04:05 UTC 2006") + "\n;; MSG SIZE  rcvd: " +
		strconv.Itoa(12+11+len(name)+6+len(r.Records)*(len(name)+18)) + "\n\n")
}

func (c *call) hostAnswer(name string, r Reply) (int, bool) {
	switch {
	case r.Code == "TIMEOUT":
		c.print(";; communications error: timed out\n;; no servers could be reached\n")
		return 1, true
	case r.Code != "NOERROR":
		c.print("Host " + name + " not found: 3(" + r.Code + ")\n")
		return 1, true
	}
	for _, rec := range r.Records {
		text := map[string]string{"A": " has address ", "AAAA": " has IPv6 address ", "CNAME": " is an alias for ", "PTR": " domain name pointer ", "SRV": " has SRV record "}[rec.Type]
		c.print(rec.Name + text + rec.Data + "\n")
	}
	return 0, true
}
