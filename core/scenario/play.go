package scenario

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
)

func source(name, text string) Source {
	return Source{Name: name, Files: []kubectl.File{{Name: name, Text: []byte(text)}}}
}

// Play runs a scenario and returns the session and what each directive printed.
// After every step check is called, if there is one, with the directive's line.
func (f *File) Play(check func(line int, s *Session)) (*Session, []string, []Problem) {
	o := Options{Limits: f.Limits, Expressions: f.Expressions}
	o.Setup, o.Files = f.Sources()
	if v := f.Header["seed"]; v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return nil, nil, []Problem{{File: f.Name, Message: "seed: want a whole number, not " + strconv.Quote(v)}}
		}
		o.Seed = &n
	}
	s, bad := Open(o)
	if bad != nil {
		return nil, nil, bad
	}
	var out []string
	for _, d := range f.Directives {
		out = append(out, s.directive(d))
		if check != nil {
			check(d.Line, s)
		}
	}
	return s, out, nil
}

func (s *Session) directive(d Directive) string {
	verb, rest := d.Verb()
	switch verb {
	case "apply":
		return s.applyDirective(source(fileName(verb, rest), d.Input))
	case "cluster":
		return ""
	case "advance":
		return s.advanceDirective(rest)
	case "records":
		return s.recordsDirective(rest)
	case "request":
		return s.requestDirective(rest)
	case "rules":
		return s.rulesDirective(rest)
	case "matrix":
		return s.Matrix(fields(rest)["namespace"]).Text()
	case "$":
		if line, ok := strings.CutPrefix(rest, "podwalk fault "); ok {
			return s.faultDirective(line)
		}
		rest = strings.TrimPrefix(rest, "kubectl ")
	default:
		rest = d.Text
	}
	return outcome(s.Kubectl(kubectl.SplitLine(rest), nil))
}

func outcome(r kubectl.Result) string {
	text := r.Stdout + r.Stderr
	if r.Exit != 0 {
		text += "[exit " + strconv.Itoa(r.Exit) + "]\n"
	}
	return text
}

func (s *Session) faultDirective(line string) string {
	argv := kubectl.SplitLine(line)
	if len(argv) == 0 {
		return outcome(s.Fault("", nil))
	}
	return outcome(s.Fault(argv[0], argv[1:]))
}

func (s *Session) applyDirective(src Source) string {
	n := len(s.Applied)
	s.apply(src)
	var b strings.Builder
	for _, a := range s.Applied[n:] {
		b.WriteString(a.Stdout + a.Stderr)
	}
	return b.String()
}

// advanceDirective takes for=DURATION, to=DURATION or until=quiescent.
func (s *Session) advanceDirective(arg string) string {
	name, value, _ := strings.Cut(arg, "=")
	if name == "until" && value == "quiescent" {
		s.c.Run(cluster.Until{Quiescent: true, At: s.c.Now() + 10*sim.Minute})
	} else {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 || d > LongestFor || name != "for" && name != "to" {
			return "advance wants for=DURATION, to=DURATION or until=quiescent\n"
		}
		at := sim.Time(d)
		if name == "for" {
			at += s.c.Now()
		}
		s.c.Run(cluster.Until{At: at})
	}
	state := "at "
	if s.c.Quiescent() {
		state = "quiescent at "
	}
	return state + s.c.Now().String() + "\n"
}

// recordsDirective prints the records, or those of one source (source=NAME) or
// of one object's name (name=NAME).
func (s *Session) recordsDirective(arg string) string {
	var b strings.Builder
	key, value, _ := strings.Cut(arg, "=")
	for _, r := range s.c.Records(0) {
		if arg == "" || key == "source" && r.Source == value || key == "name" && r.Ref.Name == value {
			b.WriteString(r.String() + "\n")
		}
	}
	return b.String()
}
