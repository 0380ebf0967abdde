package cel

import (
	"podwalk/core/api"
)

// Warnings compares the types in a policy's expressions with those of the kinds that
// it matches (policy/validating/typechecking.go).
func (e *Engine) Warnings(*api.ValidatingAdmissionPolicy) []api.ExpressionWarning { return nil }
