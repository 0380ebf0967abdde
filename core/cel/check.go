package cel

import (
	"github.com/google/cel-go/common/types"

	"podwalk/core/admission/expression"
)

// checking implements expression.Checker.
type checking struct {
	engine    *Engine
	variables *variableType
}

// Checker looks at expressions before they are stored
// (pkg/apis/admissionregistration/validation).
func (e *Engine) Checker() expression.Checker {
	return &checking{e, &variableType{fields: map[string]*types.Type{}}}
}

// Check compiles an expression in the environment of its use.
func (c *checking) Check(use expression.Use, name, text string, params, stored bool) string {
	k := keyFor(use, params, stored)
	var vars *variableType
	if use == expression.Variable || len(c.variables.fields) > 0 {
		vars = c.variables
	}
	got := compileOne(c.engine.scope(k, vars), use, text)
	if use == expression.Variable {
		c.variables.add(name, got.output)
	}
	return got.problem
}

// Alone compiles an expression that does not see the variables.
func (c *checking) Alone(use expression.Use, text string, params, stored bool) string {
	return compileOne(c.engine.scope(keyFor(use, params, stored), nil), use, text).problem
}

func keyFor(use expression.Use, params, stored bool) scopeKey {
	return scopeKey{params: params, authorizer: use != expression.Message, fresh: !stored,
		patch: use == expression.ApplyConfiguration || use == expression.JSONPatch}
}
