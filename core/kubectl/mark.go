package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// Mark is a place in a file that a message speaks of. Lines and columns count from
// 1; EndColumn is just behind the last one.
type Mark struct {
	File                    string
	Line, Column, EndColumn int
	Severity                string // error or warning
	Message                 string
}

func newMark(file string, m codec.Mark, severity, message string) Mark {
	return Mark{file, int(m.Line), int(m.Column), int(m.EndColumn), severity, message}
}

// documentMark marks an error that kubectl finds before it sends anything.
func documentMark(d *document, err error) Mark {
	m := codec.Mark{Line: int32(d.line), Column: 1}
	if d.node != nil {
		m = d.node.Mark
		if _, bad := codec.DecodeMeta(d.node); bad != nil && bad.Type != nil {
			m = bad.Type.Mark
		} else if k := fieldNode(d.node, "kind"); k != nil && d.node.Kind == codec.Map {
			m = k.Mark
		}
	}
	return newMark(d.file, m, "error", err.Error())
}

// errorMarks finds the fields that a refusal names.
func errorMarks(i *item, err error) []Mark {
	r, ok := err.(*refusal)
	if !ok {
		return []Mark{newMark(i.source, nameMark(i.node), "error", err.Error())}
	}
	var out []Mark
	switch r.status.Reason {
	case api.ReasonBadRequest:
		out = decodeMarks(i)
	case api.ReasonInvalid:
		if r.status.Details != nil {
			for _, c := range r.status.Details.Causes {
				out = append(out, newMark(i.source, Locate(i.node, c.Field), "error", c.Field+": "+c.Message))
			}
		}
	}
	if out == nil {
		out = []Mark{newMark(i.source, nameMark(i.node), "error", r.status.Message)}
	}
	return out
}

// decodeMarks decodes the document as the server did, to learn where it failed.
func decodeMarks(i *item) []Mark {
	_, bad := codec.DecodeObject(i.node)
	if bad == nil {
		return nil
	}
	var out []Mark
	if bad.Type != nil {
		out = append(out, newMark(i.source, bad.Type.Mark, "error", bad.Type.Message))
	}
	for _, s := range bad.Strict {
		out = append(out, newMark(i.source, s.Mark, "error", s.Message))
	}
	return out
}

func warningMarks(i *item, printed string) []Mark {
	var out []Mark
	for _, line := range strings.Split(printed, "\n") {
		text, ok := strings.CutPrefix(line, "Warning: ")
		if !ok {
			continue
		}
		path, _, _ := strings.Cut(text, ": ")
		if quoted, ok := strings.CutPrefix(text, "unknown field "); ok {
			path, _ = strconv.Unquote(quoted)
		}
		out = append(out, newMark(i.source, Locate(i.node, path), "warning", text))
	}
	return out
}

func nameMark(n *codec.Node) codec.Mark {
	if name := n.Get("metadata", "name"); name != nil {
		return name.Mark
	}
	return n.Mark
}

// Locate finds the place of a field path such as spec.containers[0].ports[1] or
// metadata.labels[example.com/x]; where the path goes on beyond the text, the place
// where it leaves it. A path that does not begin in the document is at its name.
func Locate(n *codec.Node, path string) codec.Mark {
	at := nameMark(n)
	for _, step := range steps(path) {
		switch index, err := strconv.Atoi(step); {
		case err == nil && n.Kind == codec.List && index >= 0 && index < len(n.Items):
			n = &n.Items[index]
			at = n.Mark
		default:
			f := fieldNode(n, step)
			if f == nil {
				return at
			}
			n, at = &f.Value, f.Mark
			if n.Kind != codec.Map && n.Kind != codec.List && n.Mark.Line > 0 {
				at = n.Mark
			}
		}
	}
	return at
}

func fieldNode(n *codec.Node, key string) *codec.Field {
	if n.Kind != codec.Map {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			return &n.Fields[i]
		}
	}
	return nil
}

// steps splits a field path at its dots and brackets.
func steps(path string) []string {
	var out []string
	for path != "" {
		switch i := strings.IndexAny(path, ".["); {
		case i == 0 && path[0] == '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return append(out, path)
			}
			out, path = append(out, path[1:end]), path[end+1:]
		case i == 0:
			path = path[1:]
		case i < 0:
			return append(out, path)
		default:
			out, path = append(out, path[:i]), path[i:]
		}
	}
	return out
}
