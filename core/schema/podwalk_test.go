package schema_test

import (
	"reflect"
	"strings"
	"testing"

	"podwalk/core/codec"
	"podwalk/core/scenario"
	"podwalk/core/schema"
	"podwalk/core/workload"
)

// The schemas of the simulation's own documents are written by hand, so they are
// compared with the structs that read them.
func TestTheSimulationsDocumentsHaveTheFieldsOfTheirStructs(t *testing.T) {
	set := schema.New()
	for kind, decl := range map[string]any{"Image": workload.ImageDecl{}, "Cluster": scenario.ClusterDecl{}} {
		typ := reflect.TypeOf(decl)
		compare(t, set, kind, "spec", fieldType(typ, "spec"))
		for name := range tags(fieldType(typ, "spec")) {
			if !has(set, kind, "", name) {
				t.Errorf("%s: %s may stand beside kind, too", kind, name)
			}
		}
	}
}

func compare(t *testing.T, set *schema.Set, kind, path string, typ reflect.Type) {
	t.Helper()
	want := tags(typ)
	for name, f := range want {
		if !has(set, kind, path, name) {
			t.Errorf("%s: the schema lacks %s.%s", kind, path, name)
		}
		for f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice {
			f = f.Elem()
		}
		if f.Kind() == reflect.Struct && strings.HasPrefix(f.PkgPath(), "podwalk/core/") && !strings.HasSuffix(f.PkgPath(), "/api") {
			compare(t, set, kind, path+"."+name, f)
		}
	}
	for _, f := range set.Fields(scenario.Group, kind, path) {
		if _, ok := want[f.Name]; !ok {
			t.Errorf("%s: the schema has %s.%s, which nothing reads", kind, path, f.Name)
		}
	}
}

func has(set *schema.Set, kind, path, name string) bool {
	for _, f := range set.Fields(scenario.Group, kind, path) {
		if f.Name == name {
			return true
		}
	}
	return false
}

func tags(typ reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		out[name] = typ.Field(i).Type
	}
	return out
}

func fieldType(typ reflect.Type, name string) reflect.Type { return tags(typ)[name] }

func TestAnImageDocumentHasHints(t *testing.T) {
	docs, err := codec.Read([]byte("apiVersion: sim.podwalk.dev/v1\nkind: Image\nmetadata: {name: a}\npull: nowhere\nprogram:\n  exit: true\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range schema.New().Check(&docs[0]) {
		got = append(got, h.Message)
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "pull must be one of ok, slow, not found") || got[1] != `unknown field "exit"; did you mean "exits"?` {
		t.Errorf("got %q", got)
	}
}
