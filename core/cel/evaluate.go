package cel

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"podwalk/core/admission/expression"
)

// compiled is one expression, or the error of its compilation.
type compiled struct {
	text    string
	problem string
	program cel.Program
	output  *cel.Type
}

// program implements expression.Program.
type program struct {
	groups    [expression.Variable][]compiled // by use, up to Audit
	mutations []compiled
	variables map[string]compiled
	schema    *schema // with mutations only
}

// compile makes a program of stored expressions (policy/validating/plugin.go,
// policy/mutating/compilation.go).
func (e *Engine) compile(s expression.Source) *program {
	p := &program{variables: map[string]compiled{}}
	vars := &variableType{fields: map[string]*types.Type{}}
	full := scopeKey{params: s.Params, authorizer: true}
	env := e.scope(full, vars)
	for _, v := range s.Variables {
		c := compileOne(env, expression.Variable, v.Expression)
		vars.add(v.Name, c.output)
		p.variables[v.Name] = c
	}
	group := func(use expression.Use, env *cel.Env, texts []string) {
		for _, t := range texts {
			c := compiled{}
			if t != "" || use != expression.Message {
				c = compileOne(env, use, t)
			}
			p.groups[use] = append(p.groups[use], c)
		}
	}
	group(expression.Condition, env, s.Conditions)
	group(expression.Validation, env, s.Validations)
	group(expression.Audit, env, s.Audits)
	if len(s.Messages) > 0 {
		group(expression.Message, e.scope(scopeKey{params: s.Params}, vars), s.Messages)
	}
	if len(s.Mutations) > 0 {
		full.patch, p.schema = true, e.schema()
		env = e.scope(full, vars)
	}
	for _, m := range s.Mutations {
		use := expression.ApplyConfiguration
		if m.PatchType == "JSONPatch" {
			use = expression.JSONPatch
		}
		p.mutations = append(p.mutations, compileOne(env, use, mutationText(m)))
	}
	return p
}

// returns are the types that an expression may have by its use; nil is any.
var returns = map[expression.Use][]*cel.Type{
	expression.Condition:          {cel.BoolType},
	expression.Validation:         {cel.BoolType},
	expression.Message:            {cel.StringType},
	expression.Audit:              {cel.StringType, cel.NullType},
	expression.ApplyConfiguration: {types.NewObjectType("Object")},
	expression.JSONPatch:          {cel.ListType(patchType)},
}

// compileOne compiles an expression (plugin/cel/compile.go CompileCELExpression).
func compileOne(env *cel.Env, use expression.Use, text string) compiled {
	c := compiled{text: text}
	ast, issues := env.Compile(text)
	if issues != nil {
		c.problem = "compilation failed: " + issues.String()
		return c
	}
	if why := wrongType(ast.OutputType(), returns[use]); why != "" {
		c.problem = why
		return c
	}
	var err error
	if c.program, err = env.Program(ast, programOptions()...); err != nil {
		c.problem = "program instantiation failed: " + err.Error()
		return c
	}
	c.output = ast.OutputType()
	return c
}

func wrongType(got *cel.Type, want []*cel.Type) string {
	for _, t := range want {
		if got.IsExactType(t) {
			return ""
		}
	}
	switch len(want) {
	case 0:
		return ""
	case 1:
		return "must evaluate to " + want[0].String() + " but got " + got.String()
	}
	text := ""
	for _, t := range want {
		text += " " + t.String()
	}
	return "must evaluate to one of [" + text[1:] + "] but got " + got.String()
}

const (
	outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"
	noCost      = "runtime cost could not be calculated for expression: "
	noFurther   = ", no further expression will be run"
)

// Run evaluates a group (plugin/cel/condition.go ForInput).
func (p *program) Run(group expression.Use, in *expression.Input, budget int64) ([]expression.Result, int64, string) {
	list := p.groups[group]
	out := make([]expression.Result, len(list))
	a := p.activation(in, group != expression.Message && group != expression.Audit)
	for i := range list {
		if list[i].text == "" && group == expression.Message {
			continue
		}
		v, problem, left, failure := a.evaluate(&list[i], budget)
		if failure != "" {
			return nil, -1, failure
		}
		budget = left
		out[i] = result(v, problem)
	}
	return out, budget, ""
}

func result(v ref.Val, problem string) expression.Result {
	if problem != "" {
		return expression.Result{Error: problem}
	}
	r := expression.Result{Bool: v == types.True, False: v == types.False, Null: v == types.NullValue, Type: v.Type().TypeName()}
	if s, ok := v.(types.String); ok {
		r.Text, r.IsText = string(s), true
	}
	return r
}

// evaluate runs one expression (plugin/cel/activation.go Evaluate). failure ends
// the evaluation of the whole group.
func (a *activation) evaluate(c *compiled, budget int64) (v ref.Val, problem string, left int64, failure string) {
	if c.problem != "" {
		return nil, "compilation error: " + c.problem, budget, ""
	}
	v, details, err := c.program.Eval(a)
	spent := a.spent
	a.spent = 0
	if spent > budget {
		return nil, "", -1, outOfBudget
	}
	budget -= spent
	if details == nil || details.ActualCost() == nil {
		return nil, "", -1, noCost + c.text + noFurther
	}
	cost := *details.ActualCost()
	if cost > math.MaxInt64 || int64(cost) > budget {
		return nil, "", -1, outOfBudget
	}
	budget -= int64(cost)
	if err != nil {
		return nil, "expression '" + c.text + "' resulted in error: " + err.Error(), budget, ""
	}
	return v, "", budget, ""
}

// activation holds the variables of one evaluation of a group.
type activation struct {
	program  *program
	values   map[string]any
	computed *computed
	spent    int64 // by variables since it was last asked
}

func (p *program) activation(in *expression.Input, authorized bool) *activation {
	a := &activation{program: p, values: map[string]any{
		"object": objectOf(in.Object), "oldObject": objectOf(in.Old), "params": valueOf(in.Params),
		"request": valueOf(in.Request), "namespaceObject": objectOf(in.Namespace),
	}}
	if in.Authorizer != nil && authorized {
		a.values["authorizer"] = newAuthorizer(in.Authorizer, in.User)
		a.values["authorizer.requestResource"] = requestOf(in.Authorizer, in.User, in.Request)
	}
	a.computed = &computed{a: a, known: map[string]ref.Val{}}
	return a
}

func objectOf(m map[string]any) ref.Val {
	if m == nil {
		return types.NullValue
	}
	return valueOf(m)
}

// ResolveName implements cel.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	if name == "variables" {
		return a.computed, true
	}
	v, ok := a.values[name]
	return v, ok
}

// Parent implements cel.Activation.
func (a *activation) Parent() cel.Activation { return nil }

// variable computes a variable (plugin/cel/composition.go).
func (a *activation) variable(name string, c compiled) ref.Val {
	if c.problem != "" {
		return types.NewErr("composited variable %q fails to compile: %v", name, c.problem)
	}
	v, details, err := c.program.Eval(a)
	switch {
	case details == nil:
		return types.NewErr("unable to get evaluation details of variable %q", name)
	case details.ActualCost() == nil:
		return types.NewErr("unable to calculate cost of variable %q", name)
	}
	a.spent += int64(min(*details.ActualCost(), math.MaxInt64))
	if err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", name, err)
	}
	return v
}
