package cel

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"podwalk/core/admission/expression"
	"podwalk/core/codec"
)

// Mutate runs a mutation (policy/mutating/patch).
func (p *program) Mutate(i int, in *expression.Input) (map[string]any, *expression.Failure) {
	c := &p.mutations[i]
	if c.problem != "" {
		return nil, &expression.Failure{Message: c.problem}
	}
	v, problem, _, failure := p.activation(in, true).evaluate(c, expression.Budget)
	switch {
	case failure != "":
		return nil, &expression.Failure{Message: failure}
	case problem != "":
		return nil, &expression.Failure{Message: problem}
	}
	if o, ok := v.(*object); ok {
		out, why := p.apply(o, in)
		return out, failureOf(why)
	}
	out, why := operations(v, in)
	return out, failureOf(why)
}

func failureOf(why string) *expression.Failure {
	if why == "" {
		return nil
	}
	return &expression.Failure{Message: why}
}

// apply merges an apply configuration (patch/smd.go).
func (p *program) apply(o *object, in *expression.Input) (map[string]any, string) {
	if wrong := misnamed(o, "Object"); len(wrong) > 0 {
		return nil, "type mismatch: " + strings.Join(wrong, "\n")
	}
	v, err := o.generic()
	if err != nil {
		return nil, "invalid return type: " + err.Error()
	}
	config := v.(map[string]any)
	config["apiVersion"], config["kind"] = in.Object["apiVersion"], in.Object["kind"]
	t := p.schema.kind(in.Kind.APIVersion(), in.Kind.Kind)
	if t == "" {
		return in.Object, ""
	}
	const failed = "error applying patch: "
	if wrong := p.schema.conform(config, t, ""); len(wrong) > 0 {
		return nil, failed + "failed to convert patch object to typed object: " + several(wrong)
	}
	if found := p.schema.atomics(config, t, ""); len(found) > 0 {
		return nil, failed + "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: " + strings.Join(found, ", ")
	}
	return p.schema.merge(in.Object, config, t).(map[string]any), ""
}

// several prints errors as structured-merge-diff does.
func several(wrong []string) string {
	if len(wrong) == 1 {
		return wrong[0]
	}
	return "errors:\n  " + strings.Join(wrong, "\n  ")
}

// operations applies a JSON patch (patch/json_patch.go).
func operations(v ref.Val, in *expression.Input) (map[string]any, string) {
	l, ok := v.(traits.Lister)
	if !ok {
		return nil, "type mismatch: JSONPatchType.expression should evaluate to array"
	}
	var doc any = in.Object
	for it := l.Iterator(); it.HasNext() == types.True; {
		p, ok := it.Next().(*patch)
		if !ok {
			return nil, "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch"
		}
		op, why := p.operation()
		if why != "" {
			return nil, why
		}
		n := codec.ToNode([]any{op})
		changed, err := codec.PatchJSON(doc, &n)
		switch {
		case err == nil:
			doc = changed
		case p.op == "test":
			return in.Object, ""
		default:
			return nil, "JSON Patch: " + p.failed(err.Error())
		}
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return nil, "JSON Patch: the result is no object"
	}
	return m, ""
}

// failed says which operation an error comes from (evanphx/json-patch v4).
func (p *patch) failed(why string) string {
	switch missing := strings.HasPrefix(why, "doc is missing path: "); {
	case strings.HasPrefix(why, "Unexpected kind: "):
		return why
	case missing && p.op == "replace":
		return "replace operation does not apply: doc is missing path: " + p.path + ": missing value"
	case missing && (p.op == "add" || p.op == "remove"):
		return p.op + " operation does not apply: doc is missing path: " + strconv.Quote(p.path) + ": missing value"
	case p.op == "copy":
		return "error in copy for from: '" + p.from + "': " + why
	}
	return "error in " + p.op + " for path: '" + p.path + "': " + why
}
