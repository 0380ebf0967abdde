package codec

import (
	"slices"
	"strconv"
	"strings"
)

// maxSyntax bounds the text of goSyntax: what is shown of a value in a message.
const maxSyntax = 1 << 16

// goSyntax prints a value as Go's %#v does, which some messages show.
func goSyntax(n *yamlNode, top bool) string {
	w := syntaxWriter{}
	return w.value(n, top, 0)
}

type syntaxWriter struct{ written int }

func (w *syntaxWriter) value(n *yamlNode, top bool, depth int) string {
	for n.kind == yamlAlias {
		n = n.alias
	}
	if w.written > maxSyntax || depth > 1000 {
		return "..."
	}
	switch n.kind {
	case yamlList:
		var parts []string
		for c := n.first; c != nil; c = c.next {
			parts = append(parts, w.value(c, false, depth+1))
		}
		return "[]interface {}{" + strings.Join(parts, ", ") + "}"
	case yamlMap:
		var parts []string
		for k := n.first; k != nil; k = k.next.next {
			parts = append(parts, w.value(k, false, depth+1)+":"+w.value(k.next, false, depth+1))
		}
		slices.Sort(parts)
		return "map[interface {}]interface {}{" + strings.Join(parts, ", ") + "}"
	}
	text := scalarSyntax(n, top)
	w.written += len(text)
	return text
}

func scalarSyntax(n *yamlNode, top bool) string {
	s := scalar{text: n.text}
	if n.tag != "" || n.implicit {
		s = resolveScalar(n.tag, n.text)
	}
	switch s.kind {
	case scalarNull:
		if top {
			return "<nil>"
		}
		return "interface {}(nil)"
	case scalarBool:
		return strconv.FormatBool(s.bool)
	case scalarInt:
		return strconv.FormatInt(s.int, 10)
	case scalarUint:
		return s.text
	case scalarFloat:
		return strconv.FormatFloat(s.float, 'g', -1, 64)
	}
	return strconv.Quote(s.text)
}
