// Package kyaml prints values as KYAML, the dialect of YAML that kubectl prints with
// -o kyaml: strings in double quotes, maps and lists in brackets
// (sigs.k8s.io/yaml/kyaml). It reads nothing. Start at Document.
package kyaml

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"podwalk/core/codec"
)

// Document prints a value below a line "---"; of a typed object the fields keep their
// order.
func Document(v any) string {
	n := codec.ToNode(v)
	w := &writer{}
	w.b.WriteString("---\n")
	w.value(&n, 0)
	w.b.WriteByte('\n')
	return w.b.String()
}

type writer struct{ b strings.Builder }

func (w *writer) indent(n int) { w.b.WriteString(strings.Repeat("  ", n)) }

func (w *writer) value(n *codec.Node, indent int) {
	switch n.Kind {
	case codec.Map:
		w.mapping(n.Fields, indent)
	case codec.List:
		w.list(n.Items, indent)
	case codec.String:
		w.text(n.Text, indent+1)
	case codec.Null:
		w.b.WriteString("null")
	default:
		w.b.WriteString(n.Text)
	}
}

func (w *writer) mapping(fields []codec.Field, indent int) {
	if len(fields) == 0 {
		w.b.WriteString("{}")
		return
	}
	w.b.WriteString("{\n")
	for i := range fields {
		w.indent(indent + 1)
		w.key(fields[i].Key)
		w.b.WriteString(": ")
		w.value(&fields[i].Value, indent+1)
		w.b.WriteString(",\n")
	}
	w.indent(indent)
	w.b.WriteByte('}')
}

// list prints a list. Of maps and lists alone the brackets stand together.
func (w *writer) list(items []codec.Node, indent int) {
	together := true
	for i := range items {
		together = together && (items[i].Kind == codec.Map || items[i].Kind == codec.List)
	}
	w.b.WriteByte('[')
	for i := range items {
		switch {
		case !together:
			w.b.WriteByte('\n')
			w.indent(indent + 1)
			w.value(&items[i], indent+1)
			w.b.WriteByte(',')
			continue
		case i > 0:
			w.b.WriteString(", ")
		}
		w.value(&items[i], indent)
	}
	if !together {
		w.b.WriteByte('\n')
		w.indent(indent)
	}
	w.b.WriteByte(']')
}

// text prints a string; one of several lines begins below its quote, each line
// indented and ended by a backslash.
func (w *writer) text(s string, indent int) {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) == 1 {
		w.b.WriteByte('"')
		w.escaped(s, true)
		w.b.WriteByte('"')
		return
	}
	w.b.WriteString("\"\\\n")
	for _, line := range lines {
		if line == "" {
			continue
		}
		w.indent(indent)
		if first, _ := utf8.DecodeRuneInString(line); unicode.IsSpace(first) && first != '\n' {
			w.b.WriteByte('\\')
		} else {
			w.b.WriteByte(' ')
		}
		text, more := strings.CutSuffix(line, "\n")
		w.escaped(text, true)
		if more {
			w.b.WriteString("\\n")
		}
		w.b.WriteString("\\\n")
	}
	w.indent(indent)
	w.b.WriteByte('"')
}

// key prints the key of a map, in quotes only where it could mean something else
// than a string.
func (w *writer) key(s string) {
	if plainKey(s) {
		w.b.WriteString(s)
		return
	}
	w.b.WriteByte('"')
	w.escaped(s, false)
	w.b.WriteByte('"')
}

var shortEscapes = map[rune]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`, 0: `\0`,
	0x1b: `\e`, 0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`}

func (w *writer) escaped(s string, tabs bool) {
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			w.b.WriteString(`\x` + hex(rune(s[i]), 2))
		case r == '\t' && tabs:
			w.b.WriteByte('\t')
		case r == '"' || r == '\\':
			w.b.WriteString(`\` + string(r))
		case unicode.IsPrint(r):
			w.b.WriteRune(r)
		case shortEscapes[r] != "":
			w.b.WriteString(shortEscapes[r])
		case r < ' ' || r == 0x7f:
			w.b.WriteString(`\x` + hex(r, 2))
		case r < 0x10000:
			w.b.WriteString(`\u` + hex(r, 4))
		default:
			w.b.WriteString(`\U` + hex(r, 8))
		}
	}
}

func hex(r rune, digits int) string {
	text := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, digits-len(text))) + text
}

func plainKey(s string) bool {
	if s == "" || ambiguous(s) {
		return false
	}
	for i, r := range s {
		inside := i > 0 && i+utf8.RuneLen(r) < len(s) && strings.ContainsRune("-./", r)
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && !inside {
			return false
		}
	}
	return true
}

// words are those that some reader of YAML takes for a boolean or nothing.
var words = []string{"null", "~", "true", "y", "yes", "on", "false", "n", "no", "off", "t", "f", ".inf", "-.inf", "+.inf", ".nan"}

// ambiguous reports whether a reader of YAML may take a bare word for something else
// than a string.
func ambiguous(s string) bool {
	if slices.Contains(words, strings.ToLower(s)) {
		return true
	}
	bare := strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(bare, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseFloat(bare, 64); err == nil {
		return true
	}
	return date(s)
}

// date holds for 2006-1-2 and what begins like it.
func date(s string) bool {
	parts := strings.SplitN(s, "-", 3)
	if len(parts) != 3 || len(parts[0]) != 4 {
		return false
	}
	day := strings.IndexAny(parts[2], "tT ")
	if day >= 0 {
		parts[2] = parts[2][:day]
	}
	for i, p := range parts {
		if n, err := strconv.Atoi(p); err != nil || n < 0 || i == 1 && n > 12 || i == 2 && n > 31 {
			return false
		}
	}
	return true
}
