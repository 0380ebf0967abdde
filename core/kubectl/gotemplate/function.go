package gotemplate

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var functions = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "slice", "print", "printf", "println",
	"html", "js", "urlquery", "exists", "base64decode"}

func isFunction(name string) bool { return slices.Contains(functions, name) }

// apply calls a function. The text is an error.
func apply(name string, args []any) (v any, text string) {
	least := map[string]int{"not": 1, "eq": 2, "ne": 2, "lt": 2, "le": 2, "gt": 2, "ge": 2, "len": 1, "index": 1, "slice": 1, "printf": 1,
		"exists": 1, "base64decode": 1}[name]
	exact := contains("not ne lt le gt ge len base64decode", name)
	if len(args) < least || exact && len(args) > least {
		want := strconv.Itoa(least)
		if !exact {
			want = "at least " + want
		}
		return nil, "wrong number of args for " + name + ": want " + want + " got " + strconv.Itoa(len(args))
	}
	switch name {
	case "not":
		return !truth(args[0]), ""
	case "eq", "ne", "lt", "le", "gt", "ge":
		v, text = compare(name, args)
	case "len":
		v, text = length(args[0])
	case "index":
		v, text = index(args)
	case "slice":
		v, text = slice(args)
	case "exists":
		_, text = index(args)
		return text == "", ""
	case "base64decode":
		raw, err := base64.StdEncoding.DecodeString(plain(args[0]))
		if err != nil {
			return nil, "error calling base64decode: base64 decode failed: " + err.Error()
		}
		return string(raw), ""
	default:
		return printing(name, args), ""
	}
	if text != "" {
		text = "error calling " + name + ": " + text
	}
	return v, text
}

func contains(words, word string) bool { return slices.Contains(strings.Fields(words), word) }

func printing(name string, args []any) string {
	switch name {
	case "printf":
		return format(plain(args[0]), args[1:])
	case "println":
		var parts []string
		for _, a := range args {
			parts = append(parts, plain(a))
		}
		return strings.Join(parts, " ") + "\n"
	}
	text := joined(args)
	switch name {
	case "html":
		return strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	case "js":
		return strings.NewReplacer(`\`, `\\`, "'", `\'`, `"`, `\"`, "<", `\u003C`, ">", `\u003E`, "&", `\u0026`, "=", `\u003D`, "\n", `\u000A`, "\r", `\u000D`, "\t", `\u0009`).Replace(text)
	case "urlquery":
		return url.QueryEscape(text)
	}
	return text
}

// joined prints values as fmt.Sprint: with a blank between two that are no strings.
func joined(args []any) string {
	var b strings.Builder
	wasString := true
	for i, a := range args {
		_, isString := a.(string)
		if i > 0 && !isString && !wasString {
			b.WriteByte(' ')
		}
		b.WriteString(plain(a))
		wasString = isString
	}
	return b.String()
}

// compare orders two values, or looks for the first among the others.
func compare(name string, args []any) (any, string) {
	for _, b := range args[1:] {
		order, equal, text := relate(args[0], b)
		switch {
		case text != "":
			return nil, text
		case name == "eq":
			if equal {
				return true, ""
			}
			continue
		case name == "ne":
			return !equal, ""
		case order == unordered:
			return nil, "invalid type for comparison"
		}
		return map[string]bool{"lt": order < 0, "le": order <= 0, "gt": order > 0, "ge": order >= 0}[name], ""
	}
	return false, ""
}

const unordered = 2

func relate(a, b any) (order int, equal bool, text string) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), x == y, ""
		}
	case int64:
		if y, ok := b.(int64); ok {
			return sign(float64(x - y)), x == y, ""
		}
	case float64:
		if y, ok := b.(float64); ok {
			return sign(x - y), x == y, ""
		}
	case bool:
		if y, ok := b.(bool); ok {
			return unordered, x == y, ""
		}
	case nil, missing:
		switch b.(type) {
		case nil, missing:
			return unordered, true, ""
		}
		return unordered, false, ""
	default:
		return 0, false, "non-comparable type " + plain(a) + ": " + typeOf(a)
	}
	if b == nil || b == any(missing{}) {
		return unordered, false, ""
	}
	return 0, false, "incompatible types for comparison: " + typeOf(a) + " and " + typeOf(b)
}

func typeOf(v any) string {
	switch v.(type) {
	case []any:
		return "[]interface {}"
	case map[string]any:
		return "map[string]interface {}"
	case string:
		return "string"
	case bool:
		return "bool"
	case int64:
		return "int"
	}
	return "float64"
}

func sign(f float64) int {
	switch {
	case f < 0:
		return -1
	case f > 0:
		return 1
	}
	return 0
}

func length(v any) (any, string) {
	switch v := v.(type) {
	case string:
		return int64(len(v)), ""
	case []any:
		return int64(len(v)), ""
	case map[string]any:
		return int64(len(v)), ""
	case nil, missing:
		return nil, "len of nil pointer"
	}
	return nil, "len of type " + typeOf(v)
}

