// Package scenario turns what a user gives (files, a script, kubectl lines) into a
// run of a cluster and the run into what is shown: the output of podwalk run, the
// answers of the page and of the Worker, and the text of golden files. It is one
// level above everything that simulates; it decides nothing about Kubernetes.
// Start reading at Open and Session.
package scenario

import (
	"podwalk/core/admission/expression"
	"strings"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/codec"
	"podwalk/core/kubectl"
	"podwalk/core/scheduler/config"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Step is the time from one document to the next.
const Step = 20 * sim.Millisecond

// Options say how a session starts.
type Options struct {
	Seed  *uint64
	Start int64         // virtual time zero in ns since 1970, 0 for the default
	Nodes *kubectl.File // only Nodes and a Cluster
	Setup []Source      // Nodes and documents of the simulation that nobody applies
	Files []Source      // in the order of their application
	User  api.User      // who applies; the zero value is kubernetes-admin
	Open  kubectl.Files // finds the files that kubectl lines name; nil finds none
	Limits
	// Expressions runs the expressions of admission policies; nil says of each that it
	// is not simulated.
	Expressions expression.Engine
}

// Limits bound a whole run; 0 is no limit. What hits one is the output's limit.
type Limits struct {
	MaxSteps uint64
	MaxTime  sim.Time
}

// Source is one FILE of a command line: a file, or the files of a folder.
type Source struct {
	Name  string
	Files []kubectl.File
}

// Session is a cluster with the user in front of it.
type Session struct {
	c       *cluster.Cluster
	user    api.User
	open    kubectl.Files
	made    map[string][]byte // files that kubectl has written, by name
	Applied []kubectl.Applied // one for each document so far
	nodes   *kubectl.File
	setup   []Source
	opened  sim.Time // when the cluster was up and the first input could come
	given   []given
}

// Open builds the cluster that the files describe; nothing is applied yet. It
// fails with the problems of the simulation's documents and of the Nodes.
func Open(o Options) (*Session, []Problem) {
	d := &declarations{}
	if o.Nodes != nil {
		d.nodesFile(*o.Nodes)
	}
	fromNodes := len(d.nodes)
	for _, src := range append(o.Setup[:len(o.Setup):len(o.Setup)], o.Files...) {
		for _, f := range src.Files {
			d.collect(f)
		}
	}
	cfg := d.cfg
	if o.Seed != nil {
		cfg.Seed = *o.Seed
	}
	cfg.Start, cfg.Nodes, cfg.Images, cfg.Execute = o.Start, d.nodes, d.images, execute
	cfg.MaxSteps, cfg.MaxTime, cfg.Expressions = o.MaxSteps, o.MaxTime, o.Expressions
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	if o.User.Name == "" {
		o.User = cluster.Admin()
	}
	s := &Session{c: cluster.New(cfg), user: o.User, open: o.Open, made: map[string][]byte{}, nodes: o.Nodes, setup: o.Setup}
	for i, why := range s.c.RefusedNodes() {
		if i < fromNodes && why != "" {
			d.problem(d.places[i], codec.Mark{}, why)
		}
	}
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	for _, f := range d.features {
		s.c.Note(trace.Record{Source: "podwalk", Verdict: trace.NotSimulated, Reason: "FeatureGate",
			Message: "feature gate " + f + " is accepted and has no effect"})
	}
	for _, what := range d.ignored {
		s.c.Note(trace.Record{Source: "podwalk", Verdict: trace.NotSimulated, Reason: config.Kind, Message: what})
	}
	s.c.Run(cluster.Until{Quiescent: true, At: sim.Second})
	s.opened = s.c.Now()
	return s, nil
}

// nodesFile reads --nodes, in which only Nodes and a Cluster may stand.
func (d *declarations) nodesFile(f kubectl.File) {
	nodes, err := readAll(f)
	if err != nil {
		d.problems = append(d.problems, *err)
		return
	}
	for i := range nodes {
		p := place{f.Name, &nodes[i]}
		switch version, kind := p.node.Str("apiVersion"), p.node.Str("kind"); {
		case version == "v1" && (kind == "Node" || kind == "List"), strings.HasPrefix(version, "sim.podwalk.dev/"), strings.HasPrefix(version, config.Group+"/"):
			d.strictNode(p)
		default:
			d.problem(p, p.markOf("kind"), `only Nodes and documents of `+Group+` may stand here, not `+version+` `+kind)
		}
	}
	if len(nodes) == 0 {
		d.problems = append(d.problems, Problem{File: f.Name, Message: "no Nodes in it"})
	}
}

// Cluster returns the cluster of the session.
func (s *Session) Cluster() *cluster.Cluster { return s.c }

// Apply applies the documents of the sources, each at its own instant; a source
// after the first waits until the work of the one before is quiescent, at most a
// minute.
func (s *Session) Apply(sources []Source) {
	for i, src := range sources {
		if i > 0 {
			s.c.Run(cluster.Until{Quiescent: true, At: s.c.Now() + sim.Minute})
		}
		s.apply(src)
	}
}

func (s *Session) apply(src Source) {
	s.given = append(s.given, given{at: s.c.Now(), src: &src})
	res := s.c.Do(cluster.Command{At: s.c.Now() + Step, Kind: "apply", Body: applyBody{files: src.Files, user: s.user}})
	s.Applied = append(s.Applied, res.([]kubectl.Applied)...)
}

// Kubectl runs a kubectl line (without the word kubectl) at the present instant.
func (s *Session) Kubectl(argv []string, user *api.User) kubectl.Result {
	u := s.user
	if user != nil {
		u = *user
	}
	s.given = append(s.given, given{at: s.c.Now(), argv: argv})
	return s.c.Do(cluster.Command{At: s.c.Now(), Kind: "kubectl", Body: kubectlBody{argv, s.filesOf(), u}}).(kubectl.Result)
}

// Fault lets something go wrong, or puts it right, at the present instant. What is
// wrong with the fault itself is printed like a failing command.
func (s *Session) Fault(name string, args []string) kubectl.Result {
	f := cluster.Fault{Name: name, Args: args}
	s.given = append(s.given, given{at: s.c.Now(), fault: &f})
	return s.c.Do(cluster.Command{At: s.c.Now(), Kind: "fault", Body: f}).(kubectl.Result)
}
