package scenario

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
)

// Line is one line of a script: a kubectl line, a fault, a request or a wait.
type Line struct {
	Cmd       string   // as written, without the "$ "
	Argv      []string // of kubectl, without the word itself
	Fault     *cluster.Fault
	Request   *requestBody
	Wait      time.Duration
	Quiescent bool // wait until quiescent
}

// ParseScript reads a script: lines "$ kubectl ...", "$ podwalk fault ...", "$ podwalk
// request FROM TO", "wait
// DURATION" and "wait quiescent"; blank lines and those that begin with # are skipped. The error
// names the file and the line.
func ParseScript(file string, text []byte) ([]Line, *Problem) {
	var lines []Line
	for i, raw := range strings.Split(string(text), "\n") {
		raw = strings.TrimSpace(raw)
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		l, msg := parseLine(raw)
		if msg != "" {
			p := Problem{File: file, Message: msg}
			p.Mark.Line, p.Mark.Column = int32(i+1), 1
			return nil, &p
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func parseLine(raw string) (Line, string) {
	if cmd, ok := strings.CutPrefix(raw, "$ "); ok {
		cmd = strings.TrimSpace(cmd)
		argv := kubectl.SplitLine(cmd)
		if len(argv) > 2 && argv[0] == "podwalk" && argv[1] == "fault" {
			f := &cluster.Fault{Name: argv[2], Args: argv[3:]}
			return Line{Cmd: cmd, Fault: f}, f.Check()
		}
		if len(argv) == 4 && argv[0] == "podwalk" && argv[1] == "request" {
			return Line{Cmd: cmd, Request: &requestBody{argv[2], argv[3]}}, ""
		}
		if len(argv) == 0 || argv[0] != "kubectl" {
			return Line{}, "only kubectl lines, `podwalk fault ...` and `podwalk request FROM TO` can stand here, not " + strconv.Quote(cmd)
		}
		return Line{Cmd: cmd, Argv: argv[1:]}, ""
	}
	word, ok := strings.CutPrefix(raw, "wait ")
	word = strings.TrimSpace(word)
	switch {
	case !ok:
		return Line{}, "want `$ kubectl ...` or `wait DURATION`, not " + strconv.Quote(raw)
	case word == "quiescent":
		return Line{Cmd: raw, Quiescent: true}, ""
	}
	d, err := time.ParseDuration(word)
	if err != nil || d <= 0 || d > LongestFor {
		return Line{}, "wait " + strconv.Quote(word) + ": want a duration from 1ns to 8760h, or quiescent"
	}
	return Line{Cmd: raw, Wait: d}, ""
}

// script runs the lines and returns what the kubectl lines printed.
func (s *Session) script(lines []Line) []SessionLine {
	out := []SessionLine{}
	for _, l := range lines {
		switch {
		case l.Quiescent:
			s.c.Run(cluster.Until{Quiescent: true, At: s.c.Now() + 10*sim.Minute})
		case l.Fault != nil:
			r := s.Fault(l.Fault.Name, l.Fault.Args)
			out = append(out, SessionLine{l.Cmd, r.Stdout, r.Stderr, r.Exit})
		case l.Request != nil:
			out = append(out, s.requestLine(l))
		case l.Argv == nil:
			s.c.Run(cluster.Until{At: s.c.Now().Add(l.Wait)})
		default:
			r := s.Kubectl(l.Argv, nil)
			out = append(out, SessionLine{l.Cmd, r.Stdout, r.Stderr, r.Exit})
		}
	}
	return out
}
