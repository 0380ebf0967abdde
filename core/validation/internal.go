package validation

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"podwalk/core/api/field"
)

// internal prints a value as the server prints its internal struct: Go's field
// names in their order there, and all fields.
func internal(v any) field.JSON {
	var b strings.Builder
	writeInternal(&b, reflect.ValueOf(v))
	return field.JSON(b.String())
}

func writeInternal(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			writeInternal(b, v.Elem())
			return
		}
	case reflect.Struct:
		writeInternalStruct(b, v)
		return
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
			writeInternalList(b, v)
			return
		}
	case reflect.Map:
		if !v.IsNil() && v.Len() > 0 {
			writeInternalMap(b, v)
			return
		}
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		text = []byte("null")
	}
	b.Write(text)
}

func writeInternalStruct(b *strings.Builder, v reflect.Value) {
	names, ok := internalFields[v.Type().Name()]
	if !ok {
		text, err := json.Marshal(v.Interface())
		if err == nil {
			b.Write(text)
		}
		return
	}
	for i, name := range strings.Fields(names) {
		b.WriteByte("{,"[min(i, 1)])
		writeInternalField(b, v, name)
	}
	b.WriteByte('}')
}

// writeInternalField prints one field. A dot marks a struct that the internal
// type embeds and that has names of its own in JSON: the metadata.
func writeInternalField(b *strings.Builder, v reflect.Value, name string) {
	if embedded, ok := strings.CutPrefix(name, "."); ok {
		text, err := json.Marshal(v.FieldByName(embedded).Interface())
		if err == nil {
			b.Write(text[1 : len(text)-1])
		}
		return
	}
	b.WriteString(strconv.Quote(name) + ":")
	if f := v.FieldByName(name); f.IsValid() {
		writeInternal(b, f)
	} else {
		b.WriteString("null")
	}
}

func writeInternalList(b *strings.Builder, v reflect.Value) {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		writeInternal(b, v.Index(i))
	}
	b.WriteByte(']')
}

func writeInternalMap(b *strings.Builder, v reflect.Value) {
	keys := map[string]bool{}
	for _, k := range v.MapKeys() {
		keys[k.String()] = true
	}
	for i, k := range sorted(keys) {
		b.WriteByte("{,"[min(i, 1)])
		text, err := json.Marshal(k)
		if err == nil {
			b.Write(text)
		}
		b.WriteByte(':')
		writeInternal(b, v.MapIndex(reflect.ValueOf(k)))
	}
	b.WriteByte('}')
}
