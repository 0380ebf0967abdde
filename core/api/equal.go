package api

import (
	"bytes"
	"reflect"
)

// Equal reports whether two values of one type, or what two pointers of one type
// point to, would be stored the same: nothing and an empty list or map are one,
// and quantities compare by amount (apimachinery/pkg/api/equality).
func Equal(a, b any) bool { return same(reflect.ValueOf(a), reflect.ValueOf(b)) }

func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() || a.IsNil() || b.IsNil() {
			return a.Pointer() == b.Pointer()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		return sameStruct(a, b)
	case reflect.Slice:
		return sameSlice(a, b)
	case reflect.Map:
		return sameMap(a, b)
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	}
	return a.Interface() == b.Interface()
}

var (
	quantityType    = reflect.TypeFor[Quantity]()
	intOrStringType = reflect.TypeFor[IntOrString]()
	bytesType       = reflect.TypeFor[[]byte]()
)

func sameStruct(a, b reflect.Value) bool {
	switch a.Type() {
	case quantityType:
		return a.Interface().(Quantity).Equal(b.Interface().(Quantity))
	case intOrStringType:
		return a.Interface() == b.Interface()
	}
	for i := range a.NumField() {
		if !same(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}

func sameSlice(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.Pointer() == b.Pointer() {
		return true
	}
	if a.Type().ConvertibleTo(bytesType) && a.Type().Elem().Kind() == reflect.Uint8 {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	for i := range a.Len() {
		if !same(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func sameMap(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.Pointer() == b.Pointer() {
		return true
	}
	for it := a.MapRange(); it.Next(); {
		if v := b.MapIndex(it.Key()); !v.IsValid() || !same(it.Value(), v) {
			return false
		}
	}
	return true
}
