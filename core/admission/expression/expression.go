// Package expression is what the rules of admission want of CEL, so that they can
// be linked without it: programs that are compiled once and run on requests. The
// package core/cel fulfils it. A program that has no Engine says so and never
// guesses. Start reading at Engine.
package expression

import "podwalk/core/api"

// Engine compiles expressions. It keeps what it has compiled, and serves one
// thread.
type Engine interface {
	// Program compiles the expressions of a policy or of a webhook's conditions.
	// What does not compile says so when it is run.
	Program(Source) Program
	// Checker looks at expressions that shall be stored.
	Checker() Checker
}

// Source is what is compiled together: the variables are known to all others.
type Source struct {
	Params      bool // the variable params is there
	Variables   []api.PolicyVariable
	Conditions  []string
	Validations []string
	Messages    []string // one for each validation, "" where there is none
	Audits      []string
	Mutations   []api.Mutation
}

// Use says what expressions are for.
type Use uint8

// The groups of expressions of a Source, and variables.
const (
	Condition Use = iota
	Validation
	Message
	Audit
	ApplyConfiguration
	JSONPatch
	Variable
)

// Program runs expressions on a request.
type Program interface {
	// Run evaluates all expressions of a group in order. It ends early, with the
	// reason, where the budget is spent, which it returns as far as it is left.
	Run(group Use, in *Input, budget int64) (results []Result, left int64, failure string)
	// Mutate runs one mutation on in.Object and returns the changed object; it is the
	// same one where a test of the patch says that nothing shall change.
	Mutate(i int, in *Input) (object map[string]any, failure *Failure)
}

// Failure is why a mutation came to nothing. Internal ones are the server's, not
// the policy's.
type Failure struct {
	Message  string
	Internal bool
}

// Result is the value of one expression, or the error instead.
type Result struct {
	Error  string
	Bool   bool   // the value is true
	False  bool   // the value is false
	Text   string // the value, if it is a string
	IsText bool
	Null   bool
	Type   string // of the value
}

// Input is what expressions see. Objects are generic values.
type Input struct {
	Object, Old map[string]any // nil where there is none
	Kind        *api.Kind      // of the object
	Params      any            // nil where there are none
	Request     map[string]any
	Namespace   map[string]any // nil for what has none
	Authorizer  Authorizer
	User        api.User
}

// Check is a question to the authorizer.
type Check struct {
	User                                                 api.User
	Verb                                                 string
	Path                                                 string // of what is no resource
	Group, Resource, Subresource, Namespace, Name, Label string
}

// Authorizer answers whether a user may do something.
type Authorizer interface {
	Allows(Check) (allowed bool, reason string)
}

// Checker compiles the expressions of one object one after the other.
type Checker interface {
	// Check returns the error of an expression, "" where it compiles. Stored says
	// that it was there before, when more may be used. A variable is known by name
	// from then on.
	Check(use Use, name, text string, params, stored bool) string
	// Alone is Check for what does not see the variables.
	Alone(use Use, text string, params, stored bool) string
}

// The budgets of cost (apiserver/pkg/apis/cel/config.go).
const (
	PerCallLimit     = 1_000_000
	Budget           = 10_000_000
	ConditionsBudget = 2_500_000
)
