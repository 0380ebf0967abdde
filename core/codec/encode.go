package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"podwalk/core/api"
)

// ToJSON prints v (an object or any part of one, a Node, or a generic value) as
// compact JSON with sorted keys and encoding/json's escapes, without a newline.
func ToJSON(v any) []byte { return appendJSON(make([]byte, 0, 1024), v) }

// ToJSONIndent prints v as `kubectl get -o json` does: sorted keys, four spaces,
// a newline at the end.
func ToJSONIndent(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, ToJSON(v), "", "    "); err != nil {
		panic("codec: " + err.Error())
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func appendJSON(b []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...)
	case Node:
		return appendNode(b, &x)
	case *Node:
		return appendNode(b, x)
	case *api.Custom:
		return appendCustom(b, x)
	case string:
		return appendString(b, x)
	case bool:
		return strconv.AppendBool(b, x)
	case int:
		return strconv.AppendInt(b, int64(x), 10)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case float64:
		return appendFloat(b, x)
	case []any:
		return appendList(b, len(x), func(b []byte, i int) []byte { return appendJSON(b, x[i]) })
	case map[string]any:
		return appendMap(b, sortedKeys(x), func(b []byte, key string) []byte { return appendJSON(b, x[key]) })
	}
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	return appendTyped(b, rv, infoOf(rv.Type()))
}

func appendList(b []byte, n int, item func([]byte, int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return append(b, ']')
}

func appendMap(b []byte, keys []string, item func([]byte, string) []byte) []byte {
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		b = item(b, key)
	}
	return append(b, '}')
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func appendNode(b []byte, n *Node) []byte {
	switch n.Kind {
	case Null:
		return append(b, "null"...)
	case String:
		return appendString(b, n.Text)
	case List:
		return appendList(b, len(n.Items), func(b []byte, i int) []byte { return appendNode(b, &n.Items[i]) })
	case Map:
		b = append(b, '{')
		for i := range n.Fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, n.Fields[i].Key), ':')
			b = appendNode(b, &n.Fields[i].Value)
		}
		return append(b, '}')
	}
	return append(b, n.Text...)
}

// appendTyped prints a value of package api.
func appendTyped(b []byte, v reflect.Value, t *typeInfo) []byte {
	switch t.shape {
	case shapeString:
		return appendString(b, v.String())
	case shapeBool:
		return strconv.AppendBool(b, v.Bool())
	case shapeInt:
		return strconv.AppendInt(b, v.Int(), 10)
	case shapeFloat:
		return appendFloat(b, v.Float())
	case shapePointer:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return appendTyped(b, v.Elem(), t.elem)
	case shapeBytes:
		if v.IsNil() {
			return append(b, "null"...)
		}
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, v.Bytes())
		return append(b, '"')
	case shapeList:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return appendList(b, v.Len(), func(b []byte, i int) []byte { return appendTyped(b, v.Index(i), t.elem) })
	case shapeMap:
		return appendTypedMap(b, v, t)
	case shapeStruct:
		return appendStruct(b, v, t)
	}
	return appendScalar(b, v.Interface())
}

func appendScalar(b []byte, v any) []byte {
	switch x := v.(type) {
	case api.Quantity:
		b = append(b, '"')
		b = append(b, x.String()...)
		return append(b, '"')
	case json.Marshaler:
		text, err := x.MarshalJSON()
		if err != nil {
			panic("codec: " + err.Error())
		}
		return append(b, text...)
	}
	panic("codec: no encoding for a value")
}

func appendTypedMap(b []byte, v reflect.Value, t *typeInfo) []byte {
	if v.IsNil() {
		return append(b, "null"...)
	}
	if m, ok := v.Interface().(map[string]string); ok {
		return appendMap(b, sortedKeys(m), func(b []byte, key string) []byte { return appendString(b, m[key]) })
	}
	keys := make([]string, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		keys = append(keys, it.Key().String())
	}
	slices.Sort(keys)
	return appendMap(b, keys, func(b []byte, key string) []byte {
		return appendTyped(b, v.MapIndex(reflect.ValueOf(key)), t.elem)
	})
}

func appendStruct(b []byte, v reflect.Value, t *typeInfo) []byte {
	b = append(b, '{')
	first := true
	for i := range t.fields {
		f := &t.fields[i]
		fv := f.in(v)
		if f.omitted(fv) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, f.prefix...)
		b = appendTyped(b, fv, f.typ)
	}
	return append(b, '}')
}

// omitted reports whether the field is left out, as encoding/json does.
func (f *fieldInfo) omitted(v reflect.Value) bool {
	switch f.omit {
	case omitZero:
		return v.IsZero()
	case omitEmpty:
		switch f.typ.shape {
		case shapeString, shapeList, shapeMap, shapeBytes, shapeRaw:
			return v.Len() == 0
		case shapeBool, shapeInt, shapeFloat, shapePointer, shapeTime, shapeMicroTime:
			return v.IsZero()
		}
	}
	return false
}

// appendFloat prints a number as encoding/json does.
func appendFloat(b []byte, f float64) []byte {
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	b = strconv.AppendFloat(b, f, form, -1, 64)
	if n := len(b); form == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

const hexDigits = "0123456789abcdef"

// appendString prints a string as encoding/json does, with HTML's characters
// escaped.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plainJSON(c) {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(append(b, s[start:i]...), `\ufffd`...)
			start = i + size
		} else if r == '\u2028' || r == '\u2029' {
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

func plainJSON(c byte) bool {
	return c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}
