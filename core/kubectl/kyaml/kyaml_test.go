package kyaml

import "testing"

// The expectations are what kubectl v1.37.2 prints of such an object, of the examples
// of the format's own tests (sigs.k8s.io/yaml/kyaml/kyaml_test.go) and of its rules.
func TestValuesArePrintedAsTheRealEncoderDoes(t *testing.T) {
	for want, v := range map[string]any{
		"---\n{\n  a: \"x\",\n}\n":                                       map[string]any{"a": "x"},
		"---\n{\n  \"1.5\": true,\n  \"no\": 1,\n}\n":                    map[string]any{"no": int64(1), "1.5": true},
		"---\n{\n  l: [{\n    a: 1,\n  }, {\n    b: null,\n  }],\n}\n":   map[string]any{"l": []any{map[string]any{"a": int64(1)}, map[string]any{"b": nil}}},
		"---\n{\n  l: [\n    \"a\",\n    \"b\",\n  ],\n}\n":              map[string]any{"l": []any{"a", "b"}},
		"---\n{\n  s: \"\\\n     one\\n\\\n    \\  two\\\n    \",\n}\n":  map[string]any{"s": "one\n  two"},
		"---\n{\n  a.b/c: {},\n  \"d-\": [],\n}\n":                       map[string]any{"a.b/c": map[string]any{}, "d-": []any{}},
		"---\n{\n  \"-x\": \"q\\\"\\\\\",\n  \"2026-11-30\": \"\",\n}\n": map[string]any{"-x": `q"\`, "2026-11-30": ""},
		"---\n{\n  l: [[\n    1,\n  ], {}],\n}\n":                        map[string]any{"l": []any{[]any{int64(1)}, map[string]any{}}},
	} {
		if got := Document(v); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}