func index(args []any) (any, string) {
	v := args[0]
	for _, key := range args[1:] {
		switch in := v.(type) {
		case map[string]any:
			k, ok := key.(string)
			if !ok {
				return nil, "value has type " + typeOf(key) + "; should be string"
			}
			next, ok := in[k]
			if v = next; !ok {
				v = nil
			}
		case []any:
			n, ok := key.(int64)
			switch {
			case !ok:
				return nil, "cannot index slice/array with type " + typeOf(key)
			case n < 0 || n >= int64(len(in)):
				return nil, "index out of range: " + strconv.FormatInt(n, 10)
			}
			v = in[n]
		case nil, missing:
			return nil, "index of untyped nil"
		default:
			return nil, "can't index item of type " + typeOf(v)
		}
	}
	return v, ""
}

func slice(args []any) (any, string) {
	size, text := length(args[0])
	if _, isMap := args[0].(map[string]any); isMap || text != "" {
		return nil, "can't slice item of type " + typeOf(args[0])
	}
	bounds := []int64{0, size.(int64)}
	for i, a := range args[1:] {
		n, ok := a.(int64)
		switch {
		case i > 1:
			return nil, "too many slice indexes: " + strconv.Itoa(len(args)-1)
		case !ok:
			return nil, "cannot index slice/array with type " + typeOf(a)
		case n < 0 || n > size.(int64):
			return nil, "index out of range: " + strconv.FormatInt(n, 10)
		}
		bounds[i] = n
	}
	if bounds[0] > bounds[1] {
		return nil, "invalid slice index: " + strconv.FormatInt(bounds[0], 10) + " > " + strconv.FormatInt(bounds[1], 10)
	}
	if s, ok := args[0].(string); ok {
		return s[bounds[0]:bounds[1]], ""
	}
	return args[0].([]any)[bounds[0]:bounds[1]], ""
}

// printed is what an action prints of its value.
func printed(v any) string {
	if v == nil || v == any(missing{}) {
		return "<no value>"
	}
	return plain(v)
}

// plain prints a value as fmt's %v does.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = plain(e)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+":"+plain(v[k]))
		}
		return "map[" + strings.Join(parts, " ") + "]"
	}
	return "<nil>"
}

// format is fmt.Sprintf for the verbs v, s, q, d, t, x, f, g and c with flags, width
// and precision as far as they apply to these values.
func format(text string, args []any) string {
	var b strings.Builder
	next := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		start := i + 1
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.", text[i]) >= 0; i++ {
		}
		switch {
		case i >= len(text):
			b.WriteString("%!(NOVERB)")
		case text[i] == '%':
			b.WriteByte('%')
		case next >= len(args):
			b.WriteString("%!" + text[i:i+1] + "(MISSING)")
		default:
			b.WriteString(pad(text[start:i], verb(text[i], text[start:i], args[next])))
			next++
		}
	}
	if next < len(args) {
		b.WriteString("%!(EXTRA ")
		for i, a := range args[next:] {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(typeOf(a) + "=" + plain(a))
		}
		b.WriteByte(')')
	}
	return b.String()
}

func verb(c byte, flags string, v any) string {
	switch x := v.(type) {
	case string:
		switch c {
		case 'v', 's':
			if _, digits, ok := strings.Cut(flags, "."); ok {
				n, _ := strconv.Atoi(digits)
				return string([]rune(x)[:min(n, len([]rune(x)))])
			}
			return x
		case 'q':
			return strconv.Quote(x)
		}
	case int64:
		switch c {
		case 'v', 'd':
			return strconv.FormatInt(x, 10)
		case 'x':
			return strconv.FormatInt(x, 16)
		case 'c':
			return string(rune(x))
		}
	case float64:
		precision := -1
		if _, digits, ok := strings.Cut(flags, "."); ok {
			precision, _ = strconv.Atoi(digits)
		}
		switch c {
		case 'v', 'g':
			return strconv.FormatFloat(x, 'g', precision, 64)
		case 'f':
			if precision < 0 {
				precision = 6
			}
			return strconv.FormatFloat(x, 'f', precision, 64)
		}
	case bool:
		if c == 'v' || c == 't' {
			return strconv.FormatBool(x)
		}
	default:
		if c == 'v' || c == 's' {
			return plain(v)
		}
	}
	return "%!" + string(c) + "(" + typeOf(v) + "=" + plain(v) + ")"
}

// pad fills up to the width among the flags.
func pad(flags, text string) string {
	left := strings.Contains(flags, "-")
	digits, _, _ := strings.Cut(strings.TrimLeft(flags, "+-# "), ".")
	width, _ := strconv.Atoi(digits)
	fill := strings.Repeat(" ", max(0, min(width, 1000)-len([]rune(text))))
	if left {
		return text + fill
	}
	return fill + text
}
