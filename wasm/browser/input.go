package browser

import (
	"errors"
	"strings"
	"time"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/wasm/boundary"
)

// Bounds of the input.
const (
	maxText  = 4 << 20 // bytes of all files
	maxSteps = 200_000 // of one advance, if it names no number
)

func (p *player) open(args OpenArgs) (any, error) {
	if !(args.For >= 0 && args.For <= longest) {
		return nil, boundary.Errorf(boundary.BadRequest, "for: want 0 to %v seconds", longest)
	}
	src, err := source(args.Files)
	if err != nil {
		return nil, err
	}
	o := scenario.Options{Expressions: p.expressions}
	for _, f := range src.Files {
		o.Files = append(o.Files, scenario.Source{Name: f.Name, Files: []kubectl.File{f}})
	}
	if args.Seed != nil {
		seed := uint64(*args.Seed)
		o.Seed = &seed
	}
	s, bad := scenario.Open(o)
	if bad != nil {
		return p.refused(bad)
	}
	p.start(s)
	s.Apply(o.Files)
	if args.For > 0 {
		p.run(cluster.Until{At: s.Cluster().Now().Add(time.Duration(args.For * 1e9)), Steps: maxSteps})
	}
	return p.opened(applies(s.Applied))
}

// refused opens the default cluster in place of one that the files describe
// wrongly; the entries say what is wrong, at its place.
func (p *player) refused(bad []scenario.Problem) (any, error) {
	s, more := scenario.Open(scenario.Options{Expressions: p.expressions})
	if more != nil {
		return nil, more[0]
	}
	p.start(s)
	var list []Apply
	for _, b := range bad {
		m := boundary.Mark{File: b.File, Line: max(1, int(b.Mark.Line)), Column: max(1, int(b.Mark.Column)),
			EndColumn: int(b.Mark.EndColumn), Severity: "error", Message: b.Message, Source: "podwalk"}
		list = append(list, Apply{File: b.File, Line: m.Line, Exit: 1, Stderr: "error: " + b.Error() + "\n", Marks: []boundary.Mark{m}})
	}
	return p.opened(list)
}

func (p *player) opened(list []Apply) (any, error) {
	c := p.current.session.Cluster()
	st, err := p.current.session.StateAt(c.Now())
	if err != nil {
		return nil, err
	}
	start := time.Unix(0, c.Start()).UTC().Format(time.RFC3339)
	return OpenOK{Branch: p.current.Name, Start: start, Apply: list, State: st}, nil
}

func (p *player) importText(args Text) (any, error) {
	if len(args.Text) > maxText {
		return nil, tooLarge()
	}
	f, bad := scenario.ParseFile("scenario", []byte(args.Text))
	if bad != nil {
		return nil, *bad
	}
	f.Expressions = p.expressions
	s, _, problems := f.Play(nil)
	if problems != nil {
		return nil, problems[0]
	}
	p.start(s)
	return p.opened(applies(s.Applied))
}

func tooLarge() error {
	return boundary.Errorf(boundary.Limit, "the files are larger than %d MiB together", maxText>>20)
}

func source(files []boundary.File) (scenario.Source, error) {
	var src scenario.Source
	total := 0
	for _, f := range files {
		total += len(f.Text)
		src.Files = append(src.Files, kubectl.File{Name: f.Name, Text: []byte(f.Text)})
	}
	if total > maxText {
		return src, tooLarge()
	}
	if len(files) > 0 {
		src.Name = files[0].Name
	}
	return src, nil
}

func applies(list []kubectl.Applied) []Apply {
	out := []Apply{}
	for _, a := range list {
		e := Apply{Object: scenario.EntryKey(a.Ref), File: a.File, Line: a.Line, Exit: a.Exit, Stdout: a.Stdout, Stderr: a.Stderr}
		for _, m := range a.Marks {
			e.Marks = append(e.Marks, boundary.Mark{File: m.File, Line: max(1, m.Line), Column: max(1, m.Column),
				EndColumn: m.EndColumn, Severity: m.Severity, Message: m.Message, Source: "kubectl"})
		}
		out = append(out, e)
	}
	return out
}

