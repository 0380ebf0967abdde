package apiserver

import (
	"slices"

	"podwalk/core/admission"
	"podwalk/core/admission/defaultingressclass"
	"podwalk/core/admission/defaultstorageclass"
	"podwalk/core/admission/defaulttolerationseconds"
	"podwalk/core/admission/limitranger"
	"podwalk/core/admission/namespacelifecycle"
	"podwalk/core/admission/persistentvolumeclaimresize"
	"podwalk/core/admission/podresizevalidator"
	"podwalk/core/admission/podsecurity"
	"podwalk/core/admission/podtopologylabels"
	"podwalk/core/admission/policy"
	"podwalk/core/admission/priority"
	"podwalk/core/admission/resourcequota"
	"podwalk/core/admission/runtimeclass"
	"podwalk/core/admission/serviceaccount"
	"podwalk/core/admission/taintnodesbycondition"
	"podwalk/core/admission/webhook"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// defaultChain is the rules that are on by default, in their real order
// (pkg/kubeapiserver/options/plugins.go).
func defaultChain() admission.Chain {
	return admission.Chain{
		namespacelifecycle.Plugin{},
		limitranger.Plugin{},
		serviceaccount.Plugin{},
		taintnodesbycondition.Plugin{},
		podsecurity.Plugin{},
		priority.Plugin{},
		defaulttolerationseconds.Plugin{},
		defaultstorageclass.Plugin{},
		persistentvolumeclaimresize.Plugin{},
		runtimeclass.Plugin{},
		defaultingressclass.Plugin{},
		podtopologylabels.Plugin{},
		podresizevalidator.Plugin{},
		policy.Mutating{},
		webhook.Mutating{},
		policy.Validating{},
		webhook.Validating{},
		resourcequota.Plugin{},
	}
}

// mutate runs the mutating rules, twice where a policy changed something.
func (c *call) mutate(a *admission.Attributes) *api.Status {
	if st := c.mutateOnce(a); st != nil || !a.Again() {
		return st
	}
	return c.mutateOnce(a)
}

func (c *call) mutateOnce(a *admission.Attributes) *api.Status {
	for _, p := range c.s.chain {
		m, ok := p.(admission.Mutator)
		if !ok || !p.Handles(a) {
			continue
		}
		before := c.glance(a.Object)
		changed, st := m.Admit(a)
		c.writeNotes(p, a)
		if st != nil {
			c.refuse("admission/"+p.Name(), st)
			return st
		}
		c.admitted(p, changed, before, a)
	}
	return nil
}

// writeNotes writes what a rule has to say beside its verdict.
func (c *call) writeNotes(p admission.Plugin, a *admission.Attributes) {
	for _, r := range a.Notes {
		r.At, r.Cause, r.Source, r.Ref = c.now, c.cause, "admission/"+p.Name(), c.ref()
		c.log.Append(r)
	}
	a.Notes = nil
}

func (c *call) admitted(p admission.Plugin, changed bool, before api.Object, a *admission.Attributes) {
	if !c.loud || c.brief {
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

// glance is a snapshot for the rules of admission. They replace lists and maps, and
// change the containers of a pod, but nothing deeper.
func (c *call) glance(o api.Object) api.Object {
	p, ok := o.(*api.Pod)
	if !ok || !c.loud || c.req.Object != nil {
		return c.snapshot(o)
	}
	copied := *p
	copied.Spec.Containers = slices.Clone(p.Spec.Containers)
	copied.Spec.InitContainers = slices.Clone(p.Spec.InitContainers)
	return &copied
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
		st := v.Validate(a)
		c.writeNotes(p, a)
		if st != nil {
			c.refuse("admission/"+p.Name(), st)
			return st
		}
		c.passAdmission("admission/" + p.Name())
	}
	if c.brief {
		c.pass("apiserver", trace.Admitted, "completed, valid and admitted")
	}
	c.warnings = append(c.warnings, a.Warnings...)
	return nil
}

// passAdmission is pass for one of the stations that objects of components pass
// without saying so.
func (c *call) passAdmission(source string) {
	if !c.brief {
		c.pass(source, trace.Admitted, "")
	}
}
