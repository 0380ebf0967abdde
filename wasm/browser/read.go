package browser

import (
	"runtime"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/codec"
	"podwalk/core/explain"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/wasm/boundary"
)

// reading is the instant that a read is for: its own, else the view.
func (p *player) reading(at *float64) (sim.Time, error) {
	if at != nil {
		return p.past(*at)
	}
	return min(p.current.view, p.current.session.Cluster().Now()), nil
}

func (p *player) seek(args SeekArgs) (any, error) {
	t, err := p.past(args.To)
	if err != nil {
		return nil, err
	}
	st, err := p.current.session.StateAt(t)
	if err != nil {
		return nil, err
	}
	p.current.view = t
	if t == p.current.session.Cluster().Now() {
		p.current.view = atHead
	}
	return SeekOK{Now: t.Seconds(), State: st}, nil
}

func (p *player) state(args StateArgs) (any, error) {
	t, err := p.reading(args.At)
	if err != nil {
		return nil, err
	}
	return p.current.session.StateAt(t)
}

func (p *player) kubectl(args KubectlArgs) (any, error) {
	t, err := p.reading(args.At)
	if err != nil {
		return nil, err
	}
	src, err := source(args.Files)
	if err != nil {
		return nil, err
	}
	view, err := p.current.session.Cluster().ViewAt(t)
	if err != nil {
		return nil, err
	}
	user := cluster.Admin()
	if args.User != "" {
		user = api.User{Name: args.User, Groups: []string{"system:authenticated"}}
	}
	r := kubectl.Run(view, named(src.Files), args.Argv, kubectl.Options{User: user})
	return KubectlOK{Stdout: r.Stdout, Stderr: r.Stderr, Exit: r.Exit}, nil
}

func (p *player) get(args GetArgs) (any, error) {
	t, err := p.reading(args.At)
	if err != nil {
		return nil, err
	}
	st, err := p.current.session.Cluster().StateAt(t)
	if err != nil {
		return nil, err
	}
	o := st.Get(args.Kind, args.Namespace, args.Name)
	if o == nil {
		return nil, boundary.Errorf(boundary.NotFound, "no %s %s at %v", args.Kind, args.Name, t.Seconds())
	}
	switch args.Format {
	case "json":
		return GetOK{Text: string(codec.ToJSONIndent(o))}, nil
	case "yaml", "":
		return GetOK{Text: codec.ToYAML(o)}, nil
	}
	return nil, boundary.Errorf(boundary.BadRequest, "no format %q: want yaml or json", args.Format)
}

func (p *player) records(args RecordsArgs) (any, error) {
	found := []trace.Record{}
	for _, r := range p.current.session.Cluster().Records(sim.Cause(args.After)) {
		if args.Ref != nil && r.Ref != *args.Ref {
			continue
		}
		if args.Limit > 0 && len(found) == args.Limit {
			break
		}
		found = append(found, r)
	}
	return RecordsOK{Records: found}, nil
}

func (p *player) explain(args ExplainArgs) (any, error) {
	chain := explain.Chain(p.current.session.Cluster().Record, sim.Cause(args.Record))
	if chain == nil {
		return nil, boundary.Errorf(boundary.NotFound, "no record %d", args.Record)
	}
	ok := ExplainOK{Chain: chain}
	for _, r := range chain {
		ok.Text = append(ok.Text, explain.Say(r))
	}
	return ok, nil
}

// notSimulated is what a user may expect of a cluster and does not get here.
var notSimulated = []string{
	"real containers: programs are a catalogue, a small shell, or what an Image document declares",
	"attach, port-forward, proxy and cp",
	"admission policies in CEL: a record says where one would have been asked",
	"what controllers of custom resources do, and dynamic resource allocation",
	"networks outside the cluster: public names have an address and answer 200",
	"real latencies: waiting times are a fixed table",
	"leases and status updates of healthy nodes: they are computed when read",
}

func about(none) (any, error) { return aboutThis(), nil }

func aboutThis() About {
	a := About{Version: "1", Kubernetes: "v1.37.2", Go: runtime.Version(), NotSimulated: notSimulated}
	for _, f := range cluster.Faults() {
		a.Faults = append(a.Faults, Fault{f.Name, f.Args, f.About})
	}
	for i := range api.Kinds {
		k := &api.Kinds[i]
		a.Kinds = append(a.Kinds, KindInfo{Kind: k.Kind, Plural: k.Plural, APIVersion: k.APIVersion(), Namespaced: k.Namespaced})
	}
	return a
}
