package apiserver

import (
	"podwalk/core/admission"
	"podwalk/core/admission/defaulttolerationseconds"
	"podwalk/core/admission/namespacelifecycle"
	"podwalk/core/admission/podtopologylabels"
	"podwalk/core/admission/priority"
	"podwalk/core/admission/serviceaccount"
	"podwalk/core/admission/taintnodesbycondition"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// defaultChain is the rules that are on by default, in their real order
// (pkg/kubeapiserver/options/plugins.go).
func defaultChain() admission.Chain {
	return admission.Chain{
		namespacelifecycle.Plugin{},
		serviceaccount.Plugin{},
		taintnodesbycondition.Plugin{},
		priority.Plugin{},
		defaulttolerationseconds.Plugin{},
		podtopologylabels.Plugin{},
	}
}

// mutate runs the mutating rules.
func (c *call) mutate(a *admission.Attributes) *api.Status {
	for _, p := range c.s.chain {
		m, ok := p.(admission.Mutator)
		if !ok || !p.Handles(a) {
			continue
		}
		before := c.snapshot(a.Object)
		changed, st := m.Admit(a)
		if st != nil {
			c.refuse("admission/"+p.Name(), st)
			return st
		}
		c.admitted(p, changed, before, a)
	}
	return nil
}

func (c *call) admitted(p admission.Plugin, changed bool, before api.Object, a *admission.Attributes) {
	if !c.loud {
		return
	}
	r := trace.Record{Source: "admission/" + p.Name(), Stage: trace.Admitted, Verdict: trace.Passed}
	if changed {
		r.Verdict = trace.Changed
		if before != nil {
			r.Detail = changes(before, a.Object)
		}
	}
	c.record(r)
}

// snapshot copies what a rule may change, so that the difference can be shown. It
// returns nil where nobody asks for it.
func (c *call) snapshot(o api.Object) api.Object {
	if !c.loud || c.req.Object != nil || o == nil {
		return nil
	}
	return api.DeepCopy(o)
}

// admit runs the validating rules.
func (c *call) admit(a *admission.Attributes) *api.Status {
	for _, p := range c.s.chain {
		v, ok := p.(admission.Validator)
		if !ok || !p.Handles(a) {
			continue
		}
		if st := v.Validate(a); st != nil {
			c.refuse("admission/"+p.Name(), st)
			return st
		}
		c.pass("admission/"+p.Name(), trace.Admitted, "")
	}
	c.warnings = append(c.warnings, a.Warnings...)
	return nil
}
