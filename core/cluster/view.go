package cluster

import (
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// View answers read requests as the API server would have at one instant. It
// leaves no record and changes nothing.
type View struct {
	at     sim.Time
	start  int64
	server *apiserver.Server
	broken *Cluster // where the API server may stand still: now
}

// ViewAt returns the view of an instant up to now. What containers print at an
// instant in the past is read by running the log of commands again.
func (c *Cluster) ViewAt(t sim.Time) (*View, error) {
	if t >= c.now {
		return &View{c.now, c.cfg.Start, c.server, c}, nil
	}
	st, err := c.store.CloneAt(c.store.RevAt(t))
	if err != nil {
		return nil, err
	}
	srv := c.server.Clone(st)
	srv.SetNodeProxy(&pastNodes{c: c, at: t})
	return &View{t, c.cfg.Start, srv, nil}, nil
}

// Now returns the view's instant in ns since 1970.
func (v *View) Now() int64 { return v.start + int64(v.at) }

// Do answers a request that changes nothing.
func (v *View) Do(req api.Request) api.Response {
	if req.Verb != api.Get && req.Verb != api.List {
		return api.Response{Status: &api.Status{Status: "Failure", Reason: api.ReasonMethodNotAllowed, Code: 405,
			Message: "a view of the cluster can only be read"}}
	}
	if v.broken != nil {
		if res, refused := v.broken.refuse(); refused {
			return res
		}
	}
	var scratch trace.Log
	return v.server.Handle(v.at, 0, &scratch, req)
}
