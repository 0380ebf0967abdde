package kubectl

import (
	"strings"

	"podwalk/core/codec"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// fileObject is the object of a file as kubectl holds it: a generic value with its
// namespace filled in.
func fileObject(i *item) map[string]any {
	object, _ := codec.ToValue(*i.node).(map[string]any)
	meta := metadataOf(object)
	if i.namespace == "" {
		delete(meta, "namespace")
	} else {
		meta["namespace"] = i.namespace
	}
	return object
}

// metadataOf returns the metadata of a generic object, made if it is not there.
func metadataOf(object map[string]any) map[string]any {
	meta, ok := object["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	return meta
}

// lastAppliedText is the object as kubectl remembers it in an annotation: without
// that annotation, and with a newline (kubectl/pkg/util GetModifiedConfiguration).
func lastAppliedText(object map[string]any) string {
	meta := metadataOf(object)
	annotations := map[string]any{}
	old, _ := meta["annotations"].(map[string]any)
	for k, v := range old {
		if k != lastApplied {
			annotations[k] = v
		}
	}
	meta["annotations"] = annotations
	return string(codec.ToJSON(object)) + "\n"
}

// setLastApplied writes that annotation; lastAppliedText has made the map.
func setLastApplied(object map[string]any, text string) {
	metadataOf(object)["annotations"].(map[string]any)[lastApplied] = text
}

// pruneNulls removes the null fields of maps at any depth, as apply does before it
// creates.
func pruneNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				pruneNulls(e)
			}
		}
	case []any:
		for _, e := range v {
			pruneNulls(e)
		}
	}
}

// viewLastApplied is `kubectl apply view-last-applied`.
func (s *session) viewLastApplied() error {
	form := or(s.flags.text("output"), "yaml")
	if form != "yaml" && form != "json" {
		return plain("Unexpected -o output mode: " + form + ", the flag 'output' must be one of yaml|json\nSee 'kubectl apply view-last-applied -h' for help and examples")
	}
	items, errs, err := s.targets(s.args)
	if err != nil {
		return err
	}
	for _, i := range items {
		text := i.object.Meta().Annotations[lastApplied]
		if text == "" {
			continue
		}
		node, err := codec.ParseJSON([]byte(text))
		if err != nil {
			return err
		}
		if form == "json" {
			s.print(twoSpaces(string(codec.ToJSONIndent(node))))
			continue
		}
		s.print(codec.ToYAML(node))
	}
	return join(errs)
}

// twoSpaces halves the indentation of each line.
func twoSpaces(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat(" ", (len(line)-len(rest))/2) + rest
	}
	return strings.Join(lines, "\n")
}
