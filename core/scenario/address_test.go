package scenario_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// allocated are the cluster addresses and node ports that the API server drew: two
// runs cannot share them. Each becomes a number in the order of its first
// appearance in a run, so that the same one must appear in the same places. What
// an input gives, and the first address of the range, stand as they are.
type allocated struct {
	given     string
	want, got map[string]string
}

// allocated returns the draws of a case.
func (m measured) allocated() *allocated {
	a := &allocated{given: "10.96.0.1 ", want: map[string]string{}, got: map[string]string{}}
	for _, c := range m.Commands {
		a.given += c.Cmd + " "
	}
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.yaml"))
	for _, f := range files {
		if name := filepath.Base(f); name == "slices.yaml" || strings.HasPrefix(name, "get.") {
			continue
		}
		text, _ := os.ReadFile(f)
		a.given += string(text) + " "
	}
	return a
}

func (a *allocated) clone() *allocated {
	return &allocated{a.given, maps.Clone(a.want), maps.Clone(a.got)}
}

var (
	clusterIP = regexp.MustCompile(`\b10\.96\.\d+\.\d+\b`)
	nodePort  = regexp.MustCompile(`((?:nodePort|healthCheckNodePort): |NodePort: +(?:\S+ +)?|\d:)(3[0-2]\d{3})\b`)
)

// mask numbers the draws in a text; of is want or got.
func (a *allocated) mask(of map[string]string, text string) string {
	if a == nil {
		return text
	}
	number := func(v, kind string) string {
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(v) + `\b`).MatchString(a.given) {
			return v
		}
		if of[v] == "" {
			n := 1
			for _, other := range of {
				if strings.HasPrefix(other, "<"+kind) {
					n++
				}
			}
			of[v] = "<" + kind + strconv.Itoa(n) + ">"
		}
		return of[v]
	}
	text = clusterIP.ReplaceAllStringFunc(text, func(ip string) string { return number(ip, "ip") })
	return nodePort.ReplaceAllStringFunc(text, func(s string) string {
		p := nodePort.FindStringSubmatch(s)
		return p[1] + number(p[2], "port")
	})
}

func TestDrawnAddressesAreNumberedAndGivenOnesAreKept(t *testing.T) {
	a := &allocated{given: "10.96.0.1 clusterIP: 10.96.100.7 nodePort: 30111", want: map[string]string{}, got: map[string]string{}}
	for _, c := range []struct{ text, want string }{
		{"  clusterIP: 10.96.3.4\n  - 10.96.3.4", "  clusterIP: <ip1>\n  - <ip1>"},
		{"kubernetes 10.96.0.1 web 10.96.100.7 two 10.96.9.9", "kubernetes 10.96.0.1 web 10.96.100.7 two <ip2>"},
		{"80:31711/TCP,443:30111/TCP", "80:<port1>/TCP,443:30111/TCP"},
		{"NodePort:  http  31711/TCP", "NodePort:  http  <port1>/TCP"},
		{"resourceVersion: \"31711\"", "resourceVersion: \"31711\""},
	} {
		if got := a.mask(a.want, c.text); got != c.want {
			t.Errorf("mask(%q)\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	if got := a.mask(a.got, "10.96.9.9"); got != "<ip1>" {
		t.Errorf("the two sides are numbered apart: got %q", got)
	}
}
