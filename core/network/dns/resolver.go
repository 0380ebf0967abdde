package dns

import (
	"strconv"
	"strings"
)

// Config is a resolv.conf.
type Config struct {
	Servers []string
	Search  []string
	Ndots   int
}

// ParseConfig reads a resolv.conf; what it does not know it leaves out.
func ParseConfig(text string) Config {
	c := Config{Ndots: 1}
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch f[0] {
		case "nameserver":
			c.Servers = append(c.Servers, f[1])
		case "search":
			c.Search = f[1:]
		case "domain":
			c.Search = f[1:2]
		case "options":
			for _, o := range f[1:] {
				if n, ok := strings.CutPrefix(o, "ndots:"); ok {
					c.Ndots, _ = strconv.Atoi(n)
					c.Ndots = min(max(c.Ndots, 0), 15)
				}
			}
		}
	}
	return c
}

// Candidates are the full names that a resolver tries for a name, in order: the
// search list first if the name has fewer dots than ndots. glibc tries the list
// also after a name with enough dots, musl does not.
func (c Config) Candidates(name string, musl bool) []string {
	if full, ok := strings.CutSuffix(name, "."); ok {
		return []string{full}
	}
	var l []string
	for _, s := range c.Search {
		l = append(l, name+"."+strings.TrimSuffix(s, "."))
	}
	switch {
	case strings.Count(name, ".") < c.Ndots:
		return append(l, name)
	case musl:
		return []string{name}
	}
	return append([]string{name}, l...)
}

// Query is one question that a resolver asked, and what came.
type Query struct {
	Question
	Server string
	Answer
}

// Lookup is the outcome of resolving a name.
type Lookup struct {
	Queries []Query
	Code    string
	Name    string // the full name that was found
	Addrs   []string
	Server  string
}

// Resolve looks up the addresses of a name as getaddrinfo does: for each candidate
// A and AAAA together, until one has an address.
func Resolve(c Config, name string, musl bool, ask func(server string, q Question) Answer) Lookup {
	l := Lookup{Code: NXDomain}
	if len(c.Servers) == 0 {
		l.Code = Timeout
		return l
	}
	l.Server = c.Servers[0]
	for _, full := range c.Candidates(name, musl) {
		found := false
		for _, t := range [2]string{"A", "AAAA"} {
			q := Query{Question: Question{full, t}, Server: l.Server}
			q.Answer = ask(l.Server, q.Question)
			l.Queries = append(l.Queries, q)
			if q.Code == Timeout || q.Code == ServFail {
				l.Code = q.Code
				return l
			}
			for _, r := range q.Records {
				if r.Type == t {
					l.Addrs, found = append(l.Addrs, r.Data), true
				}
			}
		}
		if found {
			l.Code, l.Name = NoError, full
			return l
		}
	}
	return l
}
