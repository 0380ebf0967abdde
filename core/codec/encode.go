package codec

// ToJSON prints v (an object or any part of one, a Node, or a generic value) as
// compact JSON with sorted keys and encoding/json's escapes, without a newline.
func ToJSON(v any) []byte { panic("not yet") }

// ToJSONIndent prints v as `kubectl get -o json` does: sorted keys, four spaces,
// a newline at the end.
func ToJSONIndent(v any) []byte { panic("not yet") }

// ToYAML prints v as `kubectl get -o yaml` does.
func ToYAML(v any) string { panic("not yet") }

// ToNode turns v into a tree without marks, fields sorted.
func ToNode(v any) Node { panic("not yet") }

// ToValue turns v into generic values: map[string]any, []any, string, int64,
// float64, bool and nil. The caller may change them.
func ToValue(v any) any { panic("not yet") }
