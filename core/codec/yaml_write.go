package codec

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ToYAML prints v as `kubectl get -o yaml` does: keys sorted, lists not indented
// in maps, long lines folded at 80 columns (go.yaml.in/yaml/v2 emitterc.go).
func ToYAML(v any) string {
	n := ToNode(v)
	w := yamlWriter{out: make([]byte, 0, 2048), white: true, indention: true, indent: -1}
	w.node(&n, false, false)
	w.newLine()
	return string(w.out)
}

const (
	yamlWidth    = 80
	maxSimpleKey = 128
)

type yamlWriter struct {
	out       []byte
	col       int
	indent    int
	white     bool // the last thing written was white space
	indention bool // only indentation and indicators are on the line so far
}

func (w *yamlWriter) put(s string) {
	w.out = append(w.out, s...)
	w.col += utf8.RuneCountInString(s)
}

func (w *yamlWriter) breakLine() {
	w.out = append(w.out, '\n')
	w.col = 0
}

// newLine begins a line with the indentation, unless one has just begun.
func (w *yamlWriter) newLine() {
	indent := max(w.indent, 0)
	if !w.indention || w.col > indent || w.col == indent && !w.white {
		w.breakLine()
	}
	for w.col < indent {
		w.put(" ")
	}
	w.white, w.indention = true, true
}

func (w *yamlWriter) indicator(s string, needWhite, isWhite, isIndention bool) {
	if needWhite && !w.white {
		w.put(" ")
	}
	w.put(s)
	w.white = isWhite
	w.indention = w.indention && isIndention
}

// deeper raises the indentation and returns the one before.
func (w *yamlWriter) deeper(flow, indentless bool) int {
	was := w.indent
	switch {
	case was < 0 && flow:
		w.indent = 2
	case was < 0:
		w.indent = 0
	case !indentless:
		w.indent += 2
	}
	return was
}

// node writes a value; inMap says that it is the value of a map, key that it is a
// key that fits on its line.
func (w *yamlWriter) node(n *Node, inMap, key bool) {
	switch {
	case n.Kind == List && len(n.Items) == 0:
		w.indicator("[", true, true, false)
		w.indicator("]", false, false, false)
	case n.Kind == Map && len(n.Fields) == 0:
		w.indicator("{", true, true, false)
		w.indicator("}", false, false, false)
	case n.Kind == List:
		was := w.deeper(false, inMap && !w.indention)
		for i := range n.Items {
			w.newLine()
			w.indicator("-", true, false, true)
			w.node(&n.Items[i], false, false)
		}
		w.indent = was
	case n.Kind == Map:
		was := w.deeper(false, false)
		for _, f := range inYAMLOrder(n.Fields) {
			w.field(&f)
		}
		w.indent = was
	default:
		was := w.deeper(true, false)
		w.scalar(n, key)
		w.indent = was
	}
}

func (w *yamlWriter) field(f *Field) {
	w.newLine()
	key := Node{Kind: String, Text: f.Key}
	simple := len(f.Key) <= maxSimpleKey && !hasBreak(f.Key)
	if simple {
		w.node(&key, true, true)
		w.indicator(":", false, false, false)
	} else {
		w.indicator("?", true, false, true)
		w.node(&key, true, false)
		w.newLine()
		w.indicator(":", true, false, true)
	}
	w.node(&f.Value, true, false)
}

// inYAMLOrder returns the fields in the order of the real library, which puts
// numbers inside of keys in numeric order.
func inYAMLOrder(fields []Field) []Field {
	byKey := func(a, b Field) int {
		switch {
		case keyLess(a.Key, b.Key):
			return -1
		case keyLess(b.Key, a.Key):
			return 1
		}
		return 0
	}
	if slices.IsSortedFunc(fields, byKey) {
		return fields
	}
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, byKey)
	return fields
}

// keyLess orders keys: numbers by value, letters behind all else
// (go.yaml.in/yaml/v2 sorter.go).
func keyLess(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	switch xl, yl := unicode.IsLetter(x), unicode.IsLetter(y); {
	case xl && yl:
		return x < y
	case xl || yl:
		return yl
	}
	start := int64(0)
	if x == '0' || y == '0' {
		if digits := trailingDigits(a[:i]); strings.Trim(digits, "0") != "" {
			start = 1
		}
	}
	m, mLen := leadingNumber(start, a[i:])
	n, nLen := leadingNumber(start, b[i:])
	switch {
	case m != n:
		return m < n
	case mLen != nLen:
		return mLen < nLen
	}
	return x < y
}

func trailingDigits(s string) string {
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	return s[i:]
}

func leadingNumber(start int64, s string) (int64, int) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		start = start*10 + int64(s[i]-'0')
		i++
	}
	return start, i
}

// scalar writes a scalar in the style in which it needs least.
func (w *yamlWriter) scalar(n *Node, key bool) {
	switch n.Kind {
	case Null:
		w.plain("null", false)
		return
	case Bool:
		w.plain(n.Text, false)
		return
	case Number:
		w.plain(yamlNumber(n.Text), false)
		return
	}
	f := analyse(n.Text)
	switch {
	case strings.Contains(n.Text, "\n"):
		if f.block && !key {
			w.literal(n.Text)
			return
		}
	case !plainIsString(n.Text):
	case f.plain:
		w.plain(n.Text, !key)
		return
	case f.single:
		w.single(n.Text, !key)
		return
	}
	w.double(n.Text, !key)
}

// yamlNumber prints a JSON number; floats have Go's shortest form.
func yamlNumber(text string) string {
	s, ok := numberScalar(text)
	if ok && (s.kind == scalarFloat) {
		return strconv.FormatFloat(s.float, 'g', -1, 64)
	}
	return text
}

// plainIsString reports whether a string stays one without quotes.
func plainIsString(s string) bool {
	return resolveScalar("", s).kind == scalarString && !isBase60(s)
}

// isBase60 reports whether s looks like [-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?,
// which other parsers read as a number.
func isBase60(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	s = strings.TrimLeft(s, "0123456789_")
	if s == "" || s[0] != ':' {
		return false
	}
	for strings.HasPrefix(s, ":") {
		digits, rest := cutDigits(s[1:])
		if len(digits) == 0 || len(digits) > 2 || len(digits) == 2 && digits[0] > '5' {
			return false
		}
		s = rest
	}
	return s == "" || s[0] == '.' && strings.Trim(s[1:], "0123456789_") == ""
}
