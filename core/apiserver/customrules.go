package apiserver

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/codec"
	"podwalk/core/trace"
	"podwalk/core/validation"
	"podwalk/core/validation/structural"
)

// customErrors is what is wrong with a custom object
// (apiextensions-apiserver/pkg/registry/customresource).
func (c *call) customErrors(o, old *api.Custom) field.ErrorList {
	schema := c.s.schema(c.req.Kind)
	object, _ := codec.ToValue(o).(map[string]any)
	var was map[string]any
	var errs field.ErrorList
	if old == nil {
		errs = validation.CustomMeta(o, c.req.Kind.Namespaced)
	} else {
		errs = validation.Update(o, old, "status")
		was, _ = codec.ToValue(old).(map[string]any)
	}
	scale := subresources(c.req.Kind).Scale
	if c.req.Subresource == "status" {
		if status, ok := object["status"]; ok && schema != nil {
			before, had := was["status"]
			errs = append(errs, structural.Validate(schema.Properties["status"], status, before, had, "status")...)
		}
	} else {
		errs = append(errs, structural.Validate(schema, object, was, was != nil, "")...)
		errs = append(errs, scaleErrors(object, scale, true)...)
	}
	errs = append(errs, scaleErrors(object, scale, false)...)
	if schema != nil && (was == nil || len(structural.UniqueLists(schema, was)) == 0) {
		errs = append(errs, structural.UniqueLists(schema, object)...)
	}
	return append(errs, c.ruleErrors(schema, errs)...)
}

// ruleErrors says what becomes of the rules in CEL: with errors that keep the server
// from asking them it says so, else a record says that they are not asked here.
func (c *call) ruleErrors(schema *structural.Schema, errs field.ErrorList) field.ErrorList {
	if schema == nil || !schema.HasRules() {
		return nil
	}
	for _, e := range errs {
		switch e.Type {
		case field.TypeNotSupported, field.TypeRequired, field.TypeTooLong, field.TypeTooMany, field.TypeTypeInvalid:
			return field.ErrorList{field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
		}
	}
	c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "apiserver", Ref: c.ref(), Verdict: trace.NotSimulated, Reason: "NotEvaluated",
		Message: "the rules in x-kubernetes-validations of " + c.req.Kind.Definition.Name + " are not evaluated: expressions are not simulated in this build"})
	return nil
}

// scaleErrors checks the numbers of replicas, and with those of the status the
// selector.
func scaleErrors(object map[string]any, scale *api.CustomResourceSubresourceScale, spec bool) (errs field.ErrorList) {
	if scale == nil {
		return nil
	}
	path := scale.StatusReplicasPath
	if spec {
		path = scale.SpecReplicasPath
	}
	n, _, why := nestedNumber(object, path)
	switch {
	case why != "":
		errs = append(errs, field.Invalid(field.NewPath(path), n, why))
	case n < 0:
		errs = append(errs, field.Invalid(field.NewPath(path), n, "should be a non-negative integer"))
	case n > math.MaxInt32:
		errs = append(errs, field.Invalid(field.NewPath(path), n, "should be less than or equal to "+strconv.Itoa(math.MaxInt32)))
	}
	if path = scale.LabelSelectorPath; !spec && path != "" {
		v, ok, why := nested(object, path)
		if _, isText := v.(string); ok && !isText && why == "" {
			why = accessor(path, v, "string")
		}
		if why != "" {
			errs = append(errs, field.Invalid(field.NewPath(path), "", why))
		}
	}
	return errs
}

// nested reads a field at a path such as .spec.replicas
// (apimachinery/pkg/apis/meta/v1/unstructured/helpers.go).
func nested(object map[string]any, path string) (v any, ok bool, why string) {
	v = object
	for _, name := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		m, isMap := v.(map[string]any)
		if !isMap {
			if v == nil {
				return nil, false, ""
			}
			return nil, false, accessor(path, v, "map[string]interface{}")
		}
		if v, ok = m[name]; !ok {
			return nil, false, ""
		}
	}
	return v, true, ""
}

func nestedNumber(object map[string]any, path string) (n int64, ok bool, why string) {
	v, ok, why := nested(object, path)
	if !ok || why != "" {
		return 0, ok, why
	}
	if n, ok = v.(int64); !ok {
		return 0, false, accessor(path, v, "int64")
	}
	return n, true, ""
}

func accessor(path string, v any, want string) string {
	text, kind := goValue(v)
	return "." + strings.TrimPrefix(path, ".") + " accessor error: " + text + " is of the type " + kind + ", expected " + want
}

// goValue prints a value and its type as Go's %v and %T do.
func goValue(v any) (text, kind string) {
	switch x := v.(type) {
	case string:
		return x, "string"
	case bool:
		return strconv.FormatBool(x), "bool"
	case int64:
		return strconv.FormatInt(x, 10), "int64"
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64), "float64"
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i], _ = goValue(x[i])
		}
		return "[" + strings.Join(parts, " ") + "]", "[]interface {}"
	case map[string]any:
		var parts []string
		for k, e := range x {
			one, _ := goValue(e)
			parts = append(parts, k+":"+one)
		}
		slices.Sort(parts)
		return "map[" + strings.Join(parts, " ") + "]", "map[string]interface {}"
	}
	return "<nil>", "<nil>"
}

// setReplicas writes the number of replicas of a custom object.
func setReplicas(o *api.Custom, path string, n int64) {
	content := contentOf(o)
	at, names := content, strings.Split(strings.TrimPrefix(path, "."), ".")
	for _, name := range names[:len(names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	at[names[len(names)-1]] = n
	setContent(o, content)
}
