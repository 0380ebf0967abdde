package validation

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"podwalk/core/api"
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
		text, err := json.Marshal(inOrder(v.Interface()))
		if err == nil {
			b.Write(text)
		}
		return
	}
	var parts []string
	for _, name := range strings.Fields(names) {
		if name == ".ObjectMeta" {
			parts = append(parts, metaParts(v.FieldByName("ObjectMeta"))...)
			continue
		}
		text := "null"
		if strings.HasPrefix(v.Type().Name(), "RollingUpdateD") {
			text = "0" // no pointers there
		}
		if f := v.FieldByName(name); f.IsValid() && !(f.Kind() == reflect.Pointer && f.IsNil()) {
			var part strings.Builder
			writeInternal(&part, f)
			text = part.String()
		}
		parts = append(parts, strconv.Quote(name)+":"+text)
	}
	b.WriteString("{" + strings.Join(parts, ",") + "}")
}

// inOrder gives a selector the order of the server's type, whose labels come first.
func inOrder(v any) any {
	s, ok := v.(api.LabelSelector)
	if !ok {
		return v
	}
	return struct {
		MatchLabels      map[string]string              `json:"matchLabels,omitempty"`
		MatchExpressions []api.LabelSelectorRequirement `json:"matchExpressions,omitempty"`
	}{s.MatchLabels, s.MatchExpressions}
}

// metaOrder is the order of the fields of metadata, which have names of their own
// in JSON and are left out when empty.
const metaOrder = "Name GenerateName Namespace SelfLink UID ResourceVersion Generation CreationTimestamp DeletionTimestamp DeletionGracePeriodSeconds Labels Annotations OwnerReferences Finalizers"

func metaParts(m reflect.Value) (parts []string) {
	for _, name := range strings.Fields(metaOrder) {
		f, _ := m.Type().FieldByName(name)
		v := m.FieldByName(name)
		if v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0 {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if text, err := json.Marshal(v.Interface()); err == nil {
			parts = append(parts, strconv.Quote(key)+":"+string(text))
		}
	}
	return parts
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
