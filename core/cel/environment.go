package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	"podwalk/core/admission/expression"
)

// base makes the environment without variables (apiserver/pkg/cel/environment/base.go).
// New expressions may use what the release before knew, stored ones all.
func base(fresh bool) *cel.Env {
	listsVersion := 1
	if fresh {
		listsVersion = 0
	}
	env, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsVersion(3)),
		cel.Types(ipType, cidrType),
		functions(urlFunctions(), regexFunctions(), listFunctions(listsVersion), authorizerFunctions(), quantityFunctions(),
			ipFunctions(), cidrFunctions(), formatFunctions(), semverFunctions()),
	)
	if err != nil {
		panic("cel: " + err.Error())
	}
	return env
}

// functions declares the functions of libraries.
func functions(libraries ...map[string][]cel.FunctionOpt) cel.EnvOption {
	return func(e *cel.Env) (*cel.Env, error) {
		for _, l := range libraries {
			for name, overloads := range l {
				var err error
				if e, err = cel.Function(name, overloads...)(e); err != nil {
					return nil, err
				}
			}
		}
		return e, nil
	}
}

// programOptions are the limits of one evaluation.
func programOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(expression.PerCallLimit),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(costs{}),
		cel.CustomDecoratorV2(orderMaps),
		cel.OptimizeRegex(findOptimization, findAllOptimization),
	}
}

// scope returns the environment of an expression. variables is nil where there are
// none.
func (e *Engine) scope(k scopeKey, variables *variableType) *cel.Env {
	if variables == nil && e.scopes[k] != nil {
		return e.scopes[k]
	}
	root := &e.stored
	if k.fresh {
		root = &e.fresh
	}
	if *root == nil {
		*root = base(k.fresh)
	}
	env, err := (*root).Extend(scopeOptions(k, variables, (*root).CELTypeProvider())...)
	if err != nil {
		panic("cel: " + err.Error())
	}
	if variables == nil {
		e.scopes[k] = env
	}
	return env
}

// scopeOptions declares the variables (apiserver/pkg/admission/plugin/cel/compile.go).
func scopeOptions(k scopeKey, variables *variableType, known types.Provider) []cel.EnvOption {
	options := []cel.EnvOption{
		cel.CustomTypeProvider(&provider{Provider: known, variables: variables, patch: k.patch}),
		cel.Variable("object", cel.DynType),
		cel.Variable("oldObject", cel.DynType),
		cel.Variable("namespaceObject", cel.ObjectType("kubernetes.Namespace")),
		cel.Variable("request", cel.ObjectType("kubernetes.AdmissionRequest")),
	}
	if k.params {
		options = append(options, cel.Variable("params", cel.DynType))
	}
	if k.authorizer {
		options = append(options, cel.Variable("authorizer", authorizerType), cel.Variable("authorizer.requestResource", resourceCheckType))
	}
	if variables != nil {
		options = append(options, cel.Variable("variables", cel.ObjectType(variablesName)))
	}
	if k.patch {
		options = append(options, functions(jsonPatchFunctions()))
	}
	return options
}
