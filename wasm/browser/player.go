// Package browser is the simulator in the page, for the programs play and full: one synchronous function,
// podwalkHandle, whose operations stand in protocol.go. It holds one run with its
// branches. Time moves only when the page says so. Start reading at player.
package browser

import (
	"encoding/json"
	"strconv"

	"podwalk/core/admission/expression"
	"podwalk/core/scenario"
	"podwalk/core/sim"
	"podwalk/wasm/boundary"
)

// player is the run that the page shows.
type player struct {
	branches    []*branch
	current     *branch
	expressions expression.Engine // nil in program play
}

// branch is one course of the run.
type branch struct {
	Branch
	session *scenario.Session
	sent    sim.Cause // the last record that the page has been given
	view    sim.Time  // what is read without an instant; atHead is the newest state
}

const atHead = sim.Never

func newPlayer() *player { return &player{} }

func (p *player) handle(request []byte) []byte { return boundary.Handle(request, p.ops, p.scenario) }

// scenario writes down the run for somebody who reports a panic.
func (p *player) scenario() string {
	if p.current == nil {
		return ""
	}
	return p.current.session.Export()
}

// ops finds an operation. All but about, open and import need a run.
func (p *player) ops(name string) boundary.Op {
	switch name {
	case "about":
		return with(about)
	case "open":
		return with(p.open)
	case "import":
		return with(p.importText)
	}
	op := p.runOps(name)
	if op == nil || p.current != nil {
		return op
	}
	return func(json.RawMessage) (any, error) {
		return nil, boundary.Errorf(boundary.BadRequest, "%s: nothing is open", name)
	}
}

func (p *player) runOps(name string) boundary.Op {
	switch name {
	case "advance":
		return with(p.advance)
	case "do":
		return with(p.do)
	case "seek":
		return with(p.seek)
	case "state":
		return with(p.state)
	case "kubectl":
		return with(p.kubectl)
	case "get":
		return with(p.get)
	case "records":
		return with(p.records)
	case "explain":
		return with(p.explain)
	case "fork":
		return with(p.fork)
	case "switch":
		return with(p.switchTo)
	case "branches":
		return with(p.list)
	case "export":
		return with(p.export)
	case "rules":
		return with(p.rules)
	case "matrix":
		return with(p.matrix)
	}
	return nil
}

// with decodes the arguments of an operation.
func with[A any](op func(A) (any, error)) boundary.Op {
	return func(raw json.RawMessage) (any, error) {
		var args A
		if err := boundary.Decode(raw, &args); err != nil {
			return nil, err
		}
		return op(args)
	}
}

// none are the arguments of an operation that takes none.
type none struct{}

// start makes a session the only branch of a new run.
func (p *player) start(s *scenario.Session) {
	b := &branch{Branch: Branch{Name: "main"}, session: s, view: atHead}
	p.branches, p.current = []*branch{b}, b
}

// maxBranches bounds the memory of a run.
const maxBranches = 50

// branchAt forks the current branch at an instant and makes the new one current.
func (p *player) branchAt(t sim.Time) error {
	if len(p.branches) == maxBranches {
		return boundary.Errorf(boundary.Limit, "a run has %d branches at most", maxBranches)
	}
	from := p.current
	b := &branch{session: from.session.Fork(t), view: atHead,
		Branch: Branch{Name: "branch-" + strconv.Itoa(len(p.branches)), From: from.Name, At: t.Seconds()}}
	b.sent = b.session.Cluster().LastRecord()
	p.branches = append(p.branches, b)
	p.current = b
	return nil
}

func (p *player) fork(args ForkArgs) (any, error) {
	t, err := p.past(args.At)
	if err != nil {
		return nil, err
	}
	if err := p.branchAt(t); err != nil {
		return nil, err
	}
	return ForkOK{Branch: p.current.Name}, nil
}

func (p *player) switchTo(args SwitchArgs) (any, error) {
	for _, b := range p.branches {
		if b.Name == args.Branch {
			p.current = b
			return b.progress(), nil
		}
	}
	return nil, boundary.Errorf(boundary.NotFound, "no branch %q", args.Branch)
}

func (p *player) list(none) (any, error) {
	list := []Branch{}
	for _, b := range p.branches {
		list = append(list, b.Branch)
	}
	return list, nil
}

func (p *player) export(none) (any, error) { return Text{Text: p.current.session.Export()}, nil }

// longest is how far a run may go, in seconds.
const longest = float64(scenario.LongestFor) / 1e9

// instant turns seconds into an instant. The page's floats are rounded, so that
// an instant that it was given comes back as itself.
func instant(seconds float64) (sim.Time, error) {
	if !(seconds >= 0 && seconds <= longest) {
		return 0, boundary.Errorf(boundary.BadRequest, "%v is no instant of a run: want 0 to %v seconds", seconds, longest)
	}
	return sim.Time(seconds*1e9 + 0.5), nil
}

// past is an instant that the current branch has reached.
func (p *player) past(seconds float64) (sim.Time, error) {
	t, err := instant(seconds)
	if now := p.current.session.Cluster().Now(); err == nil && t > now {
		err = boundary.Errorf(boundary.BadRequest, "%v has not come yet: the run is at %v seconds", seconds, now.Seconds())
	}
	return t, err
}
