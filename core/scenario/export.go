package scenario

import (
	"strconv"
	"strings"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
)

// given is one thing the user did, kept so that the session can be written down.
type given struct {
	at    sim.Time
	src   *Source
	argv  []string
	fault *cluster.Fault
	// request is a request of the user.
	request *requestBody
}

// Export writes the session down as a scenario: the seed and what was done, each
// at its instant. Playing it gives the same run.
func (s *Session) Export() string {
	var b strings.Builder
	b.WriteString("# seed: " + strconv.FormatUint(s.c.Config().Seed, 10) + "\n\n")
	if s.nodes != nil {
		b.WriteString("cluster " + s.nodes.Name + "\n" + directiveInput(string(s.nodes.Text)))
	}
	for _, src := range s.setup {
		for _, f := range src.Files {
			b.WriteString("cluster " + f.Name + "\n" + directiveInput(string(f.Text)))
		}
	}
	at := s.opened
	for _, g := range s.given {
		if g.at > at {
			b.WriteString("advance to=" + g.at.Duration().String() + "\n" + rule + "\n\n")
			at = g.at
		}
		if g.fault != nil {
			b.WriteString("$ podwalk fault " + kubectl.JoinLine(append([]string{g.fault.Name}, g.fault.Args...)) + "\n" + rule + "\n\n")
			continue
		}
		if g.request != nil {
			b.WriteString("request from=" + g.request.from + " to=" + g.request.to + "\n" + rule + "\n\n")
			continue
		}
		if g.src == nil {
			b.WriteString("$ kubectl " + kubectl.JoinLine(g.argv) + "\n" + rule + "\n\n")
			continue
		}
		for _, f := range g.src.Files {
			b.WriteString("apply " + f.Name + "\n" + directiveInput(string(f.Text)))
		}
	}
	if s.c.Now() > at {
		b.WriteString("advance to=" + s.c.Now().Duration().String() + "\n" + rule + "\n")
	}
	return b.String()
}

func directiveInput(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + rule + "\n\n"
}
