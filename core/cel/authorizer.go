package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/api/field"
)

var (
	authorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = cel.ObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = cel.ObjectType("kubernetes.authorization.Decision")
)

// query is a question to the authorizer that is being put together.
type query struct {
	ask expression.Authorizer
	expression.Check
}

// groupQuery knows the group only.
type groupQuery struct{ query }

// resourceQuery can be asked.
type resourceQuery struct{ query }

// pathQuery can be asked.
type pathQuery struct{ query }

// decision is an answer.
type decision struct {
	allowed bool
	reason  string
}

func newAuthorizer(ask expression.Authorizer, u api.User) ref.Val {
	return wrap(authorizerType, query{ask, expression.Check{User: u}})
}

func wrap[T any](t *cel.Type, v T) ref.Val {
	return &opaque[T]{typ: t, is: v, equal: func(T, T) bool { return false }}
}

// requestOf is the question whether the user may do something with what the request
// is about.
func requestOf(ask expression.Authorizer, u api.User, request map[string]any) ref.Val {
	c := expression.Check{User: u}
	c.Namespace, _ = request["namespace"].(string)
	c.Name, _ = request["name"].(string)
	c.Subresource, _ = request["subResource"].(string)
	if r, ok := request["requestResource"].(map[string]any); ok {
		c.Group, _ = r["group"].(string)
		c.Resource, _ = r["resource"].(string)
	}
	return wrap(resourceCheckType, resourceQuery{query{ask, c}})
}

// word binds a function of a question and a string.
func word[T any](f func(q T, s string) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		q, ok := v.(*opaque[T])
		s, fits := w.(types.String)
		if !ok || !fits {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(q.is, string(s))
	})
}

// refine declares a function that adds something to a question.
func refine(id string, set func(c *expression.Check, s string)) []cel.FunctionOpt {
	return member(id, args(resourceCheckType, cel.StringType), resourceCheckType, word(func(q resourceQuery, s string) ref.Val {
		set(&q.Check, s)
		return wrap(resourceCheckType, q)
	}))
}

// authorizerFunctions is the libraries authz and authzSelectors
// (apiserver/pkg/cel/library/authz.go).
func authorizerFunctions() map[string][]cel.FunctionOpt {
	asked := func(id string, t *cel.Type, f cel.OverloadOpt) cel.FunctionOpt {
		return cel.MemberOverload(id, args(t, cel.StringType), decisionType, f)
	}
	return map[string][]cel.FunctionOpt{
		"path": member("authorizer_path", args(authorizerType, cel.StringType), pathCheckType, word(func(q query, s string) ref.Val {
			if strings.TrimSpace(s) == "" {
				return types.NewErr("path must not be empty")
			}
			q.Path = s
			return wrap(pathCheckType, pathQuery{q})
		})),
		"group": member("authorizer_group", args(authorizerType, cel.StringType), groupCheckType, word(func(q query, s string) ref.Val {
			q.Group = s
			return wrap(groupCheckType, groupQuery{q})
		})),
		"serviceAccount": member("authorizer_serviceaccount", args(authorizerType, cel.StringType, cel.StringType), authorizerType,
			cel.FunctionBinding(serviceAccount)),
		"resource": member("groupcheck_resource", args(groupCheckType, cel.StringType), resourceCheckType, word(func(q groupQuery, s string) ref.Val {
			if strings.TrimSpace(s) == "" {
				return types.NewErr("resource must not be empty")
			}
			q.Resource = s
			return wrap(resourceCheckType, resourceQuery(q))
		})),
		"subresource":   refine("resourcecheck_subresource", func(c *expression.Check, s string) { c.Subresource = s }),
		"namespace":     refine("resourcecheck_namespace", func(c *expression.Check, s string) { c.Namespace = s }),
		"name":          refine("resourcecheck_name", func(c *expression.Check, s string) { c.Name = s }),
		"fieldSelector": refine("authorizer_fieldselector", func(*expression.Check, string) {}),
		"labelSelector": refine("authorizer_labelselector", func(*expression.Check, string) {}),
		"check": {
			asked("pathcheck_check", pathCheckType, word(func(q pathQuery, verb string) ref.Val { return q.decide(verb) })),
			asked("resourcecheck_check", resourceCheckType, word(func(q resourceQuery, verb string) ref.Val { return q.decide(verb) })),
		},
		"errored": member("decision_errored", args(decisionType), cel.BoolType, unary(func(decision) ref.Val { return types.False })),
		"error":   member("decision_error", args(decisionType), cel.StringType, unary(func(decision) ref.Val { return types.String("") })),
		"allowed": member("decision_allowed", args(decisionType), cel.BoolType, unary(func(d decision) ref.Val { return types.Bool(d.allowed) })),
		"reason":  member("decision_reason", args(decisionType), cel.StringType, unary(func(d decision) ref.Val { return types.String(d.reason) })),
	}
}

func (q query) decide(verb string) ref.Val {
	q.Verb = verb
	ok, reason := q.ask.Allows(q.Check)
	return wrap(decisionType, decision{ok, reason})
}

func serviceAccount(v ...ref.Val) ref.Val {
	q, ok := v[0].(*opaque[query])
	namespace, fits := v[1].(types.String)
	name, fitsToo := v[2].(types.String)
	switch {
	case !ok || !fits || !fitsToo:
		return types.MaybeNoSuchOverloadErr(v[0])
	case len(field.IsDNS1123Subdomain(string(name))) > 0:
		return types.NewErr("Invalid service account name")
	case len(field.IsDNS1123Label(string(namespace))) > 0:
		return types.NewErr("Invalid service account namespace")
	}
	return newAuthorizer(q.is.ask, api.User{Name: "system:serviceaccount:" + string(namespace) + ":" + string(name),
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + string(namespace), "system:authenticated"}})
}
