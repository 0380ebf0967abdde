// Package webhook holds the rules that ask webhooks: MutatingAdmissionWebhook and
// ValidatingAdmissionWebhook (apiserver/pkg/admission/plugin/webhook). Which hooks
// are asked is decided as by the real rules. No hook's program is simulated: where
// nothing could answer in reality either, the call fails in the real words and
// failurePolicy decides; where a ready pod would answer, the request passes with a
// record that says so. Start reading at ask.
package webhook

import (
	"podwalk/core/admission"
	"podwalk/core/admission/policy"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// Mutating is the rule MutatingAdmissionWebhook.
type Mutating struct{}

// Validating is the rule ValidatingAdmissionWebhook.
type Validating struct{}

var (
	_ admission.Mutator   = Mutating{}
	_ admission.Validator = Validating{}
)

const (
	mutating   = "MutatingWebhookConfiguration"
	validating = "ValidatingWebhookConfiguration"
)

// Name returns MutatingAdmissionWebhook.
func (Mutating) Name() string { return "MutatingAdmissionWebhook" }

// Name returns ValidatingAdmissionWebhook.
func (Validating) Name() string { return "ValidatingAdmissionWebhook" }

// Handles requests where there are such hooks.
func (Mutating) Handles(a *admission.Attributes) bool { return handles(a, mutating) }

// Handles requests where there are such hooks.
func (Validating) Handles(a *admission.Attributes) bool { return handles(a, validating) }

// handles leaves out the kinds by which rules are made.
func handles(a *admission.Attributes, kind string) bool {
	if a.Kind.Group == "admissionregistration.k8s.io" {
		return false
	}
	any := false
	a.Read.Each(kind, "", func(api.Object) bool {
		any = true
		return false
	})
	return any
}

// hook is a webhook of either kind.
type hook struct {
	name             string
	client           *api.WebhookClientConfig
	failure          *string
	conditions       []api.MatchCondition
	policy           *string
	namespace        *api.LabelSelector
	object           *api.LabelSelector
	rules            []api.RuleWithOperations
	sideEffects      *string
	timeout          *int32
	configuredByName string
}

// Admit asks the mutating hooks one after the other.
func (Mutating) Admit(a *admission.Attributes) (bool, *api.Status) {
	var hooks []hook
	a.Read.Each(mutating, "", func(o api.Object) bool {
		c := o.(*api.MutatingWebhookConfiguration)
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			hooks = append(hooks, hook{w.Name, &w.ClientConfig, w.FailurePolicy, w.MatchConditions, w.MatchPolicy, w.NamespaceSelector,
				w.ObjectSelector, w.Rules, w.SideEffects, w.TimeoutSeconds, c.Name})
		}
		return true
	})
	return false, ask(a, hooks)
}

// Validate asks the validating hooks; the first refusal counts.
func (Validating) Validate(a *admission.Attributes) *api.Status {
	var hooks []hook
	a.Read.Each(validating, "", func(o api.Object) bool {
		c := o.(*api.ValidatingWebhookConfiguration)
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			hooks = append(hooks, hook{w.Name, &w.ClientConfig, w.FailurePolicy, w.MatchConditions, w.MatchPolicy, w.NamespaceSelector,
				w.ObjectSelector, w.Rules, w.SideEffects, w.TimeoutSeconds, c.Name})
		}
		return true
	})
	return ask(a, hooks)
}

// ask calls the hooks that the request concerns.
func ask(a *admission.Attributes, hooks []hook) *api.Status {
	for i := range hooks {
		h := &hooks[i]
		if !h.concerns(a) {
			continue
		}
		called, st := h.meets(a)
		if st != nil {
			return st
		}
		if !called {
			continue
		}
		if st := h.call(a); st != nil {
			return st
		}
	}
	return nil
}

// meets runs the hook's conditions.
func (h *hook) meets(a *admission.Attributes) (bool, *api.Status) {
	switch {
	case len(h.conditions) == 0:
		return true, nil
	case a.Expressions == nil:
		a.Note(trace.NotSimulated, "MatchConditions", "webhook "+h.name+" of "+h.configuredByName+
			" is not called: its matchConditions are expressions, which are not simulated in this build")
		return false, nil
	}
	yes, failed, why := policy.Conditions(a, h.conditions, h.failure != nil && *h.failure == "Ignore")
	if why != "" {
		return false, a.Forbidden(why)
	}
	if !yes {
		a.Note(trace.Info, "MatchConditions", "webhook "+h.name+" of "+h.configuredByName+" is not called: condition "+failed+" is not met")
	}
	return yes, nil
}
