package main

import (
	"gopkg.in/yaml.v3"

	"podwalk/core/codec"
	"podwalk/wasm/boundary"
)

// words finds the scalars that kubectl, which reads YAML 1.1, takes for something
// else than a reader of YAML 1.2 does: an unquoted no is false, 0o17 is a text,
// 12:30 may be a number. The document is read by both and each place compared.
func words(file string, d codec.Document, doc *codec.Node) []boundary.Mark {
	var root yaml.Node
	if d.JSON || yaml.Unmarshal(d.Text, &root) != nil {
		return nil
	}
	modern := map[place]*yaml.Node{}
	collect(&root, d.Line-1, modern)
	var marks []boundary.Mark
	each(doc, func(n *codec.Node) {
		m := modern[place{int(n.Mark.Line), int(n.Mark.Column)}]
		if m == nil || m.Kind != yaml.ScalarNode || m.Style != 0 {
			return
		}
		if text := reading(m, n); text != "" {
			marks = append(marks, at(file, n.Mark, "warning", "yaml", text))
		}
	})
	return marks
}

type place struct{ line, column int }

// collect notes the scalars by their place in the file; above is the number of
// lines before the document.
func collect(n *yaml.Node, above int, into map[place]*yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		into[place{n.Line + above, n.Column}] = n
	}
	for _, c := range n.Content {
		collect(c, above, into)
	}
}

func each(n *codec.Node, visit func(*codec.Node)) {
	visit(n)
	for i := range n.Items {
		each(&n.Items[i], visit)
	}
	for i := range n.Fields {
		each(&n.Fields[i].Value, visit)
	}
}

// reading says how kubectl reads a plain scalar that YAML 1.2 reads otherwise, or
// nothing where both agree.
func reading(m *yaml.Node, n *codec.Node) string {
	tag := m.ShortTag()
	switch {
	case tag == "!!str" && n.Kind == codec.Bool:
		return "kubectl reads " + m.Value + " as the boolean " + n.Text + ": quote it to keep it a text"
	case tag == "!!str" && n.Kind == codec.Number:
		return "kubectl reads " + m.Value + " as the number " + n.Text + ": quote it to keep it a text"
	case tag == "!!int" && n.Kind == codec.String:
		return "kubectl reads " + m.Value + " as a text, not as a number"
	}
	return ""
}
