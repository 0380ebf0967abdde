package scenario

import (
	"podwalk/core/admission/expression"
	"strings"
)

// File is a scenario as text: directives with their input and, below "----", the
// text that is expected, in the form of cockroachdb/datadriven. Lines "# name:
// value" at the top describe it. The tests, the page's examples, lessons and
// exports are all such files.
type File struct {
	Name       string
	Header     map[string]string // title, about, example, seed
	Directives []Directive
	Limits     Limits // of a run of it
	// Expressions runs the expressions of admission policies in a run of it, if given.
	Expressions expression.Engine
}

// Directive is one step: "apply", "advance", "cluster", "records" or a kubectl
// verb, with arguments.
type Directive struct {
	Line     int // of the directive in the file
	Text     string
	Input    string
	Expected string
	lead     string // blank lines and comments above it
}

// Verb returns the first word and the rest of the line.
func (d Directive) Verb() (string, string) {
	verb, rest, _ := strings.Cut(d.Text, " ")
	return verb, strings.TrimSpace(rest)
}

const rule = "----"

// ParseFile reads a scenario. The error names the file and the line.
func ParseFile(name string, text []byte) (*File, *Problem) {
	f := &File{Name: name, Header: map[string]string{}}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	var lead strings.Builder
	for i := 0; i < len(lines); {
		l := lines[i]
		if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") {
			f.header(l)
			lead.WriteString(l + "\n")
			i++
			continue
		}
		d := Directive{Line: i + 1, Text: strings.TrimSpace(l), lead: lead.String()}
		lead.Reset()
		next, msg := d.body(lines, i+1)
		if msg != "" {
			p := &Problem{File: name, Message: msg}
			p.Mark.Line, p.Mark.Column = int32(d.Line), 1
			return nil, p
		}
		f.Directives = append(f.Directives, d)
		i = next
	}
	return f, nil
}

func (f *File) header(line string) {
	if len(f.Directives) > 0 {
		return
	}
	if k, v, ok := strings.Cut(strings.TrimPrefix(line, "#"), ":"); ok {
		f.Header[strings.TrimSpace(k)] = strings.TrimSpace(v)
	}
}

// body reads the input up to the rule and the expected text behind it: up to a
// blank line, or between double rules where it contains blank lines. A directive
// without a rule expects nothing and ends at a blank line.
func (d *Directive) body(lines []string, i int) (int, string) {
	start := i
	for i < len(lines) && lines[i] != rule {
		if strings.TrimSpace(lines[i]) == "" && !ruleAhead(lines, i) {
			d.Input = join(lines[start:i])
			return i, ""
		}
		i++
	}
	d.Input = join(lines[start:i])
	if i == len(lines) {
		return i, ""
	}
	i++
	if i < len(lines) && lines[i] == rule {
		return d.doubleRule(lines, i+1)
	}
	start = i
	for i < len(lines) && strings.TrimSpace(lines[i]) != "" {
		i++
	}
	d.Expected = join(lines[start:i])
	return i, ""
}

func (d *Directive) doubleRule(lines []string, i int) (int, string) {
	start := i
	for ; i+1 < len(lines); i++ {
		if lines[i] == rule && lines[i+1] == rule {
			d.Expected = join(lines[start:i])
			return i + 2, ""
		}
	}
	return i, "the expected text has no closing double rule"
}

// ruleAhead reports whether the input goes on to a rule: the next line that could
// start a directive is not reached before.
func ruleAhead(lines []string, i int) bool {
	for ; i < len(lines); i++ {
		if lines[i] == rule {
			return true
		}
		if verb, _, _ := strings.Cut(lines[i], " "); directives[verb] {
			return false
		}
	}
	return false
}

// directives are the verbs that can start a line of a scenario.
var directives = map[string]bool{"apply": true, "advance": true, "cluster": true, "records": true, "create": true,
	"get": true, "describe": true, "events": true, "logs": true, "delete": true, "scale": true, "label": true, "$": true}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Print writes the file again with other expected texts, one for each directive.
func (f *File) Print(expected []string) string {
	var b strings.Builder
	for i, d := range f.Directives {
		b.WriteString(d.lead + d.Text + "\n" + d.Input + rule + "\n")
		if strings.Contains(expected[i], "\n\n") || strings.HasPrefix(expected[i], "\n") {
			b.WriteString(rule + "\n" + expected[i] + rule + "\n" + rule + "\n")
		} else {
			b.WriteString(expected[i])
		}
	}
	return b.String()
}

// Sources returns the files that the scenario sets the cluster up with, and those
// that it applies, in order; the page shows both in its editor.
func (f *File) Sources() (setup, apply []Source) {
	for _, d := range f.Directives {
		switch verb, name := d.Verb(); verb {
		case "apply":
			apply = append(apply, source(fileName(verb, name), d.Input))
		case "cluster":
			setup = append(setup, source(fileName(verb, name), d.Input))
		}
	}
	return setup, apply
}

func fileName(verb, name string) string {
	switch {
	case name != "":
		return name
	case verb == "cluster":
		return "cluster.yaml"
	}
	return "pod.yaml"
}