func (p *player) advance(args AdvanceArgs) (any, error) {
	u := cluster.Until{Quiescent: args.UntilQuiescent, Steps: args.Steps}
	switch {
	case args.Steps < 0:
		return nil, boundary.Errorf(boundary.BadRequest, "steps: want a number above 0")
	case args.To != nil:
		t, err := instant(*args.To)
		if err != nil {
			return nil, err
		}
		if t <= p.current.session.Cluster().Now() && t > 0 {
			u.Quiescent, t = true, p.current.session.Cluster().Now()
		}
		u.At = max(t, 1)
	case args.Steps == 0 && !args.UntilQuiescent:
		return nil, boundary.Errorf(boundary.BadRequest, "advance wants to, steps or untilQuiescent")
	default:
		u.At = sim.Time(scenario.LongestFor)
	}
	if u.Steps == 0 {
		u.Steps = maxSteps
	}
	p.run(u)
	return p.current.progress(), nil
}

// between is after how many steps of a long advance it is asked for a checkpoint.
const between = 1_000

// run runs the current branch in pieces, with a checkpoint behind each, so that
// going back is quick.
func (p *player) run(u cluster.Until) {
	c := p.current.session.Cluster()
	for left := u.Steps; left > 0; {
		u.Steps = min(left, between)
		n := c.Run(u)
		left -= n
		if n < u.Steps || n == 0 {
			return
		}
		c.Checkpoint()
	}
}

func (b *branch) progress() Progress {
	c := b.session.Cluster()
	pr := Progress{Now: c.Now().Seconds(), Rev: c.Rev(), Records: c.Records(b.sent), Quiescent: c.Quiescent(), Limit: c.Limit()}
	if pr.Records == nil {
		pr.Records = []trace.Record{}
	}
	b.sent += sim.Cause(len(pr.Records))
	if next := c.NextAt(); next != sim.Never {
		at := next.Seconds()
		pr.NextAt = &at
	}
	return pr
}

func (p *player) do(args DoArgs) (any, error) {
	src, err := source(args.Files)
	if err != nil {
		return nil, err
	}
	var ok DoOK
	if args.At != nil {
		if ok.Branch, err = p.moveTo(*args.At); err != nil {
			return nil, err
		}
	}
	if err := p.perform(args, src, &ok); err != nil {
		return nil, err
	}
	p.current.view = atHead
	ok.Progress = p.current.progress()
	return ok, nil
}

// moveTo makes an instant the head: by running on to it, or by a new branch,
// whose name it returns.
func (p *player) moveTo(seconds float64) (string, error) {
	t, err := instant(seconds)
	if err != nil {
		return "", err
	}
	c := p.current.session.Cluster()
	if t >= c.Now() {
		p.run(cluster.Until{At: max(t, 1), Steps: maxSteps})
		return "", nil
	}
	err = p.branchAt(t)
	return p.current.Name, err
}

func (p *player) perform(args DoArgs, src scenario.Source, ok *DoOK) error {
	s := p.current.session
	switch args.Kind {
	case "apply":
		n := len(s.Applied)
		s.Apply([]scenario.Source{src})
		ok.Apply = applies(s.Applied[n:])
		for _, a := range ok.Apply {
			ok.Stdout += a.Stdout
			ok.Stderr += a.Stderr
			ok.Exit = max(ok.Exit, a.Exit)
		}
		return nil
	case "delete":
		args.Argv = []string{"delete"}
		for _, f := range src.Files {
			args.Argv = append(args.Argv, "-f", f.Name)
		}
	case "kubectl":
	case "fault":
		return p.fault(args.Argv, ok)
	case "request":
		return p.request(args.Argv, ok)
	default:
		return boundary.Errorf(boundary.BadRequest, "no input of kind %q: want apply, delete, kubectl, fault or request", args.Kind)
	}
	r := s.KubectlWith(named(src.Files), args.Argv, nil)
	ok.Stdout, ok.Stderr, ok.Exit = r.Stdout, r.Stderr, r.Exit
	return nil
}

// fault lets something go wrong, or puts it right: argv is its name and what it is
// about.
func (p *player) fault(argv []string, ok *DoOK) error {
	if len(argv) == 0 {
		return boundary.Errorf(boundary.BadRequest, "a fault wants its name in argv")
	}
	r := p.current.session.Fault(argv[0], argv[1:])
	ok.Stdout, ok.Stderr, ok.Exit = r.Stdout, r.Stderr, r.Exit
	return nil
}

// named opens the files of the editor for kubectl.
type named []kubectl.File

// Open returns the files with that name; "." and a name that ends in a slash are
// all files below it.
func (n named) Open(name string) ([]kubectl.File, error) {
	var found []kubectl.File
	folder := strings.TrimPrefix(strings.TrimSuffix(name, "/")+"/", "./")
	for _, f := range n {
		if f.Name == name || strings.HasPrefix(f.Name, folder) {
			found = append(found, f)
		}
	}
	if found == nil {
		return nil, errors.New(`the path "` + name + `" does not exist`)
	}
	return found, nil
}
