package apiserver

import (
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation"
)

// checkAdmission adds what is wrong with a policy, a binding or a webhook's
// conditions. Expressions that were there before may use more than new ones.
func (c *call) checkAdmission(obj, old api.Object) field.ErrorList {
	if c.req.Kind.Group != "admissionregistration.k8s.io" || c.req.Subresource != "" {
		return nil
	}
	if c.s.cfg.Expressions == nil {
		return validation.Admission(obj, nil)
	}
	e := &expressions{Checker: c.s.cfg.Expressions.Checker()}
	if old != nil {
		e.before = map[string]bool{}
		e.noting = true
		validation.Admission(old, e)
		e.noting, e.Checker = false, c.s.cfg.Expressions.Checker()
	}
	return validation.Admission(obj, e)
}

// expressions hands what validation finds to the engine.
type expressions struct {
	expression.Checker
	before map[string]bool
	noting bool // the old object is read
}

var uses = map[string]expression.Use{"Variable": expression.Variable, "Condition": expression.Condition, "Validation": expression.Validation,
	"Message": expression.Message, "Audit": expression.Audit, "ApplyConfiguration": expression.ApplyConfiguration, "JSONPatch": expression.JSONPatch}

// Compile implements validation.Expressions.
func (e *expressions) Compile(use, name, text string, params bool) string {
	if e.noting {
		e.before[use+" "+text] = true
		return ""
	}
	stored := e.before[use+" "+text]
	if use == "Condition" {
		return e.Alone(uses[use], text, params, stored)
	}
	return e.Check(uses[use], name, text, params, stored)
}
