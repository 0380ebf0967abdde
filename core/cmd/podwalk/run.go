package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
)

// runFlags is the command line of run.
type runFlags struct {
	span     string
	seed     string
	nodes    string
	script   string
	as       string
	asGroups list
	output   string
	files    []string
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintln(stderr, "podwalk:", err)
		return 3
	}
	f, err := parseRun(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 3
	}
	if err != nil {
		return fail(err)
	}
	o, err := f.options(stdin)
	if err != nil {
		return fail(err)
	}
	o.Expressions = engine()
	s, lines, exit, bad := scenario.Run(o)
	for _, b := range bad {
		fmt.Fprintln(stderr, "podwalk:", b)
	}
	if s == nil {
		return exit
	}
	out := s.Output(lines)
	if f.output == "json" {
		stdout.Write(out.JSON())
	} else {
		io.WriteString(stdout, out.Text())
	}
	return exit
}

func parseRun(args []string, stderr io.Writer) (runFlags, error) {
	var f runFlags
	fs := flag.NewFlagSet("podwalk run", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.span, "for", "", "")
	fs.StringVar(&f.seed, "seed", "", "")
	fs.StringVar(&f.nodes, "nodes", "", "")
	fs.StringVar(&f.script, "script", "", "")
	fs.StringVar(&f.as, "as", "", "")
	fs.Var(&f.asGroups, "as-group", "")
	fs.StringVar(&f.output, "o", "text", "")
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				io.WriteString(stderr, usage)
			}
			return f, err
		}
		// Flags may stand behind files too.
		args = fs.Args()
		if len(args) == 0 {
			break
		}
		f.files = append(f.files, args[0])
		args = args[1:]
	}
	if f.output != "text" && f.output != "json" {
		return f, fmt.Errorf("-o %s: want text or json", f.output)
	}
	if len(f.files) == 0 && f.script == "" {
		return f, errors.New("no FILE given; see podwalk help")
	}
	if len(f.asGroups) > 0 && f.as == "" {
		return f, errors.New("--as-group needs --as")
	}
	return f, nil
}

func (f runFlags) options(stdin io.Reader) (scenario.RunOptions, error) {
	var o scenario.RunOptions
	var err error
	if o.For, err = duration(f.span); err != nil {
		return o, err
	}
	if o.Seed, err = seed(f.seed); err != nil {
		return o, err
	}
	in := &input{stdin: stdin}
	for _, name := range f.files {
		src, err := in.source(name)
		if err != nil {
			return o, err
		}
		o.Files = append(o.Files, src)
	}
	if f.nodes != "" {
		if o.Nodes, err = in.one(f.nodes); err != nil {
			return o, err
		}
	}
	if f.script != "" {
		if err := in.script(f.script, &o); err != nil {
			return o, err
		}
	}
	if f.as != "" {
		o.User = api.User{Name: f.as, Groups: append([]string(f.asGroups), "system:authenticated")}
	}
	return o, nil
}

func (in *input) script(name string, o *scenario.RunOptions) error {
	file, err := in.one(name)
	if err != nil {
		return err
	}
	lines, bad := scenario.ParseScript(name, file.Text)
	if bad != nil {
		return bad
	}
	o.Script, o.Open = lines, dirFiles{folderOf(name)}
	return nil
}

func duration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > scenario.LongestFor {
		return 0, fmt.Errorf("--for %s: want a duration above 0 and up to 8760h, such as 90s", s)
	}
	return d, nil
}

var _ kubectl.Files = dirFiles{}
