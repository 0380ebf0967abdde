package scenario

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/cluster"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
	"podwalk/core/sim"
)

// requestBody is the body of the command "request".
type requestBody struct{ from, to string }

// requested is its answer.
type requested struct {
	sent cluster.Sent
	err  error
}

// Request sends a request at the present instant and tells each hop; it is an input
// of the run, since the program that answers notices it. From is
// pod/NAMESPACE/NAME, node/NAME, outside or outside/ADDRESS, to is a URL or
// NAME:PORT.
func (s *Session) Request(from, to string) (cluster.Sent, error) {
	s.given = append(s.given, given{at: s.c.Now(), request: &requestBody{from, to}})
	r := s.c.Do(cluster.Command{At: s.c.Now(), Kind: "request", Body: requestBody{from, to}}).(requested)
	return r.sent, r.err
}

// RulesText is the rules of a node, with those marked that a request met.
type RulesText struct {
	Lines []string
	Met   []bool // as long as Lines, or nil
}

// Rules returns the rules of a node's kube-proxy; mode "" is the cluster's own.
// sent, if not nil, is the request whose rules are marked.
func (s *Session) Rules(node, mode string, sent *cluster.Sent) (RulesText, error) {
	lines, err := s.c.Rules(node, mode)
	t := RulesText{Lines: lines}
	if err == nil && sent != nil {
		t.Met = sent.Met(lines)
	}
	return t, err
}

// Matrix tells who reaches the pods of a namespace, "" is all.
func (s *Session) Matrix(namespace string) policy.Matrix { return s.c.Matrix(namespace) }

// fields reads "a=1 b=2".
func fields(arg string) map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(arg) {
		name, value, _ := strings.Cut(f, "=")
		m[name] = value
	}
	return m
}

// requestDirective takes from=WHO and to=WHAT and prints the hops.
func (s *Session) requestDirective(arg string) string {
	f := fields(arg)
	sent, err := s.Request(f["from"], f["to"])
	if err != nil {
		return err.Error() + "\n"
	}
	return SentText(&sent)
}

// SentText is a request as text: a line for each hop, and what its sender sees.
func SentText(sent *cluster.Sent) string {
	var b strings.Builder
	for _, h := range sent.Hops {
		b.WriteString(h.Source + " " + h.Verdict + ": " + h.Message + "\n")
	}
	switch {
	case sent.Symptom != "":
		b.WriteString("=> " + sent.Symptom + "\n")
	case sent.Code != 0:
		b.WriteString("=> " + strconv.Itoa(sent.Code) + "\n")
	default:
		b.WriteString("=> connected\n")
	}
	return b.String()
}

// requestLine carries out the line `$ podwalk request FROM TO` of a script.
func (s *Session) requestLine(l Line) SessionLine {
	sent, err := s.Request(l.Request.from, l.Request.to)
	switch {
	case err != nil:
		return SessionLine{l.Cmd, "", "error: " + err.Error() + "\n", 1}
	case sent.Symptom != "":
		return SessionLine{l.Cmd, SentText(&sent), "", 1}
	}
	return SessionLine{l.Cmd, SentText(&sent), "", 0}
}

// rulesDirective takes node=NAME, mode=MODE, with=TEXT, which only lines that hold
// the text pass, and since=DURATION, which shows what changed after that instant.
func (s *Session) rulesDirective(arg string) string {
	f := fields(arg)
	if f["since"] != "" {
		return s.changeDirective(f)
	}
	t, err := s.Rules(f["node"], f["mode"], nil)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, l := range t.Lines {
		if strings.Contains(l, f["with"]) {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func (s *Session) changeDirective(f map[string]string) string {
	d, err := time.ParseDuration(f["since"])
	if err != nil {
		return "since wants a duration\n"
	}
	changes, err := s.RulesChange(f["node"], f["mode"], sim.Time(d))
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, c := range changes {
		if strings.Contains(c.Line, f["with"]) {
			b.WriteString(map[bool]string{true: "+ ", false: "- "}[c.Added] + c.Line + "\n")
		}
	}
	return b.String()
}

// RulesChange is what became of a node's rules since an instant.
func (s *Session) RulesChange(node, mode string, since sim.Time) ([]proxy.Change, error) {
	after, err := s.c.Rules(node, mode)
	if err != nil {
		return nil, err
	}
	before, err := s.c.Seek(min(since, s.c.Now())).Rules(node, mode)
	if err != nil {
		return nil, err
	}
	return proxy.Diff(before, after), nil
}
