package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// provider knows the types that expressions name beside those of CEL.
type provider struct {
	types.Provider
	variables *variableType // nil where variables are not declared
	patch     bool          // Object and JSONPatch are known
}

// structs are types with their fields.
type structs map[string]map[string]*types.Type

const variablesName = "kubernetes.variables"

// variableType is the type of variables; it grows as they are compiled.
type variableType struct{ fields map[string]*types.Type }

// add declares a variable. Its type is reduced to what the server's declarations
// can tell (composition.go convertCelTypeToDeclType).
func (v *variableType) add(name string, t *types.Type) { v.fields[name] = reduced(t) }

func reduced(t *types.Type) *types.Type {
	switch t {
	case nil:
		return cel.DynType
	case cel.AnyType, cel.BoolType, cel.BytesType, cel.DoubleType, cel.DurationType, cel.IntType, cel.NullType, cel.StringType,
		cel.TimestampType, cel.UintType:
		return t
	}
	if t.HasTrait(traits.ContainerType) && t.HasTrait(traits.IndexerType) {
		switch p := t.Parameters(); len(p) {
		case 1:
			return cel.ListType(reduced(p[0]))
		case 2:
			return cel.MapType(reduced(p[0]), reduced(p[1]))
		}
	}
	return cel.DynType
}

// fields returns the fields of a struct type, or false.
func (p *provider) fields(name string) (map[string]*types.Type, bool) {
	if name == variablesName && p.variables != nil {
		return p.variables.fields, true
	}
	f, ok := declared[name]
	return f, ok
}

// FindStructType finds a type by its name.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if p.patch && (name == patchTypeName || isObjectType(name)) {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	if _, ok := p.fields(name); ok {
		return types.NewTypeTypeWithParam(cel.ObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames is for debuggers.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	return nil, p.patch && isObjectType(name)
}

// FindStructFieldType finds the type of a field. A word that is reserved in CEL
// names the field of that name.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if p.patch && name == patchTypeName {
		return &types.FieldType{Type: patchFields[field]}, true
	}
	if p.patch && isObjectType(name) {
		return &types.FieldType{Type: types.DynType}, true
	}
	if f, ok := p.fields(name); ok {
		t, ok := f[field]
		if !ok {
			return nil, false
		}
		return &types.FieldType{Type: t}, true
	}
	return p.Provider.FindStructFieldType(name, field)
}

// NewValue makes an Object or a JSONPatch.
func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	switch {
	case p.patch && name == patchTypeName:
		return newPatch(fields)
	case p.patch && isObjectType(name):
		return &object{types.NewObjectType(name), fields}
	}
	return p.Provider.NewValue(name, fields)
}

func isObjectType(name string) bool { return name == "Object" || strings.HasPrefix(name, "Object.") }

// declared are the types of request and namespaceObject.
var declared = structs{
	"kubernetes.GroupVersionKind":     words("group", "version", "kind"),
	"kubernetes.GroupVersionResource": words("group", "version", "resource"),
	"kubernetes.UserInfo": with(words("username", "uid"), map[string]*types.Type{
		"groups": cel.ListType(cel.StringType),
		"extra":  cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
	}),
	"kubernetes.AdmissionRequest": with(words("subResource", "requestSubResource", "name", "namespace", "operation"), map[string]*types.Type{
		"kind":            cel.ObjectType("kubernetes.GroupVersionKind"),
		"resource":        cel.ObjectType("kubernetes.GroupVersionResource"),
		"requestKind":     cel.ObjectType("kubernetes.GroupVersionKind"),
		"requestResource": cel.ObjectType("kubernetes.GroupVersionResource"),
		"userInfo":        cel.ObjectType("kubernetes.UserInfo"),
		"dryRun":          cel.BoolType,
		"options":         cel.DynType,
	}),
	"kubernetes.NamespaceSpec":      {"finalizers": cel.ListType(cel.StringType)},
	"kubernetes.NamespaceCondition": with(words("status", "type", "message", "reason"), map[string]*types.Type{"lastTransitionTime": cel.TimestampType}),
	"kubernetes.NamespaceStatus":    with(words("phase"), map[string]*types.Type{"conditions": cel.ListType(cel.ObjectType("kubernetes.NamespaceCondition"))}),
	"kubernetes.NamespaceMetadata": with(words("name", "generateName", "namespace", "UID", "resourceVersion"), map[string]*types.Type{
		"labels":                     cel.MapType(cel.StringType, cel.StringType),
		"annotations":                cel.MapType(cel.StringType, cel.StringType),
		"creationTimestamp":          cel.TimestampType,
		"deletionTimestamp":          cel.TimestampType,
		"deletionGracePeriodSeconds": cel.IntType,
		"generation":                 cel.IntType,
		"finalizers":                 cel.ListType(cel.StringType),
	}),
	"kubernetes.Namespace": {
		"metadata": cel.ObjectType("kubernetes.NamespaceMetadata"),
		"spec":     cel.ObjectType("kubernetes.NamespaceSpec"),
		"status":   cel.ObjectType("kubernetes.NamespaceStatus"),
	},
}

// words are fields of type string.
func words(names ...string) map[string]*types.Type {
	m := map[string]*types.Type{}
	for _, n := range names {
		m[n] = cel.StringType
	}
	return m
}

func with(m, more map[string]*types.Type) map[string]*types.Type {
	for k, t := range more {
		m[k] = t
	}
	return m
}
