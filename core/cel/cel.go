// Package cel evaluates the expressions of admission policies and of webhooks'
// conditions by cel-go, in the environment that the real API server gives them
// (apiserver/pkg/cel, apiserver/pkg/admission/plugin/cel): its variables, its
// function libraries, its limits of cost and its words. It is large, so only
// programs link it. Start reading at Engine.
package cel

import (
	"github.com/google/cel-go/cel"

	"podwalk/core/admission/expression"
	"podwalk/core/api"
)

// Engine implements expression.Engine.
type Engine struct {
	stored, fresh *cel.Env // what stored expressions may use, and new ones
	scopes        map[scopeKey]*cel.Env
	programs      map[string]*program
	known         *schema
}

var _ expression.Engine = (*Engine)(nil)

// scopeKey names the environments that are shared by expressions without variables.
type scopeKey struct{ params, authorizer, patch, fresh bool }

// New returns an engine. It makes its environments when they are first needed.
func New() *Engine {
	return &Engine{scopes: map[scopeKey]*cel.Env{}, programs: map[string]*program{}}
}

// maxPrograms bounds what is kept; then all is compiled anew.
const maxPrograms = 256

// Program compiles, or returns what was compiled from the same text.
func (e *Engine) Program(s expression.Source) expression.Program {
	key := keyOf(s)
	if p := e.programs[key]; p != nil {
		return p
	}
	if len(e.programs) >= maxPrograms {
		clear(e.programs)
	}
	p := e.compile(s)
	e.programs[key] = p
	return p
}

// keyOf writes a source so that different ones differ.
func keyOf(s expression.Source) string {
	var b []byte
	if s.Params {
		b = append(b, 'p')
	}
	add := func(texts ...string) {
		for _, t := range texts {
			b = append(append(b, t...), 0)
		}
		b = append(b, 1)
	}
	for _, v := range s.Variables {
		add(v.Name, v.Expression)
	}
	add()
	add(s.Conditions...)
	add(s.Validations...)
	add(s.Messages...)
	add(s.Audits...)
	for _, m := range s.Mutations {
		add(m.PatchType, mutationText(m))
	}
	return string(b)
}

func mutationText(m api.Mutation) string {
	switch {
	case m.PatchType == "JSONPatch" && m.JSONPatch != nil:
		return m.JSONPatch.Expression
	case m.ApplyConfiguration != nil:
		return m.ApplyConfiguration.Expression
	}
	return ""
}
