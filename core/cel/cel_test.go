package cel_test

import (
	"testing"

	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/cel"
)

func input() *expression.Input {
	return &expression.Input{Kind: api.KindNamed("Pod"), Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web", "tier": "2x"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": "nginx:1.27"}}}},
		Request: map[string]any{"operation": "CREATE"}}
}

// The values are what kube-apiserver v1.37.2 put into the message of a policy.
func TestExpressionsHaveTheServersValues(t *testing.T) {
	for text, want := range map[string]string{
		`string(quantity("50k").add(20).asInteger())`:                                                 "50020",
		`string(quantity("200M").compareTo(quantity("0.2G")))`:                                        "0",
		`string(cidr("10.1.2.3/16").masked()) + " " + string(cidr("10.1.2.3/16").ip())`:               "10.1.0.0/16 10.1.2.3",
		`"a1b22c333".findAll("[0-9]+", 2).join(",")`:                                                  "1,22",
		`string([3,1,2].max()) + string([1,2].sum()) + string([1,2,3].isSorted())`:                    "33true",
		`url("https://example.com/?k=a&k=b").getQuery()["k"].join("+")`:                               "a+b",
		`string(format.named("nope").hasValue()) + string(format.named("uuid").hasValue())`:           "falsetrue",
		`string(semver("v1.2", true).minor()) + string(semver("1.0.0-a").compareTo(semver("1.0.0")))`: "2-1",
		`{"a": 1, "b": 2}.transformList(k, v, k + string(v)).join(",")`:                               "a1,b2",
		`string(object.?spec.?nope.hasValue())`:                                                       "false",
		`"%s has %d of %.2f".format(["x", 3, 1.5])`:                                                   "x has 3 of 1.50",
	} {
		r, _, failure := cel.New().Program(expression.Source{Messages: []string{text}}).Run(expression.Message, input(), expression.Budget)
		if failure != "" || r[0].Text != want {
			t.Errorf("%s: %+v %s, want %q", text, r, failure, want)
		}
	}
}

// The texts are those of kube-apiserver v1.37.2.
func TestExpressionsFailInTheServersWords(t *testing.T) {
	for text, want := range map[string]string{
		`object.metadata.labels.team == "x"`:    `expression 'object.metadata.labels.team == "x"' resulted in error: no such key: team`,
		`object.spec.containers[3].name == "x"`: `expression 'object.spec.containers[3].name == "x"' resulted in error: index out of bounds: 3`,
		`cidr("10.0.0.0/8").containsIP("x")`:    `expression 'cidr("10.0.0.0/8").containsIP("x")' resulted in error: no such overload`,
		`1 / 0 == 1`:                            `expression '1 / 0 == 1' resulted in error: division by zero`,
		`object`:                                `compilation error: must evaluate to bool but got dyn`,
		`lists.range(1000).map(x, lists.range(1000).map(y, lists.range(1000).map(z, z))).size() == 1`: `expression 'lists.range(1000).map(x, ` +
			`lists.range(1000).map(y, lists.range(1000).map(z, z))).size() == 1' resulted in error: operation cancelled: actual cost limit exceeded`,
	} {
		r, _, failure := cel.New().Program(expression.Source{Validations: []string{text}}).Run(expression.Validation, input(), expression.Budget)
		if failure != "" || r[0].Error != want {
			t.Errorf("%s: %+v %s, want %q", text, r, failure, want)
		}
	}
}

// The texts are those of kube-apiserver v1.37.2.
func TestMutationsFailInTheServersWords(t *testing.T) {
	for text, want := range map[string]string{
		`Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "x"}]}}`: "error applying patch: invalid ApplyConfiguration: " +
			"may not mutate atomic arrays, maps or structs: .spec.tolerations",
		`Object{spec: Object.spec{hostNetwork: "x"}}`:            "error applying patch: failed to convert patch object to typed object: .spec.hostNetwork: expected boolean, got &{x}",
		`[JSONPatch{op: "add", path: "/spec/nope/x", value: 1}]`: `JSON Patch: add operation does not apply: doc is missing path: "/spec/nope/x": missing value`,
		`[JSONPatch{op: "remove", path: "/spec/nope"}]`:          `JSON Patch: error in remove for path: '/spec/nope': Unable to remove nonexistent key: nope: missing value`,
	} {
		m := api.Mutation{PatchType: "ApplyConfiguration", ApplyConfiguration: &api.ApplyConfiguration{Expression: text}}
		if text[0] == '[' {
			m = api.Mutation{PatchType: "JSONPatch", JSONPatch: &api.JSONPatch{Expression: text}}
		}
		_, failure := cel.New().Program(expression.Source{Mutations: []api.Mutation{m}}).Mutate(0, input())
		if failure == nil || failure.Message != want {
			t.Errorf("%s: %+v, want %q", text, failure, want)
		}
	}
}

// The real server walks such maps in any order; a run of ours must be the same each
// time, so the order is that of the keys.
func TestMapsThatAnExpressionWritesOutAreWalkedInTheOrderOfTheirKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"c": "3", "a": "1", "b": "2"}.map(k, k).join()`:                                            "abc",
		`{"c": request.operation, "a": "1", "b": "2"}.map(k, k).join()`:                              "abc",
		`{3: "c", 1: "a", 2: request.operation}.map(k, string(k)).join()`:                            "123",
		`{"c": "3", "a": "1", "b": "2"}.transformMap(k, v, v + v).map(k, k).join()`:                  "abc",
		`{"c": {"z": "1", "y": request.operation}}.map(k, k).join() + string({"b": 1, "a": 2}["a"])`: "c2",
	} {
		for range 20 {
			r, _, failure := cel.New().Program(expression.Source{Messages: []string{text}}).Run(expression.Message, input(), expression.Budget)
			if failure != "" || r[0].Text != want {
				t.Fatalf("%s: %+v %s, want %q", text, r, failure, want)
			}
		}
	}
}
