package scheduler

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

func (h *fakeHost) Record(r trace.Record) sim.Cause {
	h.log = append(h.log, r.String())
	return sim.Cause(len(h.log))
}

func (h *fakeHost) Latest() store.Snapshot { return h.store.Latest() }
func (h *fakeHost) Start() int64           { return 1_700_000_000e9 }
func (h *fakeHost) Random() sim.Random     { return sim.Random{Seed: 1} }
func (h *fakeHost) Events() actor.Recorder { return h.events }

func (h *fakeHost) Handle(r api.Request, _ sim.Cause) api.Response {
	switch {
	case r.Subresource == "binding":
		if h.refuse != "" {
			return api.Response{Status: &api.Status{Status: "Failure", Message: h.refuse}}
		}
		p := *h.store.Latest().Get("Pod", r.Namespace, r.Name).(*api.Pod)
		p.Spec.NodeName = r.Options["node"]
		h.put(&p)
	case r.Verb == api.Delete:
		if _, err := h.store.Delete(api.Ref{Kind: r.Kind.Kind, Namespace: r.Namespace, Name: r.Name}, store.AnyRev, 0, 0); err != nil {
			h.t.Error(err)
		}
	default:
		h.put(r.Object)
	}
	return api.Response{}
}
