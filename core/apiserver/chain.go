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
		webhook.Mutating{},
		webhook.Validating{},
		resourcequota.Plugin{},
	}
}

// notRun lists the kinds by which users add rules of their own. They are stored,
// not evaluated.
var notRun = []string{"MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"}

// noteUserRules says of each such rule that it has no say.
func (c *call) noteUserRules() {
	if !c.loud || c.brief {
		return
	}
	for _, kind := range notRun {
		c.read.Each(kind, "", func(o api.Object) bool {
			c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "admission/" + kind, Ref: c.ref(), Verdict: trace.NotSimulated,
				Reason: "NotEvaluated", Message: kind + " " + o.Meta().Name + " is not evaluated: expressions are not simulated in this build"})
			return true
		})
	}
}

// mutate runs the mutating rules.
func (c *call) mutate(a *admission.Attributes) *api.Status {
	c.noteUserRules()
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
